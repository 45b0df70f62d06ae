/* SPDX-License-Identifier: MIT */
/* Geometry and painting of the critical path: axis, strip of parts, threads and streams with the
 * path as a line above the rows that it runs through. */
import type { CriticalPath, CriticalTrack } from '../../base/answers';
import { THIN_SPACE } from '../../base/units';
import { type Brush as CanvasBrush, startBrush } from '../../canvas/brush';
import {
    type DrawnSlice,
    onTrack,
    partInfo,
    type PartRun,
    type PathLeg,
    pathLegs,
} from '../../model/critical_path';
import { FAMILIES } from '../../model/family';
import { ms } from '../../model/trace_range';
import { deviceWord } from '../../model/device';

export interface PathScene {
    answer: CriticalPath;
    tracks: CriticalTrack[];
    runs: PartRun[];
    /** by the id of the track; empty before they are loaded */
    slices: Map<number, DrawnSlice[]>;
    /** drawn time in ns */
    from: number;
    to: number;
    /** selected part; '': none */
    part: string;
    fades: boolean;
}

interface TrackRow {
    track: CriticalTrack;
    top: number;
    height: number;
}

export interface PathGeometry {
    left: number;
    width: number;
    height: number;
    strip: { top: number; height: number };
    rows: TrackRow[];
}

const AXIS = 24;
const STRIP = { top: 30, height: 24 };
const TRACKS_TOP = 64;
const ROW = 13;
const ROW_GAP = 2;
const TRACK_PAD = 12;
const ROWS_MAX = { thread: 5, stream: 2 };
const RIGHT = 12;
const FADED = 0.32;
const LINE = 2.5;
const ARROW = 5;

/** The most rows that a track has. */
export const rowsMax = (track: CriticalTrack): number =>
    track.thread ? ROWS_MAX.thread : ROWS_MAX.stream;

export function layoutPath(scene: PathScene, total: number): PathGeometry {
    const left = total < 700 ? 84 : 148;
    const rows: TrackRow[] = [];
    let top = TRACKS_TOP;
    for (const track of scene.tracks) {
        const drawn = scene.slices.get(track.id) ?? [];
        const n = drawn.reduce((most, { row }) => Math.max(most, row + 1), 1);
        const height = Math.max(34, TRACK_PAD + n * (ROW + ROW_GAP) + 6);
        rows.push({ track, top, height });
        top += height;
    }
    return { left, width: Math.max(40, total - left - RIGHT), height: top + 4, strip: STRIP, rows };
}

/** The moment at x; null: beside the picture. */
export function timeAt(scene: PathScene, geometry: PathGeometry, x: number): number | null {
    const share = (x - geometry.left) / geometry.width;
    if (share < 0 || share >= 1) return null;
    return scene.from + share * (scene.to - scene.from);
}

interface Brush extends CanvasBrush {
    font: string;
    scene: PathScene;
    geometry: PathGeometry;
    x: (ns: number) => number;
}

/** Round times from `from` on, at most eight. */
function ticksOf(from: number, to: number): number[] {
    let distance = 1;
    for (let factor = 0; (to - from) / distance > 8; factor++) distance *= [2, 2.5, 2][factor % 3];
    const ticks: number[] = [];
    for (let t = Math.ceil(from / distance) * distance; t < to; t += distance) ticks.push(t);
    return ticks;
}

function paintAxis({ ctx, token, scene, geometry, x }: Brush): void {
    const { from_ns } = scene.answer;
    const end = geometry.left + geometry.width;
    ctx.textBaseline = 'middle';
    ctx.textAlign = 'left';
    for (const t of ticksOf(scene.from - from_ns, scene.to - from_ns)) {
        const at = Math.round(x(t + from_ns)) + 0.5;
        ctx.fillStyle = token('line');
        ctx.fillRect(at - 0.5, AXIS, 1, geometry.height - AXIS);
        ctx.fillStyle = token('text-2');
        const text = `${Number((t / 1e6).toFixed(6))}${THIN_SPACE}ms`;
        if (at + 4 + ctx.measureText(text).width < end) ctx.fillText(text, at + 4, AXIS / 2);
    }
    ctx.fillStyle = token('line');
    ctx.fillRect(0, AXIS, end + RIGHT, 1);
}

