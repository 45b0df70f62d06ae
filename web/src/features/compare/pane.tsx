/* SPDX-License-Identifier: MIT
 *
 * Pane next to the table: the steps from base to new, or details of the selected row.
 */
import type { ComponentChildren } from 'preact';
import type {
    Comparison,
    ComparisonRow,
    ComparisonRowDetail,
    ComparisonTable,
    Metric,
    Page,
} from '../../base/answers';
import { replaceQuery, route } from '../../base/router';
import { LABELS } from '../../base/terms';
import { DASH, formatFixed, int, signed, text, THIN_SPACE } from '../../base/units';
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
import { partText } from '../../model/breakdown';
import { rowHref } from '../shared/row_link';
import { RowTrendLink } from '../trend/link';
import { isImports, unitOf } from './columns';
import type { RowName, Side } from './diff_tree';
import { GroupStrip } from './group_strip';
import { perWords } from './per_switch';
import { DistributionPair, OutcomesPane } from './result_pane';
import { Mono, RowPane, RunsHead, RunValues } from './row';
import { PANE_BESIDE, SidePane, sidePaneContent } from './side_pane';
import { isSingle, PARTS_TABLE, perOf } from './state';
import { largestSteps, waterfall } from './waterfall';
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
    if (row === undefined && props.table.place === 'unit')
        return viewportWidth.value >= PANE_BESIDE ? (
            <OutcomesPane table={props.table} total={props.top.page.of} />
        ) : null;
    if (row === undefined)
        return viewportWidth.value >= PANE_BESIDE ? <WaterfallPane {...props} /> : null;
    return <SelectedRow {...props} row={row} />;
}

type RowBodyProps = Omit<ComparePaneProps, 'top'>;

/** The pane of a row: its value in each run. */
export function SelectedRow(props: RowBodyProps & { row: string }) {
    return (
        <RowPane<ComparisonRowDetail> {...props} row={props.row}>
            {(data) => <RowBody {...props} data={data} />}
        </RowPane>
    );
}

function WaterfallPane(props: ComparePaneProps) {
    const { comparison, table, metric, scale, top } = props;
    const { rows, page } = top;
    // Totals as the tools state them: rows do not add up to these exactly.
    const base = page.sums.whole_base ?? page.sums.base;
    const fresh = page.sums.whole_new ?? page.sums.new;
    const single = isSingle(comparison, table);
    const steps = single ? largestSteps(rows) : rows;
    const chart = metric.adds_up ? waterfall(base ?? 0, fresh ?? 0, steps) : null;
    const unit = scale.unit ? `, ${scale.unit}${perWords(perOf(table, route.value.query))}` : '';
    const cut = chart && chart.axisFrom > 0 ? `axis from ${cellText(chart.axisFrom, scale)}` : '';
    return (
        <SidePane label="From base to new">
            <PaneHead title="From base to new" remark={`by ${table.row}${unit}`}>
                <span class="soft">{cut}</span>
            </PaneHead>
            <div class="compare-body">
                {chart ? (
                    <>
                        <WaterfallView
                            chart={chart}
                            format={(value) => cellText(value, scale)}
                            formatDelta={(value) => deltaText(value, scale)}
                            selected={null}
                            onPick={(row) => replaceQuery({ row: String(row) })}
                        />
                        <p class="compare-note">{endsText(props)}</p>
                    </>
                ) : (
                    <p class="compare-note">
                        {perOf(table, route.value.query) === 'call'
                            ? `Values per call do not add up.`
                            : `${metric.title} of one ${table.row} may include another, so the differences do not add up.`}
                    </p>
                )}
            </div>
        </SidePane>
    );
}

/* What the ends of the waterfall are. */
function endsText({ comparison, table, metric, top: { page } }: ComparePaneProps): string {
    const single = comparison.base.length === 1 && comparison.new.length === 1;
    const title = metric.title.toLowerCase();
    if (page.sums.whole_base === null || page.sums.whole_base === undefined) {
        return single
            ? `Base and new: the sum of ${title} over every ${table.row}.`
            : `Base and new: the sum over every ${table.row} of the median ${title}.`;
    }
    const ends = `Base and new: ${single ? 'the total' : 'the median total'} of the recording.`;
    return `${ends} “All others” has what the rows do not add up to.`;
}

function RowBody({
    comparison,
    table,
    metric,
    data,
}: RowBodyProps & { data: ComparisonRowDetail }) {
    const unit = unitOf(table, metric, data);
    const format = (value: number) => text(formatValueOf(value, unit));
    const verdict = verdictOf(data, unit, isImports(table));
    const group = (all: (number | null)[]) => {
        const values = all.filter((value) => value !== null);
        const centre = median(values);
        return { values, median: centre, mad: median(values.map((v) => Math.abs(v - centre))) };
    };
    return (
        <>
            <div class="named-name mono">
                {table.of === PARTS_TABLE ? partText(data.name).label : data.name}
            </div>
            <div class="named-links">
                <CopyButton text={data.name} label={LABELS.copyName} />
                <RowTrendLink
                    runs={comparison.new}
                    of={table.of}
                    row={data.name}
                    place={data.place}
                    metric={metric.metric}
                    step={perOf(table, route.value.query) === 'step' ? comparison.step : null}
                />
            </div>
            <p class="compare-row-answer">
                <span class={`verdict ${verdict.tone}`}>
                    <i>{verdict.glyph}</i> {verdict.label}{' '}
                    {data.delta !== null && <b>{text(formatDelta(data.delta, unit))}</b>}
                </span>
                {data.delta_pct !== null && ` (${signed(data.delta_pct, 1)}${THIN_SPACE}% of base)`}
            </p>
            {isImports(table) && <ImportChangeText row={data} />}
            <UnlistedText row={data} />
            <GroupStrip
                base={group(data.base_values)}
                fresh={group(data.new_values)}
                width={sidePaneContent()}
                format={format}
                nameOf={
                    hasValuePerRun(comparison, data)
                        ? (side, run) => comparison[side][run].name
                        : undefined
                }
            />
            {table.place === 'unit' && (
                <DistributionPair
                    base={data.base_values.filter((value) => value !== null)}
                    fresh={data.new_values.filter((value) => value !== null)}
                    format={format}
                />
            )}
            <Pairs rows={valuePairs(data, metric, format, (v) => text(formatDelta(v, unit)))} />
            <Pairs rows={locationPairs(data, table.place === 'unit')} />
            <ValueList {...{ comparison, table, data, format }} />
        </>
    );
}

