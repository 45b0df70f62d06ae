/* SPDX-License-Identifier: MIT
 *
 * A metric over runs: a line of medians, their spread as a band, levels, change points with labels,
 * and the baseline. The point nearest to the pointer along the axis is highlighted.
 */
import type { Trend, TrendChange } from '../../base/answers';
import type { Curve, LineView, PlotArea } from '../../components/chart';
import { placeIn, type Token, usePlot } from '../../components/plot';
import {
    changeText,
    levelsOf,
    nearest,
    changePosition,
    rangeOf,
    type Span,
    spanOf,
} from './points';

interface TrendChartProps {
    trend: Trend;
    positions: number[];
    fromZero: boolean;
    xStep?: number;
    xText: (place: number) => string;
    yText: (value: number) => string;
    /** indexes of points: `at` is under the pointer or cursor, `picked` is chosen to be compared
     * with another point */
    at: number | null;
    picked: number | null;
    onHover: (index: number | null, event: PointerEvent) => void;
    onPick: (index: number, withShift: boolean) => void;
    onChange: (change: TrendChange) => void;
}

/** A line with more points than this has no dots. */
const MAX_DOTS = 250;
/** px; a click farther than this from all points selects none */
const MAX_CLICK_PX = 24;

function spreadBand({ points }: Trend, positions: number[], token: Token): Curve[] {
    if (!points.some(({ mad }) => mad)) return [];
    const edge = (sign: 1 | -1): Curve => ({
        x: positions,
        y: points.map(({ value, mad }) => value + sign * (mad ?? 0)),
        colour: 'transparent',
        width: 0,
    });
    return [edge(-1), { ...edge(1), fill: `${token('bar-2')}`, fillTo: 'next' }];
}

function curvesOf({ trend, positions }: TrendChartProps, token: Token): Curve[] {
    const line = { x: positions, y: trend.points.map(({ value }) => value), colour: token('bar') };
    const levels = levelsOf(trend, positions).map(([from, to, value]): Curve => ({
        x: [from, to],
        y: [value, value],
        colour: token('text-2'),
        width: 1,
        dash: [4, 3],
    }));
    const dots = trend.points.length <= MAX_DOTS ? [{ ...line, width: 2, dots: true }] : [];
    return [
        ...dots,
        ...levels,
        { ...line, width: 1.25 },
        ...spreadBand(trend, positions, token).reverse(),
    ];
}

function viewOf(props: TrendChartProps, span: Span, range: Span, token: Token): LineView {
    const { xStep, xText, yText } = props;
    return {
        curves: curvesOf(props, token),
        ...span,
        bottom: range.from,
        top: range.to,
        xStep,
        xText,
        yText,
    };
}

export function TrendChart(props: TrendChartProps) {
    const { trend, positions, fromZero, at, picked, onHover, onPick } = props;
    const span = spanOf(positions);
    const range = rangeOf(trend, fromZero);
    const { canvas, area } = usePlot(
        (token) => viewOf(props, span, range, token),
        [trend, positions, fromZero],
    );
    const { xOf, yOf } = placeIn(area, { ...span, bottom: range.from, top: range.to });
    function pointAt(event: MouseEvent): number | null {
        if (!area) return null;
        const x = event.clientX - (event.currentTarget as Element).getBoundingClientRect().left;
        const share = (x - area.left) / (area.right - area.left || 1);
        const index = nearest(positions, span.from + share * (span.to - span.from));
        return Math.abs(xOf(positions[index]) - x) <= MAX_CLICK_PX ? index : null;
    }
    const spot = (index: number, kind: string) => (
        <span
            class={`trend-spot ${kind}`}
            style={{ left: xOf(positions[index]), top: yOf(trend.points[index].value) }}
        />
    );
    return (
        <div
            class="trend-chart"
            onPointerMove={(event) => onHover(pointAt(event), event)}
            onPointerLeave={(event) => onHover(null, event)}
            onClick={(event) => {
                const index = pointAt(event);
                if (index !== null) onPick(index, event.shiftKey);
            }}
        >
            <canvas ref={canvas} role="img" aria-label={`${trend.title} over runs`} />
            {area && trend.baseline?.value != null && (
                <span
                    class="trend-baseline"
                    style={{
                        left: area.left,
                        width: area.right - area.left,
                        top: yOf(trend.baseline.value),
                    }}
                >
                    <span>baseline {trend.baseline.name}</span>
                </span>
            )}
            {area && <ChangeMarks {...props} area={area} xOf={xOf} />}
            {area && picked !== null && picked < positions.length && spot(picked, 'is-picked')}
            {area && at !== null && at < positions.length && spot(at, 'is-at')}
        </div>
    );
}

const CHAR_PX = 7;
const ROW_PX = 17;
const LABEL_ROWS = 3;

/* Assigns each label a row so that labels do not overlap. null if no row has space: only a line is
 * drawn. */
function labelRows(spots: { x: number; width: number }[]): (number | null)[] {
    const ends: number[] = Array.from({ length: LABEL_ROWS }, () => -Infinity);
    return spots.map(({ x, width }) => {
        const row = ends.findIndex((end) => end < x);
        if (row < 0) return null;
        ends[row] = x + width;
        return row;
    });
}

function ChangeMarks(props: TrendChartProps & { area: PlotArea; xOf: (place: number) => number }) {
    const { trend, positions, area, xOf, onChange } = props;
    const marks = trend.changes.map((change) => ({
        change,
        x: xOf(changePosition(change, positions)),
        ...changeText(change, trend.unit),
    }));
    const width = (label: string) => label.length * CHAR_PX + 12;
    const rows = labelRows(marks.map(({ x, short }) => ({ x, width: width(short) })));
    return (
        <>
            {marks.map(({ change, x, tone, short, long }, i) => (
                <button
                    key={change.index}
                    type="button"
                    class={`trend-mark ${tone}${x + width(short) > area.right ? ' is-left' : ''}`}
                    style={{ left: x, top: area.top, height: area.bottom - area.top }}
                    title={`${long}; click to compare the five runs before with the five after`}
                    aria-label={long}
                    onClick={(event) => {
                        event.stopPropagation();
                        onChange(change);
                    }}
                >
                    {rows[i] !== null && (
                        <span style={{ top: (rows[i] ?? 0) * ROW_PX }}>{short}</span>
                    )}
                </button>
            ))}
        </>
    );
}
