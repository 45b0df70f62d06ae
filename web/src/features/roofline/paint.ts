/* SPDX-License-Identifier: MIT */
/* What the chart of the roofline shows: the scales, circles and roofs as curves, and the names, which
 * Chart.js has no place for. */
import type { Peaks } from '../../base/answers';
import { formatFixed } from '../../base/units';
import type { Curve, LineView, PlotArea } from '../../components/chart';
import { placeIn, type Token } from '../../components/plot';
import { familyOf } from '../../model/family';
import { decades, rateText, type Roof, type RooflineItem, roofsOf } from '../../model/roofline';
import { shortName } from '../../model/timeline_names';

export interface RooflineScene {
    items: RooflineItem[];
    peaks: Peaks | null;
    /** key of the selected operator; null: none */
    selected: string | null;
    /** whole device time, ns: the areas are shares of it */
    total: number;
}

/** An operator whose place is known. */
type Known = RooflineItem & { intensity: number; tflops: number };

interface Circle {
    item: Known;
    /** px */
    radius: number;
}

/** Circles and roofs, and the ends of both logarithmic scales. */
export interface RooflineFrame {
    from: number;
    to: number;
    bottom: number;
    top: number;
    isLog: true;
    roofs: Roof[];
    /** large ones first, so that small ones are painted on top */
    circles: Circle[];
}

const MAX_RADIUS = 27;
const MIN_RADIUS = 2.5;
const LABELS = 8;

export function frameRoofline({
    items,
    peaks,
    total,
}: Pick<RooflineScene, 'items' | 'peaks' | 'total'>): RooflineFrame {
    const drawn = items.filter(
        (item): item is Known => (item.intensity ?? 0) > 0 && (item.tflops ?? 0) > 0,
    );
    const roofs = roofsOf(drawn, peaks);
    const corners = peaks ? roofs.map(({ tflops }) => (1e3 * tflops) / peaks.bandwidth) : [];
    const x = decades([...drawn.map((item) => item.intensity), ...corners.map((c) => c * 1.5)]);
    const y = decades([
        ...drawn.map(({ tflops }) => tflops),
        ...roofs.map(({ tflops }) => tflops * 1.3),
    ]);
    const most = Math.max(...drawn.map(({ ns }) => ns), 1);
    const largest = MAX_RADIUS * Math.min(1, Math.sqrt((3 * most) / Math.max(1, total)));
    const circles = drawn
        .map((item) => ({
            item,
            radius: Math.max(MIN_RADIUS, largest * Math.sqrt(item.ns / most)),
        }))
        .sort((a, b) => b.radius - a.radius);
    return {
        from: 10 ** x.from,
        to: 10 ** x.to,
        bottom: 10 ** y.from,
        top: 10 ** y.to,
        isLog: true,
        roofs,
        circles,
    };
}

/** The smallest circle at a place in px; null: none. */
export function circleAt(
    frame: RooflineFrame,
    area: PlotArea,
    x: number,
    y: number,
): RooflineItem | null {
    const { xOf, yOf } = placeIn(area, frame);
    const hits = frame.circles.filter(
        ({ item, radius }) =>
            (xOf(item.intensity) - x) ** 2 + (yOf(item.tflops) - y) ** 2 <= (radius + 3) ** 2,
    );
    return hits.at(-1)?.item ?? null;
}

const powerText = (value: number): string => {
    const power = Math.round(Math.log10(value));
    if (power >= 0 && power < 7) return formatFixed(value, 0);
    return power > -4 && power < 0 ? String(Number(value.toPrecision(1))) : `1e${power}`;
};

/** The TFLOP/s that the memory lets an operator reach, at most. */
const byMemory = (intensity: number, { bandwidth }: Peaks): number => (intensity * bandwidth) / 1e3;
const cornerOf = (tflops: number, { bandwidth }: Peaks): number => (1e3 * tflops) / bandwidth;

