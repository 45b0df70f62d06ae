/* SPDX-License-Identifier: MIT */
/* Draws live memory over events or time: areas of stacks or bands of allocations, the reserved memory,
 * marks and the cursor. It has no state; the caller says what is visible. */
import type { Lifetime } from '../base/answers';
import { bytesText, formatFixed, int } from '../base/units';
import {
    type AxisView,
    type Flag,
    placeFlags,
    placeLabel,
    type PixelColumns,
    type PlacedColumns,
    tickStep,
} from '../model/snapshot_axis';
import { isPicked, type Pick } from '../model/snapshot_pick';
import type { BandRuns } from '../model/snapshot_bands';
import { byteAxis } from '../model/step_curve';
import { sizeCanvas } from './brush';
import {
    type PartsBy,
    GROUP_TOKENS,
    groupColour,
    hatchPattern,
    partGroup,
    type SnapshotTheme,
} from './snapshot_theme';

export type ChartMode = 'stacks' | 'lifetimes' | 'reserved';

/** A mark of the chart; `tone` is the colour of its flag. */
export interface ChartMark {
    /** position on the axis */
    at: number;
    text: string;
    tone: 'cursor' | 'failed' | 'note';
}

export interface ChartAnnotation {
    from: number;
    /** null: the file does not say where it ends */
    to: number | null;
    name: string;
}

export interface Bands {
    columns: PlacedColumns;
    allocations: readonly Lifetime[];
    runs: BandRuns;
}

export interface ChartScene {
    title: string;
    view: AxisView;
    mode: ChartMode;
    parts: PartsBy;
    axis: 'event' | 'time';
    answers: readonly PlacedColumns[];
    pixels: PixelColumns;
    bands: Bands | null;
    /** bytes at the upper edge */
    top: number;
    /** by importance; the first is the cursor */
    marks: readonly ChartMark[];
    annotations: readonly ChartAnnotation[];
    /** live bytes at the cursor; null: unknown */
    cursorBytes: number | null;
    /** outlined: the areas of these groups, or the bands of what is selected */
    groups: readonly number[];
    pick: Pick | null;
    allocation: number | null;
    /** range that is being dragged */
    drag: AxisView | null;
}

export interface ChartBox {
    left: number;
    right: number;
    top: number;
    bottom: number;
    width: number;
    height: number;
}

const FLAG = 18;
const AXIS = 18;
const BAND = 14;
const RIGHT = 16;

/** Width of the labels to the left of the chart. */
export const chartLeft = (width: number): number => (width < 600 ? 56 : 64);

export function chartBox(width: number, height: number, hasAnnotations: boolean): ChartBox {
    const left = chartLeft(width);
    return {
        left,
        right: Math.max(left + 10, width - RIGHT),
        top: FLAG + 6 + (hasAnnotations ? BAND : 0),
        bottom: height - AXIS,
        width,
        height,
    };
}

export const xOfView = ({ left, right }: ChartBox, view: AxisView, at: number): number =>
    left + ((at - view.from) / (view.to - view.from)) * (right - left);

export const viewAtX = ({ left, right }: ChartBox, view: AxisView, x: number): number =>
    view.from + ((x - left) / (right - left)) * (view.to - view.from);

const yOf = ({ top, bottom }: ChartBox, scene: ChartScene, bytes: number): number =>
    bottom - (bytes / scene.top) * (bottom - top);

export const bytesAtY = ({ top, bottom }: ChartBox, scene: ChartScene, y: number): number =>
    ((bottom - y) / (bottom - top)) * scene.top;

type Ctx = CanvasRenderingContext2D;

/** This chart is taller than others, so its axis has more grid lines. */
const LINES = 7;

function paintGrid(ctx: Ctx, scene: ChartScene, box: ChartBox, theme: SnapshotTheme): void {
    const { step, tickText } = byteAxis(scene.top, LINES);
    ctx.font = `11px ${theme.sans}`;
    ctx.textBaseline = 'middle';
    ctx.textAlign = 'right';
    for (let bytes = 0; bytes <= scene.top; bytes += step) {
        const y = Math.round(yOf(box, scene, bytes));
        ctx.fillStyle = theme.line;
        ctx.fillRect(box.left, y, box.right - box.left, 1);
        ctx.fillStyle = theme.text3;
        ctx.fillText(tickText(bytes), box.left - 8, bytes === 0 ? y - 4 : y + 0.5);
    }
    paintTicks(ctx, scene, box, theme);
}

