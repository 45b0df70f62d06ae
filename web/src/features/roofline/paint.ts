/* SPDX-License-Identifier: MIT */
/* Geometry and painting of the roofline: both scales are logarithmic. */
import type { Peaks } from '../../base/answers';
import { formatFixed } from '../../base/units';
import { type Brush as CanvasBrush, startBrush } from '../../canvas/brush';
import { familyOf } from '../../model/family';
import {
    decades,
    logShare,
    rateText,
    type Roof,
    type RooflineItem,
    roofsOf,
} from '../../model/roofline';
import { shortName } from '../../model/timeline_names';

export interface RooflineScene {
    items: RooflineItem[];
    peaks: Peaks | null;
    /** key of the selected operator; null: none */
    selected: string | null;
    /** whole device time, ns: the areas are shares of it */
    total: number;
}

interface Circle {
    item: RooflineItem;
    x: number;
    y: number;
    radius: number;
}

export interface RooflineGeometry {
    left: number;
    top: number;
    width: number;
    height: number;
    x: { from: number; to: number };
    y: { from: number; to: number };
    roofs: Roof[];
    /** large ones first, so that small ones are painted on top */
    circles: Circle[];
}

const LEFT = 58;
const BOTTOM = 44;
const TOP = 14;
const RIGHT = 16;
const MAX_RADIUS = 27;
const MIN_RADIUS = 2.5;
const LABELS = 8;

export function layoutRoofline(
    { items, peaks, total }: RooflineScene,
    width: number,
    height: number,
): RooflineGeometry {
    const drawn = items.filter(
        ({ intensity, tflops }) =>
            intensity !== null && intensity > 0 && tflops !== null && tflops > 0,
    );
    const roofs = roofsOf(drawn, peaks);
    const corners = peaks ? roofs.map(({ tflops }) => (1e3 * tflops) / peaks.bandwidth) : [];
    const x = decades([
        ...drawn.map(({ intensity }) => intensity ?? 1),
        ...corners.map((c) => c * 1.5),
    ]);
    const y = decades([
        ...drawn.map(({ tflops }) => tflops ?? 1),
        ...roofs.map(({ tflops }) => tflops * 1.3),
    ]);
    const box = {
        left: LEFT,
        top: TOP,
        width: width - LEFT - RIGHT,
        height: height - TOP - BOTTOM,
    };
    const most = Math.max(...drawn.map(({ ns }) => ns), 1);
    const largest = MAX_RADIUS * Math.min(1, Math.sqrt((3 * most) / Math.max(1, total)));
    const circles = drawn
        .map((item) => ({
            item,
            x: box.left + box.width * logShare(item.intensity ?? 1, x),
            y: box.top + box.height * (1 - logShare(item.tflops ?? 1, y)),
            radius: Math.max(MIN_RADIUS, largest * Math.sqrt(item.ns / most)),
        }))
        .sort((a, b) => b.radius - a.radius);
    return { ...box, x, y, roofs, circles };
}

/** The smallest circle at a place; null: none. */
export function circleAt({ circles }: RooflineGeometry, x: number, y: number): RooflineItem | null {
    for (let i = circles.length - 1; i >= 0; i--) {
        const { item, x: cx, y: cy, radius } = circles[i];
        if ((cx - x) ** 2 + (cy - y) ** 2 <= (radius + 3) ** 2) return item;
    }
    return null;
}

interface Brush extends CanvasBrush {
    scene: RooflineScene;
    geometry: RooflineGeometry;
}

const powerText = (power: number): string =>
    power >= 0 && power < 7
        ? formatFixed(10 ** power, 0)
        : power > -4 && power < 0
          ? String(Number((10 ** power).toPrecision(1)))
          : `1e${power}`;

function words({ ctx, token }: Brush, size: number, tone: string, weight = ''): void {
    ctx.font = `${weight} ${size}px ${token('sans') || 'sans-serif'}`.trim();
    ctx.fillStyle = token(tone);
}

