/* SPDX-License-Identifier: MIT */
/* Overview and ruler of the timeline: the position of the view in the run, and its time scale. */
import { formatFixed } from '../../base/units';
import { TRACK } from '../../model/timeline_types';
import { axisOf, shifted, widthOf } from '../../model/timeline_view';
import { OVERVIEW, RULER_END, type Surface, type TimelineScene, xOf } from './scene';
import { paintParts } from './steps_row';

/** px above the strip, where the search draws its ticks, and below it */
const STRIP_TOP = 8;
const STRIP_BOTTOM = 3;
const HANDLE_HEIGHT = 12;
const TICK_HEIGHT = 5;
const SHADE_OPACITY = 0.72;
/** maximum width of a character on the ruler, px */
const MAX_CHAR_PX = 6;

interface OverviewRow {
    busy: number[];
    isStream: boolean;
}

function overviewRows(scene: TimelineScene): OverviewRow[] {
    const { overview, tracks } = scene.answer;
    const busy = new Map(overview.tracks.map((track) => [track.id, track.busy]));
    const rows: OverviewRow[] = [];
    for (const track of tracks) {
        const list = busy.get(track.id);
        if (list) rows.push({ busy: list, isStream: track.kind === TRACK.stream });
    }
    return rows;
}

/* Draws the overview. Its rows do not change, so they are painted only when the width, the pixel
 * ratio, the theme or the navigable range changes. */
export class OverviewPainter {
    private bitmap: HTMLCanvasElement | null = null;
    private key = '';

    paint(surface: Surface, scene: TimelineScene): void {
        const { ctx, width } = surface;
        this.updateBitmap(surface, scene);
        if (this.bitmap) ctx.drawImage(this.bitmap, 0, 0, width, OVERVIEW);
        const whole = widthOf(scene.whole);
        const left = ((scene.view.from - scene.whole.from) / whole) * width;
        const right = Math.max(left + 3, ((scene.view.to - scene.whole.from) / whole) * width);
        this.shadeOutside(surface, scene, left, right);
        paintTicks(surface, scene);
        ctx.fillStyle = scene.theme.line;
        ctx.fillRect(0, OVERVIEW - 1, width, 1);
    }

    private updateBitmap(surface: Surface, scene: TimelineScene): void {
        const { width, ratio } = surface;
        const { whole, theme, wholeParts } = scene;
        const key = `${width} ${ratio} ${theme.dark} ${whole.from} ${whole.to} ${wholeParts !== null}`;
        if (key === this.key) return;
        this.key = key;
        const canvas = document.createElement('canvas');
        canvas.width = Math.max(1, Math.round(width * ratio));
        canvas.height = Math.round(OVERVIEW * ratio);
        const ctx = canvas.getContext('2d');
        if (!ctx) return;
        ctx.scale(ratio, ratio);
        const at = overviewStrip(surface, scene);
        if (scene.wholeParts) {
            const xOfTime = (t: number): number =>
                at.left + ((t - scene.answer.start_ns) / runWidth(scene)) * at.width;
            const height = OVERVIEW - STRIP_TOP - STRIP_BOTTOM;
            paintParts({ ...surface, ctx }, scene, scene.wholeParts, xOfTime, {
                y: STRIP_TOP,
                height,
                width,
            });
            this.bitmap = canvas;
            return;
        }
        const rows = overviewRows(scene);
        const high = (OVERVIEW - STRIP_TOP - STRIP_BOTTOM) / Math.max(1, rows.length);
        rows.forEach((row, i) => {
            ctx.fillStyle = row.isStream ? scene.theme.busy : scene.theme.fills[7];
            paintStripRow(ctx, row, at, STRIP_TOP + i * high, high - (rows.length > 4 ? 0.5 : 1));
        });
        this.bitmap = canvas;
    }

    private shadeOutside(
        { ctx, width }: Surface,
        { theme }: TimelineScene,
        left: number,
        right: number,
    ): void {
        ctx.globalAlpha = SHADE_OPACITY;
        ctx.fillStyle = theme.bg;
        ctx.fillRect(0, 0, left, OVERVIEW - 1);
        ctx.fillRect(right, 0, width - right, OVERVIEW - 1);
        ctx.globalAlpha = 1;
        ctx.strokeStyle = theme.accent;
        ctx.lineWidth = 1;
        const height = OVERVIEW - STRIP_TOP - 1.5;
        ctx.strokeRect(left + 0.5, STRIP_TOP - 0.5, Math.max(2, right - left - 1), height);
        ctx.fillStyle = theme.accent;
        const handleTop = STRIP_TOP + (height - HANDLE_HEIGHT) / 2;
        ctx.fillRect(left - 1, handleTop, 3, HANDLE_HEIGHT);
        ctx.fillRect(right - 2, handleTop, 3, HANDLE_HEIGHT);
    }
}