/* The unit of an axis of µs, and µs per unit. */
function timeUnit(us: number): [unit: string, scale: number] {
    if (us >= 2e6) return ['s', 1e6];
    return us >= 2e3 ? ['ms', 1e3] : ['µs', 1];
}

/* Ticks of events or times; one whose text would leave the chart has none. */
function paintTicks(ctx: Ctx, scene: ChartScene, box: ChartBox, theme: SnapshotTheme): void {
    const { view, axis } = scene;
    const perPx = (view.to - view.from) / (box.right - box.left);
    const step = Math.max(1, tickStep(perPx * 88));
    const y = box.bottom + AXIS / 2 + 1;
    const [unit, scale] = timeUnit(view.to);
    const decimals = Math.max(0, Math.ceil(Math.log10(scale / step) - 1e-9));
    ctx.textAlign = 'left';
    for (let i = Math.ceil(view.from / step); i * step <= view.to; i++) {
        const x = Math.round(xOfView(box, view, i * step));
        ctx.fillStyle = theme.line;
        ctx.fillRect(x, box.top - 4, 1, box.bottom - box.top + 8);
        const value = i * step;
        const text = axis === 'event' ? int(value) : formatFixed(value / scale, decimals);
        if (x + 3 + ctx.measureText(text).width > box.right + RIGHT) continue;
        ctx.fillStyle = theme.text3;
        ctx.fillText(text, x + 3, y);
    }
    ctx.fillStyle = theme.text3;
    ctx.textAlign = 'right';
    ctx.fillText(axis === 'event' ? 'event' : unit, box.left - 8, y);
}

/* A stepped outline of one value of each px column. Calls `line` from left to right. */
function traceSteps(
    pixels: PixelColumns,
    box: ChartBox,
    valueOf: (answer: number, column: number) => number,
    yOfValue: (value: number) => number,
    line: (x: number, y: number, isStart: boolean) => void,
): void {
    const { answer, column } = pixels;
    let last = NaN;
    let isOpen = false;
    for (let p = 0; p < answer.length; p++) {
        if (answer[p] < 0) {
            if (isOpen) line(box.left + p, last, false);
            isOpen = false;
            continue;
        }
        if (isOpen && answer[p] === answer[p - 1] && column[p] === column[p - 1]) continue;
        const y = yOfValue(valueOf(answer[p], column[p]));
        if (!isOpen) line(box.left + p, y, true);
        else if (y !== last) {
            line(box.left + p, last, false);
            line(box.left + p, y, false);
        }
        isOpen = true;
        last = y;
    }
    if (isOpen) line(box.left + answer.length, last, false);
}

function fillBelow(
    ctx: Ctx,
    scene: ChartScene,
    box: ChartBox,
    valueOf: (answer: number, column: number) => number,
): void {
    const { bottom } = box;
    ctx.beginPath();
    let x1 = box.left;
    let isOpen = false;
    traceSteps(
        scene.pixels,
        box,
        valueOf,
        (v) => yOf(box, scene, v),
        (x, y, isStart) => {
            if (isStart) {
                if (isOpen) ctx.lineTo(x1, bottom);
                ctx.moveTo(x, bottom);
                isOpen = true;
            }
            ctx.lineTo(x, y);
            x1 = x;
        },
    );
    if (isOpen) ctx.lineTo(x1, bottom);
    ctx.fill();
}

function strokeAlong(
    ctx: Ctx,
    scene: ChartScene,
    box: ChartBox,
    valueOf: (answer: number, column: number) => number,
): void {
    ctx.beginPath();
    traceSteps(
        scene.pixels,
        box,
        valueOf,
        (v) => yOf(box, scene, v),
        (x, y, isStart) => (isStart ? ctx.moveTo(x, y) : ctx.lineTo(x, y)),
    );
    ctx.stroke();
}

/** Sum of the groups up to this one, from below: the one without a stack first, all others last. */
export function bytesUpTo({ sums }: PlacedColumns, column: number, group: number): number {
    return sums[Math.min(group, sums.length - 1)]?.[column] ?? 0;
}

function paintAreas(ctx: Ctx, scene: ChartScene, box: ChartBox, theme: SnapshotTheme): void {
    const { answers } = scene;
    const groups = Math.max(0, ...answers.map(({ data }) => data.parts.length));
    const upTo = (group: number) => (answer: number, column: number) =>
        bytesUpTo(answers[answer], column, group);
    // From above, so that each area covers what is below its upper edge.
    for (let group = groups - 1; group >= 0; group--) {
        ctx.fillStyle = groupColour(theme, partGroup(scene.parts, group, groups));
        fillBelow(ctx, scene, box, upTo(group));
        if (group === groups - 1) continue;
        ctx.strokeStyle = theme.bg;
        ctx.lineWidth = 0.75;
        strokeAlong(ctx, scene, box, upTo(group));
    }
    if (scene.parts !== 'stack') return;
    ctx.strokeStyle = theme.accent;
    ctx.lineWidth = 1.5;
    for (const group of scene.groups) {
        strokeAlong(ctx, scene, box, upTo(group));
        if (group > 0) strokeAlong(ctx, scene, box, upTo(group - 1));
    }
}

