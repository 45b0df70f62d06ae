/* SPDX-License-Identifier: MIT
 *
 * Memory over time: the curves, the peak, the point under the pointer, and a range to zoom by
 * dragging. Wheel and keys move the window; the caller then fetches the data of the window.
 */
import type { LineView, PlotArea } from '../../components/chart';
import { PanelLine, type Token, usePlot, useRangeDrag } from '../../components/plot';
import { panWindow, tickText, type TimeWindow, zoomWindow } from '../../model/memory_curve';

export interface ChartCurve {
    label: string;
    main: boolean;
    t_s: number[];
    mib: number[];
    /** Style sheet token of the colour below the curve. If it is set, the curve is drawn as
     * steps. */
    fill?: string;
}

interface MemoryChartProps {
    curves: ChartCurve[];
    window: TimeWindow;
    /** Duration of the profile in seconds. */
    length: number;
    peak: { t_s: number; mib: number } | null;
    top: number;
    onWindow: (window: TimeWindow) => void;
    /** Time under the pointer in seconds; null if the pointer left. */
    onHover: (at: number | null, event: PointerEvent) => void;
    onArea?: (area: PlotArea) => void;
}

const LABEL = 'memory over time';
const WHEEL_STEP = 1.2;

function viewOf({ curves, window, top }: MemoryChartProps, token: Token): LineView {
    return {
        ...window,
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

export function MemoryChart(props: MemoryChartProps) {
    const { curves, window, length, peak, top, onWindow, onHover } = props;
    const { canvas, area } = usePlot(
        (token) => viewOf(props, token),
        [curves, window.from, window.to, top],
        props.onArea,
    );
    const { events, xOf, at, boxOf, drag, otherX } = useRangeDrag({
        label: LABEL,
        area,
        window,
        onRange: onWindow,
        onHover,
    });
    const yOf = (mib: number) => (area ? area.bottom - (mib / top) * (area.bottom - area.top) : 0);

    function onWheel(event: WheelEvent): void {
        event.preventDefault();
        if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
            const width = area ? area.right - area.left : 1;
            onWindow(panWindow(window, event.deltaX / width, length));
            return;
        }
        const factor = event.deltaY > 0 ? WHEEL_STEP : 1 / WHEEL_STEP;
        onWindow(zoomWindow(window, at(event), factor, length));
    }
    const seen = peak && peak.t_s >= window.from && peak.t_s <= window.to ? peak : null;
    return (
        <div
            class="memory-chart"
            {...events}
            onDblClick={() => onWindow({ from: 0, to: length })}
            onWheel={onWheel}
        >
            <canvas ref={canvas} role="img" aria-label={LABEL} />
            {area && seen && (
                <>
                    <span
                        class="peak-line"
                        style={{ ...boxOf(window), height: undefined, top: yOf(seen.mib) }}
                    />
                    <span class="peak-dot" style={{ left: xOf(seen.t_s), top: yOf(seen.mib) }} />
                </>
            )}
            <PanelLine area={area} at={otherX} />
            {area && drag && <span class="drag-range" style={boxOf(drag)} />}
        </div>
    );
}
