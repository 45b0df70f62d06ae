/* SPDX-License-Identifier: MIT
 *
 * The selected request: the causes of its time to the first token, which add up to it, its tokens
 * over time, and what client and engine say of it.
 */
import type { ComponentChildren } from 'preact';
import type { RequestDetail, RequestPart, RequestStall, StepWork } from '../../base/answers';
import { int, pct, plural, THIN_SPACE } from '../../base/units';
import { Pairs } from '../../components/pairs';
import { PaneSection, SelectionPane } from '../../components/selection_pane';
import { CAUSES, partText, servedText, stepsText, timeText } from '../../model/requests';
import { stepHref } from './links';
import { RequestLinks } from './request_links';

interface RequestPaneProps {
    detail: RequestDetail;
    onClose: () => void;
}

export function RequestPane({ detail, onClose }: RequestPaneProps) {
    return (
        <SelectionPane
            head={{ name: `Request ${int(detail.id)}`, place: detail.name }}
            base={null}
            onClose={onClose}
        >
            <Chain detail={detail} />
            <Tokens detail={detail} />
            <PaneSection title="Client and engine">
                <Pairs rows={factRows(detail)} />
            </PaneSection>
        </SelectionPane>
    );
}

function rankText({ rank, rank_of }: RequestDetail): string {
    if (rank === null) return '';
    return rank === 1 ? `the longest of ${int(rank_of)}` : `rank ${int(rank)} of ${int(rank_of)}`;
}

function Chain({ detail }: { detail: RequestDetail }) {
    const { chain, ttft_ns, is_engine_ttft } = detail;
    const most = chain.reduce((longest, { ns }) => Math.max(longest, ns), 1);
    return (
        <PaneSection
            title={`Time to first token ${timeText(ttft_ns)}`}
            right={[is_engine_ttft ? 'of the engine' : '', rankText(detail)]
                .filter(Boolean)
                .join(', ')}
        >
            {chain.length === 0 && (
                <p class="selection-none">
                    {ttft_ns === null
                        ? 'The request got no token, or its time is not recorded.'
                        : 'No log or trace of the engine says what the request waited for.'}
                </p>
            )}
            <ol class="request-chain">
                {chain.map((part, i) => (
                    <ChainPart key={i} part={part} most={most} />
                ))}
            </ol>
            {chain.length > 1 && (
                <p class="request-sum">
                    <span>Sum of the parts</span>
                    <b>{timeText(chain.reduce((sum, { ns }) => sum + ns, 0))}</b>
                </p>
            )}
        </PaneSection>
    );
}

function PartSteps({ part }: { part: RequestPart }) {
    const { first_step, last_step, first_number, last_number, steps, steps_ns } = part;
    if (first_step === null || last_step === null) return null;
    const [first, last] = [first_number ?? first_step, last_number ?? last_step];
    const all = <span class="soft"> ({timeText(steps_ns)})</span>;
    if (steps === 1 || first_step === last_step)
        return (
            <>
                <a class="link" href={stepHref(first_step)}>
                    {stepsText(part)}
                </a>
                {all}
            </>
        );
    return (
        <>
            {plural(steps, 'step')}:{' '}
            <a class="link" href={stepHref(first_step)}>
                step {int(first)}
            </a>{' '}
            to{' '}
            <a class="link" href={stepHref(last_step)}>
                {int(last)}
            </a>
            {all}
        </>
    );
}

function ChainPart({ part, most }: { part: RequestPart; most: number }) {
    const { cause, ns, share, prefilled, held_by, finished, work } = part;
    const { phase, label } = CAUSES[cause];
    const others = cause === 'prefill' ? [] : prefilled;
    return (
        <li>
            <div class="request-part">
                <i class={`swatch is-request-${phase}`} />
                <b>{label}</b>
                <span class="is-right">{timeText(ns)}</span>
                <span class="is-right soft">
                    {pct(100 * share)}
                    {THIN_SPACE}%
                </span>
            </div>
            <span class="request-amount">
                <i class={`is-request-${phase}`} style={{ width: `${(100 * ns) / most}%` }} />
            </span>
            <div class="request-why">
                <span>
                    {partText(part)}
                    {part.first_step !== null && (
                        <>
                            {': '}
                            <PartSteps part={part} />
                        </>
                    )}
                </span>
                <RequestLinks before="prefilled there:" requests={others} text={servedText} />
                <RequestLinks before="slots held by" requests={held_by} />
                {cause !== 'prefill' && <RequestLinks before="ended:" requests={finished} />}
                {work && <Work work={work} />}
            </div>
        </li>
    );
}

const WORK_NAMES = 3;

/* The largest operators or kernels of the steps, in one line. */
function Work({ work }: { work: StepWork }) {
    if (work.rows.length === 0) return null;
    return (
        <span class="soft">
            {`largest ${work.by}s of these steps: `}
            {work.rows
                .slice(0, WORK_NAMES)
                .map(({ name, share }) => `${name} ${pct(100 * share)}${THIN_SPACE}%`)
                .join(', ')}
        </span>
    );
}