const BAND_GAP_FROM = 3;

function paintBands(ctx: Ctx, scene: ChartScene, box: ChartBox, theme: SnapshotTheme): void {
    const { bands, view } = scene;
    // What is not among the bands lies below them.
    ctx.fillStyle = theme.groups[GROUP_TOKENS.length - 1];
    ctx.globalAlpha = 0.45;
    fillBelow(ctx, scene, box, (answer, column) => scene.answers[answer].data.live[column]);
    ctx.globalAlpha = 1;
    if (!bands) return;
    const { columns, runs, allocations } = bands;
    const scale = (box.right - box.left) / (view.to - view.from);
    const xOf = (column: number): number =>
        box.left + (columns.x0 + column * columns.step - view.from) * scale;
    const perByte = (box.bottom - box.top) / scene.top;
    const byGroup: number[][] = theme.groups.map(() => []);
    const outlined: number[] = [];
    const gaps: [x: number, y: number, width: number][] = [];
    for (let i = 0; i < runs.count; i++) {
        if (xOf(runs.x1[i]) <= box.left || xOf(runs.x0[i]) >= box.right) continue;
        const { group, stack, id, bytes } = allocations[runs.index[i]];
        (byGroup[group] ?? byGroup[GROUP_TOKENS.length - 1]).push(i);
        if (id === scene.allocation || isPicked(scene.pick, stack, bytes)) outlined.push(i);
    }
    // By colour: setting it for each run costs more than the rectangles.
    byGroup.forEach((list, group) => {
        ctx.fillStyle = groupColour(theme, group);
        for (const i of list) {
            const x0 = Math.max(box.left, xOf(runs.x0[i]));
            const width = Math.min(box.right, xOf(runs.x1[i])) - x0;
            const height = runs.bytes[i] * perByte;
            const y = box.bottom - runs.base[i] * perByte - height;
            ctx.fillRect(x0, y, width, height);
            if (height >= BAND_GAP_FROM) gaps.push([x0, y + height - 0.75, width]);
        }
    });
    ctx.fillStyle = theme.bg;
    for (const [x, y, width] of gaps) ctx.fillRect(x, y, width, 0.75);
    ctx.fillStyle = theme.accent;
    for (const i of outlined) {
        const isOne = allocations[runs.index[i]].id === scene.allocation;
        const x0 = Math.max(box.left, xOf(runs.x0[i]));
        const x1 = Math.min(box.right, xOf(runs.x1[i]));
        const height = runs.bytes[i] * perByte;
        const y = box.bottom - runs.base[i] * perByte - height;
        const line = isOne ? 2 : 1;
        ctx.fillRect(x0, y, x1 - x0, line);
        // A line above and one below would hide a thin band.
        if (isOne || height >= 3 * BAND_GAP_FROM)
            ctx.fillRect(x0, y + height - line, x1 - x0, line);
    }
}

/* Memory of the driver; what of it is unused is hatched. */
function paintReservedArea(ctx: Ctx, scene: ChartScene, box: ChartBox, theme: SnapshotTheme): void {
    const { answers } = scene;
    ctx.fillStyle = hatchPattern(ctx, theme);
    fillBelow(ctx, scene, box, (answer, column) => answers[answer].data.reserved[column]);
    ctx.fillStyle = theme.groups[GROUP_TOKENS.length - 1];
    fillBelow(ctx, scene, box, (answer, column) => answers[answer].data.live[column]);
}

