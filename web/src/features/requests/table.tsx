/* SPDX-License-Identifier: MIT */
/* The table of requests: sorted, filtered and exported by the server, the parts as columns. */
import { useMemo, useRef } from 'preact/hooks';
import type { RequestsSummary, Run } from '../../base/answers';
import { withParams } from '../../base/client';
import { useKeys } from '../../base/keys';
import { replaceQuery, route, setQuery } from '../../base/router';
import type { RequestRow } from '../../base/rows';
import { LABELS } from '../../base/terms';
import { formatFixed, int } from '../../base/units';
import { DataGrid, type GridColumn } from '../../components/data_grid';
import { MarkedName } from '../../components/marked_name';
import { ExportMenu } from '../../components/menu';
import { SearchField } from '../../components/search_field';
import { Segmented } from '../../components/segmented';
import { ShareBar } from '../../components/share_bar';
import { Spacer, Toolbar } from '../../components/toolbar';
import { readFilters, readSort } from '../../model/filter_query';
import { CAUSES, stateText } from '../../model/requests';
import { type Matcher, matcher } from '../../model/search';
import { useSource } from '../shared/paged_source';
import { RIGHT_ALIGNED } from '../trace/columns';
import { viewPath } from '../trace/data';
import { readChosen } from './links';

type PartKey =
    | 'to_engine_ns'
    | 'in_step_ns'
    | 'slot_ns'
    | 'budget_ns'
    | 'others_ns'
    | 'between_ns'
    | 'prefill_ns'
    | 'to_client_ns';

const PARTS: [key: PartKey, title: string, tip: string][] = [
    ['to_engine_ns', 'To engine', 'from the client to the engine'],
    ['in_step_ns', 'In step', 'waiting for the step that was in progress when it arrived'],
    ['slot_ns', 'Slot', 'waiting for a free slot'],
    ['budget_ns', 'Budget', 'waiting because other prompts used the tokens of the steps'],
    ['others_ns', 'Others', 'waiting while steps served others, for an unknown reason'],
    ['between_ns', 'Between', 'waiting between steps'],
    ['prefill_ns', 'Prefill', 'steps that read its own prompt'],
    ['to_client_ns', 'To client', 'from the engine to the client'],
];

type TimeKey = PartKey | 'start_ns' | 'tpot_ns' | 'longest_gap_ns' | 'latency_ns';

const msText = (ns: number | null) =>
    ns === null ? (
        <span class="zero">–</span>
    ) : (
        <span class={ns === 0 ? 'zero' : ''}>{formatFixed(ns / 1e6, 3)}</span>
    );

const countText = (n: number | null) => (n === null ? <span class="zero">–</span> : int(n));

function timeColumn(
    key: TimeKey,
    title: string,
    tip: string,
    hideBelow: number,
    width = 92,
): GridColumn<RequestRow> {
    return {
        key,
        title,
        unit: 'ms',
        width,
        sortKey: key,
        hideBelow,
        title_tip: tip,
        ...RIGHT_ALIGNED,
        render: (row) => msText(row[key]),
    };
}

interface ColumnsOf {
    search: Matcher;
    /** the longest time to the first token */
    most: number;
    /** the columns of parts that some late request has; the others have their places at the end */
    hasParts: boolean;
    hasFailed: boolean;
    hasResults: boolean;
}