/* Explains how an import changed: removed, added, or first imported by another module. */
/* Why a row has no value on one side. */
function UnlistedText({ row: { change, in_base } }: { row: ComparisonRowDetail }) {
    if (change !== 'unlisted') return null;
    const side = in_base ? 'new' : 'base';
    return (
        <p class="compare-note">
            The {side} profile leaves out small rows. It does not tell whether it has this one.
        </p>
    );
}

function ImportChangeText({ row: { change, by, base_by } }: { row: ComparisonRowDetail }) {
    const importerName = (name: string | null) =>
        name ? <code>{name}</code> : 'the program itself';
    if (change === 'removed') {
        return (
            <p class="compare-note">No longer imported: it is lazy now, or no module needs it.</p>
        );
    }
    if (change === 'added') {
        return <p class="compare-note">Not imported in the base; now by {importerName(by)}.</p>;
    }
    if (change !== 'moved') return null;
    return (
        <p class="compare-note">
            Now first imported by {importerName(by)}, in the base by {importerName(base_by)}. Its
            time counts below its first importer.
        </p>
    );
}

type Pair = [label: string, value: ComponentChildren];

const BASIS_WORDS = {
    summary: 'the spread that the tool states',
    samples: 'samples',
    files: 'files of a side',
    pairs: 'files recorded in pairs',
};

function valuePairs(
    row: ComparisonRowDetail,
    metric: Metric,
    format: (v: number) => string,
    delta: (v: number) => string,
): Pair[] {
    const pairs: Pair[] = [
        [
            metric.title.toLowerCase(),
            [row.base, row.new].map((value) => (value === null ? DASH : format(value))).join(' → '),
        ],
    ];
    const isResult = row.basis !== undefined;
    if (row.noise !== null)
        pairs.push([isResult ? 'least significant Δ' : 'noise ±', format(row.noise)]);
    if (row.low !== null && row.high !== null) {
        pairs.push([`95${THIN_SPACE}% interval of Δ`, `${delta(row.low)} to ${delta(row.high)}`]);
    }
    if (row.p !== null) pairs.push([isResult ? 'Student’s t' : 'Mann–Whitney', pText(row.p)]);
    if (row.seen_pct) {
        const size = `± ${formatFixed(row.seen_pct, 1)}${THIN_SPACE}%`;
        pairs.push(['found in 9 of 10 cases', size]);
    }
    if (row.basis) pairs.push(['judged by', BASIS_WORDS[row.basis]]);
    if (row.share !== null) pairs.push(['share', `${signed(row.share, 1)}${THIN_SPACE}% of Σ |Δ|`]);
    return pairs;
}

/* Location and first importer of a row, with the values in the base if they differ. */
function locationPairs(row: ComparisonRowDetail, isUnit: boolean): Pair[] {
    const pairs: Pair[] = [];
    const locationText = (place: string | null, line: number | null) =>
        [place, line === null ? null : String(line)].filter((part) => part !== null).join(':');
    const here = locationText(row.place, row.line);
    const before = locationText(row.base_place ?? row.place, row.base_line ?? row.line);
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
function rowNameInBase(row: ComparisonRow): RowName {
    return {
        name: row.name,
        place: row.base_place ?? row.place,
        line: row.base_line ?? row.line,
    };
}

/* Whether the row has one value per run. With one measurement per side, the values are its
 * samples. */
function hasValuePerRun({ base, new: fresh }: Comparison, row: ComparisonRowDetail): boolean {
    return row.base_values.length === base.length && row.new_values.length === fresh.length;
}

interface ValueListProps {
    comparison: Comparison;
    table: ComparisonTable;
    data: ComparisonRowDetail;
    format: (value: number) => string;
}

function ValueList({ comparison, table, data, format }: ValueListProps) {
    const all = hasValuePerRun(comparison, data);
    const shown = (value: number | null) => (value === null ? DASH : format(value));
    const list = (side: Side, values: (number | null)[], row: RowName) => (
        <>
            <dt>{side}</dt>
            <RunValues
                runs={comparison[side]}
                href={(run) => rowHref(run, table.of, row)}
                format={(i) => (all ? shown(values[i]) : '')}
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
                {list('base', data.base_values, rowNameInBase(data))}
                {list('new', data.new_values, data)}
            </dl>
        </>
    );
}
