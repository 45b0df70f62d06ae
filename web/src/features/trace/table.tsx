/* SPDX-License-Identifier: MIT
 *
 * A table of a trace for the complete run or a range: the server sums, sorts, filters and pages.
 * The table is used in tabs and in the dock of the timeline; there `prefix` separates its URL keys
 * from the keys of the tab.
 */
import type { Run } from '../../base/answers';
import { type Params, withParams } from '../../base/client';
import { useEffectOn, useMemoOn } from '../../base/hooks';
import { replaceQuery, route } from '../../base/router';
import type { RowActions } from '../../components/actions';
import { DataGrid, type GridColumn } from '../../components/data_grid';
import type { GridHandle } from '../../components/grid_types';
import { readSort } from '../../model/filter_query';
import type { Matcher } from '../../model/search';
import { rangeParams, type TraceRange } from '../../model/trace_range';
import { useSource } from '../shared/paged_source';
import { viewPath } from './data';

/** Properties of a table that can be embedded in the dock. */
export interface EmbeddedTable {
    run: Run;
    range: TraceRange | null;
    /** Prefix of the URL keys of the sort order. */
    prefix?: string;
}

/** Additional properties of a table with filters and a selected row. */
interface RowsTable<R> extends EmbeddedTable {
    filters?: TableFilters;
    selected?: string | null;
    onSelect?: (row: R) => void;
    onOpen?: (row: R) => void;
    onShown?: (rows: number) => void;
    /** moves the cursor from outside of the table */
    handle?: { current: GridHandle | null };
    /** What a person can do with a row. */
    actions?: (row: R) => RowActions | null;
}

/** A table of names in a tab, next to a pane, or in the dock of the timeline. */
export interface NamesTable<R> extends RowsTable<R> {
    /** highlighted in the names */
    search?: Matcher;
    /** true: a pane takes up width, so less important columns are hidden */
    narrow?: boolean;
}

interface TraceTableProps<R> extends RowsTable<R> {
    view: string;
    label: string;
    columns: GridColumn<R>[];
    rowKey: (row: R) => string;
    sort: { key: string; desc: boolean };
    /** Additional parameters of the request, with the names of the API. */
    params?: Params;
    rowClass?: (row: R) => string;
    empty: string;
}

export function TraceTable<R>(props: TraceTableProps<R>) {
    const { run, range, view, filters, prefix = '', onShown } = props;
    const query = route.value.query;
    const sort = readSort(
        { sort: query[`${prefix}sort`], desc: query[`${prefix}desc`] },
        props.sort.key,
        props.sort.desc,
    );
    const params = {
        sort: sort.key,
        desc: sort.desc,
        ...rangeParams(range),
        ...(filters && filterParams(filters)),
        ...props.params,
    };
    /* While a filter is invalid, the shown rows do not change. */
    const source = useSource<R>(viewPath(run, view), params, filters?.broken ?? false);
    const version = source.version.value;
    useEffectOn(() => {
        if (source.ready.peek()) onShown?.(source.total);
    }, [source, version]);
    const empty =
        filters?.q || filters?.hide
            ? 'No row matches the filters. Clear them to see all.'
            : props.empty;
    return (
        <DataGrid<R>
            label={props.label}
            columns={props.columns}
            source={source}
            rowKey={props.rowKey}
            sort={sort}
            onSort={({ key, desc }) =>
                replaceQuery({ [`${prefix}sort`]: key, [`${prefix}desc`]: desc ? '1' : '0' })
            }
            selected={props.selected ?? null}
            onSelect={props.onSelect}
            onOpen={props.onOpen}
            handle={props.handle}
            actions={props.actions}
            rowClass={props.rowClass}
            resetKey={withParams('', params)}
            empty={empty}
        />
    );
}

export interface TableFilters {
    q: string;
    regex: boolean;
    hide: string;
    broken: boolean;
}

export function filterParams({ q, regex, hide }: TableFilters): Params {
    return { q: q || undefined, regex: regex ? 1 : undefined, hide: hide || undefined };
}

/** Request parameters of the sort order, for the table and for exports. */
export function sortParams(fallback: { key: string; desc: boolean }): Params {
    const sort = readSort(route.value.query, fallback.key, fallback.desc);
    return { sort: sort.key, desc: sort.desc };
}

/** Columns from `make`, which is called again when one of the values in `of` changes. */
export function useColumns<R>(make: () => GridColumn<R>[], of: unknown[]): GridColumn<R>[] {
    return useMemoOn(make, of);
}
