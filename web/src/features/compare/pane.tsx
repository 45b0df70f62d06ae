/* SPDX-License-Identifier: MIT
 *
 * Pane next to the table: the steps from base to new, or details of the selected row.
 */
import type { ComponentChildren } from 'preact';
import type {
    ComparisonCell,
    ComparisonRow,
    ComparisonTable,
    Comparison,
    Metric,
} from '../../base/compare_types';
import { replaceQuery, route } from '../../base/router';
import { LABELS } from '../../base/terms';
import type { Page } from '../../base/types';
import { int, signed, text, THIN_SPACE } from '../../base/units';
import { CopyButton } from '../../components/copy_button';
import { Pairs } from '../../components/pairs';
import { PaneHead } from '../../components/toolbar';
import { viewportWidth } from '../../components/viewport';
import {
    cellText,
    formatDelta,
    deltaText,
    formatValueOf,
    median,
    pText,
    type Scale,
    verdictOf,
} from '../../model/compare';
import { RowTrendLink } from '../trend/link';
import { isImports, unitOf } from './columns';
import type { RowName, Side } from './diff_tree';
import { GroupStrip } from './group_strip';
import { Mono, RowPane, rowHref, RunsHead, RunValues } from './row';
import { waterfall } from './waterfall';
import { WaterfallView } from './waterfall_view';

interface ComparePaneProps {
    comparison: Comparison;
    table: ComparisonTable;
    metric: Metric;
    scale: Scale;
    top: { rows: ComparisonRow[]; page: Page };
}

export function ComparePane(props: ComparePaneProps) {
    const { row } = route.value.query;
    if (row === undefined) return viewportWidth.value >= 1000 ? <FallPane {...props} /> : null;
    return (
        <RowPane<ComparisonCell> {...props} row={row}>
            {(data) => <RowBody {...props} data={data} />}
        </RowPane>
    );
}

function FallPane({ table, metric, scale, top: { rows, page } }: ComparePaneProps) {
    const { base, new: fresh } = page.sums;
    const fall = metric.adds_up ? waterfall(base ?? 0, fresh ?? 0, rows) : null;
    const unit = scale.unit ? `, ${scale.unit}` : '';
    const cut = fall && fall.axisFrom > 0 ? `axis starts at ${cellText(fall.axisFrom, scale)}` : '';
    return (
        <section class="pane pane-compare" aria-label="From base to new">
            <PaneHead title="From base to new" remark={`by ${table.row}${unit}`}>
                <span class="soft">{cut}</span>
            </PaneHead>
            <div class="compare-body">
                {fall ? (
                    <>
                        <WaterfallView
                            fall={fall}
                            format={(value) => cellText(value, scale)}
                            formatDelta={(value) => deltaText(value, scale)}
                            selected={null}
                            onPick={(row) => replaceQuery({ row: String(row) })}
                        />
                        <p class="compare-note">Sums of the medians of every {table.row}.</p>
                    </>
                ) : (
                    <p class="compare-note">
                        {metric.title} of one {table.row} may include another, so the differences do
                        not add up.
                    </p>
                )}
            </div>
        </section>
    );
}

function RowBody({ comparison, table, metric, data }: ComparePaneProps & { data: ComparisonCell }) {
    const unit = unitOf(table, metric, data);
    const format = (value: number) => text(formatValueOf(value, unit));
    const verdict = verdictOf(data, unit, isImports(table));
    const group = (values: number[]) => {
        const centre = median(values);
        return { values, median: centre, mad: median(values.map((v) => Math.abs(v - centre))) };
    };
    return (
        <>
            <div class="named-name mono">{data.name}</div>
            <div class="named-links">
                <CopyButton text={data.name} label={LABELS.copyName} />
                <RowTrendLink
                    runs={comparison.new}
                    of={table.of}
                    row={data.name}
                    place={data.place}
                    metric={metric.metric}
                />
            </div>
            <p class="compare-row-answer">
                <span class={`verdict ${verdict.tone}`}>
                    <i>{verdict.glyph}</i> {verdict.label}{' '}
                    <b>{text(formatDelta(data.delta, unit))}</b>
                </span>
                {data.delta_pct !== null && ` (${signed(data.delta_pct, 1)}${THIN_SPACE}% of base)`}
            </p>
            {isImports(table) && <ImportChangeText row={data} />}
            <GroupStrip
                base={group(data.base_values)}
                fresh={group(data.new_values)}
                width={396}
                format={format}
                nameOf={
                    hasValuePerRun(comparison, data)
                        ? (side, run) => comparison[side][run].name
                        : undefined
                }
            />
            <Pairs rows={rowValues(data, metric, format, (v) => text(formatDelta(v, unit)))} />
            <Pairs rows={movedRows(data, table.place === 'unit')} />
            <ValueList {...{ comparison, table, data, format }} />
        </>
    );
}

