/* SPDX-License-Identifier: MIT
 *
 * Curves over the time of a trace. A range is dragged over them; a double click lets go of it.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import { mix } from '../model/tint';
import { type Curve, type LineChart, lineChart, type PlotArea } from './chart';
import { watchTheme } from './theme_watch';

/** A curve whose colours are tokens, so that it follows the theme. */
export interface TimeCurve {
    x: number[];
    y: number[];
    /** name of a token; a `strong` one is darkened towards the text, for fills are pale as lines */
    token: string;
    strong?: boolean;
    fill?: boolean;
    width?: number;
    dash?: number[];
    stepped?: boolean;
}

export interface Interval {
    from: number;
    to: number;
}

interface TimeChartProps {
    label: string;
    curves: TimeCurve[];
    window: Interval;
    /** painted over the curves */
    range: Interval | null;
    top: number;
    step?: number;
    /** a horizontal line with its word, the peak for instance */
    level?: { y: number; word: string } | null;
    xText: (value: number) => string;
    yText: (value: number) => string;
    /** null: let go */
    onRange: (range: Interval | null) => void;
    onHover?: (at: number | null, event: PointerEvent) => void;
}

const CLICK_PX = 4;

function paint(element: HTMLElement, chart: LineChart, props: TimeChartProps): void {
    const style = getComputedStyle(element);
    const token = (name: string): string => style.getPropertyValue(`--${name}`).trim();
    const curve = ({ token: name, strong, fill, width, ...rest }: TimeCurve): Curve => ({
        ...rest,
        width: width ?? 1.25,
        colour: strong ? mix(token(name), token('text-1'), 0.35) : token(name),
        fill: fill ? `${token(name)}66` : undefined,
    });
    const { window, top, step, xText, yText } = props;
    chart.update(
        {
            from: window.from,
            to: window.to,
            top,
            step,
            xText,
            yText,
            curves: props.curves.map(curve),
        },
        {
            grid: token('line'),
            tick: token('text-3'),
            text: token('text-1'),
            sans: token('sans'),
            mono: token('mono'),
        },
    );
}

/* The chart of a canvas, drawn anew when what it shows changes, or the theme. */
function useChart(props: TimeChartProps) {
    const canvas = useRef<HTMLCanvasElement | null>(null);
    const chart = useRef<LineChart | null>(null);
    const latest = useRef(props);
    latest.current = props;
    const [area, setArea] = useState<PlotArea | null>(null);
    function layout(): void {
        const now = chart.current?.area();
        if (now) setArea({ left: now.left, right: now.right, top: now.top, bottom: now.bottom });
    }
    useEffect(() => {
        const element = canvas.current;
        if (!element) return undefined;
        const now = lineChart(element, layout);
        chart.current = now;
        paint(element, now, latest.current);
        layout();
        const unwatch = watchTheme(() => paint(element, now, latest.current));
        return () => {
            unwatch();
            now.destroy();
            chart.current = null;
        };
    }, []);
    useEffect(() => {
        if (!canvas.current || !chart.current) return;
        paint(canvas.current, chart.current, props);
        layout();
    }, [props.curves, props.window.from, props.window.to, props.top]);
    return { canvas, area };
}

export function TimeChart(props: TimeChartProps) {
    const { canvas, area } = useChart(props);
    const [drag, setDrag] = useState<Interval | null>(null);
    const { window, range, top, level } = props;
    const [left, width] = area ? [area.left, Math.max(1, area.right - area.left)] : [0, 1];
    const span = window.to - window.from || 1;
    const xOf = (at: number) => left + Math.max(0, Math.min(1, (at - window.from) / span)) * width;
    const at = (event: PointerEvent) => {
        const box = (event.currentTarget as Element).getBoundingClientRect();
        const share = (event.clientX - box.left - left) / width;
        return window.from + Math.max(0, Math.min(1, share)) * span;
    };
    function onPointerDown(event: PointerEvent): void {
        if (event.button !== 0) return;
        (event.currentTarget as Element).setPointerCapture(event.pointerId);
        setDrag({ from: at(event), to: at(event) });
    }
    function onPointerMove(event: PointerEvent): void {
        props.onHover?.(at(event), event);
        if (drag) setDrag({ from: drag.from, to: at(event) });
    }
    function onPointerUp(): void {
        if (!drag) return;
        setDrag(null);
        const [from, to] = [Math.min(drag.from, drag.to), Math.max(drag.from, drag.to)];
        if (xOf(to) - xOf(from) >= CLICK_PX) props.onRange({ from, to });
    }
    const box = (interval: Interval) => {
        const [a, b] = [
            xOf(Math.min(interval.from, interval.to)),
            xOf(Math.max(interval.from, interval.to)),
        ];
        return {
            left: a,
            width: b - a,
            top: area?.top,
            height: (area?.bottom ?? 0) - (area?.top ?? 0),
        };
    };
    const levelY = area && level ? area.bottom - (level.y / top) * (area.bottom - area.top) : 0;
    return (
        <div
            class="time-chart"
            onPointerDown={onPointerDown}
            onPointerMove={onPointerMove}
            onPointerUp={onPointerUp}
            onPointerCancel={() => setDrag(null)}
            onPointerLeave={(event) => props.onHover?.(null, event)}
            onDblClick={() => props.onRange(null)}
        >
            <canvas ref={canvas} role="img" aria-label={props.label} />
            {area && level && (
                <span class="chart-level" style={{ left, width, top: levelY }}>
                    <span>{level.word}</span>
                </span>
            )}
            {area && range && <span class="chart-range" style={box(range)} />}
            {area && drag && <span class="drag-range" style={box(drag)} />}
        </div>
    );
}
