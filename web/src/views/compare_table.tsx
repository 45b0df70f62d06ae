/* SPDX-License-Identifier: MIT
 *
 * One table of a comparison with its toolbar, beside it the way from base to new or the selected row.
 */
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { ComparedRow, ComparedTable, Comparison, Metric } from '../base/compare_types';
import { type Params, withParams } from '../base/client';
import { useKeys } from '../base/keys';
import { route } from '../base/router';
import { DataGrid } from '../components/data_grid';
import type { GridHandle } from '../components/grid_types';
import { Menu } from '../components/menu';
import { Notice } from '../components/notice';
import { LoadingLine } from '../components/progress';
import { changeWord, scaleOf, wordOf } from '../model/compare';
import type { RowName } from '../model/diff_tree';
import { readFilters, readSort } from '../model/filter_query';
import { matcher } from '../model/search';
import { type ColumnsOf, compareColumns, isImports } from './compare_columns';
import { useReveal } from './compare_link';
import { ComparePane } from './compare_pane';
import { comparePath, groupsOf, isSingle, metricOf, put } from './compare_state';
import { CompareToolbar } from './compare_toolbar';
import { type Top, useTop } from './compare_top';
import { useSource } from './use_source';

interface CompareTableProps {
    comparison: Comparison;
    table: ComparedTable;
    /** Only what one of the groups lacks. */
    changes?: boolean;
    /** A row was picked here. */
    onPick?: (row: RowName) => void;
    /** The server has the rows: whatever else is asked of this table is quick. */
    onReady?: () => void;
}

function useColumns(of: Omit<ColumnsOf, 'scale' | 'most'>, top: ComparedRow[]) {
    const { table, metric, search, single } = of;
    return useMemo(() => {
        const values = top.flatMap((row) => [row.base, row.new]);
        const scale = scaleOf(
            metric.unit,
            Math.max(0, ...values.map(Math.abs)),
            values.every(Number.isInteger),
        );
        const most = Math.max(0, ...top.map(({ delta }) => Math.abs(delta)));
        return { scale, most, columns: compareColumns({ ...of, scale, most }) };
    }, [table, metric, search, single, top]);
}

/** The rows are joined and judged for the first request; the others wait for it. */
export function CompareTable(props: CompareTableProps) {
    const metric = metricOf(props.table, route.value.query);
    const { top, error } = useTop<ComparedRow>(props.table, metric);
    const ready = top !== null;
    useEffect(() => {
        if (ready) props.onReady?.();
    }, [ready]);
    if (top) return <TableBody {...props} metric={metric} top={top} />;
    return (
        <div class="tab-body">
            {error && <Notice kind="error" title="The rows could not be read" error={error} />}
            <LoadingLine active={!error} />
        </div>
    );
}

type TableBodyProps = CompareTableProps & { metric: Metric; top: Top<ComparedRow> };

function TableBody(props: TableBodyProps) {
    const { comparison, table, changes = false, metric, top, onPick } = props;
    const grid = useRef<GridHandle | null>(null);
    const { query } = route.value;
    const filters = readFilters(query);
    const search = useMemo(() => matcher(filters.q, filters.regex), [filters.q, filters.regex]);
    const sort = readSort(query, 'size', true);
    const change = query.change ?? (changes ? 'added,removed' : undefined);
    const params = {
        ...groupsOf(query),
        metric: metric.metric,
        sort: sort.key,
        desc: sort.desc,
        q: filters.q || undefined,
        regex: filters.regex ? 1 : undefined,
        verdict: query.verdict,
        change,
    };
    const path = comparePath({}, `/${table.of}`);
    const source = useSource<ComparedRow>(path, params, filters.broken);
    const own = useReveal(grid, source, path, params);
    const single = isSingle(comparison, table);
    const { scale, columns } = useColumns({ table, metric, search, single }, top.rows);
    const filtered = Boolean(filters.q || query.verdict || change);
    useKeys('Comparison', [
        { key: 'Escape', label: 'close the row', run: () => put({ row: null }) },
    ]);
    return (
        <div class="tab-body">
            <CompareToolbar
                {...{ table, metric, source, filters }}
                error={search.error}
                csv={withParams(path, { ...params, format: 'csv' })}
            >
                {!single && <VerdictMenu unit={metric.unit} />}
                <ChangeMenu table={table} changes={changes} />
            </CompareToolbar>
            <div class="panes">
                <section class="pane pane-main">
                    <DataGrid<ComparedRow>
                        label={table.title}
                        columns={columns}
                        source={source}
                        rowKey={(row) => String(row.id)}
                        sort={sort}
                        onSort={({ key, desc }) => put({ sort: key, desc: desc ? '1' : '0' })}
                        selected={query.row ?? null}
                        onSelect={(row) => {
                            own(row.id);
                            put({ row: String(row.id) });
                            onPick?.(row);
                        }}
                        handle={grid}
                        rowClass={(row) => (row.verdict === 'same' ? 'is-quiet' : '')}
                        resetKey={withParams('', params as Params)}
                        empty={emptyWords(table, filtered, changes)}
                    />
                </section>
                <ComparePane {...{ comparison, table, metric, scale, top }} />
            </div>
        </div>
    );
}

function emptyWords(table: ComparedTable, filtered: boolean, changes: boolean): string {
    if (changes) return `No ${table.row} was added or removed.`;
    return filtered ? `No ${table.row} matches.` : 'None of the runs holds a row.';
}

interface Choice {
    value: string | null;
    text: string;
}

function ChoiceMenu({ word, name, choices }: { word: string; name: string; choices: Choice[] }) {
    const now = route.value.query[name] ?? null;
    const shown = choices.find(({ value }) => value === now)?.text ?? now ?? '';
    return (
        <Menu
            label={
                <>
                    <span class="faint">{word}</span> {shown}
                </>
            }
            items={choices.map(({ value, text }) => ({
                text,
                checked: value === now,
                onPick: () => put({ [name]: value, row: null }),
            }))}
        />
    );
}

function VerdictMenu({ unit }: { unit: string }) {
    const [up, down] = [wordOf(true, unit), wordOf(false, unit)];
    return (
        <ChoiceMenu
            word="verdict"
            name="verdict"
            choices={[
                { value: null, text: 'any' },
                { value: 'up,down', text: `${up} or ${down}` },
                { value: 'up', text: up },
                { value: 'down', text: down },
                { value: 'same', text: 'within noise' },
                { value: 'few', text: 'too few runs' },
            ]}
        />
    );
}

function ChangeMenu({ table, changes }: { table: ComparedTable; changes: boolean }) {
    const isImport = isImports(table);
    const word = (change: 'added' | 'removed') => (isImport ? changeWord(change, true) : change);
    const both = { value: null, text: changes ? 'added or removed' : 'any' };
    const more = [
        { value: 'moved', text: isImport ? 'first imported by another' : 'moved' },
        { value: 'kept', text: 'in both, in place' },
    ];
    return (
        <ChoiceMenu
            word="change"
            name="change"
            choices={[
                both,
                { value: 'added', text: word('added') },
                { value: 'removed', text: word('removed') },
                ...(changes ? [] : more),
            ]}
        />
    );
}
