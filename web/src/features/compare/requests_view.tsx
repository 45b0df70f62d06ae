/* SPDX-License-Identifier: MIT
 *
 * The requests of two serving runs: each pair as a row, with distributions, pairs and the parts of the
 * time to first token beside them. Percentiles alone hide what changed.
 */
import { useMemo, useRef } from 'preact/hooks';
import type {
    Comparison,
    Page,
    RequestChange,
    RequestComparison,
    RequestPair,
} from '../../base/answers';
import { withParams } from '../../base/client';
import { useKeys } from '../../base/keys';
import { pushQuery, replaceQuery, route } from '../../base/router';
import { int, plural } from '../../base/units';
import { DataGrid } from '../../components/data_grid';
import type { GridColumn, GridHandle } from '../../components/grid_types';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import { Segmented } from '../../components/segmented';
import { PaneHead, Spacer, Toolbar } from '../../components/toolbar';
import { viewportWidth } from '../../components/viewport';
import { readSort } from '../../model/filter_query';
import {
    METRIC_TITLES,
    readMetric,
    type RequestMetric,
    type Side,
    sideValue,
    worstPairs,
} from '../../model/request_pairs';
import { GoodputLine } from '../shared/goodput';
import { objectsOf, useSource } from '../shared/paged_source';
import { useData, useJson } from '../shared/use_json';
import { DistributionChart, nsText, PairsChart, PartBars } from './request_charts';
import { SidePane, sidePaneContent } from './side_pane';
import { comparePath, groupsOf } from './state';

export const REQUESTS_TAB = 'requests';

/** Pairs that the chart draws, at most what the server answers; the table has all. */
const CHART_PAIRS = 1000;
/** Pairs whose parts are drawn. */
const BARS = 6;
/** Width of names and numbers beside a bar, px. */
const BESIDE_BAR = 120;

export function hasRequests({ pictures }: Comparison): boolean {
    return pictures.includes('requests');
}

export function RequestsView({ comparison }: { comparison: Comparison }) {
    const { query } = route.value;
    const { data, error, loading } = useJson<RequestComparison>(
        comparePath(query, '/requests/summary'),
    );
    return (
        <div class="tab-body compare-requests">
            {error && <Notice kind="error" title="The requests could not be read" error={error} />}
            {data && <Body key={comparison.base[0].id} summary={data} comparison={comparison} />}
            <LoadingLine active={loading} />
        </div>
    );
}

const PAIRED_BY: Record<string, string> = {
    id: 'paired by id',
    start: 'paired by the order of their start',
    position: 'paired by their order in the files',
};

function pairsText({ pairs, paired_by: by, prompt_lengths: lengths }: RequestComparison): string {
    const isByOrder = by !== 'id' && lengths === 1 && pairs > 1;
    const note = isByOrder ? '; all prompts are equally long, so the order alone makes them' : '';
    return `${plural(pairs, 'pair')} of requests, ${PAIRED_BY[by ?? ''] ?? ''}${note}`;
}

function Body({ summary, comparison }: { summary: RequestComparison; comparison: Comparison }) {
    const { query } = route.value;
    const metric = readMetric(query.metric);
    const change = summary.metrics.find((one) => one.metric === metric);
    const only = query.only ?? null;
    return (
        <>
            <Toolbar label="view options">
                <Segmented
                    label="metric"
                    value={metric}
                    options={Object.entries(METRIC_TITLES).map(([value, text]) => ({
                        value: value as RequestMetric,
                        text,
                    }))}
                    onChange={(value) =>
                        replaceQuery({ metric: value === 'ttft_ns' ? null : value })
                    }
                />
                {summary.paired_by && (
                    <Segmented
                        label="first token"
                        value={only ?? 'all'}
                        options={[
                            { value: 'all', text: 'All' },
                            { value: 'sooner', text: 'Sooner' },
                            { value: 'later', text: 'Later' },
                        ]}
                        onChange={(value) =>
                            replaceQuery({ only: value === 'all' ? null : value, row: null })
                        }
                    />
                )}
                <Spacer />
                {summary.paired_by && (
                    <a
                        class="quiet"
                        href={withParams(comparePath(query, '/requests'), { format: 'csv' })}
                        download=""
                    >
                        Export CSV
                    </a>
                )}
            </Toolbar>
            {summary.no_pairs !== null && (
                <Notice kind="info" title="The requests are not paired">
                    {summary.no_pairs}. Only their distributions can be compared.
                </Notice>
            )}
            <div class="panes">
                <section class="pane pane-main">
                    <Metrics summary={summary} shown={metric} />
                    <GoodputLine runs={[...comparison.base, ...comparison.new]} />
                    {summary.paired_by && <Pairs summary={summary} metric={metric} only={only} />}
                </section>
                {change && <RequestPane {...{ summary, metric, change }} />}
            </div>
        </>
    );
}