/** The lines of the roofs, and the area that no operator can reach. */
function roofCurves({ peaks }: RooflineScene, frame: RooflineFrame, token: Token): Curve[] {
    const { roofs, from, to } = frame;
    if (!peaks || roofs.length === 0) return [];
    const highest = Math.max(...roofs.map(({ tflops }) => tflops));
    const corner = cornerOf(highest, peaks);
    const slope = { x: [from, corner], y: [byMemory(from, peaks), highest] };
    return [
        ...roofs.map(({ tflops, isMain }) => ({
            x: [cornerOf(tflops, peaks), to],
            y: [tflops, tflops],
            colour: token(isMain ? 'text-1' : 'text-3'),
            width: isMain ? 1.5 : 1,
        })),
        { ...slope, colour: token('text-1'), width: 1.5 },
        {
            x: [...slope.x, to],
            y: [...slope.y, highest],
            colour: 'transparent',
            width: 0,
            fill: token('inset'),
            fillTo: 'top',
        },
    ];
}

function circleCurve({ selected }: RooflineScene, { circles }: RooflineFrame, token: Token): Curve {
    const isSelected = ({ item }: Circle): boolean => item.key === selected;
    return {
        x: circles.map(({ item }) => item.intensity),
        y: circles.map(({ item }) => item.tflops),
        colour: '',
        width: 0,
        dots: {
            radii: circles.map(({ radius }) => radius),
            fills: circles.map(({ item }) => token(`family-${familyOf(item.family).key}`)),
            edges: circles.map((circle) => token(isSelected(circle) ? 'accent' : 'bg')),
            edgeWidths: circles.map((circle) => (isSelected(circle) ? 2 : 1)),
        },
    };
}

const selectedCircle = ({ selected }: RooflineScene, { circles }: RooflineFrame) =>
    circles.find(({ item }) => item.key === selected);

/** A dashed line from the selected circle to its roof. */
function limitCurves(scene: RooflineScene, frame: RooflineFrame, token: Token): Curve[] {
    const item = selectedCircle(scene, frame)?.item;
    if (!scene.peaks || !item || item.percent === null) return [];
    return [
        {
            x: [item.intensity, item.intensity],
            y: [item.tflops, (100 * item.tflops) / item.percent],
            colour: token('accent'),
            width: 1.25,
            dash: [4, 3],
        },
    ];
}

export function rooflineView(scene: RooflineScene, frame: RooflineFrame, token: Token): LineView {
    return {
        ...frame,
        curves: [
            circleCurve(scene, frame, token),
            ...limitCurves(scene, frame, token),
            ...roofCurves(scene, frame, token),
        ],
        xTitle: 'FLOP per byte moved',
        yTitle: 'TFLOP/s',
        xText: powerText,
        yText: powerText,
        over: (ctx, area) => {
            const brush = { ctx, area, token, scene, frame, ...placeIn(area, frame) };
            ctx.save();
            paintMemoryName(brush);
            paintNames(brush, paintRoofNames(brush));
            paintSelected(brush);
            ctx.restore();
        },
    };
}

/* --- Names --- */

interface Brush extends ReturnType<typeof placeIn> {
    ctx: CanvasRenderingContext2D;
    area: PlotArea;
    token: Token;
    scene: RooflineScene;
    frame: RooflineFrame;
}

function words({ ctx, token }: Brush, size: number, tone: string, weight = ''): void {
    ctx.font = `${weight} ${size}px ${token('sans') || 'sans-serif'}`.trim();
    ctx.fillStyle = token(tone);
}

