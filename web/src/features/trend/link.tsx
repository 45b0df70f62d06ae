/* SPDX-License-Identifier: MIT
 *
 * Ways to a trend: of a run's series, and of one row that is compared.
 */
import { offlineFile } from '../../base/offline';
import { formatHash } from '../../base/router';
import type { Run } from '../../base/types';
import { Sparkline } from './sparkline';

export function trendHref(series: string, more: Record<string, string> = {}): string {
    return formatHash(['trend'], { runs: `series:${series}`, ...more });
}

/** The headlines of the series up to this run; leads to all of them. */
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

/** Nothing for runs of no series. */
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
}

/** Nothing where no run is of a series. */
export function RowTrendLink({ runs, of, row, place, metric }: RowTrendProps) {
    const series = runs.find((run) => run.series)?.series;
    if (!series || offlineFile()) return null;
    const more = { of, row, metric, ...(place ? { place } : {}) };
    return (
        <a class="link" href={trendHref(series, more)} title={`over the runs of ${series}`}>
            trend of this row
        </a>
    );
}