/* What became of each metric, as rows. */
function Metrics({ summary, shown }: { summary: RequestComparison; shown: RequestMetric }) {
    const metrics = summary.metrics.filter(({ base, new: fresh }) => base.n + fresh.n > 0);
    return (
        <div class="request-metrics">
            <table>
                <thead>
                    <tr>
                        <th scope="col">{int(summary.base.requests)} requests</th>
                        <th scope="col">Worst</th>
                        <th scope="col" class="wide-only">
                            p99
                        </th>
                        <th scope="col">Median</th>
                        <th scope="col">Pairs shorter</th>
                        <th scope="col">Longer</th>
                        <th scope="col">Median change</th>
                    </tr>
                </thead>
                <tbody>
                    {metrics.map((change) => (
                        <tr
                            key={change.metric}
                            class={change.metric === shown ? 'is-selected' : ''}
                        >
                            <th scope="row">{change.title}</th>
                            <td>{fromTo(change, 'worst')}</td>
                            <td class="wide-only">{fromTo(change, 'p99')}</td>
                            <td>{fromTo(change, 'p50')}</td>
                            <td>{change.pairs ? int(change.less) : ''}</td>
                            <td>{change.pairs ? int(change.more) : ''}</td>
                            <td title={intervalText(change)}>{medianText(change)}</td>
                        </tr>
                    ))}
                </tbody>
            </table>
            <p class="soft">
                {[
                    summary.paired_by && pairsText(summary),
                    'one run each: what varies between runs is unknown',
                ]
                    .filter(Boolean)
                    .join('; ')}
            </p>
        </div>
    );
}

const fromTo = ({ base, new: fresh }: RequestChange, of: 'worst' | 'p99' | 'p50'): string =>
    `${nsText(base[of])} → ${nsText(fresh[of])}`;

function signedText(ns: number | null): string {
    if (ns === null) return '–';
    return `${ns < 0 ? '−' : ns > 0 ? '+' : ''}${nsText(Math.abs(ns))}`;
}

function medianText(change: RequestChange): string {
    if (!change.pairs) return '';
    const isUnclear = change.low !== null && change.low <= 0 && (change.high ?? 0) >= 0;
    return `${signedText(change.median)}${isUnclear ? ', within noise' : ''}`;
}

function intervalText(change: RequestChange): string {
    if (!change.pairs) return '';
    if (change.low === null) return 'too few pairs for an interval';
    return `interval ${signedText(change.low)} to ${signedText(change.high)}, by blocks of successive requests`;
}

/* --- Pairs --- */

function cell(pair: RequestPair, side: Side, metric: RequestMetric) {
    const state = pair[`${side}_state`];
    return state === 'completed' ? nsText(sideValue(pair, side, metric)) : state;
}

function columnsOf(metric: RequestMetric): GridColumn<RequestPair>[] {
    const delta = (pair: RequestPair): number | null => pair[`delta_${metric}`];
    const column = (side: Side, title: string): GridColumn<RequestPair> => ({
        key: side,
        title,
        width: 92,
        align: 'right',
        numeric: true,
        sortKey: `${side}_${metric}`,
        render: (pair) => cell(pair, side, metric),
    });
    return [
        {
            key: 'id',
            title: 'Request',
            width: 'rest',
            least: 64,
            sortKey: 'base_id',
            render: (pair) => (
                <>
                    {int(pair.base_id)} <span class="mono soft wide-only">{pair.name}</span>
                </>
            ),
        },
        {
            key: 'prompt',
            title: 'Prompt',
            unit: 'tokens',
            width: 110,
            align: 'right',
            numeric: true,
            sortKey: 'prompt_tokens',
            hideBelow: 700,
            render: (pair) => (pair.prompt_tokens === null ? '–' : int(pair.prompt_tokens)),
        },
        column('base', 'Base'),
        column('new', 'New'),
        {
            key: 'delta',
            title: 'Δ',
            width: 104,
            align: 'right',
            numeric: true,
            sortKey: `delta_${metric}`,
            render: (pair) => {
                const value = delta(pair);
                const tone = value === null || value === 0 ? '' : value < 0 ? 'faster' : 'slower';
                return <span class={tone && `is-${tone}`}>{signedText(value)}</span>;
            },
        },
    ];
}

