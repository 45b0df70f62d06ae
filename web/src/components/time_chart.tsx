/* SPDX-License-Identifier: MIT
 *
 * Curves over the time of a trace. A range is selected by dragging; a double click clears it.
 */
import type { TimeWindow } from '../model/memory_curve';
import { mix } from '../model/tint';
import type { Curve, LineView } from './chart';
import { PanelLine, placeIn, type Token, usePlot, useRangeDrag } from './plot';

/** A curve whose colours are style tokens, so that it follows the theme. */
export interface TimeCurve {
    x: number[];
    y: number[];
    /** name of a style token; `strong` mixes in the text colour, because fill colours are too pale
     * for lines */
    token: string;
    strong?: boolean;
    fill?: boolean;
    width?: number;
    dash?: number[];
    stepped?: boolean;
}

interface TimeChartProps {
    label: string;
    curves: TimeCurve[];
    window: TimeWindow;
    /** selected range, painted over the curves */
    range: TimeWindow | null;
    top: number;
    step?: number;
    /** a horizontal line with a label, for instance the peak */
    level?: { y: number; label: string } | null;
    xText: (value: number) => string;
    yText: (value: number) => string;
    /** null: the range was cleared */
    onRange: (range: TimeWindow | null) => void;
    onHover?: (at: number | null, event: PointerEvent) => void;
}

function viewOf(props: TimeChartProps, token: Token): LineView {
    const curve = ({ token: name, strong, fill, width, ...rest }: TimeCurve): Curve => ({
        ...rest,
        width: width ?? 1.25,
        colour: strong ? mix(token(name), token('text-1'), 0.35) : token(name),
        fill: fill ? `${token(name)}66` : undefined,
    });
    const { curves, window, top, step, xText, yText } = props;
    return { ...window, top, step, xText, yText, curves: curves.map(curve) };
}

export function TimeChart(props: TimeChartProps) {
    const { curves, window, range, top, level, onRange, onHover } = props;
    const { canvas, area } = usePlot(
        (token) => viewOf(props, token),
        [curves, window.from, window.to, top],
    );
    const { label } = props;
    const { events, boxOf, drag, otherX } = useRangeDrag({ label, area, window, onRange, onHover });
    const { yOf } = placeIn(area, { ...window, top });
    return (
        <div class="time-chart" {...events} onDblClick={() => onRange(null)}>
            <canvas ref={canvas} role="img" aria-label={props.label} />
            {area && level && (
                <span
                    class="chart-level"
                    style={{ ...boxOf(window), height: undefined, top: yOf(level.y) }}
                >
                    <span>{level.label}</span>
                </span>
            )}
            <PanelLine area={area} at={otherX} />
            {area && range && <span class="chart-range" style={boxOf(range)} />}
            {area && drag && <span class="drag-range" style={boxOf(drag)} />}
        </div>
    );
}
