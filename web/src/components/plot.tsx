/* SPDX-License-Identifier: MIT
 *
 * Shared parts of charts over time: a canvas that is redrawn when its data or the theme changes,
 * and a range that can be selected by dragging.
 */
import type { JSX, RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useEffectOn } from '../base/hooks';
import { postToPanels, usePanelMessage } from '../base/panel';
import type { TimeWindow } from '../model/memory_curve';
import { type LineChart, lineChart, type LineView, type PlotArea } from './chart';
import { watchTheme } from './theme_watch';

/** Returns the value of a style token at the canvas. */
export type Token = (name: string) => string;

function paint(element: HTMLElement, chart: LineChart, view: (token: Token) => LineView): void {
    const style = getComputedStyle(element);
    const token = (name: string): string => style.getPropertyValue(`--${name}`).trim();
    chart.update(view(token), {
        grid: token('line'),
        tick: token('text-3'),
        text: token('text-1'),
        sans: token('sans'),
        mono: token('mono'),
    });
}

interface Plot {
    canvas: RefObject<HTMLCanvasElement>;
    /** area of the curves; null until the first drawing */
    area: PlotArea | null;
}

/** A line chart. `shown` lists the values on which `view` depends. */
export function usePlot(
    view: (token: Token) => LineView,
    shown: unknown[],
    onArea?: (area: PlotArea) => void,
): Plot {
    const canvas = useRef<HTMLCanvasElement | null>(null);
    const chart = useRef<LineChart | null>(null);
    const latest = useRef({ view, onArea });
    latest.current = { view, onArea };
    const [area, setArea] = useState<PlotArea | null>(null);
    function layout(): void {
        const now = chart.current?.area();
        if (!now) return;
        const { left, right, top, bottom } = now;
        setArea({ left, right, top, bottom });
        latest.current.onArea?.({ left, right, top, bottom });
    }
    function draw(): void {
        if (canvas.current && chart.current)
            paint(canvas.current, chart.current, latest.current.view);
    }
    useEffect(() => {
        if (!canvas.current) return undefined;
        const now = lineChart(canvas.current, layout);
        chart.current = now;
        const unwatch = watchTheme(draw);
        return () => {
            unwatch();
            now.destroy();
            chart.current = null;
        };
    }, []);
    useEffectOn(() => {
        draw();
        layout();
    }, shown);
    return { canvas, area };
}

const NO_AREA: PlotArea = { left: 0, right: 0, top: 0, bottom: 0 };

/** The px of a value on each axis of a view. */
export function placeIn(
    area: PlotArea | null,
    {
        from,
        to,
        bottom: low = 0,
        top: high,
        isLog = false,
    }: Omit<LineView, 'curves' | 'xText' | 'yText'>,
) {
    const { left, right, top, bottom } = area ?? NO_AREA;
    const scale = isLog ? Math.log10 : (value: number) => value;
    const share = (value: number, a: number, b: number): number =>
        (scale(value) - scale(a)) / (scale(b) - scale(a) || 1);
    return {
        xOf: (value: number): number => left + share(value, from, to) * (right - left),
        yOf: (value: number): number => bottom - share(value, low, high) * (bottom - top),
    };
}

/** Maximum length in px of a drag that counts as a click. */
const CLICK_PX = 4;

type DragEvents = Pick<
    JSX.HTMLAttributes<HTMLDivElement>,
    'onPointerDown' | 'onPointerMove' | 'onPointerUp' | 'onPointerCancel' | 'onPointerLeave'
>;

interface RangeDrag {
    events: DragEvents;
    /** xOf: px of a time; timeAt: time under the pointer; both are clamped to the window */
    xOf: (t: number) => number;
    timeAt: (event: MouseEvent) => number;
    boxOf: (range: TimeWindow) => JSX.CSSProperties;
    /** the range being dragged */
    drag: TimeWindow | null;
    /** px of the pointer in the same chart of the other panel */
    otherX: number | null;
}

interface RangeDragProps {
    /** Name of the chart. */
    label: string;
    area: PlotArea | null;
    window: TimeWindow;
    onRange: (range: TimeWindow) => void;
    /** at: the value under the pointer; null: the pointer left the chart */
    onHover?: (at: number | null, event: PointerEvent) => void;
}

/* Value under the pointer in the same chart of the other panel, null if there is none; `postHover` sends
 * the value under the pointer of this panel. */
function useLinkedHover(label: string) {
    const topic = `time ${label}`;
    const [otherX, setOtherX] = useState<number | null>(null);
    usePanelMessage(topic, (text) => setOtherX(text === '' ? null : Number(text)));
    return {
        otherValue: otherX,
        postHover: (at: number | null) => postToPanels(topic, at === null ? '' : String(at)),
    };
}

/** Vertical line at the pointer of the other panel; `at`: px, null: no line. */
export function PanelLine({ area, at }: { area: PlotArea | null; at: number | null }) {
    if (!area || at === null) return null;
    return (
        <span
            class="beside-line"
            style={{ left: at, top: area.top, height: area.bottom - area.top }}
        />
    );
}

export function useRangeDrag(props: RangeDragProps): RangeDrag {
    const { area, window, onRange, onHover } = props;
    const { otherValue, postHover } = useLinkedHover(props.label);
    const [drag, setDrag] = useState<TimeWindow | null>(null);
    const left = area?.left ?? 0;
    const width = area ? Math.max(1, area.right - area.left) : 1;
    const span = window.to - window.from || 1;
    const inside = (share: number): number => Math.max(0, Math.min(1, share));
    const xOf = (t: number): number => left + inside((t - window.from) / span) * width;
    const timeAt = (event: MouseEvent): number => {
        const box = (event.currentTarget as Element).getBoundingClientRect();
        return window.from + inside((event.clientX - box.left - left) / width) * span;
    };
    const boxOf = ({ from, to }: TimeWindow): JSX.CSSProperties => {
        const [a, b] = [xOf(Math.min(from, to)), xOf(Math.max(from, to))];
        const [top, bottom] = [area?.top ?? 0, area?.bottom ?? 0];
        return { left: a, width: b - a, top, height: bottom - top };
    };
    const events: DragEvents = {
        onPointerDown: (event) => {
            if (event.button !== 0) return;
            event.currentTarget.setPointerCapture(event.pointerId);
            setDrag({ from: timeAt(event), to: timeAt(event) });
        },
        onPointerMove: (event) => {
            onHover?.(timeAt(event), event);
            postHover(timeAt(event));
            if (drag) setDrag({ from: drag.from, to: timeAt(event) });
        },
        onPointerUp: () => {
            if (!drag) return;
            setDrag(null);
            const [from, to] = [Math.min(drag.from, drag.to), Math.max(drag.from, drag.to)];
            if (xOf(to) - xOf(from) >= CLICK_PX) onRange({ from, to });
        },
        onPointerCancel: () => setDrag(null),
        onPointerLeave: (event) => {
            onHover?.(null, event);
            postHover(null);
        },
    };
    const isInWindow = otherValue !== null && otherValue >= window.from && otherValue <= window.to;
    return { events, xOf, timeAt, boxOf, drag, otherX: isInWindow ? xOf(otherValue) : null };
}
