/* SPDX-License-Identifier: MIT */
import { useMemo, useRef } from 'preact/hooks';
import { API, withParams } from '../base/client';
import { useKeys } from '../base/keys';
import { navigate, route, setQuery } from '../base/router';
import type { Run } from '../base/types';
import { int, pct } from '../base/units';
import { DataGrid, type GridColumn } from '../components/data_grid';
import { MarkedName } from '../components/marked_name';
import { ExportMenu } from '../components/menu';
import { Swatch } from '../components/origin_legend';
import { SearchField } from '../components/search_field';
import { Seconds } from '../components/seconds';
import { ShareBar } from '../components/share_bar';
import { Spacer, Toolbar } from '../components/toolbar';
import { originParam, readFilters, readSort } from '../model/filter_query';
import { placeText } from '../model/labels';
import { type Matcher, matcher } from '../model/search';
import { ORIGINS } from '../model/tint';
import { type FileRow, pstatsOf } from './functions_data';
import { HideField } from './hide_field';
import { OriginMenu } from './origin_menu';
import { useSource } from './use_source';

const put = (changes: Record<string, string | null>): void => setQuery(changes, { replace: true });

/** Where the time went by file; Enter or double click shows the functions of one. */
export function FilesTab({ run }: { run: Run }) {
    const query = route.value.query;
    const filters = readFilters(query);
    const search = useMemo(() => matcher(filters.q, filters.regex), [filters.q, filters.regex]);
    const sort = readSort(query, 'tottime_s', true);
    const params = {
        sort: sort.key,
        desc: sort.desc,
        q: filters.q || undefined,
        regex: filters.regex ? 1 : undefined,
        hide: filters.hide || undefined,
        origin: originParam(filters.off),
    };
    const path = `${API}/runs/${run.id}/files`;
    const source = useSource<FileRow>(path, params, filters.broken);
    const total = pstatsOf(run).total_tt_s;
    const columns = useMemo(() => fileColumns(search, total), [search, total]);
    const input = useRef<HTMLInputElement | null>(null);
    const shown = (source.version.value, source.total);
    useKeys('Files', [{ key: '/', label: 'search the files', run: () => input.current?.focus() }]);
    return (
        <div class="tab-body">
            <Toolbar label="what is shown">
                <OriginMenu
                    shares={ORIGINS.map((origin) => ({ origin, share: null }))}
                    base="of total"
                    off={filters.off}
                />
                <span class="soft toolbar-remark">
                    tottime adds up over the functions of a file; cumtime does not, so it is not
                    here
                </span>
                <Spacer />
                <HideField hide={filters.hide} what="files" width={120} />
                <SearchField
                    value={filters.q}
                    inputRef={input}
                    placeholder="Search files"
                    hint="/"
                    width={200}
                    count={shown}
                    regex={filters.regex}
                    onRegex={(regex) => put({ regex: regex ? '1' : null })}
                    error={search.error}
                    onInput={(q) => put({ q: q || null })}
                />
                <ExportMenu
                    csv={withParams(path, { ...params, format: 'csv' })}
                    json={withParams(path, { ...params, format: 'rows' })}
                />
            </Toolbar>
            <div class="panes">
                <section class="pane pane-main">
                    <DataGrid<FileRow>
                        label="Files"
                        columns={columns}
                        source={source}
                        rowKey={(row) => row.file}
                        sort={sort}
                        onSort={({ key, desc }) => put({ sort: key, desc: desc ? '1' : '0' })}
                        selected={query.file ?? null}
                        onSelect={(row) => put({ file: row.file })}
                        onOpen={(row) =>
                            navigate(['run', run.id, 'functions'], {
                                group: 'file',
                                files: row.file,
                            })
                        }
                        resetKey={withParams('', params)}
                        empty="No file is left under these filters."
                    />
                </section>
            </div>
        </div>
    );
}

function fileColumns(search: Matcher, total: number): GridColumn<FileRow>[] {
    const right = { align: 'right' as const, numeric: true };
    return [
        {
            key: 'file',
            title: 'file',
            width: 'rest',
            sortKey: 'file',
            render: (row) => (
                <span title={row.file}>
                    <Swatch origin={row.origin} />
                    <span class="mono">
                        <MarkedName text={placeText(row.file, 0)} search={search} />
                    </span>
                </span>
            ),
        },
        {
            key: 'origin',
            title: 'origin',
            width: 110,
            sortKey: 'origin',
            hideBelow: 900,
            render: (row) => <span class="soft">{row.origin}</span>,
        },
        {
            key: 'functions',
            title: 'functions',
            width: 96,
            sortKey: 'functions',
            ...right,
            render: (row) => int(row.functions),
        },
        {
            key: 'ncalls',
            title: 'ncalls',
            width: 120,
            sortKey: 'ncalls',
            ...right,
            render: (row) => int(row.ncalls),
        },
        {
            key: 'tottime_s',
            title: 'tottime',
            unit: 's',
            width: 120,
            sortKey: 'tottime_s',
            ...right,
            render: (row) => (
                <ShareBar share={total > 0 ? row.tottime_s / total : 0} tone="self">
                    <Seconds value={row.tottime_s} />
                </ShareBar>
            ),
        },
        {
            key: 'pct',
            title: 'tottime',
            unit: '% total',
            width: 116,
            align: 'right',
            render: (row) => (total > 0 ? pct((100 * row.tottime_s) / total) : '–'),
        },
    ];
}