function columnsOf({ search, most, hasParts, hasFailed, hasResults }: ColumnsOf) {
    const columns: GridColumn<RequestRow>[] = [
        {
            key: 'id',
            title: 'Request',
            width: 84,
            sortKey: 'id',
            ...RIGHT_ALIGNED,
            render: ({ id }) => int(id),
        },
        timeColumn('start_ns', 'Sent at', 'time since the origin of the run', 700, 100),
        {
            key: 'ttft_ns',
            title: 'First token',
            unit: 'ms',
            width: 120,
            sortKey: 'ttft_ns',
            title_tip:
                'time to the first token, as the client states it, or else as the engine does',
            ...RIGHT_ALIGNED,
            render: ({ ttft_ns }) =>
                ttft_ns === null ? (
                    msText(null)
                ) : (
                    <ShareBar share={ttft_ns / Math.max(1, most)} tone="total">
                        {msText(ttft_ns)}
                    </ShareBar>
                ),
        },
    ];
    if (hasParts)
        columns.push(
            {
                key: 'cause',
                title: 'Mostly',
                width: 136,
                sortKey: 'cause',
                title_tip: 'the largest part of the time to the first token',
                render: ({ cause }) => {
                    const info = CAUSES[cause as keyof typeof CAUSES];
                    return info ? (
                        <>
                            <i class={`swatch is-request-${info.phase}`} /> {info.label}
                        </>
                    ) : (
                        <span class="zero">–</span>
                    );
                },
            },
            ...PARTS.map(([key, title, tip], i) => timeColumn(key, title, tip, 1000 + 60 * i)),
        );
    columns.push(
        timeColumn('tpot_ns', 'Per token', 'time per output token after the first', 900),
        timeColumn('longest_gap_ns', 'Longest gap', 'longest time between two tokens', 760, 108),
        timeColumn('latency_ns', 'Latency', 'from the request to its end', 640),
        {
            key: 'prompt_tokens',
            title: 'Prompt',
            unit: 'tokens',
            width: 108,
            sortKey: 'engine_prompt_tokens',
            hideBelow: 860,
            ...RIGHT_ALIGNED,
            render: (row) => countText(row.engine_prompt_tokens ?? row.prompt_tokens),
        },
        {
            key: 'output_tokens',
            title: 'Output',
            unit: 'tokens',
            width: 108,
            sortKey: 'engine_output_tokens',
            hideBelow: 960,
            ...RIGHT_ALIGNED,
            render: (row) => countText(row.engine_output_tokens ?? row.output_tokens),
        },
    );
    if (hasFailed)
        columns.push({
            key: 'state',
            title: 'State',
            width: 92,
            sortKey: 'state',
            render: ({ state }) =>
                state === 0 ? (
                    <span class="soft">{stateText(0)}</span>
                ) : (
                    <b class="warn">{stateText(state)}</b>
                ),
        });
    if (hasResults)
        columns.push({
            key: 'result',
            title: 'Result',
            width: 76,
            hideBelow: 900,
            ...RIGHT_ALIGNED,
            render: ({ result }) => int(result),
        });
    columns.push({
        key: 'name',
        title: 'Id',
        width: 'rest',
        least: 120,
        sortKey: 'name',
        render: ({ name }) => (
            <span class="mono ellipsis" title={name}>
                {name ? <MarkedName text={name} search={search} /> : <span class="zero">–</span>}
            </span>
        ),
    });
    return columns;
}

type Shown = 'all' | 'late' | '1' | '2' | '3';

interface RequestTableProps {
    run: Run;
    summary: RequestsSummary;
    selected: number | null;
}

export function RequestTable({ run, summary, selected }: RequestTableProps) {
    const { query } = route.value;
    const filters = readFilters(query);
    const search = useMemo(() => matcher(filters.q, filters.regex), [filters.q, filters.regex]);
    const sort = readSort(query, 'id', false);
    const shown = (query.show ?? 'all') as Shown;
    const params = {
        sort: sort.key,
        desc: sort.desc,
        q: filters.q || undefined,
        regex: filters.regex ? 1 : undefined,
        late_ns: shown === 'late' && summary.late_ns !== null ? summary.late_ns : undefined,
        state: /^[123]$/.test(shown) ? shown : undefined,
        result: readChosen(query).result ?? undefined,
    };
    const path = viewPath(run, 'requests');
    const source = useSource<RequestRow>(path, params, filters.broken);
    const ttft = summary.metrics.find(({ metric }) => metric === 'ttft');
    const most = ttft?.percentiles.at(-1)?.nearest_ns ?? 0;
    const columns = useMemo(
        () =>
            columnsOf({
                search,
                most,
                hasParts: summary.causes.length > 0,
                hasFailed: summary.completed < summary.requests,
                hasResults: summary.results.length > 1,
            }),
        [search, most, summary],
    );
    const input = useRef<HTMLInputElement | null>(null);
    useKeys('Table of requests', [
        { key: '/', label: 'search the requests', run: () => input.current?.focus() },
    ]);
    const options: [Shown, string, number][] = [
        ['late', 'late', summary.late],
        ['1', 'failed', summary.failed],
        ['2', 'cancelled', summary.cancelled],
        ['3', 'unfinished', summary.unfinished],
    ];
    const offered = options.filter(([value, , n]) => n > 0 || value === shown);
    return (
        <>
            <Toolbar label="table of requests">
                {offered.length > 0 && (
                    <Segmented<Shown>
                        label="which requests"
                        value={shown}
                        options={[
                            { value: 'all', text: `all ${int(summary.requests)}` },
                            ...offered.map(([value, word, n]) => ({
                                value,
                                text: `${word} ${int(n)}`,
                            })),
                        ]}
                        onChange={(value) => replaceQuery({ show: value === 'all' ? null : value })}
                    />
                )}
                <Spacer />
                <SearchField
                    value={filters.q}
                    inputRef={input}
                    placeholder="Search requests"
                    hint="/"
                    width={208}
                    count={source.total}
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
            <DataGrid<RequestRow>
                label={LABELS.requests}
                columns={columns}
                source={source}
                rowKey={({ id }) => id}
                sort={sort}
                onSort={({ key, desc }) => replaceQuery({ sort: key, desc: desc ? '1' : '0' })}
                selected={selected}
                onSelect={({ id }) =>
                    setQuery({ request: String(id), engine_step: null }, { replace: true })
                }
                resetKey={withParams('', params)}
                empty="No request matches the filter. Clear it to see all."
            />
        </>
    );
}