const runWidth = ({ answer }: TimelineScene): number =>
    Math.max(1, answer.end_ns - answer.start_ns);

/* Ticks of all hits of the search, above the strip; a triangle at the selected hit. */
function paintTicks(surface: Surface, scene: TimelineScene): void {
    const { ctx, ratio } = surface;
    const { ticks, theme, answer, selected, isHit } = scene;
    if (!ticks.length) return;
    const { left, width } = overviewStrip(surface, scene);
    ctx.fillStyle = theme.tick;
    for (const share of ticks) {
        const x = Math.round((left + share * width) * ratio) / ratio;
        ctx.fillRect(x, 2, 1, TICK_HEIGHT);
    }
    if (!selected || !isHit) return;
    const x = left + ((selected.start - answer.start_ns) / runWidth(scene)) * width;
    ctx.beginPath();
    ctx.moveTo(x - 4, 0);
    ctx.lineTo(x + 4, 0);
    ctx.lineTo(x, STRIP_TOP - 1);
    ctx.fill();
}

/** Ticks on the ruler for the hits that the lanes show. */
export function paintRulerTicks(
    { ctx }: Surface,
    { theme }: TimelineScene,
    hits: Uint8Array,
): void {
    ctx.fillStyle = theme.tick;
    for (let x = 0; x < hits.length; x++) {
        if (hits[x]) ctx.fillRect(x, RULER_END - 1 - TICK_HEIGHT, 1, TICK_HEIGHT);
    }
}

interface OverviewStrip {
    left: number;
    width: number;
    ratio: number;
}

/* Horizontal position of the run within the navigable range, in px. */
function overviewStrip({ width, ratio }: Surface, { answer, whole }: TimelineScene): OverviewStrip {
    const scale = width / widthOf(whole);
    const left = (answer.start_ns - whole.from) * scale;
    return { left, width: Math.max(1, answer.end_ns - answer.start_ns) * scale, ratio };
}

/* Edges are on whole device pixels, and neighbours of equal height form one box, so that no comb
 * pattern appears. */
function paintStripRow(
    ctx: CanvasRenderingContext2D,
    { busy }: OverviewRow,
    { left, width, ratio }: OverviewStrip,
    y: number,
    height: number,
): void {
    const x = (i: number): number => Math.round((left + (i / busy.length) * width) * ratio) / ratio;
    for (let i = 0; i < busy.length;) {
        const from = i;
        while (i < busy.length && busy[i] === busy[from]) i++;
        if (busy[from] === 0) continue;
        const high = Math.max(1, (busy[from] / 255) * height);
        ctx.fillRect(x(from), y + height - high, Math.max(1 / ratio, x(i) - x(from)), high);
    }
}

/** Vertical grid lines at round times, through all lanes. */
export function paintGrid({ ctx, width, height }: Surface, scene: TimelineScene): void {
    const { view, origin } = scene;
    const axis = axisOf(shifted(view, -origin), width);
    ctx.fillStyle = scene.theme.line;
    for (let t = axis.first; t <= view.to - origin; t += axis.step) {
        ctx.fillRect(Math.round(xOf(scene, width, t + origin)), OVERVIEW, 1, height - OVERVIEW);
    }
}

export function paintRuler({ ctx, width }: Surface, scene: TimelineScene): void {
    const { theme, view, origin } = scene;
    const axis = axisOf(shifted(view, -origin), width);
    ctx.font = theme.fontSmall;
    ctx.textBaseline = 'alphabetic';
    ctx.fillStyle = theme.text2;
    for (let t = axis.first; t <= view.to - origin; t += axis.step) {
        const x = Math.round(xOf(scene, width, t + origin));
        const label = `${formatFixed(t / axis.scale, axis.decimals)} ${axis.unit}`;
        if (x + 5 + label.length * MAX_CHAR_PX > width) break;
        ctx.fillText(label, x + 5, OVERVIEW + 15);
    }
    ctx.fillStyle = theme.lineStrong;
    ctx.fillRect(0, RULER_END - 1, width, 1);
}

/** Marks the time at which this run is aligned with another, if it is not the start. */
export function paintOrigin({ ctx, width, height }: Surface, scene: TimelineScene): void {
    const { origin, view, theme } = scene;
    if (origin === 0 || origin < view.from || origin > view.to) return;
    const x = Math.round(xOf(scene, width, origin));
    ctx.fillStyle = theme.accent;
    ctx.fillRect(x, OVERVIEW, 1, height - OVERVIEW);
    ctx.fillRect(x - 2, OVERVIEW, 5, 4);
}