const PLOT_WIDTH = 300;
const PLOT_HEIGHT = 56;
/* More gaps are merged: the longest of each column is drawn. */
const MAX_BARS = 150;

/* The gaps between tokens in order; each bar is as high as its gap is long. */
function GapPlot({ detail }: { detail: RequestDetail }) {
    const { gap_ns } = detail.tokens;
    const per = Math.ceil(gap_ns.length / MAX_BARS);
    const bars = Array.from({ length: Math.ceil(gap_ns.length / per) }, (_, i) =>
        Math.max(...gap_ns.slice(i * per, (i + 1) * per)),
    );
    const most = Math.max(1, ...bars);
    const each = PLOT_WIDTH / bars.length;
    const shortest = detail.stalls.reduce((least, one) => Math.min(least, one.gap_ns), Infinity);
    return (
        <svg
            class="request-gaps"
            viewBox={`0 0 ${PLOT_WIDTH} ${PLOT_HEIGHT}`}
            preserveAspectRatio="none"
            role="img"
            aria-label={`${plural(gap_ns.length, 'gap')} between tokens, the longest ${timeText(most)}`}
        >
            {bars.map((ns, i) => {
                const height = Math.max(1, (ns / most) * PLOT_HEIGHT);
                return (
                    <rect
                        key={i}
                        class={ns >= shortest ? 'is-stall' : ''}
                        x={i * each}
                        y={PLOT_HEIGHT - height}
                        width={Math.max(0.5, each > 3 ? each - 1 : each)}
                        height={height}
                    >
                        <title>{`token ${int(i * per + 2)}: ${timeText(ns)} after the one before`}</title>
                    </rect>
                );
            })}
        </svg>
    );
}

function Tokens({ detail }: { detail: RequestDetail }) {
    const { tokens, stalls } = detail;
    if (tokens.source === null || tokens.gap_ns.length === 0) return null;
    return (
        <PaneSection
            title="Gaps between tokens"
            right={`${int(tokens.count)}, median ${timeText(tokens.median_ns)}`}
        >
            <GapPlot detail={detail} />
            {tokens.omitted > 0 && (
                <p class="soft">The last {plural(tokens.omitted, 'gap')} are not drawn.</p>
            )}
            <p class="soft">
                {stalls.length > 0
                    ? `${plural(stalls.length, 'stall')}: gaps of at least 5 times the median of the run`
                    : 'No stall: each gap is shorter than 5 times the median of the run.'}
            </p>
            <ul class="request-stalls">
                {stalls.map((stall) => (
                    <Stall key={stall.token} stall={stall} />
                ))}
            </ul>
        </PaneSection>
    );
}

function Stall({ stall }: { stall: RequestStall }) {
    const { token, gap_ns, step, number, step_ns, prefilled } = stall;
    return (
        <li>
            <b>{timeText(gap_ns)}</b> before token {int(token + 1)}
            {step > 0 && (
                <>
                    {', '}
                    <a class="link" href={stepHref(step)}>
                        step {int(number ?? step)}
                    </a>{' '}
                    <span class="soft">({timeText(step_ns)})</span>
                </>
            )}
            <RequestLinks before=", which prefilled" requests={prefilled} text={servedText} />
        </li>
    );
}

type Fact = [label: string, value: ComponentChildren];

/* "39" if client and engine agree, else both. */
function countPair(label: string, client: number | null, engine: number | null): Fact[] {
    if (client === null && engine === null) return [];
    if (client === null || engine === null || client === engine)
        return [[label, int(client ?? engine)]];
    return [[label, `${int(client)} of the client, ${int(engine)} of the engine`]];
}

function factRows(detail: RequestDetail): Fact[] {
    const rows: Fact[] = [];
    if (detail.state !== 'completed') rows.push(['State', <b class="warn">{detail.state}</b>]);
    if (detail.error) rows.push(['Error', detail.error]);
    rows.push(...countPair('Prompt tokens', detail.prompt_tokens, detail.engine_prompt_tokens));
    rows.push(...countPair('Output tokens', detail.output_tokens, detail.engine_output_tokens));
    if (detail.cached_tokens !== null) rows.push(['Cached tokens', int(detail.cached_tokens)]);
    if (detail.tpot_ns !== null) rows.push(['Time per output token', timeText(detail.tpot_ns)]);
    if (detail.latency_ns !== null) rows.push(['Latency', timeText(detail.latency_ns)]);
    const begin = detail.start_ns ?? detail.arrival_ns;
    if (begin !== null) rows.push(['Sent at', timeText(begin)]);
    if (detail.is_estimated)
        rows.push(['Matched', 'by length and order: client and engine share no id']);
    return rows;
}