function paintGrid(brush: Brush): void {
    const { ctx, token, geometry } = brush;
    const { left, top, width, height, x, y } = geometry;
    ctx.strokeStyle = token('line');
    ctx.lineWidth = 1;
    words(brush, 11, 'text-2');
    ctx.textBaseline = 'top';
    for (let power = x.from; power <= x.to; power++) {
        const at = Math.round(left + width * logShare(10 ** power, x)) + 0.5;
        ctx.beginPath();
        ctx.moveTo(at, top);
        ctx.lineTo(at, top + height);
        ctx.stroke();
        ctx.textAlign = 'center';
        ctx.fillText(powerText(power), at, top + height + 6);
    }
    ctx.textAlign = 'right';
    ctx.textBaseline = 'middle';
    for (let power = y.from; power <= y.to; power++) {
        const at = Math.round(top + height * (1 - logShare(10 ** power, y))) + 0.5;
        ctx.beginPath();
        ctx.moveTo(left, at);
        ctx.lineTo(left + width, at);
        ctx.stroke();
        ctx.fillText(powerText(power), left - 8, at);
    }
    ctx.textAlign = 'center';
    ctx.textBaseline = 'top';
    ctx.fillText('FLOP per byte moved', left + width / 2, top + height + 24);
    ctx.save();
    ctx.translate(14, top + height / 2);
    ctx.rotate(-Math.PI / 2);
    ctx.fillText('TFLOP/s', 0, -6);
    ctx.restore();
}

/** The place of a point, cut to the picture by the caller's clip. */
function placeOf(geometry: RooflineGeometry, intensity: number, tflops: number): [number, number] {
    const { left, top, width, height, x, y } = geometry;
    return [left + width * logShare(intensity, x), top + height * (1 - logShare(tflops, y))];
}

function paintRoofs(brush: Brush): void {
    const { ctx, token, scene, geometry } = brush;
    const { left, top, width, height, x, roofs } = geometry;
    const { peaks } = scene;
    if (!peaks || roofs.length === 0) return;
    const highest = Math.max(...roofs.map(({ tflops }) => tflops));
    const start = 10 ** x.from;
    const end = 10 ** x.to;
    const byMemory = (intensity: number): number => (intensity * peaks.bandwidth) / 1e3;
    const corner = (1e3 * highest) / peaks.bandwidth;
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, top, width, height);
    ctx.clip();
    // what no operator can reach
    ctx.beginPath();
    ctx.moveTo(...placeOf(geometry, start, byMemory(start)));
    ctx.lineTo(...placeOf(geometry, corner, highest));
    ctx.lineTo(...placeOf(geometry, end, highest));
    ctx.lineTo(left + width, top);
    ctx.lineTo(left, top);
    ctx.closePath();
    ctx.fillStyle = token('inset');
    ctx.fill();
    ctx.strokeStyle = token('text-1');
    ctx.lineWidth = 1.5;
    ctx.beginPath();
    ctx.moveTo(...placeOf(geometry, start, byMemory(start)));
    ctx.lineTo(...placeOf(geometry, corner, highest));
    ctx.stroke();
    for (const { tflops, isMain } of roofs) {
        const from = (1e3 * tflops) / peaks.bandwidth;
        ctx.strokeStyle = token(isMain ? 'text-1' : 'text-3');
        ctx.lineWidth = isMain ? 1.5 : 1;
        ctx.beginPath();
        ctx.moveTo(...placeOf(geometry, from, tflops));
        ctx.lineTo(...placeOf(geometry, end, tflops));
        ctx.stroke();
    }
    paintMemoryName(brush, peaks, byMemory, corner);
    ctx.restore();
}

function paintMemoryName(
    brush: Brush,
    peaks: Peaks,
    byMemory: (intensity: number) => number,
    corner: number,
): void {
    const { ctx, geometry } = brush;
    const { left, top, height, x } = geometry;
    const lowest = Math.max(10 ** x.from, (1e3 * 10 ** geometry.y.from) / peaks.bandwidth);
    const middle = Math.sqrt(lowest * corner);
    const [x0, y0] = placeOf(geometry, middle, byMemory(middle));
    const [x1, y1] = placeOf(geometry, middle * 2, byMemory(middle * 2));
    if (x0 < left || y0 > top + height) return;
    ctx.save();
    ctx.translate(x0, y0);
    ctx.rotate(Math.atan2(y1 - y0, x1 - x0));
    words(brush, 11, 'text-1', '600');
    ctx.textAlign = 'center';
    ctx.textBaseline = 'bottom';
    ctx.fillText(`${formatFixed(peaks.bandwidth / 1e3, 2)} TB/s memory`, 0, -3);
    ctx.restore();
}

