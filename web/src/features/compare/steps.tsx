/* SPDX-License-Identifier: MIT
 *
 * Steps of two traces: each part of the mean step as a pair of bars, and each step of the base above
 * the aligned step of the new run. Each of the two pictures has its own scale.
 */
import { useEffect } from 'preact/hooks';
import type { Comparison } from '../../base/compare_types';
import { replaceQuery, route } from '../../base/router';
import type { TraceOverview } from '../../base/trace_types';
import { int, MINUS, pct, signed, text, THIN_SPACE } from '../../base/units';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import { StackedBar } from '../../components/stacked_bar';
import { hideTooltip } from '../../components/tooltip';
import { type DefinitionText, readDefinition, segmentsOf, sumOf } from '../../model/breakdown';
import { formatDelta, formatValueOf } from '../../model/compare';
import { useJson } from '../shared/use_json';
import { viewPath } from '../trace/data';
import { DefinitionSwitch } from '../trace/definition_switch';
import {
    durationOf,
    maxDuration,
    type PartPair,
    partPairs,
    partsOf,
    type StepPair,
    stepPairs,
} from './step_pairs';

/** Number of pairs that are drawn until the user requests more. */
const SHOWN_PAIRS = 50;

export function ComparisonSteps({ comparison }: { comparison: Comparison }) {
    const [a, b] = [comparison.base[0], comparison.new[0]];
    const base = useJson<TraceOverview>(viewPath(a, 'overview'));
    const fresh = useJson<TraceOverview>(viewPath(b, 'overview'));
    useEffect(() => () => hideTooltip(), []);
    const definition = readDefinition(route.value.query.parts);
    const error = base.error ?? fresh.error;
    if (error) return <Notice kind="error" title="The steps could not be read" error={error} />;
    const runs = Math.max(comparison.base.length, comparison.new.length);
    return (
        <section class="picture compare-picture compare-steps" aria-label="Steps">
            {base.data && fresh.data && (
                <Steps
                    base={base.data}
                    fresh={fresh.data}
                    definition={definition}
                    hasMoreRuns={runs > 1}
                />
            )}
            <LoadingLine active={base.loading || fresh.loading} />
        </section>
    );
}

interface StepsProps {
    base: TraceOverview;
    fresh: TraceOverview;
    definition: DefinitionText;
    /** true: a group has several runs, of which only the first is shown */
    hasMoreRuns: boolean;
}

function Steps({ base, fresh, definition, hasMoreRuns }: StepsProps) {
    const { query } = route.value;
    const urlShift = /^-?\d{1,4}$/.test(query.by ?? '') ? Number(query.by) : null;
    const { pairs, by } = stepPairs(base, fresh, urlShift);
    const parts = partPairs(base.mean[definition.id], fresh.mean[definition.id]);
    return (
        <>
            <div class="compare-picture-head">
                <DefinitionSwitch definition={definition} />
                <span class="soft ellipsis">{definition.description}</span>
                {hasMoreRuns && <span class="soft">first run of each group</span>}
            </div>
            <div class="compare-steps-body">
                <Parts parts={parts} />
                {pairs.length > 1 && <Pairs pairs={pairs} by={by} definition={definition} />}
            </div>
        </>
    );
}

const timeText = (ns: number): string => text(formatValueOf(ns, 'ns'));

function deltaText(base: number, fresh: number): string {
    const delta = fresh - base;
    if (delta === 0) return 'the same';
    const share = base > 0 ? (100 * Math.abs(delta)) / base : null;
    const percent =
        share === null ? 'new' : `${delta < 0 ? MINUS : '+'}${pct(share)}${THIN_SPACE}%`;
    return `${text(formatDelta(delta, 'ns'))} (${percent})`;
}

function Parts({ parts }: { parts: PartPair[] }) {
    const longest = parts.reduce((top, pair) => Math.max(top, pair.base, pair.new), 1);
    if (!parts.length)
        return <p class="soft">Neither run has activity of this kind. Choose another breakdown.</p>;
    return (
        <div class="part-pairs" role="table" aria-label="parts of the mean step, base and new">
            {parts.map((pair) => (
                <div key={pair.label} class="part-pair" role="row">
                    <span role="rowheader">
                        <i class={`swatch is-family-${pair.family}`} /> {pair.label}
                    </span>
                    <span class="part-bars" aria-hidden="true">
                        <i class="is-base" style={{ width: `${(100 * pair.base) / longest}%` }} />
                        <i
                            class={`stacked-part is-family-${pair.family}`}
                            style={{ width: `${(100 * pair.new) / longest}%` }}
                        />
                    </span>
                    <span role="cell">
                        {timeText(pair.base)} → {timeText(pair.new)}
                    </span>
                    <b role="cell">{deltaText(pair.base, pair.new)}</b>
                </div>
            ))}
        </div>
    );
}

interface PairsProps {
    pairs: StepPair[];
    by: number;
    definition: DefinitionText;
}

function Pairs({ pairs, by, definition }: PairsProps) {
    const all = route.value.query.steps === 'all';
    const shown = all ? pairs : pairs.slice(0, SHOWN_PAIRS);
    const longest = maxDuration(pairs);
    return (
        <div class="step-pairs">
            <p class="step-pairs-head">
                <b>Step by step</b>
                <span class="soft">same scale; base above new</span>
                <span class="spacer" />
                <span class="soft">
                    step n beside step n{by === 0 ? '' : ` ${signed(by, 0)}`} of new
                </span>
                <ShiftLink label="earlier" by={by - 1} />
                <ShiftLink label="later" by={by + 1} />
            </p>
            {shown.map((pair) => (
                <StepRow
                    key={`${pair.base?.id} ${pair.new?.id}`}
                    pair={pair}
                    longest={longest}
                    definition={definition}
                />
            ))}
            {shown.length < pairs.length && (
                <button
                    type="button"
                    class="link step-more"
                    onClick={() => replaceQuery({ steps: 'all' })}
                >
                    {int(pairs.length - shown.length)} more steps
                </button>
            )}
        </div>
    );
}

/* Link that changes the alignment of the steps. */
function ShiftLink({ label, by }: { label: string; by: number }) {
    const tip = `compared with the ${label} step of the new run`;
    return (
        <button
            type="button"
            class="link"
            title={tip}
            onClick={() => replaceQuery({ by: String(by) })}
        >
            {label}
        </button>
    );
}

interface RowProps {
    pair: StepPair;
    longest: number;
    definition: DefinitionText;
}

function StepRow({ pair, longest, definition }: RowProps) {
    const { base, new: fresh } = pair;
    const [a, b] = [durationOf(base), durationOf(fresh)];
    const names = [base?.name ?? '–', fresh?.name ?? '–'];
    return (
        <div class="step-pair">
            <span class="mono step-name" title={names.join(' ↔ ')}>
                {names[0] === names[1] ? names[0] : names.join(' ↔ ')}
            </span>
            <span class="step-bars">
                {[base, fresh].map((step, i) => {
                    const parts = partsOf(step, definition.id);
                    const side = i === 0 ? 'base' : 'new';
                    return (
                        <StackedBar
                            key={side}
                            label={`${names[i]}, ${side}`}
                            segments={segmentsOf(parts)}
                            width={sumOf(parts) / longest}
                            base={`of step, ${side}`}
                        />
                    );
                })}
            </span>
            <span class="step-delta">
                {base && fresh
                    ? `${timeText(b)}, ${deltaText(a, b)}`
                    : `${timeText(a + b)}, in one run only`}
            </span>
        </div>
    );
}
