/* SPDX-License-Identifier: MIT
 *
 * Rows of a table of one or two groups, filtered and sorted by the URL, below their toolbar.
 */
import type { ComponentChildren } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import type { ComparisonTable, Metric } from '../../base/answers';
import { type ApiError, type Params, withParams } from '../../base/client';
import { useKeys } from '../../base/keys';
import { pushQuery, replaceQuery, route } from '../../base/router';
import { int } from '../../base/units';
import type { RowActions } from '../../components/actions';
import { DataGrid } from '../../components/data_grid';
import type { GridColumn, GridHandle } from '../../components/grid_types';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import { SearchField } from '../../components/search_field';
import { Segmented } from '../../components/segmented';
import { Spacer, Toolbar } from '../../components/toolbar';
import { readFilters, readSort } from '../../model/filter_query';
import { matcher } from '../../model/search';
import { useSource, type PagedSource } from '../shared/paged_source';
import type { RowName } from './diff_tree';
import { useScrollToRow } from './link';
import { PerSwitch } from './per_switch';
import { comparePath, groupsOf, metricsOf, rowParams } from './state';

const NO_ROWS_TEXT = 'None of the runs has rows in this table.';

/** Shown instead of a table until its largest rows are loaded. */
export function NoRowsYet({ error }: { error: ApiError | null }) {
    return (
        <div class="tab-body">
            {error && <Notice kind="error" title="The rows could not be read" error={error} />}
            <LoadingLine active={!error} />
        </div>
    );
}

/** Matcher for the search text of the URL, to highlight hits. */
export function useSearch() {
    const { q, regex } = readFilters(route.value.query);
    return useMemo(() => matcher(q, regex), [q, regex]);
}

interface CompareRowsProps<R> {
    table: ComparisonTable;
    metric: Metric;
    columns: GridColumn<R>[];
    /** additional filters of the table */
    filters?: Params;
    rowClass?: (row: R) => string;
    /** what the menu of a row offers */
    actions?: (row: R) => RowActions;
    /** Called when the user selects a row in the table. */
    onPick?: (row: RowName) => void;
    /** replaces the message that no row matches */
    empty?: string;
    menus?: ComponentChildren;
    /** the pane next to the rows */
    children: ComponentChildren;
}

export function CompareRows<R extends RowName & { id: number }>(props: CompareRowsProps<R>) {
    const { table, metric, onPick, empty } = props;
    const grid = useRef<GridHandle | null>(null);
    const { query } = route.value;
    const search = useSearch();
    const filters = readFilters(query);
    const sort = readSort(query, 'size', true);
    const ownParams = {
        q: filters.q || undefined,
        regex: filters.regex ? 1 : undefined,
        ...props.filters,
    };
    const params = {
        ...groupsOf(query),
        ...rowParams(table, query),
        sort: sort.key,
        desc: sort.desc,
        ...ownParams,
    };
    const path = comparePath({}, `/${table.of}`);
    const source = useSource<R>(path, params, filters.broken);
    const shown = useScrollToRow(grid, source, path, params);
    const filtered = ownParams.q !== undefined || Object.values(props.filters ?? {}).some(Boolean);
    useKeys(table.title, [
        { key: 'Escape', label: 'close the row', run: () => replaceQuery({ row: null }) },
    ]);
    return (
        <div class="tab-body">
            <CompareToolbar
                {...{ table, metric, source, filters }}
                error={search.error}
                csv={withParams(path, { ...params, format: 'csv' })}
            >
                {props.menus}
            </CompareToolbar>
            <div class="panes">
                <section class="pane pane-main">
                    <DataGrid<R>
                        label={table.title}
                        columns={props.columns}
                        source={source}
                        rowKey={(row) => String(row.id)}
                        sort={sort}
                        onSort={({ key, desc }) =>
                            replaceQuery({ sort: key, desc: desc ? '1' : '0' })
                        }
                        selected={query.row ?? null}
                        onSelect={(row) => {
                            shown(row.id);
                            pushQuery({ row: String(row.id) });
                            onPick?.(row);
                        }}
                        handle={grid}
                        rowClass={props.rowClass}
                        actions={props.actions}
                        resetKey={withParams('', params)}
                        empty={empty ?? (filtered ? `No ${table.row} matches.` : NO_ROWS_TEXT)}
                    />
                </section>
                {props.children}
            </div>
        </div>
    );
}

interface CompareToolbarProps<R> {
    table: ComparisonTable;
    metric: Metric;
    source: PagedSource<R>;
    filters: ReturnType<typeof readFilters>;
    error: string | null;
    csv: string;
    /** additional menus */
    children?: ComponentChildren;
}

function CompareToolbar<R>(props: CompareToolbarProps<R>) {
    const { table, metric, source, filters, error, csv, children } = props;
    const input = useRef<HTMLInputElement | null>(null);
    const what = table.title.toLowerCase();
    const metrics = metricsOf(table, route.value.query);
    useKeys(table.title, [
        { key: '/', label: `search the ${what}`, run: () => input.current?.focus() },
    ]);
    void source.version.value;
    return (
        <Toolbar label="view options">
            {metrics.length > 1 && (
                <Segmented
                    label="metric"
                    value={metric.metric}
                    options={metrics.map((one) => ({ value: one.metric, text: one.title }))}
                    onChange={(value) =>
                        replaceQuery({ metric: value === metrics[0].metric ? null : value })
                    }
                />
            )}
            <PerSwitch table={table} />
            {children}
            <span class="soft wide-only">
                {source.ready.value && `${int(source.total)} of ${int(source.unfilteredTotal)}`}
            </span>
            <Spacer />
            <SearchField
                value={filters.q}
                inputRef={input}
                placeholder={`Search ${what}`}
                hint="/"
                width={208}
                count={source.total}
                regex={filters.regex}
                onRegex={(regex) => replaceQuery({ regex: regex ? '1' : null })}
                error={error}
                onInput={(q) => replaceQuery({ q: q || null })}
            />
            <a class="quiet" href={csv} download="">
                Export CSV
            </a>
        </Toolbar>
    );
}
