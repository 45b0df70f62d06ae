/* SPDX-License-Identifier: MIT
 *
 * What stands above the picture: percentiles with the requests that have them, the distribution of one
 * metric, what late requests waited for, and how the clocks of the files were joined.
 */
import type { RequestMetric, RequestsSummary } from '../../base/answers';
import { replaceQuery, route } from '../../base/router';
import { int, pct, plural, THIN_SPACE } from '../../base/units';
import {
    CAUSES,
    clockText,
    countsText,
    cumulativeShares,
    histogramShare,
    isClockUnknown,
    percentileNs,
    percentileTip,
    percentileTitle,
    resultLabel,
    timeText,
    variedParameters,
} from '../../model/requests';
import { readChosen, requestHref } from './links';

interface SummaryHeadProps {
    summary: RequestsSummary;
    /** the metric whose distribution is shown */
    metric: RequestMetric | null;
    /** selected request; null: none */
    request: number | null;
}

export function SummaryHead({ summary, metric, request }: SummaryHeadProps) {
    return (
        <div class="request-head">
            <section>
                <ResultSelect summary={summary} />
                <Percentiles summary={summary} metric={metric} request={request} />
                <p class="request-facts">
                    {countsText(summary)}
                    {summary.slots !== null && (
                        <>
                            {' · '}
                            <span
                                title={
                                    summary.slots_source === 'engine'
                                        ? 'as the engine states'
                                        : 'the most requests that ran while others waited'
                                }
                            >
                                {plural(summary.slots, 'slot')}
                            </span>
                        </>
                    )}
                </p>
                <Clocks summary={summary} />
            </section>
            {metric && <Distribution metric={metric} request={request} />}
            <Causes summary={summary} />
        </div>
    );
}

/* Percentiles over several loads mix them, so one can be chosen. */
function ResultSelect({ summary: { results } }: { summary: RequestsSummary }) {
    const listed = results.filter(({ requests }) => requests > 0);
    if (listed.length < 2) return null;
    const varied = variedParameters(results);
    const { result } = readChosen(route.value.query);
    return (
        <label class="request-facts">
            Requests of{' '}
            <select
                value={result === null ? '' : String(result)}
                onChange={(event) => replaceQuery({ result: event.currentTarget.value || null })}
            >
                <option value="">{`all ${int(listed.length)} loads together`}</option>
                {listed.map((one) => (
                    <option key={one.id} value={String(one.id)}>
                        {`${resultLabel(one, varied)} (${plural(one.requests, 'request')})`}
                    </option>
                ))}
            </select>
        </label>
    );
}

function Percentiles({ summary, metric, request }: SummaryHeadProps) {
    const shown = summary.metrics[0]?.percentiles ?? [];
    return (
        <table class="request-percentiles" aria-label="percentiles">
            <thead>
                <tr>
                    <th>Metric</th>
                    {shown.map(({ p }) => (
                        <th key={p}>{percentileTitle(p)}</th>
                    ))}
                </tr>
            </thead>
            <tbody>
                {summary.metrics.map((one) => (
                    <tr key={one.metric} class={one.metric === metric?.metric ? 'is-current' : ''}>
                        <th scope="row">
                            <button
                                type="button"
                                aria-pressed={one.metric === metric?.metric}
                                title={`show the distribution of ${int(one.n)} values`}
                                onClick={() =>
                                    replaceQuery({
                                        metric: one.metric === 'ttft' ? null : one.metric,
                                    })
                                }
                            >
                                {one.name}
                            </button>
                        </th>
                        {one.percentiles.map((value) => (
                            <td key={value.p}>
                                <a
                                    href={requestHref(value.request)}
                                    class={value.request === request ? 'is-current' : ''}
                                    title={percentileTip(one, value)}
                                >
                                    {timeText(percentileNs(value))}
                                </a>
                            </td>
                        ))}
                    </tr>
                ))}
            </tbody>
        </table>
    );
}

function Clocks({ summary }: { summary: RequestsSummary }) {
    const files = summary.files.filter(({ method }) => method !== 'none');
    if (files.length < 2) return null;
    const isUnknown = files.some(isClockUnknown);
    return (
        <p
            class={isUnknown ? 'request-facts warn' : 'request-facts'}
            title="what was added to the times of each file so that all are on one clock, and by how much that may be wrong"
        >
            Clocks: {[...new Set(files.map(clockText))].join(' · ')}
            {isUnknown &&
                '. Of a file with an unknown clock, only the time between two of its events is known.'}
        </p>
    );
}