/** The names of the level roofs, over the circles. */
function paintRoofNames(brush: Brush): void {
    const { ctx, token, geometry } = brush;
    const { left, width, roofs, x } = geometry;
    ctx.textAlign = 'right';
    ctx.textBaseline = 'bottom';
    for (const { tflops, isMain, units, type } of roofs) {
        const text = `${rateText(tflops)} TFLOP/s ${units} ${type}`;
        const [, at] = placeOf(geometry, 10 ** x.to, tflops);
        words(brush, 11, isMain ? 'text-1' : 'text-2', isMain ? '600' : '');
        const size = ctx.measureText(text).width;
        if (!isMain) {
            ctx.fillStyle = token('bg');
            ctx.fillRect(left + width - size - 8, at - 16, size + 8, 14);
            ctx.fillStyle = token('text-2');
        }
        ctx.fillText(text, left + width - 4, at - 3);
    }
}

function paintCircles(brush: Brush): void {
    const { ctx, token, geometry, scene } = brush;
    const boxes: [number, number, number, number][] = [];
    for (const { item, x, y, radius } of geometry.circles) {
        ctx.beginPath();
        ctx.arc(x, y, radius, 0, 2 * Math.PI);
        ctx.fillStyle = token(`family-${familyOf(item.family).key}`);
        ctx.fill();
        const isSelected = item.key === scene.selected;
        ctx.lineWidth = isSelected ? 2 : 1;
        ctx.strokeStyle = token(isSelected ? 'accent' : 'bg');
        ctx.stroke();
    }
    ctx.textAlign = 'left';
    ctx.textBaseline = 'middle';
    for (const { item, x, y, radius } of geometry.circles) {
        if (boxes.length === LABELS) break;
        words(brush, 11, 'text-2');
        const text = shortName(item.name);
        const width = ctx.measureText(text).width;
        const right = geometry.left + geometry.width;
        const from = x + radius + 5 + width > right ? x - radius - 5 - width : x + radius + 5;
        const box: [number, number, number, number] = [from, y - 7, from + width, y + 7];
        const meets = boxes.some(
            ([a, b, c, d]) => box[0] < c && a < box[2] && box[1] < d && b < box[3],
        );
        if (meets || item.key === scene.selected) continue;
        boxes.push(box);
        ctx.fillText(text, from, y);
    }
}

/** A dashed line from the selected circle to its roof, with what it says. */
function paintSelected(brush: Brush): void {
    const { ctx, token, geometry, scene } = brush;
    const found = geometry.circles.find(({ item }) => item.key === scene.selected);
    if (!found) return;
    const { item, x, y, radius } = found;
    const { left, top, width, height } = geometry;
    if (scene.peaks && item.percent !== null && item.intensity !== null && item.tflops !== null) {
        const [, roof] = placeOf(geometry, item.intensity, (100 * item.tflops) / item.percent);
        ctx.strokeStyle = token('accent');
        ctx.lineWidth = 1.25;
        ctx.setLineDash([4, 3]);
        ctx.beginPath();
        ctx.moveTo(x, y - radius);
        ctx.lineTo(x, Math.max(top, roof));
        ctx.stroke();
        ctx.setLineDash([]);
    }
    const lines = [
        `${shortName(item.name)}`,
        `${rateText(item.tflops ?? 0)}${item.peak === null ? '' : ` of ${rateText(item.peak)}`} TFLOP/s`,
        item.percent === null ? '' : `${formatFixed(item.percent, 1)} % of its limit`,
    ].filter(Boolean);
    const isRight = x < left + width / 2;
    const isBelow = y + radius + 12 + 15 * lines.length < top + height;
    ctx.textAlign = isRight ? 'left' : 'right';
    ctx.textBaseline = 'top';
    lines.forEach((line, i) => {
        words(brush, 11.5, i ? 'text-2' : 'text-1', i ? '' : '600');
        const at = isBelow ? y + radius + 8 + 15 * i : y - radius - 8 - 15 * (lines.length - i);
        ctx.fillText(line, x, at);
    });
}

export function paintRoofline(
    canvas: HTMLCanvasElement,
    scene: RooflineScene,
    geometry: RooflineGeometry,
): void {
    const { left, top, width, height } = geometry;
    const started = startBrush(canvas, left + width + RIGHT, top + height + BOTTOM);
    if (!started) return;
    const brush: Brush = { ...started, scene, geometry };
    paintGrid(brush);
    paintRoofs(brush);
    paintCircles(brush);
    paintRoofNames(brush);
    paintSelected(brush);
}
