/* SPDX-License-Identifier: MIT */
import { useMemo } from 'preact/hooks';
import type { Run } from '../../base/answers';
import { API, withParams } from '../../base/client';
import { replaceQuery, route } from '../../base/router';
import { LABELS } from '../../base/terms';
import { formatFixed, signed } from '../../base/units';
import { DataGrid, type GridColumn } from '../../components/data_grid';
import { ExportMenu } from '../../components/menu';
import { SearchField } from '../../components/search_field';
import { PaneHead } from '../../components/toolbar';
import { readFilters } from '../../model/filter_query';
import { rowActions } from '../shared/row_actions';
import { useSource } from '../shared/paged_source';
import type { MemorySpanRow as MemorySpan, SpanRow } from '../../base/rows';

interface SpansTableProps {
    run: Run;
    /** clock time at the start of the curve, in seconds */
    start: number;
    /** key of a span */
    selected: string | null;
    onPick: (span: MemorySpan) => void;
    onZoom: (span: MemorySpan) => void;
}

/** Function calls that mprof recorded with start and end; Enter zooms the curve to a call. */
export function SpansTable({ run, start, selected, onPick, onZoom }: SpansTableProps) {
    const query = route.value.query;
    const filters = readFilters(query);
    const sort = { key: query.sort ?? 'start_s', desc: query.desc === '1' };
    const path = `${API}/runs/${run.id}/spans`;
    const params = { sort: sort.key, desc: sort.desc, q: filters.q || undefined };
    const source = useSource<SpanRow>(path, params);
    const columns = useMemo(() => columnsOf(start), [start]);
    const relative = (row: SpanRow): MemorySpan => ({
        ...row,
        start_s: row.start_s - start,
        end_s: row.end_s - start,
    });
    return (
        <section class="pane pane-spans">
            <PaneHead title={LABELS.functionCalls} remark="Enter zooms to one">
                <SearchField
                    value={filters.q}
                    placeholder="Search calls"
                    width={160}
                    onInput={(q) => replaceQuery({ q: q || null })}
                />
                <ExportMenu
                    csv={withParams(path, { ...params, format: 'csv' })}
                    json={withParams(path, { ...params, format: 'rows' })}
                />
            </PaneHead>
            <DataGrid<SpanRow>
                label={LABELS.functionCalls}
                columns={columns}
                source={source}
                rowKey={(row) => {
                    const { name, start_s } = relative(row);
                    return `${name}@${start_s.toFixed(4)}`;
                }}
                sort={sort}
                onSort={({ key, desc }) => replaceQuery({ sort: key, desc: desc ? '1' : null })}
                selected={selected}
                onSelect={(row) => onPick(relative(row))}
                onOpen={(row) => onZoom(relative(row))}
                actions={({ name }) => rowActions(run, { name, row: { of: 'spans', row: name } })}
                resetKey={withParams('', params)}
                empty="No call matches the filter. Clear it to see all."
            />
        </section>
    );
}

function columnsOf(start: number): GridColumn<SpanRow>[] {
    const right = { align: 'right' as const, numeric: true };
    const mib = (value: number | null) => (value === null ? '–' : formatFixed(value, 3));
    return [
        {
            key: 'name',
            title: 'function',
            width: 'rest',
            sortKey: 'name',
            render: (row) => (
                <span class="mono" style={{ paddingLeft: `${(row.level ?? 0) * 14}px` }}>
                    {row.name}
                </span>
            ),
        },
        {
            key: 'start',
            title: 'start',
            unit: 's',
            width: 110,
            sortKey: 'start_s',
            ...right,
            render: (row) => formatFixed(row.start_s - start, 3),
        },
        {
            key: 'duration',
            title: 'duration',
            unit: 's',
            width: 110,
            sortKey: 'duration',
            ...right,
            render: (row) => formatFixed(row.end_s - row.start_s, 3),
        },
        {
            key: 'start_mib',
            title: 'before',
            unit: 'MiB',
            width: 120,
            ...right,
            hideBelow: 900,
            render: (row) => mib(row.start_mib),
        },
        {
            key: 'end_mib',
            title: 'after',
            unit: 'MiB',
            width: 120,
            ...right,
            hideBelow: 900,
            render: (row) => mib(row.end_mib),
        },
        {
            key: 'increase',
            title: 'change',
            unit: 'MiB',
            width: 120,
            sortKey: 'increase',
            ...right,
            render: (row) => {
                if (row.start_mib === null || row.end_mib === null) return '–';
                const grown = row.end_mib - row.start_mib;
                const change = signed(grown, 3);
                return grown === 0 ? <span class="zero">{change}</span> : change;
            },
        },
    ];
}
