/* SPDX-License-Identifier: MIT
 *
 * Draws the picture of requests: the head with ruler, load, arrivals and steps, and one track for each
 * request. Sizes are in CSS px, colours are tokens of the style sheet.
 */
import type { RequestRows, RequestsWindow } from '../../base/answers';
import { formatFixed, int } from '../../base/units';
import { type Brush, startBrush } from '../../canvas/brush';
import {
    type Phase,
    type Piece,
    STEP_KINDS,
    stepHeights,
    stepTokens,
    timeText,
    trackHeight,
    trackPieces,
} from '../../model/requests';
import { axisOf, type TimeView, widthOf } from '../../model/timeline_view';

export interface RequestScene {
    view: TimeView;
    /** the answer for about this view: load, steps, arrivals, tokens */
    window: RequestsWindow;
    /** the requests with tracks, in order */
    rows: RequestRows;
    /** ids; null: none */
    request: number | null;
    step: number | null;
    /** requests that the selected request waited for */
    linked: ReadonlySet<number>;
    /** ids of the first and last step that the selected request waited for */
    linkedSteps: readonly { first: number; last: number }[];
    /** the shortest gap between tokens that is a stall, ns */
    stallNs: number;
    slots: number | null;
    /** more requests than tracks: the head shows when all of them arrive */
    hasArrivals: boolean;
    /** index of the track under the pointer; -1: none */
    hover: number;
    /** index of the step under the pointer; -1: none */
    hoverStep: number;
}

export interface PictureSize {
    /** width of the names on the left */
    gutter: number;
    width: number;
}

interface HeadRow {
    top: number;
    height: number;
}

export interface HeadLayout {
    ruler: HeadRow;
    load: HeadRow | null;
    arrivals: HeadRow | null;
    steps: HeadRow | null;
    height: number;
}

/** Where the rows of the head are. */
export function headLayout({ window, rows, hasArrivals }: RequestScene): HeadLayout {
    const ruler = { top: 0, height: 20 };
    const load = rows.id.length > 0 ? { top: 24, height: 34 } : null;
    let y = load ? load.top + load.height + 6 : 28;
    let arrivals: HeadRow | null = null;
    if (hasArrivals) {
        arrivals = { top: y, height: 34 };
        y += 40;
    }
    const steps = window.steps.id.length > 0 ? { top: y, height: 32 } : null;
    return { ruler, load, arrivals, steps, height: y + (steps ? 38 : 0) };
}

export function xOfTime(view: TimeView, { gutter, width }: PictureSize, ns: number): number {
    return gutter + ((ns - view.from) / widthOf(view)) * (width - gutter);
}

export function timeOfX(view: TimeView, { gutter, width }: PictureSize, x: number): number {
    return view.from + ((x - gutter) / Math.max(1, width - gutter)) * widthOf(view);
}

/* Stripes of a mixed step, or of a stall. */
function stripes({ ctx }: Brush, ground: string, line: string): CanvasPattern | string {
    const tile = document.createElement('canvas');
    tile.width = 6;
    tile.height = 6;
    const own = tile.getContext('2d');
    if (!own) return ground;
    own.fillStyle = ground;
    own.fillRect(0, 0, 6, 6);
    own.strokeStyle = line;
    own.lineWidth = 1.5;
    own.beginPath();
    for (const x of [-6, 0, 6]) {
        own.moveTo(x, 6);
        own.lineTo(x + 6, 0);
    }
    own.stroke();
    return ctx.createPattern(tile, 'repeat') ?? ground;
}

const fontOf = ({ token }: Brush, weight = 400): string => `${weight} 11px ${token('sans')}`;

function clipPlot({ ctx }: Brush, { gutter, width }: PictureSize, height: number): void {
    ctx.save();
    ctx.beginPath();
    ctx.rect(gutter, 0, width - gutter, height);
    ctx.clip();
}

function paintRuler(brush: Brush, scene: RequestScene, size: PictureSize, height: number): void {
    const { ctx, token } = brush;
    const axis = axisOf(scene.view, size.width - size.gutter);
    ctx.font = fontOf(brush);
    ctx.textBaseline = 'middle';
    for (let ns = axis.first; ns <= scene.view.to; ns += axis.step) {
        const x = Math.round(xOfTime(scene.view, size, ns)) + 0.5;
        ctx.fillStyle = token('line');
        ctx.fillRect(x - 0.5, 0, 1, height);
        ctx.fillStyle = token('text-3');
        ctx.fillText(`${formatFixed(ns / axis.scale, axis.decimals)}\u202f${axis.unit}`, x + 4, 10);
    }
}

