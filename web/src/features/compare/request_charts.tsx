/* SPDX-License-Identifier: MIT
 *
 * Charts of the requests of two serving runs: distributions side by side, each pair as a point, and what
 * the first tokens of the worst requests waited for.
 */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { RequestChange, RequestPair } from '../../base/answers';
import { formatSeconds, text } from '../../base/units';
import type { LineView } from '../../components/chart';
import { placeIn, type Token, usePlot } from '../../components/plot';
import { StackedBar } from '../../components/stacked_bar';
import { showTip } from '../../components/tip';
import { hideTooltip } from '../../components/tooltip';
import {
    distribution,
    legendOf,
    logTicks,
    partsOf,
    rangeOf,
    type RequestMetric,
    SIDES,
    sideValue,
    tickText,
} from '../../model/request_pairs';

export const nsText = (ns: number | null): string =>
    ns === null ? '–' : text(formatSeconds(ns / 1e9));

const AXIS_TICKS = 6;

const ticksOf = (from: number, to: number) =>
    logTicks(from, to, AXIS_TICKS).map((ns) => ({ value: Math.log10(ns), text: tickText(ns) }));

function curvesOf(change: RequestChange, token: Token): LineView['curves'] {
    const [base, fresh] = [distribution(change.base.curve), distribution(change.new.curve)];
    return [
        { ...fresh, colour: token('accent'), width: 2, stepped: true },
        { ...base, colour: token('text-2'), width: 1.5, dash: [4, 3], stepped: true },
    ];
}

/** Share of the requests up to each time: base dashed, new in colour. */
export function DistributionChart({ change }: { change: RequestChange }) {
    const range = useMemo(() => rangeOf(change), [change]);
    const { canvas } = usePlot(
        (token) => ({
            from: range?.from ?? 0,
            to: range?.to ?? 1,
            top: 100,
            step: 25,
            yText: (share) => `${share} %`,
            xTicks: range ? ticksOf(range.from, range.to) : [],
            curves: range ? curvesOf(change, token) : [],
        }),
        [change, range],
    );
    const { base, new: fresh, title } = change;
    return (
        <div
            class="request-chart"
            role="img"
            aria-label={`${title}: share of the requests up to each time. Base: median ${nsText(base.p50)}, worst ${nsText(base.worst)}. New: median ${nsText(fresh.p50)}, worst ${nsText(fresh.worst)}.`}
        >
            <canvas ref={canvas} />
        </div>
    );
}

/* A pair with both values. */
interface Point {
    pair: RequestPair;
    x: number;
    y: number;
}

function pointsOf(pairs: readonly RequestPair[], metric: RequestMetric): Point[] {
    return pairs.flatMap((pair) => {
        const [base, fresh] = SIDES.map((side) => sideValue(pair, side, metric));
        return base !== null && fresh !== null && base > 0 && fresh > 0
            ? [{ pair, x: Math.log10(base), y: Math.log10(fresh) }]
            : [];
    });
}

/** A pointer this near to a point, in px, is on it. */
const HIT_PX = 12;

interface PairsChartProps {
    pairs: readonly RequestPair[];
    metric: RequestMetric;
    change: RequestChange;
    selected: string | null;
    onPick: (id: number) => void;
}