function fitText({ ctx }: Brush, text: string, width: number): string {
    if (ctx.measureText(text).width <= width) return text;
    for (let n = text.length - 1; n > 2; n--) {
        const cut = `${text.slice(0, n)}…`;
        if (ctx.measureText(cut).width <= width) return cut;
    }
    return '';
}

function paintStrip(brush: Brush): void {
    const { ctx, token, scene, geometry, x } = brush;
    const { top, height } = geometry.strip;
    const right = geometry.left + geometry.width;
    for (const run of scene.runs) {
        if (run.to <= scene.from || run.from >= scene.to) continue;
        const part = scene.answer.path.parts[run.part];
        const left = Math.max(geometry.left, x(run.from));
        const width = Math.max(0.5, Math.min(right, x(run.to)) - left);
        ctx.globalAlpha = scene.part && scene.part !== part ? 0.45 : 1;
        ctx.fillStyle = token(`family-${partInfo(part).family}`);
        ctx.fillRect(left, top, width, height);
        if (width > 24) {
            ctx.globalAlpha = 1;
            ctx.fillStyle = token('ink');
            const text = `${partInfo(part).title} ${ms(run.to - run.from)}${THIN_SPACE}ms`;
            ctx.fillText(fitText(brush, text, width - 10), left + 5, top + height / 2 + 0.5);
        }
        ctx.globalAlpha = 1;
    }
    for (const run of scene.runs) {
        if (scene.answer.path.parts[run.part] !== scene.part) continue;
        if (run.to <= scene.from || run.from >= scene.to || x(run.to) - x(run.from) < 4) continue;
        const left = Math.max(geometry.left, x(run.from)) + 1;
        ctx.strokeStyle = token('accent');
        ctx.lineWidth = 2;
        ctx.strokeRect(left, top + 1, Math.min(right, x(run.to)) - left - 1, height - 2);
    }
}

function paintSlices(brush: Brush, row: TrackRow, slices: DrawnSlice[]): void {
    const { ctx, token, geometry, x } = brush;
    const end = geometry.left + geometry.width;
    const alpha = ctx.globalAlpha;
    for (const slice of slices) {
        const left = Math.max(geometry.left, x(slice.from));
        const right = Math.min(end, x(slice.to));
        if (right <= geometry.left || left >= end) continue;
        ctx.globalAlpha = alpha * (0.35 + 0.65 * slice.fill);
        ctx.fillStyle = token(`family-${(FAMILIES[slice.family] ?? FAMILIES[0]).key}`);
        ctx.fillRect(
            left,
            row.top + TRACK_PAD + slice.row * (ROW + ROW_GAP),
            Math.max(0.6, right - left - (right - left > 3 ? 0.5 : 0)),
            ROW,
        );
    }
    ctx.globalAlpha = alpha;
}

