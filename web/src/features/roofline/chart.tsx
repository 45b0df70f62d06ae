/* SPDX-License-Identifier: MIT */
/* The picture of the roofline, with pointer and tooltip. */
import { useRef } from 'preact/hooks';
import { formatFixed, plural, THIN_SPACE } from '../../base/units';
import { usePaint, useWidth } from '../../components/painting';
import { hideTooltip, showTooltip } from '../../components/tooltip';
import { rateText, type RooflineItem } from '../../model/roofline';
import { ms } from '../../model/trace_range';
import {
    circleAt,
    layoutRoofline,
    paintRoofline,
    type RooflineGeometry,
    type RooflineScene,
} from './paint';

const HEIGHT = 560;

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
    const canvas = useRef<HTMLCanvasElement | null>(null);
    const geometry = useRef<RooflineGeometry | null>(null);
    const { box, width } = useWidth();
    const height = Math.min(HEIGHT, Math.max(320, width));
    usePaint(() => {
        if (!canvas.current || width === 0) return;
        geometry.current = layoutRoofline(scene, width, height);
        paintRoofline(canvas.current, scene, geometry.current);
    });
    const itemAt = (event: MouseEvent): RooflineItem | null => {
        if (!geometry.current || !canvas.current) return null;
        const { left, top } = canvas.current.getBoundingClientRect();
        return circleAt(geometry.current, event.clientX - left, event.clientY - top);
    };
    const selected = scene.items.find(({ key }) => key === scene.selected);
    return (
        <div
            ref={box}
            class="roofline-chart"
            role="img"
            aria-label={`roofline of ${plural(scene.items.length, 'operator')}.${selected ? ` Selected: ${itemText(selected)}.` : ''}`}
        >
            <canvas
                ref={canvas}
                style={{ width: `${width}px`, height: `${height}px` }}
                onPointerMove={(event) => {
                    const item = itemAt(event);
                    if (item) showTooltip(itemText(item), event.clientX, event.clientY);
                    else hideTooltip();
                }}
                onPointerLeave={() => hideTooltip()}
                onClick={(event) => onPick(itemAt(event))}
            />
        </div>
    );
}
