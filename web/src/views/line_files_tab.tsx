/* SPDX-License-Identifier: MIT
 *
 * The measured files by their share; Enter shows one with its lines.
 */
import { useMemo, useRef } from 'preact/hooks';
import { API, withParams } from '../base/client';
import { useKeys } from '../base/keys';
import type { LineFileRow } from '../base/line_types';
import { navigate, route } from '../base/router';
import type { Run } from '../base/types';
import { fmtFixed, int, pct } from '../base/units';
import { DataGrid, type GridColumn } from '../components/data_grid';
import { MarkedName } from '../components/marked_name';
import { ExportMenu } from '../components/menu';
import { Swatch } from '../components/origin_legend';
import { SearchField } from '../components/search_field';
import { ShareBar } from '../components/share_bar';
import { Spacer, Toolbar } from '../components/toolbar';
import { originParam, readFilters, readSort } from '../model/filter_query';
import { type Matcher, matcher } from '../model/search';
import { ORIGINS } from '../model/tint';
import { heatSort, put, timedSummary } from './lines_data';
import { OriginMenu } from './origin_menu';
import { useSource } from './use_source';

type Column = GridColumn<LineFileRow>;

export function LineFilesTab({ run }: { run: Run }) {
    const query = route.value.query;
    const filters = readFilters(query);
    const search = useMemo(() => matcher(filters.q, filters.regex), [filters.q, filters.regex]);
    const sort = readSort(query, heatSort(run, 'files'), true);
    const params = {
        sort: sort.key,
        desc: sort.desc,
        q: filters.q || undefined,
        regex: filters.regex ? 1 : undefined,
        origin: originParam(filters.off),
    };
    const path = `${API}/runs/${run.id}/line_files`;
    const source = useSource<LineFileRow>(path, params, filters.broken);
    const columns = useMemo(() => columnsOf(run, search), [run.id, search]);
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
                <span class="soft toolbar-remark wide-only">Enter shows the lines of a file</span>
                <Spacer />
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
                    <DataGrid<LineFileRow>
                        label="Files"
                        columns={columns}
                        source={source}
                        rowKey={(row) => row.id}
                        sort={sort}
                        onSort={({ key, desc }) => put({ sort: key, desc: desc ? '1' : '0' })}
                        selected={query.file === undefined ? null : Number(query.file)}
                        onSelect={(row) => put({ file: String(row.id) })}
                        onOpen={(row) =>
                            navigate(['run', run.id, 'lines'], { file: String(row.id) })
                        }
                        resetKey={withParams('', params)}
                        empty="No file is left under these filters."
                    />
                </section>
            </div>
        </div>
    );
}

function number(
    key: keyof LineFileRow,
    title: string,
    unit: string | undefined,
    text: (value: number) => string,
): Column {
    return {
        key,
        title,
        unit,
        width: 120,
        align: 'right',
        numeric: true,
        sortKey: key,
        render: (row) => {
            const value = row[key] as number | null;
            return value === null ? '' : text(value);
        },
    };
}

function share(title: string, unit: string, sortKey: string, part: (row: LineFileRow) => number) {
    const column: Column = {
        key: 'share',
        title,
        unit,
        width: 130,
        align: 'right',
        numeric: true,
        sortKey,
        render: (row) => (
            <ShareBar share={part(row) / 100} tone="total">
                {pct(part(row))}
            </ShareBar>
        ),
    };
    return column;
}

function columnsOf(run: Run, search: Matcher): Column[] {
    const mib = (value: number) => fmtFixed(value, 3);
    const columns: Column[] = [
        {
            key: 'file',
            title: 'file',
            width: 'rest',
            sortKey: 'file',
            render: (row) => (
                <span title={row.file}>
                    <Swatch origin={row.origin} />
                    <span class="mono">
                        <MarkedName text={row.file} search={search} />
                    </span>
                </span>
            ),
        },
        number('functions', 'functions', undefined, int),
        number('lines', 'lines', undefined, int),
    ];
    if (run.kind === 'line_profiler') {
        const whole = timedSummary(run)?.time_s ?? 0;
        columns.push(
            number('time_s', 'time', 's', (s) => fmtFixed(s, 6)),
            share('time', '% of all', 'time_s', (row) =>
                whole > 0 ? (100 * (row.time_s ?? 0)) / whole : 0,
            ),
        );
    }
    if (run.kind === 'scalene') {
        columns.push(share('CPU', '% of all', 'cpu_pct', (row) => row.cpu_pct ?? 0));
    }
    if (run.kind !== 'line_profiler') columns.push(number('peak_mib', 'peak', 'MiB', mib));
    return columns;
}
