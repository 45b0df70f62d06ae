/* SPDX-License-Identifier: MIT
 *
 * Header of a comparison: the two groups, the verdict with its test, and every run as a dot.
 */
import type { Comparison, Group, Run, SnapshotComparison, TraceStep } from '../../base/answers';
import { formatHash } from '../../base/router';
import { THIN_SPACE, plural, signed, text, when } from '../../base/units';
import { Menu } from '../../components/menu';
import { FormattedValueText } from '../../components/text';
import { viewportWidth } from '../../components/viewport';
import { formatDelta, formatValueOf, groupName, verdictOf, verdictText } from '../../model/compare';
import { ConclusionLine } from './conclusion';
import { EnvironmentLine } from './environment';
import { GroupStrip } from './group_strip';
import { noStepsText } from './per_switch';
import { isSnapshots } from './snapshot_data';
import { SnapshotCurves, SnapshotSentence } from './snapshot_head';
import { countedSteps, durationOf } from './step_columns';
import type { StepOverviews } from './steps_view';

interface CompareHeadProps {
    comparison: Comparison;
    /** two memory snapshots: at the peaks, and what the tab shows; null: other kinds, or not read yet */
    snapshots: { peaks: SnapshotComparison; shown: SnapshotComparison } | null;
    /** the steps of traces that have some */
    overviews: StepOverviews | null;
}

export function CompareHead({ comparison, overviews, snapshots }: CompareHeadProps) {
    const { headline, base, new: fresh } = comparison;
    const steps = overviews && base.length + fresh.length === 2 ? stepGroups(overviews) : null;
    const width = viewportWidth.value;
    return (
        <header class="compare-head">
            <div class="compare-who">
                <h1 class="sr-only">
                    {groupName(base)} and {groupName(fresh)} compared
                </h1>
                <GroupLine label="base" runs={base} group={headline?.base} unit={headline?.unit} />
                <GroupLine label="new" runs={fresh} group={headline?.new} unit={headline?.unit} />
                <EnvironmentLine comparison={comparison} />
                <HeadlineVerdict comparison={comparison} />
                {snapshots ? (
                    <SnapshotSentence comparison={comparison} diff={snapshots.peaks} />
                ) : (
                    <ConclusionLine comparison={comparison} />
                )}
            </div>
            {snapshots && (
                <SnapshotCurves
                    comparison={comparison}
                    diff={snapshots.shown}
                    width={stripWidth(width)}
                />
            )}
            {headline && !isSnapshots(comparison) && (
                <GroupStrip
                    base={steps?.base ?? headline.base}
                    fresh={steps?.fresh ?? headline.new}
                    centre={steps ? 'mean' : 'median'}
                    width={stripWidth(width)}
                    format={(value) => text(formatValueOf(value, headline.unit))}
                    nameOf={(side, i) => steps?.names[side][i] ?? comparison[side][i]?.name ?? ''}
                />
            )}
        </header>
    );
}

/* A dot for each step, and their means; null if a run has one step only. */
function stepGroups({ base, fresh }: StepOverviews) {
    const [a, b] = [countedSteps(base), countedSteps(fresh)];
    if (a.length < 2 || b.length < 2) return null;
    const group = (steps: TraceStep[]) => {
        const values = steps.map((step) => durationOf(step) / 1e9);
        const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
        return { values, median: mean, mad: 0 };
    };
    const names = { base: a.map(({ name }) => name), new: b.map(({ name }) => name) };
    return { base: group(a), fresh: group(b), names };
}

/** Width of the dots of a header. */
export function stripWidth(windowWidth: number): number {
    return windowWidth >= 1200 ? 520 : windowWidth >= 1000 ? 380 : 300;
}

interface GroupLineProps {
    label: string;
    runs: Run[];
    group?: Group;
    unit?: string;
}

/** A group: its name, its runs, its median and spread. */
export function GroupLine({ label, runs, group, unit }: GroupLineProps) {
    const name = groupName(runs);
    const last = runs[runs.length - 1];
    const one = runs.length === 1;
    return (
        <div class="compare-group">
            <small>{label}</small>
            {one ? (
                <a class="compare-name" href={formatHash(['run', last.id])} title={name}>
                    {name}
                </a>
            ) : (
                <b class="compare-name" title={name}>
                    {name}
                </b>
            )}
            <span class="compare-meta">
                {!one && <RunList label={label} runs={runs} />}
                <span class="wide-only">
                    {[last.who, when(last.created_at)].filter(Boolean).join(', ')}
                </span>
                {one && typeof last.summary.steps === 'number' && last.summary.steps > 0 && (
                    <span>{plural(last.summary.steps, 'step')}</span>
                )}
                {group && unit !== undefined && (
                    <span>
                        {!one ? 'median ' : last.headline?.label.startsWith('mean') ? 'mean ' : ''}
                        <b>
                            <FormattedValueText value={formatValueOf(group.median, unit)} />
                        </b>
                        {!one && (
                            <>
                                {' ± '}
                                <FormattedValueText value={formatValueOf(group.mad, unit)} />
                            </>
                        )}
                    </span>
                )}
            </span>
        </div>
    );
}

/* Menu with the runs of a group. */
function RunList({ label, runs }: { label: string; runs: Run[] }) {
    return (
        <Menu
            label={plural(runs.length, 'run')}
            ariaLabel={`the ${runs.length} runs of ${label}`}
            class="link"
            filter={runs.length > 12}
            items={runs.map((run) => ({
                text: run.name,
                note: run.headline
                    ? text(formatValueOf(run.headline.value, run.headline.unit))
                    : '',
                href: formatHash(['run', run.id]),
            }))}
        />
    );
}

function HeadlineVerdict({ comparison }: { comparison: Comparison }) {
    const { headline, base, new: fresh } = comparison;
    if (comparison.verdicts) return <p class="compare-answer">{comparison.verdicts}.</p>;
    if (!headline) {
        return (
            <p class="compare-answer">
                No difference of the headline: {comparison.no_headline}.{' '}
                {noStepsText(comparison) || 'Compare the tables below.'}
            </p>
        );
    }
    const { unit, delta, delta_pct } = headline;
    const judgement = verdictOf(headline, unit);
    const [phrase, rest] = verdictText(headline, unit, base.length, fresh.length);
    const whole = phrase + rest;
    return (
        <p class="compare-answer" title={whole}>
            <b class={`compare-delta ${judgement.tone === 'faint' ? '' : judgement.tone}`}>
                {judgement.tone !== 'faint' && (
                    <span aria-hidden="true">{delta > 0 ? '▲ ' : '▼ '}</span>
                )}
                <FormattedValueText value={formatDelta(delta, unit)} />
            </b>{' '}
            {delta_pct !== null && `(${signed(delta_pct, 1)}${THIN_SPACE}% of base)`}{' '}
            <span class="soft">{headline.label}</span> · <b>{phrase}</b>
            <span class="soft">{rest}</span>
        </p>
    );
}
