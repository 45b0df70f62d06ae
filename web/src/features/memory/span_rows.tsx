/* SPDX-License-Identifier: MIT
 *
 * Function calls as brackets below a curve, one row for each nesting level, on the time axis of the
 * curve.
 */
import { useMemo } from 'preact/hooks';
import type { MemorySpanRow as MemorySpan } from '../../base/rows';
import type { PlotArea } from '../../components/chart';
import { spanRows, type TimeWindow } from '../../model/memory_curve';

const ROW_HEIGHT = 19;
const MIN_NAME_WIDTH_PX = 34;

interface SpanRowsProps {
    spans: MemorySpan[];
    window: TimeWindow;
    area: PlotArea;
    selected: MemorySpan | null;
    onPick: (span: MemorySpan) => void;
    onHover: (span: MemorySpan | null, event: PointerEvent) => void;
}

export function SpanRows({ spans, window, area, selected, onPick, onHover }: SpanRowsProps) {
    const placed = useMemo(() => spanRows(spans), [spans]);
    const rows = placed.reduce((most, { row }) => Math.max(most, row + 1), 0);
    if (!rows) return null;
    const width = area.right - area.left;
    const x = (seconds: number) =>
        ((Math.max(window.from, Math.min(window.to, seconds)) - window.from) /
            (window.to - window.from)) *
        width;
    return (
        <div class="span-rows" style={{ height: rows * ROW_HEIGHT + 4 }}>
            <div class="span-plot" style={{ left: area.left, width }}>
                {placed.map(({ span, row }, i) => {
                    const left = x(span.start_s);
                    const spanWidth = Math.max(2, x(span.end_s) - left);
                    return (
                        <button
                            key={i}
                            type="button"
                            tabIndex={-1}
                            class={span === selected ? 'is-selected' : ''}
                            style={{ left, width: spanWidth, top: row * ROW_HEIGHT }}
                            onClick={() => onPick(span)}
                            onPointerMove={(event) => onHover(span, event)}
                            onPointerLeave={(event) => onHover(null, event)}
                        >
                            {spanWidth >= MIN_NAME_WIDTH_PX && span.name.replace(/^__main__\./, '')}
                        </button>
                    );
                })}
            </div>
        </div>
    );
}