/* The line of reserved memory, named once, on its longest top. */
function paintReserved(ctx: Ctx, scene: ChartScene, box: ChartBox, theme: SnapshotTheme): void {
    const { answers, pixels } = scene;
    const reserved = (answer: number, column: number): number =>
        answers[answer].data.reserved[column];
    ctx.strokeStyle = theme.text1;
    ctx.lineWidth = 1.25;
    ctx.lineJoin = 'miter';
    strokeAlong(ctx, scene, box, reserved);
    let longest = { x0: 0, x1: 0, bytes: 0 };
    let start = 0;
    let last = -1;
    for (let p = 0; p <= pixels.answer.length; p++) {
        const isIn = p < pixels.answer.length && pixels.answer[p] >= 0;
        const bytes = isIn ? reserved(pixels.answer[p], pixels.column[p]) : -1;
        if (bytes === last) continue;
        const run = p - start;
        if (
            last > 0 &&
            (last > longest.bytes || (last === longest.bytes && run > longest.x1 - longest.x0))
        )
            longest = { x0: start, x1: p, bytes: last };
        [start, last] = [p, bytes];
    }
    if (longest.bytes <= 0) return;
    const text = `reserved ${bytesText(longest.bytes)}`;
    ctx.font = `11px ${theme.sans}`;
    ctx.textBaseline = 'alphabetic';
    const width = ctx.measureText(text).width;
    const x = placeLabel(
        box.left + (longest.x0 + longest.x1 - width) / 2,
        width,
        scene.marks.map(({ at }) => xOfView(box, scene.view, at)),
        box.left,
        box.right,
    );
    ctx.textAlign = 'left';
    const y = yOf(box, scene, longest.bytes) - 4;
    ctx.fillStyle = theme.bg;
    ctx.fillRect(x - 3, y - 10, width + 6, 13);
    ctx.fillStyle = theme.text1;
    ctx.fillText(text, x, y);
}

function paintAnnotations(ctx: Ctx, scene: ChartScene, box: ChartBox, theme: SnapshotTheme): void {
    const y = box.top - BAND - 1;
    ctx.font = `11px ${theme.sans}`;
    ctx.textBaseline = 'middle';
    ctx.textAlign = 'left';
    let labelEnd = box.left;
    for (const { from, to, name } of scene.annotations) {
        const x0 = Math.max(box.left, xOfView(box, scene.view, from));
        const x1 = Math.min(box.right, to === null ? box.right : xOfView(box, scene.view, to));
        if (x1 < box.left || x0 > box.right || x1 < x0) continue;
        ctx.fillStyle = theme.groups[0];
        if (to === null) {
            // Open to the right: only the start is known.
            ctx.fillRect(x0, y, 2, BAND - 2);
            ctx.strokeStyle = theme.lineStrong;
            ctx.setLineDash([2, 2]);
            ctx.strokeRect(x0 + 0.5, y + 0.5, x1 - x0, BAND - 3);
            ctx.setLineDash([]);
        } else ctx.fillRect(x0, y, Math.max(1.5, x1 - x0 - 1), BAND - 2);
        const room = x1 - Math.max(x0, labelEnd) - 6;
        if (room < 24 || x0 < labelEnd) continue;
        ctx.fillStyle = theme.text1;
        const text = fitText(ctx, name, room);
        ctx.fillText(text, x0 + 4, y + BAND / 2 - 0.5);
        labelEnd = x0 + 4 + ctx.measureText(text).width + 6;
    }
}

function fitText(ctx: Ctx, text: string, room: number): string {
    if (ctx.measureText(text).width <= room) return text;
    let short = text;
    while (short.length > 1 && ctx.measureText(`${short}…`).width > room)
        short = short.slice(0, -1);
    return short.length > 1 ? `${short}…` : '';
}

const TONES = {
    cursor: (theme: SnapshotTheme) => [theme.accent, theme.onAccent],
    failed: (theme: SnapshotTheme) => [theme.slower, theme.bg],
    note: (theme: SnapshotTheme) => ['', theme.text2],
} as const;

/* Marks that have no room for their flag are a count beside the line of the first of them. */
function paintMarks(ctx: Ctx, scene: ChartScene, box: ChartBox, theme: SnapshotTheme): void {
    ctx.font = `600 11px ${theme.sans}`;
    ctx.textBaseline = 'middle';
    const visible = scene.marks
        .map((mark) => ({ ...mark, x: xOfView(box, scene.view, mark.at) }))
        .filter(({ x }) => x >= box.left - 0.5 && x <= box.right + 0.5);
    const flags: Flag[] = visible.map(({ x, text }) => ({
        x,
        width: ctx.measureText(text).width + 12,
    }));
    const places = placeFlags(flags, box.left + 40, box.right);
    const lineTop = 2;
    visible.forEach(({ x, text, tone }, i) => {
        const [fill, ink] = TONES[tone](theme);
        ctx.strokeStyle = tone === 'note' ? theme.text3 : fill;
        ctx.lineWidth = tone === 'cursor' ? 1.5 : 1;
        if (tone === 'note') ctx.setLineDash([2, 3]);
        ctx.beginPath();
        const lineX = Math.round(x) + 0.5;
        ctx.moveTo(lineX, tone === 'note' || places[i] === 'hidden' ? FLAG + 2 : lineTop);
        ctx.lineTo(lineX, box.bottom);
        ctx.stroke();
        ctx.setLineDash([]);
        if (places[i] === 'hidden') return;
        const left = places[i] === 'right' ? lineX - 0.5 : lineX + 0.5 - flags[i].width;
        if (fill) {
            ctx.fillStyle = fill;
            ctx.fillRect(left, lineTop, flags[i].width, FLAG);
        }
        ctx.fillStyle = ink;
        ctx.textAlign = 'left';
        ctx.font = `${fill ? '600 ' : ''}11px ${theme.sans}`;
        ctx.fillText(text, left + 6, lineTop + FLAG / 2 + 0.5);
        ctx.font = `600 11px ${theme.sans}`;
    });
    paintHidden(ctx, visible, flags, places, box, theme);
}

