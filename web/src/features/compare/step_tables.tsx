/* SPDX-License-Identifier: MIT
 *
 * The two tables of a comparison of steps: the parts of a step, which add up to it, and the operators
 * per step. They have the same columns, so that their numbers stand in one line.
 */
import type { Comparison, ComparisonRow, ComparisonTable, Metric, Page } from '../../base/answers';
import { withParams } from '../../base/client';
import { useMemoOn } from '../../base/hooks';
import { replaceQuery, route } from '../../base/router';
import { formatFixed, int, MINUS } from '../../base/units';
import { DataGrid } from '../../components/data_grid';
import { arraySource, type GridColumn } from '../../components/grid_types';
import { Segmented } from '../../components/segmented';
import { viewportWidth } from '../../components/viewport';
import { deltaText, scaleOf, type Scale } from '../../model/compare';
import { readSort } from '../../model/filter_query';
import { matcher } from '../../model/search';
import { useSource } from '../shared/paged_source';
import { useData } from '../shared/use_json';
import { type ColumnInputs, compareColumns } from './columns';
import { fitColumns } from './fit_columns';
import { compareActions } from './row_menu';
import { useLargestRows } from './largest_rows';
import { PerSwitch, perWords } from './per_switch';
import { sidePaneWidth } from './side_pane';
import { STEP_ROW, sumOfParts } from './step_parts';
import { comparePath, groupsOf, metricOf, metricsOf, perOf, rowParams, tabHref } from './state';
import { operatorsSentence } from './step_text';
import { deviceWord } from '../../model/device';

type Column = GridColumn<ComparisonRow>;

/** Name of the arrangement of the columns that both tables share. */
const LAYOUT = 'compare-steps';
const HEAD_HEIGHT = 28;
const ROW_HEIGHT = 24;
const NO_SEARCH = matcher('', false);

function columnsOf(of: Omit<ColumnInputs, 'search'>, last: Column): Column[] {
    const columns = compareColumns({ ...of, search: NO_SEARCH, isChangeInName: of.single });
    const shown = of.single ? columns.filter(({ key }) => key !== 'verdict') : columns;
    return fitColumns([...shown, last], viewportWidth.value - sidePaneWidth());
}

const LAST = { key: 'last', width: 108, align: 'right' as const, numeric: true };

/* A share in percent; no sign where it rounds to 0. */
function shareText(delta: number, whole: number): string {
    const shown = formatFixed(Math.abs((100 * delta) / whole), 1);
    const isOpposed = delta * whole < 0 && /[1-9]/.test(shown);
    return isOpposed ? `${MINUS}${shown}` : shown;
}

interface PartsTableProps {
    comparison: Comparison;
    table: ComparisonTable;
    rows: ComparisonRow[];
    scale: Scale;
    single: boolean;
    selected: string | null;
    onSelect: (name: string | null) => void;
}

export function PartsTable(props: PartsTableProps) {
    const { comparison, table, rows, scale, single, selected, onSelect } = props;
    const sum = useMemoOn(() => sumOfParts(rows), [rows]);
    const source = useMemoOn(() => arraySource([...rows, sum]), [rows]);
    const whole = sum.delta ?? 0;
    const room = viewportWidth.value - sidePaneWidth();
    const columns = useMemoOn(() => {
        const maxDelta = Math.max(0, ...rows.map(({ delta }) => Math.abs(delta ?? 0)));
        const of = { table, metric: table.metrics[0], scale, maxDelta, single };
        const share: Column = {
            ...LAST,
            title: '% of Δ',
            title_tip: 'share of the difference of the step',
            render: ({ delta }) =>
                whole ? shareText(delta ?? 0, whole) : <span class="zero">–</span>,
        };
        // The parts stay in the order of their differences, so that the sum closes the table.
        return columnsOf(of, share).map((column) => ({ ...column, sortKey: undefined }));
    }, [table, rows, scale, single, room]);
    return (
        <div
            class="steps-parts"
            style={{ height: HEAD_HEIGHT + ROW_HEIGHT * (rows.length + 1) + 2 }}
        >
            <DataGrid<ComparisonRow>
                label={table.title}
                layoutKey={LAYOUT}
                columns={columns}
                source={source}
                rowKey={({ name }) => name}
                selected={selected}
                onSelect={({ name }) => onSelect(name === STEP_ROW ? null : name)}
                actions={(row) =>
                    row.name === STEP_ROW ? null : compareActions(comparison, table, row)
                }
                rowClass={({ name, verdict }) =>
                    name === STEP_ROW ? 'is-sum' : verdict === 'same' ? 'is-quiet' : ''
                }
                empty="Neither run has activity of this kind. Choose another breakdown."
            />
        </div>
    );
}

type OperatorDifference = ComparisonRow & { base_calls?: number; new_calls?: number };

/* Calls of an operator; where they differ, of both. */
function callsText({
    base,
    new: fresh,
    base_calls = base ?? 0,
    new_calls = fresh ?? 0,
}: OperatorDifference) {
    const decimals = (value: number) => formatFixed(value, 1);
    const [a, b] = [decimals(base_calls), decimals(new_calls)];
    return a === b ? b : `${a} → ${b}`;
}

