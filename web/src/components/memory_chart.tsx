/* SPDX-License-Identifier: MIT
 *
 * Memory over time: the curves, the peak, the point under the pointer, and a range that is dragged
 * to zoom. Wheel and keys move the window; the caller fetches it anew.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import { panWindow, tickText, type TimeWindow, zoomWindow } from '../model/memory_curve';
import { type LineChart, lineChart, type LineView, type PlotArea } from './chart';
import { watchTheme } from './theme_watch';

export interface ChartCurve {
    label: string;
    main: boolean;
    t_s: number[];
    mib: number[];
    /** The token of what is below the curve, which is a step then. */
    fill?: string;
}

interface MemoryChartProps {
    curves: ChartCurve[];
    window: TimeWindow;
    /** Seconds that the whole profile lasts. */
    length: number;
    peak: { t_s: number; mib: number } | null;
    top: number;
    onWindow: (window: TimeWindow) => void;
    /** Seconds under the pointer, null when it left. */
    onHover: (at: number | null, event: PointerEvent) => void;
    onArea: (area: PlotArea) => void;
}

const CLICK_PX = 4;
const WHEEL_STEP = 1.2;

function viewOf(
    { curves, window, top }: MemoryChartProps,
    token: (name: string) => string,
): LineView {
    return {
        from: window.from,
        to: window.to,
        top,
        xText: (value) => `${tickText(value)} s`,
        yText: (value) => `${value.toLocaleString('en', { maximumFractionDigits: 1 })} MiB`,
        curves: curves.map(({ t_s, mib, main, fill }) => ({
            x: t_s,
            y: mib,
            colour: token(fill ?? (main ? 'bar' : 'text-3')),
            width: main && !fill ? 1.75 : 1,
            dash: main ? undefined : [4, 3],
            stepped: fill !== undefined,
            fill: fill && token(fill),
        })),
    };
}

function paint(element: HTMLElement, chart: LineChart, props: MemoryChartProps): void {
    const style = getComputedStyle(element);
    const token = (name: string): string => style.getPropertyValue(`--${name}`).trim();
    chart.update(viewOf(props, token), {
        grid: token('line'),
        tick: token('text-3'),
        text: token('text-1'),
        sans: token('sans'),
        mono: token('mono'),
    });
}

export function MemoryChart(props: MemoryChartProps) {
    const canvas = useRef<HTMLCanvasElement | null>(null);
    const chart = useRef<LineChart | null>(null);
    const latest = useRef(props);
    latest.current = props;
    const [area, setArea] = useState<PlotArea | null>(null);
    const [drag, setDrag] = useState<{ from: number; to: number } | null>(null);

    function layout(): void {
        const now = chart.current?.area();
        if (!now) return;
        const { left, right, top, bottom } = now;
        setArea({ left, right, top, bottom });
        latest.current.onArea({ left, right, top, bottom });
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

    const { window, length, peak, top } = props;
    const span = window.to - window.from;
    const width = area ? area.right - area.left : 1;
    const secondsAt = (x: number) => window.from + ((x - (area?.left ?? 0)) / width) * span;
    const clamp = (seconds: number) => Math.max(window.from, Math.min(window.to, seconds));
    const xOf = (seconds: number) => (area?.left ?? 0) + ((seconds - window.from) / span) * width;
    const yOf = (mib: number) => (area ? area.bottom - (mib / top) * (area.bottom - area.top) : 0);

    function offsetX(event: MouseEvent): number {
        return event.clientX - (event.currentTarget as Element).getBoundingClientRect().left;
    }
    function onPointerDown(event: PointerEvent): void {
        if (event.button !== 0) return;
        (event.currentTarget as Element).setPointerCapture(event.pointerId);
        const at = clamp(secondsAt(offsetX(event)));
        setDrag({ from: at, to: at });
    }
    function onPointerMove(event: PointerEvent): void {
        const at = clamp(secondsAt(offsetX(event)));
        props.onHover(at, event);
        if (drag) setDrag({ from: drag.from, to: at });
    }
    function onPointerUp(): void {
        if (!drag) return;
        setDrag(null);
        if (Math.abs(xOf(drag.to) - xOf(drag.from)) < CLICK_PX) return;
        props.onWindow({ from: Math.min(drag.from, drag.to), to: Math.max(drag.from, drag.to) });
    }
    function onWheel(event: WheelEvent): void {
        event.preventDefault();
        if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
            props.onWindow(panWindow(window, event.deltaX / width, length));
            return;
        }
        const factor = event.deltaY > 0 ? WHEEL_STEP : 1 / WHEEL_STEP;
        props.onWindow(zoomWindow(window, clamp(secondsAt(offsetX(event))), factor, length));
    }
    const seen = peak && peak.t_s >= window.from && peak.t_s <= window.to ? peak : null;
    return (
        <div
            class="memory-chart"
            onPointerDown={onPointerDown}
            onPointerMove={onPointerMove}
            onPointerUp={onPointerUp}
            onPointerCancel={() => setDrag(null)}
            onPointerLeave={(event) => props.onHover(null, event)}
            onDblClick={() => props.onWindow({ from: 0, to: length })}
            onWheel={onWheel}
        >
            <canvas ref={canvas} role="img" aria-label="memory over time" />
            {area && seen && (
                <>
                    <span
                        class="peak-line"
                        style={{ left: area.left, width, top: yOf(seen.mib) }}
                    />
                    <span class="peak-dot" style={{ left: xOf(seen.t_s), top: yOf(seen.mib) }} />
                </>
            )}
            {area && drag && (
                <span
                    class="drag-range"
                    style={{
                        left: xOf(Math.min(drag.from, drag.to)),
                        width: Math.abs(xOf(drag.to) - xOf(drag.from)),
                        top: area.top,
                        height: area.bottom - area.top,
                    }}
                />
            )}
        </div>
    );
}
