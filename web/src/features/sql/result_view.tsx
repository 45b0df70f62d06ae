/* SPDX-License-Identifier: MIT
 *
 * Result of a statement: a table or a chart. The table is sorted in the browser, because all rows
 * are loaded.
 */
import { signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { useMemoOn } from '../../base/hooks';
import { formatHash, navigate, replaceQuery, route } from '../../base/router';
import { THIN_SPACE, int, plural } from '../../base/units';
import { DataGrid, type GridColumn, type GridSort } from '../../components/data_grid';
import { Menu } from '../../components/menu';
import { Segmented } from '../../components/segmented';
import {
    axesOf,
    cellText,
    isNumber,
    pointsOf,
    sortRows,
    type SqlResult,
    type SqlValue,
    widthOf,
} from './result';
import { columnWith, type LinkedRun, linkOf, roleOf, rowLink } from './links';
import { type ChartKind, ResultChart } from './result_chart';
import { type NamedRun, useNamedRuns } from './state';

type Row = SqlValue[];

const version = signal(0);

/** Finds the run that a row is about; null: unknown. */
type RunOfRow = (row: Row) => LinkedRun | null;

function columnsOf(
    result: SqlResult,
    runOfRow: RunOfRow,
    runs: ReadonlyMap<string, NamedRun>,
): GridColumn<Row>[] {
    const columns = result.columns.map((column, at): GridColumn<Row> => {
        const numeric = isNumber(column);
        const isRun = roleOf(column) === 'run';
        return {
            key: String(at),
            title: column.name,
            width: widthOf(result, at),
            align: numeric ? 'right' : 'left',
            numeric,
            sortKey: String(at),
            title_tip: column.type,
            cellClass: numeric ? undefined : 'is-mono',
            render: (row) => {
                const named = isRun ? runs.get(String(row[at])) : undefined;
                return (
                    <Cell
                        text={named?.name ?? cellText(row[at], column)}
                        raw={row[at]}
                        href={
                            named
                                ? formatHash(['run', named.id])
                                : cellHref(result, row, at, runOfRow(row))
                        }
                    />
                );
            },
        };
    });
    return [...columns, { key: 'rest', title: '', width: 'rest', render: () => null }];
}

function cellHref(result: SqlResult, row: Row, at: number, run: LinkedRun | null): string | null {
    const link = run && linkOf(result, row, at, run);
    return link && formatHash(['run', run.id, link.tab], link.query);
}

function Cell({ text, raw, href }: { text: string; raw: SqlValue; href: string | null }) {
    if (raw === null) return <span class="zero">null</span>;
    if (href === null) return <span title={String(raw)}>{text}</span>;
    return (
        <a class="sql-link" href={href} tabIndex={-1} title={String(raw)}>
            {text}
        </a>
    );
}

function sortOf(order: string | undefined): GridSort | undefined {
    if (!order) return undefined;
    return { key: order.replace('-', ''), desc: order.startsWith('-') };
}

interface SqlTableProps {
    result: SqlResult;
    /** the run of the query; null: rows are about the runs in their column `run`, if any */
    run: LinkedRun | null;
}

export function SqlTable({ result, run }: SqlTableProps) {
    const sort = sortOf(route.value.query.order);
    const runs = useNamedRuns(result);
    const runAt = columnWith(result, 'run');
    const runOfRow: RunOfRow = (row) => run ?? runs.get(String(row[runAt])) ?? null;
    const columns = useMemoOn(
        () => columnsOf(result, runOfRow, runs),
        [result, runs, run?.id, run?.span_ns],
    );
    function openRow(row: Row): void {
        const of = runOfRow(row);
        const link = of && rowLink(result, row, of);
        if (of && (link || !run))
            navigate(['run', of.id, ...(link ? [link.tab] : [])], link?.query);
    }
    const rows = useMemoOn(
        () => (sort ? sortRows(result.rows, Number(sort.key), sort.desc) : result.rows),
        [result, sort?.key, sort?.desc],
    );
    const source = useMemo(
        () => ({
            total: rows.length,
            rowAt: (i: number) => rows[i],
            ensure: () => undefined,
            version,
        }),
        [rows],
    );
    return (
        <div class="sql-table">
            <DataGrid<Row>
                label="Result"
                layoutKey={`Result ${columns.map(({ title }) => title).join()}`}
                columns={columns}
                source={source}
                rowKey={(row) => rows.indexOf(row)}
                sort={sort}
                onOpen={openRow}
                onSort={({ key, desc }) => replaceQuery({ order: `${desc ? '-' : ''}${key}` })}
                empty="The query returned no rows."
            />
        </div>
    );
}

export function SqlPicture({ result, kind }: { result: SqlResult; kind: ChartKind }) {
    const { query } = route.value;
    const { x, y } = axesOf(result, query.x ?? '', query.y ?? '');
    const points = useMemo(() => pointsOf(result, Math.max(-1, x), y), [result, x, y]);
    const names = result.columns.map(({ name }) => name);
    if (y < 0)
        return (
            <p class="report-empty">
                No numeric column to draw. Select at least one column of numbers.
            </p>
        );
    const left = result.rows.length - points.x.length;
    return (
        <div class="sql-picture">
            <div class="sql-axes">
                <Axis
                    label="Vertical"
                    at={y}
                    names={names}
                    only={(i) => isNumber(result.columns[i])}
                    onPick={(name) => replaceQuery({ y: name })}
                />
                <span class="soft">over</span>
                <Axis
                    label="Horizontal"
                    at={x}
                    names={names}
                    onPick={(name) => replaceQuery({ x: name })}
                />
                <Segmented<ChartKind>
                    label="chart"
                    value={kind}
                    options={[
                        { value: 'line', text: 'Line' },
                        { value: 'bars', text: 'Bars' },
                        { value: 'dots', text: 'Dots' },
                    ]}
                    onChange={(chart) => replaceQuery({ chart })}
                />
                {left > 0 && (
                    <span class="soft">{plural(left, 'row')} without a value not drawn</span>
                )}
            </div>
            <ResultChart
                points={points}
                kind={kind}
                label={`${names[y]} over ${names[x] ?? 'rows'}`}
            />
        </div>
    );
}

interface AxisProps {
    label: string;
    at: number;
    names: string[];
    only?: (at: number) => boolean;
    onPick: (name: string) => void;
}

function Axis({ label, at, names, only, onPick }: AxisProps) {
    return (
        <Menu
            label={<span class="mono">{names[at] ?? 'order of rows'} ▾</span>}
            ariaLabel={label}
            class="button"
            items={names
                .filter((_, i) => !only || only(i))
                .map((name) => ({
                    text: name,
                    checked: name === names[at],
                    onPick: () => onPick(name),
                }))}
        />
    );
}

const CUT_TEXTS = {
    rows: 'first rows only',
    bytes: 'first 32 MiB only',
    time: 'what came within 10 s',
};

/** "1 234 rows · 12 ms", and a remark if the result was cut. */
export function resultText({ rows, cut, elapsed_s }: SqlResult): string {
    const count = plural(rows.length, 'row');
    const ms = elapsed_s * 1000;
    const time =
        ms < 1 ? `<${THIN_SPACE}1${THIN_SPACE}ms` : `${int(Math.round(ms))}${THIN_SPACE}ms`;
    return `${count} · ${time}${cut ? ` · ${CUT_TEXTS[cut]}` : ''}`;
}
