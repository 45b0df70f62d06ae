/* SPDX-License-Identifier: MIT
 *
 * Results of clients: a sweep as latency against throughput, and the metrics of runs whose files list
 * no requests.
 */
import type { Run, ServingMetric, ServingResult } from '../../base/answers';
import { replaceQuery, route } from '../../base/router';
import {
    DASH,
    formatCount,
    formatFixed,
    formatSeconds,
    formatValueIn,
    text,
} from '../../base/units';
import type { LineView } from '../../components/chart';
import { placeIn, type Token, usePlot } from '../../components/plot';
import { hideTooltip, showTooltip } from '../../components/tooltip';
import {
    resultLabel,
    sweepMetrics,
    type SweepPoint,
    sweepPoints,
    sweepThroughput,
    variedParameters,
} from '../../model/requests';
import { tabHash } from '../trace/data';

const throughputUnit = (name: string | null): string =>
    name === 'request throughput' ? 'requests/s' : 'tokens/s';

function sweepView(
    points: SweepPoint[],
    metric: string,
    throughput: string,
    token: Token,
): LineView {
    const [xs, ys] = [points.map((one) => one.throughput), points.map((one) => one.latency)];
    return {
        from: 0,
        to: Math.max(...xs) * 1.08,
        bottom: 0,
        top: Math.max(...ys) * 1.12,
        xTitle: `${throughput}, ${throughputUnit(throughput)}`,
        yTitle: metric,
        xText: (value) => formatFixed(value, Number.isInteger(value) ? 0 : 2),
        yText: (value) => text(formatSeconds(value)),
        curves: [
            {
                x: xs,
                y: ys,
                colour: token('bar'),
                width: 1,
                dots: {
                    radii: xs.map(() => 4),
                    fills: xs.map(() => token('bar')),
                    edges: xs.map(() => token('bg')),
                    edgeWidths: xs.map(() => 1),
                },
            },
            { x: xs, y: ys, colour: token('bar'), width: 1.5 },
        ],
        over: (ctx, area) => {
            ctx.font = `11px ${token('sans')}`;
            ctx.fillStyle = token('text-1');
            const place = placeIn(area, {
                from: 0,
                to: Math.max(...xs) * 1.08,
                top: Math.max(...ys) * 1.12,
            });
            for (const { label, throughput: x, latency } of points) {
                const width = ctx.measureText(label).width;
                const left = Math.min(place.xOf(x) + 7, area.right - width);
                ctx.fillText(label, left, place.yOf(latency) - 6);
            }
        },
    };
}

const NEAR_PX = 12;

function SweepChart({
    run,
    points,
    metric,
    throughput,
}: {
    run: Run;
    points: SweepPoint[];
    metric: string;
    throughput: string;
}) {
    const view = (token: Token) => sweepView(points, metric, throughput, token);
    const { canvas, area } = usePlot(view, [points, metric, throughput]);
    const { xOf, yOf } = placeIn(area, {
        from: 0,
        to: Math.max(...points.map((one) => one.throughput)) * 1.08,
        top: Math.max(...points.map((one) => one.latency)) * 1.12,
    });
    return (
        <div class="request-sweep">
            <canvas
                ref={canvas}
                role="img"
                aria-label={`${metric} against ${throughput} of ${points.length} loads`}
            />
            {area &&
                points.map((one) => (
                    <a
                        key={one.id}
                        class="request-dot"
                        href={tabHash(run, 'measurements', { m: String(one.measurement) })}
                        aria-label={`${one.label}: ${text(formatSeconds(one.latency))}`}
                        style={{
                            left: `${xOf(one.throughput) - NEAR_PX}px`,
                            top: `${yOf(one.latency) - NEAR_PX}px`,
                        }}
                        onPointerMove={(event) =>
                            showTooltip(
                                `${one.label}: ${metric} ${text(formatSeconds(one.latency))} at ${text(formatValueIn(one.throughput, throughputUnit(throughput)))}`,
                                event.clientX,
                                event.clientY,
                            )
                        }
                        onPointerLeave={() => hideTooltip()}
                    />
                ))}
        </div>
    );
}

const PREFERRED = ['time to first token, p99', 'time to first token', 'end-to-end latency'];

/** Latency against throughput over the loads of a sweep; nothing with one load. */
export function Sweep({ run, results }: { run: Run; results: readonly ServingResult[] }) {
    const names = sweepMetrics(results);
    const throughput = sweepThroughput(results);
    const wanted = route.value.query.latency ?? '';
    const metric =
        [wanted, ...PREFERRED].find((name) => names.includes(name)) ?? names.at(0) ?? null;
    if (results.length < 2 || throughput === null || metric === null) return null;
    const points = sweepPoints(results, metric);
    if (points.length < 2) return null;
    return (
        <section class="request-results">
            <h3>
                Latency against throughput
                <select
                    aria-label="metric of latency"
                    value={metric}
                    onChange={(event) => replaceQuery({ latency: event.currentTarget.value })}
                >
                    {names.map((name) => (
                        <option key={name}>{name}</option>
                    ))}
                </select>
            </h3>
            <SweepChart run={run} points={points} metric={metric} throughput={throughput} />
        </section>
    );
}

const valueText = ({ value, unit }: ServingMetric): string =>
    value === null ? DASH : text(unit === 's' ? formatSeconds(value) : formatCount(value, unit));

/* "mean" if all results state the mean of a metric; '' for single values and percentiles. */
function statisticOf(results: readonly ServingResult[], name: string): string {
    const all = results.flatMap(({ metrics }) => metrics.filter(({ metric }) => metric === name));
    const words = new Set(all.map(({ statistic }) => statistic));
    const [word] = words;
    return words.size === 1 && (word === 'mean' || word === 'median') ? word : '';
}

/** The metrics of results, a column each. */
export function ResultMetrics({ run, results }: { run: Run; results: readonly ServingResult[] }) {
    if (results.length === 0) return null;
    const names = [
        ...new Set(results.flatMap(({ metrics }) => metrics.map(({ metric }) => metric))),
    ];
    const varied = variedParameters(results);
    return (
        <section class="request-results">
            <h3>Metrics as the client states them</h3>
            <div class="request-scroll">
                <table class="request-percentiles" aria-label="metrics of results">
                    <thead>
                        <tr>
                            <th>Metric</th>
                            {results.map((one) => (
                                <th key={one.id}>
                                    {results.length === 1 ? 'Value' : resultLabel(one, varied)}
                                </th>
                            ))}
                        </tr>
                    </thead>
                    <tbody>
                        {names.map((name) => (
                            <tr key={name}>
                                <th scope="row">
                                    {name} <span class="soft">{statisticOf(results, name)}</span>
                                </th>
                                {results.map(({ id, metrics }) => {
                                    const found = metrics.find(({ metric }) => metric === name);
                                    return (
                                        <td key={id}>
                                            {found ? (
                                                <a
                                                    href={tabHash(run, 'measurements', {
                                                        m: String(found.id),
                                                    })}
                                                >
                                                    {valueText(found)}
                                                </a>
                                            ) : (
                                                <span class="zero">–</span>
                                            )}
                                        </td>
                                    );
                                })}
                            </tr>
                        ))}
                    </tbody>
                </table>
            </div>
        </section>
    );
}
