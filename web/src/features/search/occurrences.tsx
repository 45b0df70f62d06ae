/* SPDX-License-Identifier: MIT
 *
 * The runs in which a name is hot: its share over time, and its values in each run.
 */
import { useMemo, useState } from 'preact/hooks';
import type { Occurrence, Occurrences } from '../../base/answers';
import { API, withParams } from '../../base/client';
import { formatHash, goTo } from '../../base/router';
import { pct, plural, text, THIN_SPACE, when } from '../../base/units';
import { DataGrid, type GridColumn } from '../../components/data_grid';
import { arraySource } from '../../components/grid_types';
import { KindMark } from '../../components/kind_mark';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import { usePlot } from '../../components/plot';
import { formatValueOf } from '../../model/compare';
import { fullName, hotRowHref, NAME_TABLES, useCoveredJson } from '../shared/name_search';
import { rowTrendHref } from '../trend/link';
import { HitShare, SearchProgress } from './hit';

const MAX_RUNS = 500;
/** Fewer runs draw no curve. */
const MIN_POINTS = 2;
const MAX_TICKS = 6;
/** beside and above the points, as a share of their range */
const MARGIN = 0.05;

/** A name with its module, or a row of a table of comparisons with its place. */
interface OccurrencesViewProps {
    of: string;
    name?: string;
    module: string;
    row?: string;
    place?: string;
}

export function OccurrencesView({ of, name, module, row, place }: OccurrencesViewProps) {
    const named = name ? { name, module } : { row, place };
    const state = useCoveredJson<Occurrences>(
        withParams(`${API}/search/runs`, { of, ...named, limit: MAX_RUNS }),
    );
    const { data } = state;
    const [selected, setSelected] = useState<string | null>(null);
    const rows = useMemo(() => data?.rows ?? [], [data]);
    const columns = useMemo(() => columnsOf(of), [of]);
    const full = fullName({ of, name: name ?? row ?? '', module });
    return (
        <>
            <header class="trend-head">
                <div class="trend-title">
                    <h1 class="run-name mono ellipsis" title={full}>
                        {full}
                    </h1>
                    <span class="soft">{of === 'lines' ? module : (NAME_TABLES[of] ?? of)}</span>
                </div>
                <p class="trend-answer">
                    {data &&
                        `Among the ${data.names_per_run} hottest of ${plural(data.total, 'run')}` +
                            (data.total > data.rows.length
                                ? `; the newest ${data.rows.length}`
                                : '')}
                    <SeriesLinks of={of} rows={rows} />
                </p>
                <SearchProgress state={state} />
            </header>
            {rows.length >= MIN_POINTS && <ShareChart rows={rows} />}
            {data?.total === 0 && !state.loading ? (
                <Notice kind="info" title="No run has this name among its hottest" />
            ) : (
                <DataGrid<Occurrence>
                    label="runs that have the name"
                    columns={columns}
                    source={arraySource(rows)}
                    rowKey={({ run }) => run.id}
                    selected={selected}
                    onSelect={({ run }) => setSelected(run.id)}
                    onOpen={(row) => goTo(hotRowHref(row.run, of, row))}
                />
            )}
            <LoadingLine active={state.loading} />
        </>
    );
}

/** Links to the trend of the row in each series. */
function SeriesLinks({ of, rows }: { of: string; rows: Occurrence[] }) {
    const bySeries = new Map(
        rows.filter(({ run }) => run.series).map((row) => [row.run.series, row]),
    );
    if (bySeries.size === 0) return null;
    return (
        <>
            . Trend in{' '}
            {[...bySeries].map(([series, { row }], i) => [
                i > 0 && ', ',
                <a key={series} class="link" href={rowTrendHref(series, { of, row })}>
                    {series}
                </a>,
            ])}
        </>
    );
}

/** Share of the run over the runs, the oldest first. */
function ShareChart({ rows }: { rows: Occurrence[] }) {
    const values = rows
        .map(({ self_share, total_share }) => 100 * Math.max(self_share, total_share))
        .reverse();
    const { canvas } = usePlot(
        (token) => {
            const curve = { x: values.map((_, i) => i), y: values, colour: token('bar') };
            const margin = (values.length - 1) * MARGIN;
            return {
                curves: [
                    { ...curve, width: 2, dots: true },
                    { ...curve, width: 1.25 },
                ],
                from: -margin,
                to: values.length - 1 + margin,
                top: Math.max(...values) * (1 + MARGIN) || 1,
                xStep: Math.ceil(values.length / MAX_TICKS),
                xText: (i: number) =>
                    Number.isInteger(i) ? (rows[rows.length - 1 - i]?.run.name ?? '') : '',
                yText: (value: number) => `${pct(value)}${THIN_SPACE}%`,
            };
        },
        [rows],
    );
    return (
        <div class="search-chart">
            <canvas ref={canvas} role="img" aria-label="share of the run, over the runs" />
        </div>
    );
}

function columnsOf(of: string): GridColumn<Occurrence>[] {
    return [
        {
            key: 'when',
            title: 'Added',
            width: 128,
            hideBelow: 700,
            render: ({ run }) => <span title={run.created_at}>{when(run.created_at)}</span>,
        },
        {
            key: 'kind',
            title: 'Kind',
            width: 64,
            render: ({ run }) => <KindMark kind={run.kind} />,
        },
        {
            key: 'run',
            title: 'Run',
            width: 'rest',
            render: (row) => (
                <a
                    class="row-name"
                    href={hotRowHref(row.run, of, row)}
                    tabIndex={-1}
                    title={`${row.run.name}: ${row.row}${row.place && `, ${row.place}`}${row.line ? `:${row.line}` : ''}`}
                >
                    {row.run.name}
                </a>
            ),
        },
        {
            key: 'series',
            title: 'Series',
            width: 160,
            hideBelow: 1000,
            render: ({ run }) =>
                run.series && (
                    <a
                        class="link ellipsis"
                        href={formatHash([], { series: run.series })}
                        tabIndex={-1}
                    >
                        {run.series}
                    </a>
                ),
        },
        {
            key: 'self',
            title: 'Self',
            width: 112,
            align: 'right',
            render: ({ self, unit }) => text(formatValueOf(self, unit)),
        },
        {
            key: 'total',
            title: 'Total',
            width: 112,
            align: 'right',
            hideBelow: 700,
            render: ({ total, unit }) => (total === null ? null : text(formatValueOf(total, unit))),
        },
        {
            key: 'share',
            title: 'Share',
            unit: '% of run',
            width: 120,
            align: 'right',
            render: (row) => <HitShare hit={row} />,
        },
    ];
}