interface PairsProps {
    summary: RequestComparison;
    metric: RequestMetric;
    only: string | null;
}

const selectPair = (id: number | null): void => pushQuery({ row: id === null ? null : String(id) });

function Pairs({ summary, metric, only }: PairsProps) {
    const { query } = route.value;
    const grid = useRef<GridHandle | null>(null);
    const sort = readSort(query, largestFirst(metric), true);
    const columns = useMemo(() => columnsOf(metric), [metric]);
    const params = {
        ...groupsOf(query),
        sort: sort.key,
        desc: sort.desc,
        ...(only ? { only } : {}),
    };
    const source = useSource<RequestPair>(comparePath({}, '/requests'), params, false);
    useKeys('Requests', [
        { key: 'Escape', label: 'clear the selection', run: () => replaceQuery({ row: null }) },
    ]);
    return (
        <DataGrid<RequestPair>
            label={`${int(summary.pairs)} pairs of requests`}
            columns={columns}
            source={source}
            rowKey={(pair) => String(pair.id)}
            sort={sort}
            onSort={({ key, desc }) => replaceQuery({ sort: key, desc: desc ? '1' : '0' })}
            selected={query.row ?? null}
            onSelect={(pair) => selectPair(pair.id)}
            handle={grid}
            resetKey={withParams('', params)}
            empty="No pair of requests matches."
        />
    );
}

/* --- Charts --- */

interface RequestPaneProps {
    summary: RequestComparison;
    metric: RequestMetric;
    change: RequestChange;
}

/* The first pairs in an order, the largest first. */
function useLargestPairs(summary: RequestComparison, sort: string, limit: number): RequestPair[] {
    const page = useData<Page>(
        summary.paired_by
            ? comparePath(route.value.query, '/requests', { sort, desc: 1, limit })
            : null,
    );
    return useMemo(() => (page ? objectsOf<RequestPair>(page) : []), [page]);
}

/* The pairs with the latest first tokens of either run whose parts are known, and before them the
 * selected one. */
function useBars(
    summary: RequestComparison,
    pairs: readonly RequestPair[],
    selected: string | null,
): RequestPair[] {
    const ofBase = useLargestPairs(summary, 'base_ttft_ns', BARS);
    const ofNew = useLargestPairs(summary, 'new_ttft_ns', BARS);
    return useMemo(() => {
        const late = new Map([...ofBase, ...ofNew].map((pair) => [pair.id, pair]));
        const worst = worstPairs([...late.values()], 'ttft_ns', BARS).filter(
            (pair) => pair.base_step_ns !== null || pair.new_step_ns !== null,
        );
        const one = pairs.find(({ id }) => String(id) === selected);
        const isKnown = one && (one.base_step_ns !== null || one.new_step_ns !== null);
        return isKnown && !worst.some(({ id }) => id === one.id) ? [one, ...worst] : worst;
    }, [ofBase, ofNew, pairs, selected]);
}

const largestFirst = (metric: RequestMetric): string =>
    metric === 'ttft_ns' ? 'size' : `new_${metric}`;

function RequestPane({ summary, metric, change }: RequestPaneProps) {
    const { query } = route.value;
    const selected = query.row ?? null;
    const pairs = useLargestPairs(summary, largestFirst(metric), CHART_PAIRS);
    const bars = useBars(summary, pairs, selected);
    void viewportWidth.value;
    return (
        <SidePane label="Requests as charts">
            <PaneHead title={METRIC_TITLES[metric]} remark="share of requests">
                <span class="soft request-key">
                    <i class="is-base" /> base <i class="is-new" /> new
                </span>
            </PaneHead>
            <DistributionChart change={change} />
            {pairs.length > 0 && (
                <>
                    <PaneHead
                        title="Each pair"
                        remark={
                            summary.pairs > pairs.length
                                ? `${int(pairs.length)} of ${int(summary.pairs)}: those with the largest values or changes`
                                : 'below the line: shorter'
                        }
                    />
                    <PairsChart {...{ pairs, metric, change, selected }} onPick={selectPair} />
                </>
            )}
            {bars.length > 0 && (
                <>
                    <PaneHead
                        title="What the latest first tokens waited for"
                        remark="base above new"
                    />
                    <PartBars
                        pairs={bars}
                        selected={selected}
                        width={sidePaneContent() - BESIDE_BAR}
                        onPick={selectPair}
                    />
                </>
            )}
        </SidePane>
    );
}