/** What the operators did that have a value of this metric. */
function usedText(metric: string): string {
    if (metric === 'calls') return 'were called';
    return `used the ${metric === 'self_device_us' ? deviceWord() : 'CPU'}`;
}

interface OperatorsTableProps {
    comparison: Comparison;
    /** the operators, with what their values can be per here */
    table: ComparisonTable;
    single: boolean;
    /** difference of the step in the unit of the metric */
    stepDelta: number;
    selected: string | null;
    onSelect: (name: string) => void;
}

export function OperatorsTable(props: OperatorsTableProps) {
    const { comparison, table, single, stepDelta, selected, onSelect } = props;
    const { query } = route.value;
    const metric = metricOf(table, query);
    const per = perOf(table, query);
    const sort = readSort(query, 'size', true);
    const params = {
        ...groupsOf(query),
        metric: metric.metric,
        per,
        sort: sort.key,
        desc: sort.desc,
        with_value: 1,
    };
    const path = comparePath({}, `/${table.of}`);
    const source = useSource<OperatorDifference>(path, params, false);
    const { top } = useLargestRows<ComparisonRow>(table);
    const calls = useEqualCalls(table);
    const room = viewportWidth.value - sidePaneWidth();
    const scale = scaleFor(metric, top?.rows ?? []);
    const columns = useMemoOn(() => {
        const rows = top?.rows ?? [];
        const maxDelta = Math.max(0, ...rows.map(({ delta }) => Math.abs(delta ?? 0)));
        const last: Column = {
            ...LAST,
            title: 'Calls',
            unit: per === 'run' ? 'a run' : 'a step',
            render: (row) => callsText(row),
        };
        return columnsOf({ table, metric, scale, maxDelta, single }, last);
    }, [table, metric.metric, per, top, single, room]);
    void source.version.value;
    const sums = top?.page.sums;
    return (
        <>
            <div class="pane-head steps-head">
                <b>Operators per {per}</b>
                <Segmented
                    label="metric"
                    value={metric.metric}
                    options={metricsOf(table, query).map((one) => ({
                        value: one.metric,
                        text: one.title,
                    }))}
                    onChange={(value) =>
                        replaceQuery({ metric: value === table.metrics[0].metric ? null : value })
                    }
                />
                <PerSwitch table={table} />
                <span class="spacer" />
                {source.ready.value && (
                    <span class="soft">
                        {int(source.total)} of {int(source.unfilteredTotal)}{' '}
                        {usedText(metric.metric)}
                    </span>
                )}
                <a class="link" href={tabHref(query, table.of)}>
                    All
                </a>
                <a class="link" href={withParams(path, { ...params, format: 'csv' })} download="">
                    CSV
                </a>
            </div>
            <div class="steps-operators">
                <DataGrid<OperatorDifference>
                    label={table.title}
                    layoutKey={LAYOUT}
                    columns={columns}
                    source={source}
                    rowKey={({ name }) => name}
                    sort={sort}
                    onSort={({ key, desc }) => replaceQuery({ sort: key, desc: desc ? '1' : '0' })}
                    selected={selected}
                    onSelect={({ name }) => onSelect(name)}
                    actions={(row) => compareActions(comparison, table, row)}
                    rowClass={({ verdict }) => (verdict === 'same' ? 'is-quiet' : '')}
                    resetKey={JSON.stringify(params)}
                    empty={`No operator has a value here.`}
                />
            </div>
            {sums && (
                <p class="steps-note">
                    {operatorsSentence({
                        hasEqualCalls: calls,
                        delta: metric.adds_up ? (sums.delta ?? 0) : null,
                        title: metric.title,
                        stepDelta: per === 'step' && metric.unit === 'us' ? stepDelta : null,
                        format: (value) =>
                            `${deltaText(value, scale)} ${scale.unit}${perWords(per)}`,
                    })}
                </p>
            )}
        </>
    );
}

function scaleFor({ unit }: Metric, rows: ComparisonRow[]): Scale {
    const values = rows.flatMap((row) => [Math.abs(row.base ?? 0), Math.abs(row.new ?? 0)]);
    return scaleOf(unit, Math.max(0, ...values), values.every(Number.isInteger));
}

/* Whether all operators were called equally often on both sides; null while unknown. */
function useEqualCalls(table: ComparisonTable): boolean | null {
    const { query } = route.value;
    const hasCalls = table.metrics.some(({ metric }) => metric === 'calls');
    const data = useData<Page>(
        hasCalls
            ? comparePath(query, `/${table.of}`, {
                  ...rowParams(table, { ...query, metric: 'calls' }),
                  limit: 1,
              })
            : null,
    );
    if (!data) return null;
    const at = data.columns.indexOf('delta');
    return !data.rows[0]?.[at];
}

/** What the table of parts is of. */
export function partsRemark(counts: readonly number[]): string {
    const [a, b] = counts.map((n) => int(n));
    const steps = a === b ? `${b} steps` : `${a} and ${b} steps`;
    return `mean of ${steps}; each µs counted once, so the parts add up to the step`;
}
