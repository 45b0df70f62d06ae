/* SPDX-License-Identifier: MIT
 *
 * Latency against throughput of two groups of serving runs, such as two engines: a point for each load.
 */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Comparison, ServingSweep } from '../../base/answers';
import { replaceQuery, route } from '../../base/router';
import { formatSeconds, formatValueIn, text } from '../../base/units';
import type { Curve } from '../../components/chart';
import { Notice } from '../../components/notice';
import { placeIn, type Token, usePlot } from '../../components/plot';
import { LoadingLine } from '../../components/progress';
import { Spacer, Toolbar } from '../../components/toolbar';
import { showTip } from '../../components/tip';
import { hideTooltip } from '../../components/tooltip';
import { groupName } from '../../model/compare';
import { SIDES, type Side } from '../../model/request_pairs';
import {
    latenciesOf,
    type LoadPoint,
    loadPoints,
    throughputOf,
    throughputUnit,
} from '../../model/serving_sweep';
import { useJson } from '../shared/use_json';
import { comparePath } from './state';

export const SWEEP_TAB = 'load';

export function hasSweep({ pictures }: Comparison): boolean {
    return pictures.includes('sweep');
}

export function SweepView({ comparison }: { comparison: Comparison }) {
    const { data, error, loading } = useJson<ServingSweep>(
        comparePath(route.value.query, '/sweep'),
    );
    return (
        <div class="tab-body compare-sweep">
            {error && <Notice kind="error" title="The loads could not be read" error={error} />}
            {data && <Loads comparison={comparison} sweep={data} />}
            <LoadingLine active={loading} />
        </div>
    );
}

function Loads({ comparison, sweep }: { comparison: Comparison; sweep: ServingSweep }) {
    const names = latenciesOf(sweep);
    const throughput = throughputOf(sweep);
    const wanted = route.value.query.latency ?? '';
    const latency = names.includes(wanted) ? wanted : (names.at(0) ?? null);
    const points = useMemo(
        () => (throughput && latency ? loadPoints(sweep, throughput, latency) : []),
        [sweep, throughput, latency],
    );
    if (throughput === null || latency === null || !points.length)
        return (
            <Notice kind="info" title="No common metrics">
                These results have no latency and no throughput that all of them state.
            </Notice>
        );
    return (
        <>
            <Toolbar label="view options">
                <label class="soft">
                    Latency{' '}
                    <select
                        value={latency}
                        onChange={(event) => replaceQuery({ latency: event.currentTarget.value })}
                    >
                        {names.map((name) => (
                            <option key={name}>{name}</option>
                        ))}
                    </select>
                </label>
                <Spacer />
                <span class="soft request-key">
                    {SIDES.map((side) => (
                        <span key={side} class="ellipsis">
                            <i class={`is-${side}`} /> {groupName(comparison[side])}
                        </span>
                    ))}
                </span>
            </Toolbar>
            <SweepChart {...{ points, throughput, latency }} />
            <SweepTable {...{ points, throughput, latency }} />
        </>
    );
}

const ofSide = (points: readonly LoadPoint[], side: Side): LoadPoint[] =>
    points.filter((one) => one.side === side);

function curveOf(points: readonly LoadPoint[], side: Side, token: Token): Curve[] {
    const own = ofSide(points, side);
    const isNew = side === 'new';
    const colour = token(isNew ? 'accent' : 'text-2');
    const [x, y] = [own.map((one) => one.throughput), own.map((one) => one.latency)];
    return [
        {
            x,
            y,
            colour,
            width: 1,
            dots: {
                radii: own.map(() => 4.5),
                fills: own.map(() => (isNew ? colour : token('bg'))),
                edges: own.map(() => colour),
                edgeWidths: own.map(() => 1.5),
            },
        },
        { x, y, colour, width: 1.5, dash: isNew ? undefined : [4, 3] },
    ];
}

interface SweepProps {
    points: readonly LoadPoint[];
    throughput: string;
    latency: string;
}

/** A pointer this near to a point, in px, is on it. */
const HIT_PX = 14;
/** Room beyond the largest values, as a ratio. */
const ROOM = 1.1;

function SweepChart({ points, throughput, latency }: SweepProps) {
    const to = Math.max(...points.map((one) => one.throughput)) * ROOM || 1;
    const top = Math.max(...points.map((one) => one.latency)) * ROOM || 1;
    const [hit, setHit] = useState<LoadPoint | null>(null);
    const { canvas, area } = usePlot(
        (token) => ({
            from: 0,
            to,
            top,
            xTitle: `${throughput}, ${throughputUnit(throughput)}`,
            yTitle: latency,
            xText: (value) => text(formatValueIn(value, '')),
            yText: (value) => text(formatSeconds(value)),
            curves: SIDES.flatMap((side) => curveOf(points, side, token)),
        }),
        [points, throughput, latency],
    );
    useEffect(() => () => void hideTooltip(), []);
    const { xOf, yOf } = placeIn(area, { from: 0, to, top });
    function show(event: MouseEvent): void {
        const box = canvas.current?.getBoundingClientRect();
        const [x, y] = [event.clientX - (box?.left ?? 0), event.clientY - (box?.top ?? 0)];
        const far = (one: LoadPoint): number =>
            Math.hypot(xOf(one.throughput) - x, yOf(one.latency) - y);
        const found = points.find((one) => far(one) <= HIT_PX) ?? null;
        setHit(found);
        if (!found) {
            hideTooltip();
            return;
        }
        const rows = [
            { label: latency, value: text(formatSeconds(found.latency)), share: '' },
            { label: throughput, value: rateText(found, throughput), share: '' },
        ];
        showTip({ title: [found.side, found.label].filter(Boolean).join(' · '), rows }, event);
    }
    return (
        <div
            class={`sweep-chart${hit ? ' is-hit' : ''}`}
            role="img"
            aria-label={`${latency} against ${throughput} of ${points.length} loads`}
            onPointerMove={show}
            onPointerLeave={() => hideTooltip()}
        >
            <canvas ref={canvas} />
        </div>
    );
}

const rateText = ({ throughput }: LoadPoint, name: string): string =>
    text(formatValueIn(throughput, throughputUnit(name)));

function SweepTable({ points, throughput, latency }: SweepProps) {
    return (
        <div class="request-metrics">
            <table>
                <thead>
                    <tr>
                        <th scope="col">Load</th>
                        <th scope="col">Group</th>
                        <th scope="col">{throughput}</th>
                        <th scope="col">{latency}</th>
                    </tr>
                </thead>
                <tbody>
                    {points.map((one) => (
                        <tr key={`${one.run} ${one.result}`}>
                            <th scope="row">{one.label || `result ${one.result}`}</th>
                            <td>{one.side}</td>
                            <td>{rateText(one, throughput)}</td>
                            <td>{text(formatSeconds(one.latency))}</td>
                        </tr>
                    ))}
                </tbody>
            </table>
        </div>
    );
}