/** Each pair as a point: base to the right, new upwards. Points below the diagonal became shorter. */
export function PairsChart({ pairs, metric, change, selected, onPick }: PairsChartProps) {
    const range = useMemo(() => rangeOf(change), [change]);
    const points = useMemo(() => pointsOf(pairs, metric), [pairs, metric]);
    const [hit, setHit] = useState<Point | null>(null);
    const { from, to } = range ?? { from: 0, to: 1 };
    const view = { from, to, bottom: from, top: to };
    const { canvas, area } = usePlot(
        (token) => ({
            ...view,
            xTitle: 'base',
            yTitle: 'new',
            xTicks: range ? ticksOf(from, to) : [],
            yTicks: range ? ticksOf(from, to) : [],
            curves: [pointCurve(points, selected, token), diagonal(from, to, token)],
        }),
        [points, range, selected],
    );
    useEffect(() => () => void hideTooltip(), []);
    const { xOf, yOf } = placeIn(area, view);
    function show(event: MouseEvent): void {
        const box = canvas.current?.getBoundingClientRect();
        const [x, y] = [event.clientX - (box?.left ?? 0), event.clientY - (box?.top ?? 0)];
        const distance = (one: Point): number => Math.hypot(xOf(one.x) - x, yOf(one.y) - y);
        const nearest = points.reduce<Point | null>(
            (best, one) => (best === null || distance(one) < distance(best) ? one : best),
            null,
        );
        const found = nearest && distance(nearest) <= HIT_PX ? nearest : null;
        setHit(found);
        if (found) showTip(pairTip(found.pair, metric), event);
        else hideTooltip();
    }
    const shorter = points.filter(({ x, y }) => y < x).length;
    return (
        <div
            class={`request-chart is-square${hit ? ' is-hit' : ''}`}
            role="img"
            aria-label={`${change.title} of each pair: ${shorter} of ${points.length} became shorter`}
            onPointerMove={show}
            onPointerLeave={() => {
                setHit(null);
                hideTooltip();
            }}
            onClick={() => hit && onPick(hit.pair.id)}
        >
            <canvas ref={canvas} />
        </div>
    );
}

function pointCurve(points: readonly Point[], selected: string | null, token: Token) {
    const isSelected = ({ pair }: Point): boolean => String(pair.id) === selected;
    return {
        x: points.map(({ x }) => x),
        y: points.map(({ y }) => y),
        colour: token('accent'),
        width: 3,
        dots: {
            radii: points.map((one) => (isSelected(one) ? 6 : 3.5)),
            fills: points.map(({ x, y }) => token(y < x ? 'faster' : 'slower')),
            edges: points.map((one) => token(isSelected(one) ? 'text-1' : 'bg')),
            edgeWidths: points.map((one) => (isSelected(one) ? 2 : 1)),
        },
    };
}

const diagonal = (from: number, to: number, token: Token) => ({
    x: [from, to],
    y: [from, to],
    colour: token('text-3'),
    width: 1,
    dash: [3, 3],
});

function pairTip(pair: RequestPair, metric: RequestMetric) {
    return {
        title: `request ${pair.base_id}${pair.name ? ` · ${pair.name}` : ''}`,
        rows: SIDES.map((side) => ({
            label: side,
            value: nsText(sideValue(pair, side, metric)),
            share: '',
        })),
        foot: ['click: select the pair'],
    };
}

interface PartBarsProps {
    pairs: readonly RequestPair[];
    selected: string | null;
    /** width of the bars in px */
    width: number;
    onPick: (id: number) => void;
}

/** The parts of the time to first token of pairs, base above new, on one scale. */
export function PartBars({ pairs, selected, width, onPick }: PartBarsProps) {
    const bars = pairs.map((pair) => ({
        pair,
        sides: SIDES.map((side) => ({ side, parts: partsOf(pair, side, nsText) })),
    }));
    const longest = Math.max(
        1,
        ...bars.flatMap(({ sides }) => sides.map(({ parts }) => parts?.total ?? 0)),
    );
    return (
        <>
            <div class="part-legend request-legend">
                {legendOf(pairs).map(({ label, colour }) => (
                    <span key={label}>
                        <i class="swatch" style={{ background: `var(--${colour})` }} /> {label}
                    </span>
                ))}
            </div>
            <ul class="request-bars">
                {bars.map(({ pair, sides }) => (
                    <li key={pair.id} class={String(pair.id) === selected ? 'is-selected' : ''}>
                        <button type="button" class="link" onClick={() => onPick(pair.id)}>
                            request {pair.base_id}
                        </button>
                        {sides.map(({ side, parts }) => (
                            <div key={side} class="request-bar">
                                <span class="soft">{side}</span>
                                {parts && (
                                    <StackedBar
                                        label={`request ${pair.base_id}, ${side}`}
                                        segments={parts.segments}
                                        width={parts.total / longest}
                                        base={`of ${nsText(parts.total)}`}
                                        px={width}
                                        hasAmounts={false}
                                    />
                                )}
                                <span class="num">{nsText(sideValue(pair, side, 'ttft_ns'))}</span>
                            </div>
                        ))}
                    </li>
                ))}
            </ul>
        </>
    );
}
