/* SPDX-License-Identifier: MIT */
/* The selected step: its times, tokens and annotation. */
import type { Inference, InferenceParts } from '../../base/answers';
import { int, pct, plural, THIN_SPACE } from '../../base/units';
import { Pairs } from '../../components/pairs';
import { PaneHead } from '../../components/toolbar';
import { isHostOnly, phaseOf, stackParts, stepTimes, timesOf } from '../../model/inference';
import { ms } from '../../model/trace_range';
import { deviceWord } from '../../model/device';

interface StepPaneProps {
    answer: Inference;
    step: number;
    /** the parts that contain the step; null: not loaded */
    parts: InferenceParts | null;
    timelineHref: string;
    /** the operators in the time of the step; null: the run has no table of them */
    operatorsHref: string | null;
    onClose: () => void;
}

const time = (ns: number): string => `${ms(ns)}${THIN_SPACE}ms`;

/** "32 new, 32,785 in context"; "" if the annotation does not say. */
function tokensText({ columns }: Inference, step: number): string {
    const groups = [
        {
            name: 'prefill',
            tokens: columns.prefill_tokens[step],
            context: columns.prefill_context[step],
        },
        {
            name: 'decode',
            tokens: columns.decode_tokens[step],
            context: columns.decode_context[step],
        },
    ].filter(({ tokens }) => tokens !== null && tokens > 0);
    return groups
        .map(({ name, tokens, context }) =>
            [
                `${int(tokens ?? 0)} ${groups.length > 1 ? name : 'new'}`,
                context === null ? '' : `${int(context)} in context`,
            ]
                .filter(Boolean)
                .join(', '),
        )
        .join('; ');
}

function gapsText(busy: number, span: number): string {
    return `${time(span)}, ${pct(100 * (1 - busy / Math.max(1, span)))}${THIN_SPACE}% gaps`;
}

export function StepPane(props: StepPaneProps) {
    const { answer, step, parts, timelineHref, operatorsHref, onClose } = props;
    const { columns } = answer;
    const busy = stepTimes(answer)[step];
    const [span, period] = [columns.span_ns[step], columns.period_ns[step]];
    const [requests, padded] = [columns.requests[step], columns.padded[step]];
    const tokens = tokensText(answer, step);
    const name = parts?.steps.find((one) => one.step === columns.id[step])?.name;
    const isHost = isHostOnly(answer);
    const rows: [string, preact.ComponentChildren][] = [];
    rows.push([isHost ? 'Host time' : `${deviceWord()} busy`, <b>{time(busy)}</b>]);
    if (span !== null) rows.push(['First to last kernel', gapsText(busy, span)]);
    if (period !== null)
        rows.push([
            'To the next step',
            `${time(period)}, busy ${pct((100 * busy) / period)}${THIN_SPACE}%`,
        ]);
    if (!isHost) {
        rows.push(['Host', time(columns.host_ns[step])]);
        rows.push(['Kernels and copies', int(columns.kernels[step])]);
    }
    if (requests !== null)
        rows.push([
            'Requests',
            padded === null ? int(requests) : `${int(requests)} of a graph for ${int(padded)}`,
        ]);
    if (tokens) rows.push(['Tokens', tokens]);
    const families = stackParts(answer)
        .map(({ key, label, ns }) => ({ key, label, ns: ns[step] }))
        .filter(({ ns }) => ns > 0)
        .sort((a, b) => b.ns - a.ns);
    return (
        <div class="inference-step">
            <PaneHead
                title={`Step ${int(step)}`}
                remark={`${phaseOf(answer, step)}${requests === null ? '' : `, ${plural(requests, 'request')}`}`}
            >
                <button type="button" class="button-plain" onClick={onClose}>
                    <kbd>Esc</kbd>
                </button>
            </PaneHead>
            <Pairs rows={rows} />
            {name && <p class="inference-annotation mono">{name}</p>}
            <h3>{timesOf(answer)} time by family</h3>
            <dl class="inference-families">
                {families.map(({ key, label, ns }) => [
                    <dt>
                        <i class={`swatch is-family-${key}`} /> {label}
                    </dt>,
                    <dd>
                        {time(ns)}{' '}
                        <span class="soft">{`${pct((100 * ns) / Math.max(1, busy))}${THIN_SPACE}%`}</span>
                    </dd>,
                ])}
            </dl>
            <p>
                <a href={timelineHref}>Show in the timeline</a>
            </p>
            {operatorsHref !== null && (
                <p>
                    <a href={operatorsHref}>Operators in this time</a>
                </p>
            )}
        </div>
    );
}