function gridLines(brush: Brush, scene: RequestScene, size: PictureSize, height: number): void {
    const { ctx, token } = brush;
    const axis = axisOf(scene.view, size.width - size.gutter);
    ctx.fillStyle = token('line');
    for (let ns = axis.first; ns <= scene.view.to; ns += axis.step)
        ctx.fillRect(Math.round(xOfTime(scene.view, size, ns)), 0, 1, height);
}

/* The outline of a step line through counts, from the left edge of each column. */
function stepPath(
    ctx: CanvasRenderingContext2D,
    scene: RequestScene,
    size: PictureSize,
    counts: readonly number[],
    yOf: (count: number) => number,
): void {
    const { time_ns } = scene.window.load;
    const half = time_ns.length > 1 ? (time_ns[1] - time_ns[0]) / 2 : 0;
    ctx.beginPath();
    counts.forEach((count, i) => {
        const [x0, x1] = [
            xOfTime(scene.view, size, time_ns[i] - half),
            xOfTime(scene.view, size, time_ns[i] + half),
        ];
        if (i === 0) ctx.moveTo(x0, yOf(count));
        ctx.lineTo(x0, yOf(count));
        ctx.lineTo(x1, yOf(count));
    });
}

function paintLoad(brush: Brush, scene: RequestScene, size: PictureSize, row: HeadRow): void {
    const { ctx, token } = brush;
    const { running, waiting, in_flight } = scene.window.load;
    const main = running.some((n) => n > 0) ? running : in_flight;
    const most = [...main, ...waiting, 1].reduce((a, b) => Math.max(a, b), scene.slots ?? 1);
    const bottom = row.top + row.height;
    const yOf = (n: number): number => bottom - (n / most) * (row.height - 2);
    clipPlot(brush, size, bottom + 1);
    if (main.length > 0) {
        stepPath(ctx, scene, size, main, yOf);
        ctx.lineTo(size.width, bottom);
        ctx.lineTo(size.gutter, bottom);
        ctx.fillStyle = token('bar-2');
        ctx.fill();
        stepPath(ctx, scene, size, main, yOf);
        ctx.strokeStyle = token('bar');
        ctx.lineWidth = 1;
        ctx.stroke();
        if (main === running) {
            stepPath(ctx, scene, size, waiting, yOf);
            ctx.strokeStyle = token('tick');
            ctx.lineWidth = 1.5;
            ctx.stroke();
        }
    }
    if (scene.slots !== null) {
        ctx.setLineDash([3, 3]);
        ctx.strokeStyle = token('text-3');
        ctx.lineWidth = 1;
        ctx.beginPath();
        ctx.moveTo(size.gutter, Math.round(yOf(scene.slots)) + 0.5);
        ctx.lineTo(size.width, Math.round(yOf(scene.slots)) + 0.5);
        ctx.stroke();
        ctx.setLineDash([]);
    }
    ctx.restore();
}

function paintArrivals(brush: Brush, scene: RequestScene, size: PictureSize, row: HeadRow): void {
    const { ctx, token } = brush;
    const { arrivals, from_ns, to_ns, px } = scene.window;
    const most = arrivals.worst_ns.reduce((a, b) => Math.max(a, b), 1);
    const columnNs = (to_ns - from_ns) / Math.max(1, px);
    const bottom = row.top + row.height;
    clipPlot(brush, size, bottom + 1);
    arrivals.column.forEach((column, i) => {
        const x = xOfTime(scene.view, size, from_ns + column * columnNs);
        const x1 = xOfTime(scene.view, size, from_ns + (column + 1) * columnNs);
        const height = Math.max(1, (Math.max(0, arrivals.worst_ns[i]) / most) * row.height);
        ctx.fillStyle = arrivals.worst[i] === scene.request ? token('accent') : token('bar');
        ctx.fillRect(x, bottom - height, Math.max(1, x1 - x), height);
    });
    ctx.restore();
}

/* Narrower pieces have no gap to the next. */
const GAP_FROM_PX = 3;