function paintTrack(brush: Brush, row: TrackRow): void {
    const { ctx, token, scene, geometry, x } = brush;
    const slices = scene.slices.get(row.track.id) ?? [];
    ctx.fillStyle = token('line');
    ctx.fillRect(0, row.top, geometry.left + geometry.width + RIGHT, 1);
    ctx.fillStyle = token('text-1');
    ctx.font = `600 ${brush.font}`;
    const { track } = row;
    const title = track.main ? 'main thread' : track.name;
    ctx.fillText(fitText(brush, title, geometry.left - 20), 14, row.top + 15);
    ctx.font = brush.font;
    ctx.fillStyle = token('text-2');
    const place = track.thread
        ? `thread ${track.tid}`
        : track.device >= 0
          ? `${deviceWord()} ${track.device}`
          : '';
    const text = track.on_path_ns > 0 ? place : `${place ? `${place}, ` : ''}off the path`;
    if (row.height >= 34) ctx.fillText(fitText(brush, text, geometry.left - 20), 14, row.top + 29);
    if (!scene.fades) {
        paintSlices(brush, row, slices);
        return;
    }
    ctx.globalAlpha = FADED;
    paintSlices(brush, row, slices);
    ctx.globalAlpha = 1;
    const least = (scene.to - scene.from) / geometry.width;
    const spans = onTrack(scene.answer.path, track.id, least).filter(
        ([from, to]) => to > scene.from && from < scene.to,
    );
    if (spans.length === 0) return;
    ctx.save();
    ctx.beginPath();
    for (const [from, to] of spans)
        ctx.rect(x(from), row.top + 1, Math.max(1, x(to) - x(from)), row.height - 1);
    ctx.clip();
    paintSlices(brush, row, slices);
    ctx.restore();
}

function arrow({ ctx }: Brush, at: number, y: number, up: boolean): void {
    const tip = up ? y : y - 1;
    const back = up ? y + ARROW + 2 : y - ARROW - 3;
    ctx.beginPath();
    ctx.moveTo(at, tip);
    ctx.lineTo(at - ARROW + 1, back);
    ctx.lineTo(at + ARROW - 1, back);
    ctx.fill();
}

/* Each pixel column has at most one change of track: shorter stretches belong to the one before. */
function paintLine(brush: Brush): void {
    const { ctx, token, scene, geometry, x } = brush;
    const least = (3 * (scene.to - scene.from)) / geometry.width;
    const top = new Map(geometry.rows.map(({ track, top: at }) => [track.id, at + 6]));
    const right = geometry.left + geometry.width;
    let last: PathLeg | null = null;
    ctx.strokeStyle = token('text-1');
    ctx.fillStyle = token('text-1');
    ctx.lineWidth = LINE;
    for (const leg of pathLegs(scene.answer.path, least)) {
        const y = top.get(leg.track);
        const isShown = leg.to > scene.from && leg.from < scene.to && y !== undefined;
        if (isShown) {
            const from = Math.max(geometry.left, x(leg.from));
            const before = last && top.get(last.track);
            ctx.beginPath();
            if (before !== null && before !== undefined && leg.from > scene.from) {
                ctx.moveTo(from, before);
                ctx.lineTo(from, y);
            } else ctx.moveTo(from, y);
            ctx.lineTo(Math.min(right, x(leg.to)), y);
            ctx.stroke();
            if (
                before !== null &&
                before !== undefined &&
                leg.from > scene.from &&
                Math.abs(y - before) > 2
            )
                arrow(brush, from, y, y < before);
        }
        if (y !== undefined) last = leg;
    }
}

export function paintPath(
    canvas: HTMLCanvasElement,
    scene: PathScene,
    geometry: PathGeometry,
): void {
    const started = startBrush(canvas, geometry.left + geometry.width + RIGHT, geometry.height);
    if (!started) return;
    const { ctx, token } = started;
    const font = `11.5px ${token('sans') || 'sans-serif'}`;
    ctx.font = font;
    const scale = geometry.width / (scene.to - scene.from);
    const brush: Brush = {
        ...started,
        font,
        scene,
        geometry,
        x: (ns) => geometry.left + (ns - scene.from) * scale,
    };
    paintAxis(brush);
    ctx.font = `600 ${font}`;
    ctx.fillStyle = token('text-1');
    const { top, height } = geometry.strip;
    ctx.fillText(fitText(brush, 'Critical path', geometry.left - 20), 14, top + height / 2 + 0.5);
    ctx.font = font;
    paintStrip(brush);
    for (const row of geometry.rows) paintTrack(brush, row);
    paintLine(brush);
}
