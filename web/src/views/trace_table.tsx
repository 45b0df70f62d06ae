/* SPDX-License-Identifier: MIT
 *
 * A table of a trace for the whole run or a range of it: the server sums, sorts, filters and pages.
 * It stands in a tab of its own and in the dock of the timeline, where `prefix` keeps its sort apart.
 */
import { useEffect, useMemo } from 'preact/hooks';
import { type Params, withParams } from '../base/client';
import { route } from '../base/router';
import type { Run } from '../base/types';
import { DataGrid, type GridColumn } from '../components/data_grid';
import { readSort } from '../model/filter_query';
import { rangeParams, type TraceRange } from '../model/trace_range';
import { put, viewPath } from './trace_data';
import { useSource } from './use_source';

/** What a table that can be embedded takes. */
export interface EmbeddedTable {
    run: Run;
    range: TraceRange | null;
    /** Before the keys of the URL that hold the sort. */
    prefix?: string;
}

export interface TraceTableProps<R> extends EmbeddedTable {
    view: string;
    label: string;
    columns: GridColumn<R>[];
    rowKey: (row: R) => string;
    sort: { key: string; desc: boolean };
    /** The filters, in the words of the API. */
    params?: Params;
    /** What is shown stays while the filters make no sense. */
    hold?: boolean;
    selected?: string | null;
    onSelect?: (row: R) => void;
    onOpen?: (row: R) => void;
    rowClass?: (row: R) => string;
    onShown?: (rows: number) => void;
    empty: string;
}

export function TraceTable<R>(props: TraceTableProps<R>) {
    const { run, range, view, prefix = '', onShown } = props;
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
        ...props.params,
    };
    const source = useSource<R>(viewPath(run, view), params, props.hold ?? false);
    const version = source.version.value;
    useEffect(() => {
        if (source.ready.peek()) onShown?.(source.total);
    }, [source, version]);
    const filtered = Boolean(props.params?.q || props.params?.hide);
    const empty = filtered ? 'No row is left under these filters.' : props.empty;
    return (
        <DataGrid<R>
            label={props.label}
            columns={props.columns}
            source={source}
            rowKey={props.rowKey}
            sort={sort}
            onSort={({ key, desc }) =>
                put({ [`${prefix}sort`]: key, [`${prefix}desc`]: desc ? '1' : '0' })
            }
            selected={props.selected ?? null}
            onSelect={props.onSelect}
            onOpen={props.onOpen}
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

/** The order that exports ask for too. */
export function sortParams(fallback: { key: string; desc: boolean }): Params {
    const sort = readSort(route.value.query, fallback.key, fallback.desc);
    return { sort: sort.key, desc: sort.desc };
}

/** Keeps columns while what they are made of stays. */
export function useColumns<R>(make: () => GridColumn<R>[], of: unknown[]): GridColumn<R>[] {
    return useMemo(make, of);
}