function paintSteps(brush: Brush, scene: RequestScene, size: PictureSize, row: HeadRow): void {
    const { ctx, token } = brush;
    const { steps } = scene.window;
    const heights = stepHeights(steps);
    const fills = {
        unknown: token('line-strong'),
        prefill: token('phase-prefill'),
        mixed: stripes(brush, token('phase-mixed'), token('phase-mixed-line')),
        decode: token('phase-decode-bar'),
    };
    const bottom = row.top + row.height;
    clipPlot(brush, size, bottom + 3);
    ctx.font = fontOf(brush);
    ctx.textBaseline = 'middle';
    steps.id.forEach((id, i) => {
        const x = xOfTime(scene.view, size, steps.start_ns[i]);
        const x1 = xOfTime(scene.view, size, steps.end_ns[i]);
        if (x1 < size.gutter || x > size.width) return;
        const width = Math.max(1, x1 - x - (x1 - x > GAP_FROM_PX ? 1 : 0));
        const height = Math.round(heights[i] * row.height);
        ctx.fillStyle = fills[STEP_KINDS[steps.kind[i]]];
        ctx.fillRect(x, bottom - height, width, height);
        const isLinked = scene.linkedSteps.some(({ first, last }) => id >= first && id <= last);
        if (id === scene.step || i === scene.hoverStep || isLinked) {
            ctx.strokeStyle = id === scene.step || isLinked ? token('accent') : token('text-1');
            ctx.lineWidth = id === scene.step ? 2 : 1;
            ctx.strokeRect(x + 0.5, bottom - height + 0.5, Math.max(1, width - 1), height - 1);
        }
        const label = steps.count[i] > 1 ? '' : `${int(stepTokens(steps, i))} tokens`;
        if (label && height > 14 && width > ctx.measureText(label).width + 10) {
            const left = Math.max(x, size.gutter) + 5;
            const text = ctx.measureText(label).width;
            const middle = bottom - Math.min(height, row.height) / 2;
            if (steps.kind[i] === 2) {
                ctx.fillStyle = token('bg');
                ctx.fillRect(left - 2, middle - 7, text + 4, 14);
            }
            ctx.fillStyle = steps.kind[i] === 1 ? token('bg') : token('text-1');
            ctx.fillText(label, left, middle + 0.5);
        }
    });
    ctx.restore();
}

/** Draws ruler, load, arrivals and steps. */
export function paintHead(canvas: HTMLCanvasElement, scene: RequestScene, size: PictureSize): void {
    const layout = headLayout(scene);
    const brush = startBrush(canvas, size.width, layout.height);
    if (!brush) return;
    clipPlot(brush, size, layout.height);
    paintRuler(brush, scene, size, layout.height);
    brush.ctx.restore();
    if (layout.load) paintLoad(brush, scene, size, layout.load);
    if (layout.arrivals) paintArrivals(brush, scene, size, layout.arrivals);
    if (layout.steps) paintSteps(brush, scene, size, layout.steps);
}

/* --- Tracks --- */

const PHASE_TOKENS: Record<Phase, string> = {
    way: 'request-way',
    step: 'request-step',
    slot: 'request-slot',
    budget: 'request-budget',
    others: 'request-others',
    between: 'request-between',
    wait: 'request-between',
    prefill: 'request-prefill',
    decode: 'request-decode',
};

interface Track {
    top: number;
    height: number;
    pieces: Piece[];
}

/* Pieces before the first token have the full height, ways are thin lines, tokens a band. */
function paintPieces(brush: Brush, scene: RequestScene, size: PictureSize, track: Track): void {
    const { ctx, token } = brush;
    const { top, height, pieces } = track;
    for (const { phase, from, to } of pieces) {
        const x = xOfTime(scene.view, size, from);
        const x1 = xOfTime(scene.view, size, to);
        if (x1 < size.gutter || x > size.width) continue;
        const part = phase === 'way' ? 0.25 : phase === 'decode' ? 0.55 : 1;
        const own = Math.max(1, Math.round(height * part));
        const gap = x1 - x > GAP_FROM_PX && phase !== 'way' ? 1 : 0;
        ctx.fillStyle = token(PHASE_TOKENS[phase]);
        ctx.fillRect(x, top + (height - own) / 2, Math.max(1, x1 - x - gap), own);
    }
}

/* Below this width tokens are too close to each other for ticks. */
const TICK_PX = 3;

function paintTokens(
    brush: Brush,
    scene: RequestScene,
    size: PictureSize,
    tracks: ReadonlyMap<number, Track>,
): void {
    const { ctx, token } = brush;
    const { tokens, rows } = scene.window;
    const stall = stripes(brush, token('bg'), token('slower'));
    const lastX = new Map<number, number>();
    tokens.row.forEach((row, i) => {
        const track = tracks.get(rows.id[row]);
        if (!track) return;
        const { top, height } = track;
        const x1 = xOfTime(scene.view, size, tokens.end_ns[i]);
        const x0 = xOfTime(scene.view, size, tokens.end_ns[i] - tokens.gap_ns[i]);
        if (x1 < size.gutter || x0 > size.width) return;
        const own = Math.max(2, Math.round(height * 0.55));
        if (tokens.gap_ns[i] >= scene.stallNs && x1 - x0 >= 2) {
            ctx.fillStyle = stall;
            ctx.fillRect(x0, top + (height - own) / 2, x1 - x0, own);
            ctx.strokeStyle = token('slower');
            ctx.lineWidth = 1;
            if (x1 - x0 > 4)
                ctx.strokeRect(x0 + 0.5, top + (height - own) / 2 + 0.5, x1 - x0 - 1, own - 1);
        }
        if (x1 - (lastX.get(row) ?? -Infinity) < TICK_PX) return;
        lastX.set(row, x1);
        ctx.fillStyle = token('request-token');
        ctx.fillRect(Math.round(x1) - 0.5, top + (height - own) / 2, 1, own);
    });
}

