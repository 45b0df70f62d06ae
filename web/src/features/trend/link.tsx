/* SPDX-License-Identifier: MIT
 *
 * Links to trends: of the series of a run, and of a row of a comparison.
 */
import type { Run } from '../../base/answers';
import { offlineFile } from '../../base/offline';
import { formatHash } from '../../base/router';
import { chosenStep } from '../shared/chosen_step';

/** URL of the trend of a row of a table. */
export function rowTrendHref(series: string, params: Record<string, string>): string {
    return formatHash(['trend'], { runs: `series:${series}`, ...params });
}

/** URL of the trend of the headline, which is the mean of the steps that were chosen for the series. */
export function trendHref(series: string): string {
    const step = chosenStep({ series, id: '' }).value;
    return rowTrendHref(series, step ? { step } : {});
}

const WIDTH = 64;
const HEIGHT = 16;
const PAD = 2.5;

/** A curve of 64 × 16 px with a dot at its last point. Fewer than two points draw nothing. */
/** A line of values; those that are null are left out. */
export function Sparkline({ values: all }: { values: (number | null)[] }) {
    const values = all.filter((value) => value !== null);
    if (values.length < 2) return null;
    const low = Math.min(...values);
    const span = Math.max(...values) - low;
    const x = (i: number) => PAD + (i / (values.length - 1)) * (WIDTH - 2 * PAD);
    const y = (v: number) =>
        span === 0 ? HEIGHT / 2 : HEIGHT - PAD - ((v - low) / span) * (HEIGHT - 2 * PAD);
    const points = values.map((v, i) => `${x(i).toFixed(1)},${y(v).toFixed(1)}`).join(' ');
    const last = values.length - 1;
    return (
        <svg class="sparkline" width={WIDTH} height={HEIGHT} aria-hidden="true">
            <polyline points={points} />
            <circle cx={x(last)} cy={y(values[last])} r="2" />
        </svg>
    );
}

/** Sparkline of the headline values of the series up to this run; links to the trend. */
export function TrendSpark({ run }: { run: Run }) {
    if (!run.series || run.trend.length < 2) return <Sparkline values={run.trend} />;
    return (
        <a
            class="trend-spark"
            href={trendHref(run.series)}
            tabIndex={-1}
            title={`trend of ${run.series}`}
            aria-label={`trend of ${run.series}`}
        >
            <Sparkline values={run.trend} />
        </a>
    );
}

/** Link to the trend of a series; nothing if there is no series. */
export function SeriesTrend({ series }: { series: string }) {
    if (!series) return null;
    return (
        <a class="series-trend" href={trendHref(series)}>
            Trend
        </a>
    );
}

interface RowTrendProps {
    runs: Run[];
    of: string;
    row: string;
    place: string | null;
    metric: string;
    /** name of the ranges that are the steps of which the row is the mean */
    step: string | null;
}

/** Link to the trend of a row; nothing if none of the runs belongs to a series. */
export function RowTrendLink({ runs, of, row, place, metric, step }: RowTrendProps) {
    const series = runs.find((run) => run.series)?.series;
    if (!series || offlineFile()) return null;
    const rowParams = { of, row, metric, ...(place ? { place } : {}), ...(step ? { step } : {}) };
    return (
        <a class="link" href={rowTrendHref(series, rowParams)} title={`over the runs of ${series}`}>
            trend of this row
        </a>
    );
}
