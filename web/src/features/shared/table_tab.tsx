/* SPDX-License-Identifier: MIT
 *
 * A tab that is one table: a toolbar with search, filters and export over a grid whose rows the
 * server sorts, filters and pages. The caller provides the view of the API, the columns, and the
 * action that opens a row. The state is in the URL.
 */
import type { ComponentChildren } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import type { Run } from '../../base/answers';
import { API, withParams } from '../../base/client';
import { useMemoOn } from '../../base/hooks';
import { useKeys } from '../../base/keys';
import { useNames } from '../../base/panel';
import { replaceQuery, route } from '../../base/router';
import type { RowActions } from '../../components/actions';
import { DataGrid, type GridColumn } from '../../components/data_grid';
import type { GridSource } from '../../components/grid_types';
import { HideField } from '../../components/hide_field';
import { ExportMenu } from '../../components/menu';
import { OriginMenu } from '../../components/origin_menu';
import { SearchField } from '../../components/search_field';
import { Spacer, Toolbar } from '../../components/toolbar';
import { originParam, readFilters, readSort } from '../../model/filter_query';
import { findPath } from '../../model/line_names';
import { type Matcher, matcher } from '../../model/search';
import { ORIGINS } from '../../model/tint';
import { useSource } from './paged_source';

interface TableTabProps<R> {
    run: Run;
    /** Last part of the path: `/runs/{id}/{view}`. */
    view: string;
    /** Title, the plural noun for the rows: 'Files', 'Functions'. */
    title: string;
    sort: string;
    /** Shows the origin filter and the hide field, respectively. */
    origins?: boolean;
    hide?: boolean;
    remark?: ComponentChildren;
    /** First element of the toolbar. */
    picker?: ComponentChildren;
    /** Additional parameters of the request. */
    extra?: Record<string, string | number | undefined>;
    /** The key of the URL that holds the selected row. */
    selectKey: string;
    rowKey: (row: R) => string | number;
    /** `narrow`: a pane next to the table takes up width. */
    columns: (search: Matcher, narrow: boolean) => GridColumn<R>[];
    narrow?: boolean;
    /** The default sort order is ascending: the order of the file. */
    isAscending?: boolean;
    /** Name and file of a row, to find it in another run. By default only the server's comparison
     * matches rows. */
    identityOf?: (row: R) => RowIdentity;
    onOpen: (row: R) => void;
    /** What a person can do with a row. */
    actions?: (row: R) => RowActions | null;
    empty: (filtered: boolean) => string;
    /** Pane next to the table with details of the selected row. */
    pane?: ComponentChildren;
}

const noIdentity = (): RowIdentity => ({ name: '', file: '' });

export function TableTab<R>(props: TableTabProps<R>) {
    const { run, title, selectKey, rowKey } = props;
    const query = route.value.query;
    const filters = readFilters(query);
    const search = useMemo(() => matcher(filters.q, filters.regex), [filters.q, filters.regex]);
    const sort = readSort(query, props.sort, !props.isAscending);
    const params = {
        sort: sort.key,
        desc: sort.desc,
        q: filters.q || undefined,
        regex: filters.regex ? 1 : undefined,
        hide: (props.hide && filters.hide) || undefined,
        origin: props.origins ? originParam(filters.off) : undefined,
        ...props.extra,
    };
    const path = `${API}/runs/${run.id}/${props.view}`;
    const source = useSource<R>(path, params, filters.broken);
    const { identityOf = noIdentity } = props;
    useTableNames({ key: selectKey, source, rowKey, identityOf }, identityOf !== noIdentity);
    const narrow = props.narrow ?? false;
    const columns = useMemoOn(
        () => props.columns(search, narrow),
        [run.id, search, narrow, props.extra?.report],
    );
    const selected = query[selectKey];
    const filtered = Boolean(filters.q || params.hide || params.origin);
    return (
        <div class="tab-body">
            <TableToolbar
                props={props}
                path={path}
                params={params}
                search={search}
                count={source.total}
            />
            <div class="panes">
                <section class="pane pane-main">
                    <DataGrid<R>
                        label={title}
                        columns={columns}
                        source={source}
                        rowKey={(row) => String(rowKey(row))}
                        sort={sort}
                        onSort={({ key, desc }) =>
                            replaceQuery({ sort: key, desc: desc ? '1' : '0' })
                        }
                        selected={selected ?? null}
                        onSelect={(row) => replaceQuery({ [selectKey]: String(rowKey(row)) })}
                        onOpen={props.onOpen}
                        actions={props.actions}
                        resetKey={withParams('', params)}
                        empty={props.empty(filtered)}
                    />
                </section>
                {props.pane}
            </div>
        </div>
    );
}

