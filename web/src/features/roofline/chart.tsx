/* SPDX-License-Identifier: MIT */
/* The picture of the roofline, with pointer and tooltip. */
import { useMemo } from 'preact/hooks';
import { formatFixed, plural, THIN_SPACE } from '../../base/units';
import { usePlot } from '../../components/plot';
import { hideTooltip, showTooltip } from '../../components/tooltip';
import { rateText, type RooflineItem } from '../../model/roofline';
import { ms } from '../../model/trace_range';
import { circleAt, frameRoofline, type RooflineScene, rooflineView } from './paint';

/** "aten::mm 15360×4096 · 4096×6144: 51.295 ms, 543 TFLOP/s, 76.7 % of its limit". */
export function itemText(item: RooflineItem): string {
    return [
        `${item.name}${item.shapes ? ` ${item.shapes}` : ''}: ${ms(item.ns)}${THIN_SPACE}ms`,
        item.tflops === null ? '' : `${rateText(item.tflops)} TFLOP/s`,
        item.percent === null ? '' : `${formatFixed(item.percent, 1)}${THIN_SPACE}% of its limit`,
    ]
        .filter(Boolean)
        .join(', ');
}

interface RooflineChartProps {
    scene: RooflineScene;
    onPick: (item: RooflineItem | null) => void;
}

export function RooflineChart({ scene, onPick }: RooflineChartProps) {
    const { items, peaks, selected, total } = scene;
    const frame = useMemo(() => frameRoofline({ items, peaks, total }), [items, peaks, total]);
    const { canvas, area } = usePlot(
        (token) => rooflineView(scene, frame, token),
        [frame, selected],
    );
    const itemAt = (event: MouseEvent): RooflineItem | null => {
        if (!area) return null;
        const { left, top } = (event.currentTarget as Element).getBoundingClientRect();
        return circleAt(frame, area, event.clientX - left, event.clientY - top);
    };
    const item = items.find(({ key }) => key === selected);
    return (
        <div
            class="roofline-chart"
            role="img"
            aria-label={`roofline of ${plural(items.length, 'operator')}.${item ? ` Selected: ${itemText(item)}.` : ''}`}
            onPointerMove={(event) => {
                const hit = itemAt(event);
                if (hit) showTooltip(itemText(hit), event.clientX, event.clientY);
                else hideTooltip();
            }}
            onPointerLeave={() => hideTooltip()}
            onClick={(event) => onPick(itemAt(event))}
        >
            <canvas ref={canvas} />
        </div>
    );
}