/** The bandwidth, along the slope. */
function paintMemoryName(brush: Brush): void {
    const { ctx, area, scene, frame, xOf, yOf } = brush;
    const { peaks } = scene;
    if (!peaks || frame.roofs.length === 0) return;
    const corner = cornerOf(Math.max(...frame.roofs.map(({ tflops }) => tflops)), peaks);
    const middle = Math.sqrt(Math.max(frame.from, cornerOf(frame.bottom, peaks)) * corner);
    const [x, y] = [xOf(middle), yOf(byMemory(middle, peaks))];
    if (x < area.left || y > area.bottom) return;
    ctx.save();
    ctx.translate(x, y);
    ctx.rotate(Math.atan2(yOf(byMemory(middle * 2, peaks)) - y, xOf(middle * 2) - x));
    words(brush, 11, 'text-1', '600');
    ctx.textAlign = 'center';
    ctx.textBaseline = 'bottom';
    ctx.fillText(`${formatFixed(peaks.bandwidth / 1e3, 2)} TB/s memory`, 0, -3);
    ctx.restore();
}

/** Where a text is: left, top, right, bottom. */
type TextBox = [number, number, number, number];

/** The names of the level roofs, over the circles. Returns where they are. */
function paintRoofNames(brush: Brush): TextBox[] {
    const { ctx, token, area, frame, yOf } = brush;
    const boxes: TextBox[] = [];
    ctx.textAlign = 'right';
    ctx.textBaseline = 'bottom';
    for (const { tflops, isMain, units, type } of frame.roofs) {
        const text = `${rateText(tflops)} TFLOP/s ${units} ${type}`;
        const y = yOf(tflops);
        words(brush, 11, isMain ? 'text-1' : 'text-2', isMain ? '600' : '');
        const width = ctx.measureText(text).width;
        if (!isMain) {
            ctx.fillStyle = token('bg');
            ctx.fillRect(area.right - width - 8, y - 16, width + 8, 14);
            ctx.fillStyle = token('text-2');
        }
        ctx.fillText(text, area.right - 4, y - 3);
        boxes.push([area.right - width - 8, y - 16, area.right, y - 2]);
    }
    return boxes;
}

/** The names of the largest circles, where they have room. `taken`: by other names. */
function paintNames(brush: Brush, taken: readonly TextBox[]): void {
    const { ctx, area, scene, frame, xOf, yOf } = brush;
    const boxes = [...taken];
    words(brush, 11, 'text-2');
    ctx.textAlign = 'left';
    ctx.textBaseline = 'middle';
    for (const { item, radius } of frame.circles) {
        if (boxes.length === taken.length + LABELS) break;
        const text = shortName(item.name);
        const width = ctx.measureText(text).width;
        const [x, y] = [xOf(item.intensity), yOf(item.tflops)];
        const isLeft = x + radius + 5 + width > area.right;
        const left = isLeft ? x - radius - 5 - width : x + radius + 5;
        const meets = boxes.some(
            ([a, b, c, d]) => left < c && a < left + width && y - 7 < d && b < y + 7,
        );
        if (meets || left < area.left || item.key === scene.selected) continue;
        boxes.push([left, y - 7, left + width, y + 7]);
        ctx.fillText(text, left, y);
    }
}

/** What the selected circle says. */
function paintSelected(brush: Brush): void {
    const { ctx, area, scene, frame, xOf, yOf } = brush;
    const found = selectedCircle(scene, frame);
    if (!found) return;
    const { item, radius } = found;
    const [x, y] = [xOf(item.intensity), yOf(item.tflops)];
    const lines = [
        shortName(item.name),
        `${rateText(item.tflops)}${item.peak === null ? '' : ` of ${rateText(item.peak)}`} TFLOP/s`,
        item.percent === null ? '' : `${formatFixed(item.percent, 1)} % of its limit`,
    ].filter(Boolean);
    const isBelow = y + radius + 12 + 15 * lines.length < area.bottom;
    ctx.textAlign = x < (area.left + area.right) / 2 ? 'left' : 'right';
    ctx.textBaseline = 'top';
    lines.forEach((line, i) => {
        words(brush, 11.5, i ? 'text-2' : 'text-1', i ? '' : '600');
        const at = isBelow ? y + radius + 8 + 15 * i : y - radius - 8 - 15 * (lines.length - i);
        ctx.fillText(line, x, at);
    });
}