interface ToolbarProps<R> {
    props: TableTabProps<R>;
    path: string;
    params: Record<string, string | number | boolean | undefined>;
    search: Matcher;
    count: number;
}

function TableToolbar<R>({ props, path, params, search, count }: ToolbarProps<R>) {
    const filters = readFilters(route.value.query);
    const input = useRef<HTMLInputElement | null>(null);
    const what = props.title.toLowerCase();
    useKeys(props.title, [
        { key: '/', label: `search the ${what}`, run: () => input.current?.focus() },
    ]);
    return (
        <Toolbar label="view options">
            {props.picker}
            {props.origins && (
                <OriginMenu
                    shares={ORIGINS.map((origin) => ({ origin, share: null }))}
                    base="of total"
                    off={filters.off}
                />
            )}
            {props.remark && <span class="soft toolbar-remark wide-only">{props.remark}</span>}
            <Spacer />
            {props.hide && <HideField hide={filters.hide} what={what} width={120} />}
            <SearchField
                value={filters.q}
                inputRef={input}
                placeholder={`Search ${what}`}
                hint="/"
                width={208}
                count={count}
                regex={filters.regex}
                onRegex={(regex) => replaceQuery({ regex: regex ? '1' : null })}
                error={search.error}
                onInput={(q) => replaceQuery({ q: q || null })}
            />
            <ExportMenu
                csv={withParams(path, { ...params, format: 'csv' })}
                json={withParams(path, { ...params, format: 'rows' })}
            />
        </Toolbar>
    );
}

interface RowIdentity {
    /** '' if the file alone identifies the row */
    name: string;
    file: string;
}

interface TableNames<R> {
    /** key of the URL that holds the selected row */
    key: string;
    source: GridSource<R>;
    rowKey: (row: R) => string | number;
    identityOf: (row: R) => RowIdentity;
}

/** Translates the ids of rows into names for the other panel, and names into ids. Only fetched rows
 * are known: valueOf returns undefined for an unknown name until all rows are fetched, then null.
 */
function useTableNames<R>({ key, source, rowKey, identityOf }: TableNames<R>, on: boolean): void {
    const fetched = (): R[] => {
        const rows: R[] = [];
        for (let i = 0; i < source.total; i++) {
            const row = source.rowAt(i);
            if (row !== undefined) rows.push(row);
        }
        return rows;
    };
    useNames(on && source.total > 0 ? [key] : [], {
        nameOf: (value) => {
            const row = fetched().find((one) => String(rowKey(one)) === value);
            if (!row) return null;
            const { name, file } = identityOf(row);
            return `${file}\n${name}`;
        },
        valueOf: (text) => {
            const cut = text.indexOf('\n');
            const rows = fetched();
            const sameName = rows.filter((row) => identityOf(row).name === text.slice(cut + 1));
            const at = findPath(
                sameName.map((row) => identityOf(row).file),
                text.slice(0, cut),
            );
            if (at >= 0) return String(rowKey(sameName[at]));
            return rows.length < source.total ? undefined : null;
        },
    });
}