/* Explains how an import changed: removed, added, or first imported by another module. */
function ImportChangeText({ row: { change, by, base_by } }: { row: ComparisonCell }) {
    const mover = (name: string | null) => (name ? <code>{name}</code> : 'the program itself');
    if (change === 'removed') {
        return (
            <p class="compare-note">No longer imported: it is lazy now, or no module needs it.</p>
        );
    }
    if (change === 'added') {
        return <p class="compare-note">Not imported in the base; now by {mover(by)}.</p>;
    }
    if (change !== 'moved') return null;
    return (
        <p class="compare-note">
            Now first imported by {mover(by)}, in the base by {mover(base_by)}. Its time counts
            below its first importer.
        </p>
    );
}

type Pair = [label: string, value: ComponentChildren];

function rowValues(
    row: ComparisonCell,
    metric: Metric,
    format: (v: number) => string,
    delta: (v: number) => string,
): Pair[] {
    const pairs: Pair[] = [
        [metric.title.toLowerCase(), `${format(row.base)} → ${format(row.new)}`],
    ];
    if (row.noise !== null) pairs.push(['noise ±', format(row.noise)]);
    if (row.low !== null && row.high !== null) {
        pairs.push([`95${THIN_SPACE}% interval of Δ`, `${delta(row.low)} to ${delta(row.high)}`]);
    }
    if (row.p !== null) pairs.push(['Mann–Whitney', pText(row.p)]);
    if (row.share !== null) pairs.push(['share', `${signed(row.share, 1)}${THIN_SPACE}% of Σ |Δ|`]);
    return pairs;
}

/* Location and first importer of a row, with the values in the base if they differ. */
function movedRows(row: ComparisonCell, isUnit: boolean): Pair[] {
    const pairs: Pair[] = [];
    const at = (place: string | null, line: number | null) =>
        [place, line === null ? null : String(line)].filter((part) => part !== null).join(':');
    const here = at(row.place, row.line);
    const before = at(row.base_place ?? row.place, row.base_line ?? row.line);
    if (here && !isUnit) pairs.push(['where', <Mono>{here}</Mono>]);
    if (before !== here) pairs.push(['in the base', <Mono>{before}</Mono>]);
    if (row.within) pairs.push(['within', <Mono>{row.within}</Mono>]);
    const isMoved = row.base_by !== row.by && row.change === 'moved';
    if (row.by)
        pairs.push([
            isMoved ? 'now first imported by' : 'first imported by',
            <Mono>{row.by}</Mono>,
        ]);
    if (row.base_by && row.base_by !== row.by)
        pairs.push(['in the base by', <Mono>{row.base_by}</Mono>]);
    return pairs;
}

/* Name and location of a row in the base. */
function inBase(row: ComparisonRow): RowName {
    return {
        name: row.name,
        place: row.base_place ?? row.place,
        line: row.base_line ?? row.line,
    };
}

/* Whether the row has one value per run. With one measurement per side, the values are its
 * samples. */
function hasValuePerRun({ base, new: fresh }: Comparison, row: ComparisonCell): boolean {
    return row.base_values.length === base.length && row.new_values.length === fresh.length;
}

interface ValueListProps {
    comparison: Comparison;
    table: ComparisonTable;
    data: ComparisonCell;
    format: (value: number) => string;
}

function ValueList({ comparison, table, data, format }: ValueListProps) {
    const all = hasValuePerRun(comparison, data);
    const list = (side: Side, values: number[], row: RowName) => (
        <>
            <dt>{side}</dt>
            <RunValues
                runs={comparison[side]}
                href={(run) => rowHref(run, table.of, row)}
                format={(i) => (all ? format(values[i]) : '')}
            />
        </>
    );
    const [nBase, nNew] = [int(data.base_values.length), int(data.new_values.length)];
    return (
        <>
            <RunsHead>
                {all
                    ? `in ${int(data.in_base)} of ${nBase} and in ${int(data.in_new)} of ${nNew}`
                    : `${nBase} and ${nNew} samples`}
            </RunsHead>
            <dl class="compare-values">
                {list('base', data.base_values, inBase(data))}
                {list('new', data.new_values, data)}
            </dl>
        </>
    );
}
