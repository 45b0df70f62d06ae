/* SPDX-License-Identifier: MIT
 *
 * Memory over time: the curves, the peak, the point under the pointer, and a range to zoom by
 * dragging. Wheel and keys move the window; the caller then fetches the data of the window.
 */
import type { LineView, PlotArea } from '../../components/chart';
import { PanelLine, placeIn, type Token, usePlot, useRangeDrag } from '../../components/plot';
import { canScroll, hintAtZoom, readWheel } from '../../components/wheel';
import { formatFixed, THIN_SPACE } from '../../base/units';
import {
    brokenLine,
    panWindow,
    type Samples,
    tickText,
    type TimeWindow,
    zoomWindow,
} from '../../model/memory_curve';

/** A curve; its values are in MiB. */
export interface ChartCurve extends Samples {
    label: string;
    main: boolean;
    /** Token of the colour below the curve; the curve is then drawn as steps. */
    fill?: string;
}

interface MemoryChartProps {
    curves: ChartCurve[];
    window: TimeWindow;
    /** Duration of the profile in seconds. */
    length: number;
    peak: { t_s: number; mib: number } | null;
    /** Sample that the tooltip describes. */
    marked?: { t_s: number; mib: number } | null;
    top: number;
    onWindow: (window: TimeWindow) => void;
    /** Time under the pointer in seconds; null if the pointer left. */
    onHover: (at: number | null, event: PointerEvent) => void;
    onArea?: (area: PlotArea) => void;
}

const LABEL = 'memory over time';

function viewOf({ curves, window, top }: MemoryChartProps, token: Token): LineView {
    return {
        ...window,
        top,
        xText: (value) => `${tickText(value)} s`,
        yText: (value) => `${value.toLocaleString('en', { maximumFractionDigits: 1 })} MiB`,
        curves: curves.map((curve) => ({
            ...brokenLine(curve),
            colour: token(curve.fill ?? (curve.main ? 'bar' : 'text-3')),
            width: curve.main && !curve.fill ? 1.75 : 1,
            dash: curve.main ? undefined : [4, 3],
            stepped: curve.fill !== undefined,
            fill: curve.fill && token(curve.fill),
        })),
    };
}

/** Width from which a gap has room for its label. */
const LABEL_PX = 64;

/** `No samples for 97 s`. */
export function gapText({ from_s, to_s }: { from_s: number; to_s: number }): string {
    const seconds = to_s - from_s;
    return `No samples for ${formatFixed(seconds, seconds < 10 ? 1 : 0)}${THIN_SPACE}s`;
}

export function MemoryChart(props: MemoryChartProps) {
    const { curves, window, length, peak, marked, top, onWindow, onHover } = props;
    const { canvas, area } = usePlot(
        (token) => viewOf(props, token),
        [curves, window.from, window.to, top],
        props.onArea,
    );
    const { events, xOf, timeAt, boxOf, drag, otherX } = useRangeDrag({
        label: LABEL,
        area,
        window,
        onRange: onWindow,
        onHover,
    });
    const { yOf } = placeIn(area, { ...window, top });

    function onWheel(event: WheelEvent): void {
        const turn = readWheel(event);
        if (turn.kind === 'scroll') {
            if (!canScroll(event.currentTarget as HTMLElement, turn.px)) hintAtZoom();
            return;
        }
        event.preventDefault();
        if (turn.kind === 'pan') {
            const width = area ? area.right - area.left : 1;
            onWindow(panWindow(window, turn.px / width, length));
        } else onWindow(zoomWindow(window, timeAt(event), turn.factor, length));
    }
    const visiblePeak = peak && peak.t_s >= window.from && peak.t_s <= window.to ? peak : null;
    return (
        <div
            class="memory-chart"
            {...events}
            onDblClick={() => onWindow({ from: 0, to: length })}
            onWheel={onWheel}
        >
            <canvas ref={canvas} role="img" aria-label={LABEL} />
            {area &&
                curves
                    .find(({ main }) => main)
                    ?.gaps.map((gap) => {
                        const box = boxOf({ from: gap.from_s, to: gap.to_s });
                        return (
                            <span class="sample-gap" style={box} key={gap.from_s}>
                                {Number(box.width) >= LABEL_PX && gapText(gap)}
                            </span>
                        );
                    })}
            {area && visiblePeak && (
                <>
                    <span
                        class="peak-line"
                        style={{ ...boxOf(window), height: undefined, top: yOf(visiblePeak.mib) }}
                    />
                    <span
                        class="peak-dot"
                        style={{ left: xOf(visiblePeak.t_s), top: yOf(visiblePeak.mib) }}
                    />
                </>
            )}
            {area && marked && (
                <span class="sample-dot" style={{ left: xOf(marked.t_s), top: yOf(marked.mib) }} />
            )}
            <PanelLine area={area} at={otherX} />
            {area && drag && <span class="drag-range" style={boxOf(drag)} />}
        </div>
    );
}