const PLOT_WIDTH = 320;
const PLOT_HEIGHT = 92;
/* Names of marks before this share of the axis are on their right: on the left they do not fit. */
const EARLY = 0.2;

/* Bars by count, and the share of values up to each as a line, on a logarithmic axis. */
function Distribution({ metric, request }: { metric: RequestMetric; request: number | null }) {
    const most = metric.counts.reduce((a, b) => Math.max(a, b), 1);
    const each = PLOT_WIDTH / Math.max(1, metric.counts.length);
    const shares = cumulativeShares(metric);
    const line = shares
        .map((share, i) => `${(i + 1) * each},${PLOT_HEIGHT - share * (PLOT_HEIGHT - 2)}`)
        .join(' ');
    const marks = metric.percentiles.filter(({ p }) => p === 50 || p === 99);
    const [from, to] = [metric.edges_ns[0], metric.edges_ns[metric.edges_ns.length - 1]];
    return (
        <section class="request-distribution">
            <h3>
                {metric.name} <span class="soft">{plural(metric.n, 'value')}, log scale</span>
            </h3>
            <div class="request-plot">
                <svg
                    viewBox={`0 0 ${PLOT_WIDTH} ${PLOT_HEIGHT}`}
                    preserveAspectRatio="none"
                    role="img"
                    aria-label={`${metric.name}: ${plural(metric.n, 'value')} from ${timeText(from)} to ${timeText(to)}`}
                >
                    {metric.counts.map((count, i) => {
                        const height = count === 0 ? 0 : Math.max(2, (count / most) * PLOT_HEIGHT);
                        return (
                            <rect
                                key={i}
                                x={i * each}
                                y={PLOT_HEIGHT - height}
                                width={Math.max(0.5, each - 1)}
                                height={height}
                            >
                                <title>
                                    {`${timeText(metric.edges_ns[i])} to ${timeText(metric.edges_ns[i + 1])}: ${int(count)}, ${pct(100 * shares[i])}${THIN_SPACE}% up to here`}
                                </title>
                            </rect>
                        );
                    })}
                    <polyline points={`0,${PLOT_HEIGHT} ${line}`} />
                </svg>
                {marks.map((mark) => (
                    <a
                        key={mark.p}
                        href={requestHref(mark.request)}
                        class={[
                            'request-mark',
                            mark.request === request ? 'is-current' : '',
                            histogramShare(metric, percentileNs(mark)) < EARLY ? 'is-early' : '',
                        ].join(' ')}
                        style={{ left: `${100 * histogramShare(metric, percentileNs(mark))}%` }}
                        title={percentileTip(metric, mark)}
                    >
                        <span>{percentileTitle(mark.p)}</span>
                    </a>
                ))}
            </div>
            <div class="histogram-ends">
                <span>{timeText(from)}</span>
                <span>line: share up to here</span>
                <span>{timeText(to)}</span>
            </div>
        </section>
    );
}

function Causes({ summary }: { summary: RequestsSummary }) {
    const { causes, late, late_ns } = summary;
    const all = causes.reduce((sum, { ns }) => sum + ns, 0);
    if (all <= 0) return null;
    return (
        <section class="request-causes">
            <h3>
                What late requests waited for{' '}
                <span class="soft">
                    {late_ns === null
                        ? ''
                        : `${plural(late, 'request')} above ${timeText(late_ns)}`}
                </span>
            </h3>
            <ul>
                {causes.map(({ cause, ns, requests, worst }) => (
                    <li key={cause}>
                        <a
                            href={requestHref(worst)}
                            title={`the request with the most of it: request ${int(worst)}`}
                        >
                            <i class={`swatch is-request-${CAUSES[cause].phase}`} />
                            <span>{CAUSES[cause].label}</span>
                            <span class="request-amount">
                                <i
                                    class={`is-request-${CAUSES[cause].phase}`}
                                    style={{ width: `${(100 * ns) / causes[0].ns}%` }}
                                />
                            </span>
                            <span class="is-right">{timeText(ns)}</span>
                            <span class="is-right soft">
                                {pct((100 * ns) / all)}
                                {THIN_SPACE}%
                            </span>
                            <span class="is-right soft">{plural(requests, 'request')}</span>
                        </a>
                    </li>
                ))}
            </ul>
        </section>
    );
}