function paintHidden(
    ctx: Ctx,
    visible: readonly { x: number }[],
    flags: readonly Flag[],
    places: readonly string[],
    box: ChartBox,
    theme: SnapshotTheme,
): void {
    const hidden = visible.map(({ x }) => x).filter((_, i) => places[i] === 'hidden');
    if (hidden.length === 0) return;
    ctx.font = `11px ${theme.sans}`;
    const text = hidden.length === 1 ? '1 more mark' : `${int(hidden.length)} more marks`;
    const width = ctx.measureText(text).width + 12;
    const shown = flags.filter((_, i) => places[i] !== 'hidden');
    const taken = shown.map((flag, i) => ({
        ...flag,
        side: places.filter((p) => p !== 'hidden')[i],
    }));
    const isFree = (from: number): boolean =>
        from >= box.left + 40 &&
        from + width <= box.right &&
        taken.every(({ x, width: w, side }) => {
            const a = side === 'right' ? x : x - w;
            return from + width <= a || from >= a + w;
        });
    const candidates = [
        ...hidden,
        ...taken.map(({ x, width: w, side }) => (side === 'right' ? x + w : x)),
    ];
    const [first] = hidden;
    const left = candidates.sort((a, b) => Math.abs(a - first) - Math.abs(b - first)).find(isFree);
    if (left === undefined) return;
    ctx.fillStyle = theme.text2;
    ctx.textAlign = 'left';
    ctx.fillText(text, left + 6, 2 + FLAG / 2 + 0.5);
}

export function paintChart(
    canvas: HTMLCanvasElement,
    scene: ChartScene,
    box: ChartBox,
    theme: SnapshotTheme,
): void {
    const ctx = sizeCanvas(canvas, box.width, box.height);
    if (!ctx) return;
    paintGrid(ctx, scene, box, theme);
    ctx.save();
    ctx.beginPath();
    ctx.rect(box.left, box.top - 2, box.right - box.left, box.bottom - box.top + 2);
    ctx.clip();
    if (scene.mode === 'lifetimes') paintBands(ctx, scene, box, theme);
    else if (scene.mode === 'reserved') paintReservedArea(ctx, scene, box, theme);
    else paintAreas(ctx, scene, box, theme);
    ctx.restore();
    paintReserved(ctx, scene, box, theme);
    paintAnnotations(ctx, scene, box, theme);
    if (scene.drag) {
        const [a, b] = [scene.drag.from, scene.drag.to].map((at) => xOfView(box, scene.view, at));
        ctx.fillStyle = theme.accent;
        ctx.globalAlpha = 0.14;
        ctx.fillRect(a, box.top, b - a, box.bottom - box.top);
        ctx.globalAlpha = 1;
    }
    ctx.font = `600 12px ${theme.sans}`;
    ctx.fillStyle = theme.text1;
    ctx.textAlign = 'left';
    ctx.textBaseline = 'middle';
    ctx.fillText(scene.title, 16, 11);
    paintMarks(ctx, scene, box, theme);
    const cursor = scene.marks[0];
    if (!cursor || scene.cursorBytes === null || scene.mode === 'reserved') return;
    const x = xOfView(box, scene.view, cursor.at);
    if (x < box.left || x > box.right) return;
    ctx.fillStyle = theme.accent;
    ctx.strokeStyle = theme.bg;
    ctx.lineWidth = 1;
    ctx.beginPath();
    ctx.arc(Math.round(x) + 0.5, yOf(box, scene, scene.cursorBytes), 4, 0, 2 * Math.PI);
    ctx.fill();
    ctx.stroke();
}