function paintEnd(brush: Brush, scene: RequestScene, size: PictureSize, track: Track, i: number) {
    const { ctx, token } = brush;
    const last = track.pieces.at(-1);
    if (!last) return;
    const x = xOfTime(scene.view, size, last.to);
    if (x < size.gutter || x > size.width + 8) return;
    const { top, height } = track;
    if (scene.rows.state[i] === 0) {
        ctx.fillStyle = token('text-2');
        ctx.fillRect(Math.round(x) - 1, top, 1.5, height);
        return;
    }
    const arm = Math.min(4, height / 2);
    ctx.strokeStyle = token('slower');
    ctx.lineWidth = 2;
    ctx.beginPath();
    ctx.moveTo(x + 2, top + height / 2 - arm);
    ctx.lineTo(x + 2 + 2 * arm, top + height / 2 + arm);
    ctx.moveTo(x + 2 + 2 * arm, top + height / 2 - arm);
    ctx.lineTo(x + 2, top + height / 2 + arm);
    ctx.stroke();
}

function paintLabel(brush: Brush, scene: RequestScene, size: PictureSize, track: Track, i: number) {
    const { ctx, token } = brush;
    const { rows } = scene;
    const id = rows.id[i];
    const isChosen = id === scene.request;
    ctx.font = fontOf(brush, isChosen || scene.linked.has(id) ? 600 : 400);
    ctx.textBaseline = 'middle';
    const y = track.top + track.height / 2 + 0.5;
    ctx.fillStyle = isChosen || scene.linked.has(id) ? token('accent') : token('text-1');
    ctx.fillText(int(id), 16, y);
    ctx.textAlign = 'right';
    ctx.font = fontOf(brush);
    ctx.fillStyle = token('text-2');
    ctx.fillText(timeText(rows.ttft_ns[i]), size.gutter - 8, y);
    ctx.textAlign = 'left';
}

/* Tracks lower than this have no label of their own; every few have one. */
const LABEL_PX = 12;

/** Draws the tracks from `top` on, for a scroller of this height. */
export function paintTracks(
    canvas: HTMLCanvasElement,
    scene: RequestScene,
    size: PictureSize,
    scroll: { top: number; height: number },
): void {
    const brush = startBrush(canvas, size.width, scroll.height);
    if (!brush) return;
    const { ctx, token } = brush;
    const { rows } = scene;
    const each = trackHeight(rows.id.length);
    const first = Math.max(0, Math.floor(scroll.top / each));
    const last = Math.min(rows.id.length, Math.ceil((scroll.top + scroll.height) / each));
    const every = Math.ceil(LABEL_PX / each);
    const selected = scene.request === null ? -1 : rows.id.indexOf(scene.request);
    const tracks = new Map<number, Track>();
    clipPlot(brush, size, scroll.height);
    gridLines(brush, scene, size, scroll.height);
    ctx.restore();
    for (let i = first; i < last; i++) {
        const y = i * each - scroll.top;
        const id = rows.id[i];
        if (id === scene.request || i === scene.hover) {
            ctx.fillStyle = token(id === scene.request ? 'selected' : 'hover');
            ctx.fillRect(0, y, size.width, each);
        }
        if (id === scene.request) {
            ctx.fillStyle = token('accent');
            ctx.fillRect(0, y, 2, each);
        }
        const margin = each > 9 ? 2 : 1;
        const track = {
            top: y + margin,
            height: each - 2 * margin,
            pieces: trackPieces(rows, i),
        };
        tracks.set(id, track);
        const isNear = selected >= 0 && Math.abs(i - selected) < every && i !== selected;
        if ((i % every === 0 || i === selected) && !isNear)
            paintLabel(brush, scene, size, track, i);
    }
    clipPlot(brush, size, scroll.height);
    for (let i = first; i < last; i++) {
        const track = tracks.get(rows.id[i]);
        if (!track) continue;
        paintPieces(brush, scene, size, track);
        paintEnd(brush, scene, size, track, i);
    }
    paintTokens(brush, scene, size, tracks);
    ctx.restore();
}
