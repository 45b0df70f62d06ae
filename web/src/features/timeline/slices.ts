/* SPDX-License-Identifier: MIT
 *
 * Draws the slices of the visible lanes. Boxes are collected and painted by fill, because changing
 * the fill is expensive. Labels are drawn last, in one colour.
 */
import { firstSliceAfter, type TrackWindow } from '../../model/timeline_cache';
import { TRACK } from '../../model/timeline_types';
import { densityBitmapOf, hitPixelsOf } from './density';
import { type Band, bandOf, firstLaneOf, isInBand } from './bands';
import { boxHeight, type Lane, sliceTop } from './lanes';
import type { Surface, TimelineScene } from './scene';
import { fillOf } from './theme';

const MIN_LABEL_WIDTH = 22;
const LABEL_PADDING = 4;
const MIN_GAP_WIDTH = 3;
const UNMATCHED_OPACITY = 0.5;

/** A growing array of numbers whose memory is reused from frame to frame. */
class Numbers {
    data = new Float32Array(1024);
    n = 0;

    push(a: number, b: number, c: number, d: number): void {
        if (this.n + 4 > this.data.length) {
            const wider = new Float32Array(this.data.length * 2);
            wider.set(this.data);
            this.data = wider;
        }
        this.data[this.n++] = a;
        this.data[this.n++] = b;
        this.data[this.n++] = c;
        this.data[this.n++] = d;
    }
}

/** The part of a row that is drawn from one window: a time range, and where it is on the canvas. */
interface RowPart {
    window: TrackWindow;
    depth: number;
    from: number;
    to: number;
    y: number;
    /** height of the boxes */
    height: number;
    hasLabels: boolean;
}

export class SlicePainter {
    /** boxes as x, y, width, height, by fill; `unmatchedBoxes` has the boxes that the search does not
     * match */
    private readonly boxes: Numbers[] = [];
    private readonly unmatchedBoxes: Numbers[] = [];
    /** labels as x, y, available width, height; `labelNames` has their name ids */
    private readonly labels = new Numbers();
    private readonly labelNames: number[] = [];
    private readonly instants = new Numbers();
    /** number of slices that the last picture drew individually */
    drawn = 0;
    /** pixels of the last picture in which hits of the search start */
    hits = new Uint8Array(0);

    /** Forgets the picture of the last frame. */
    start(width: number): void {
        this.drawn = 0;
        if (this.hits.length === width) this.hits.fill(0);
        else this.hits = new Uint8Array(width);
    }

    paint(surface: Surface, scene: TimelineScene, band: Band): void {
        const { ctx } = surface;
        this.resetCounts(scene);
        const { lanes } = scene.lanes;
        for (let i = firstLaneOf(scene.lanes, band); i < lanes.length; i++) {
            if (!isInBand(scene, band, lanes[i])) break;
            if (lanes[i].kind === 'track') this.paintLane(surface, scene, lanes[i]);
        }
        this.paintBoxes(ctx, scene, this.unmatchedBoxes, UNMATCHED_OPACITY);
        this.paintBoxes(ctx, scene, this.boxes, 1);
        this.paintInstants(ctx, scene);
        this.paintLabels(surface, scene);
    }

    private resetCounts(scene: TimelineScene): void {
        for (let i = 0; i < scene.theme.fills.length; i++) {
            this.boxes[i] ??= new Numbers();
            this.unmatchedBoxes[i] ??= new Numbers();
            this.boxes[i].n = 0;
            this.unmatchedBoxes[i].n = 0;
        }
        this.labels.n = 0;
        this.labelNames.length = 0;
        this.instants.n = 0;
    }

    /* Draws the near window where it has data; to the left and right of it, the window of the
     * complete run. */
    private paintLane(surface: Surface, scene: TimelineScene, lane: Lane): void {
        const track = lane.track?.id ?? -1;
        const { view, cache } = scene;
        const near = cache.near(track);
        const whole = cache.wholeOf(track);
        if (!near) return;
        if (whole && whole !== near) {
            if (view.from < near.from)
                this.paintPart(surface, scene, lane, whole, view.from, near.from);
            if (view.to > near.to) this.paintPart(surface, scene, lane, whole, near.to, view.to);
        }
        this.paintPart(
            surface,
            scene,
            lane,
            near,
            Math.max(view.from, near.from),
            Math.min(view.to, near.to),
        );
    }

    private paintPart(
        surface: Surface,
        scene: TimelineScene,
        lane: Lane,
        window: TrackWindow,
        from: number,
        to: number,
    ): void {
        if (to <= from) return;
        const rows = Math.min(lane.rows, window.depth);
        const band = bandOf(scene, lane);
        const height = boxHeight(lane);
        for (let depth = 0; depth < rows; depth++) {
            const y = band.offset + sliceTop(lane, depth);
            if (y + lane.rowHeight < band.top || y > band.bottom) continue;
            const part = { window, depth, from, to, y, height, hasLabels: !lane.isFolded };
            if (lane.track?.kind === TRACK.instants) this.collectTicks(surface, scene, part);
            else this.paintDensityRow(surface, scene, part);
            this.collectSlices(surface, scene, part);
        }
    }

    /* Instants have no width, and so no coverage to draw: draws a tick at each bin that has
     * instants. */
    private collectTicks(
        { width }: Surface,
        scene: TimelineScene,
        { window, depth, from, to, y, height }: RowPart,
    ): void {
        const { density } = window;
        const scale = width / (scene.view.to - scene.view.from);
        for (let i = density.lane[depth]; i < density.lane[depth + 1]; i++) {
            const at = window.from + density.px[i] * window.nsPerPx;
            if (at >= from && at < to)
                this.instants.push((at - scene.view.from) * scale, y, 0, height);
        }
    }

    private paintDensityRow(
        { ctx, width }: Surface,
        scene: TimelineScene,
        { window, depth, from, to, y, height }: RowPart,
    ): void {
        const { density } = window;
        if (density.lane[depth] === density.lane[depth + 1]) return;
        const bitmap = densityBitmapOf(window, scene.theme, scene.found, scene.paintVersion);
        if (!bitmap) return;
        const left = (from - window.from) / window.nsPerPx;
        const fullWidth = (to - from) / window.nsPerPx;
        const scale = width / (scene.view.to - scene.view.from);
        const x = (from - scene.view.from) * scale;
        if (scene.found) this.collectDensityHits(window, scene, from, to, scale);
        ctx.drawImage(bitmap, left, depth, fullWidth, 1, x, y, (to - from) * scale, height);
    }

    /* The hits among slices that are only counted; the name of a bin is that of its longest slice. */
    private collectDensityHits(
        window: TrackWindow,
        { found, paintVersion, view }: TimelineScene,
        from: number,
        to: number,
        scale: number,
    ): void {
        if (!found) return;
        for (const px of hitPixelsOf(window, found, paintVersion)) {
            const t = window.from + px * window.nsPerPx;
            if (t < from || t >= to) continue;
            this.hits[Math.max(0, Math.floor((t - view.from) * scale))] = 1;
        }
    }

    private collectSlices(
        { width }: Surface,
        scene: TimelineScene,
        { window, depth, from, to, y, height, hasLabels }: RowPart,
    ): void {
        const { slices } = window;
        const { view, found } = scene;
        const scale = width / (view.to - view.from);
        const [edge0, edge1] = [(from - view.from) * scale, (to - view.from) * scale];
        const end = slices.lane[depth + 1];
        for (let i = firstSliceAfter(slices, slices.lane[depth], end, from); i < end; i++) {
            if (slices.start[i] >= to) break;
            const left = Math.max(edge0 - 2, (slices.start[i] - view.from) * scale);
            const right = Math.min(edge1 + 2, (slices.end[i] - view.from) * scale);
            const name = slices.name[i];
            this.drawn++;
            if (slices.flags[i] & 1) {
                this.instants.push(left, y, 0, height);
                continue;
            }
            if (found?.has(name)) this.hits[Math.max(0, Math.floor(left))] = 1;
            const fill = fillOf(slices.family[i], name);
            const fullWidth = right - left;
            const into = found === null || found.has(name) ? this.boxes : this.unmatchedBoxes;
            const boxWidth = fullWidth >= MIN_GAP_WIDTH ? fullWidth - 1 : Math.max(fullWidth, 0.8);
            into[fill].push(left, y, boxWidth, height);
            if (fullWidth < MIN_LABEL_WIDTH || !hasLabels) continue;
            this.labels.push(left, y, fullWidth, height);
            this.labelNames.push(name);
        }
    }

    private paintBoxes(
        ctx: CanvasRenderingContext2D,
        scene: TimelineScene,
        sets: Numbers[],
        alpha: number,
    ): void {
        ctx.globalAlpha = alpha;
        for (let fill = 0; fill < scene.theme.fills.length; fill++) {
            const { data, n } = sets[fill];
            if (n === 0) continue;
            ctx.fillStyle = scene.theme.fills[fill];
            for (let i = 0; i < n; i += 4)
                ctx.fillRect(data[i], data[i + 1], data[i + 2], data[i + 3]);
        }
        ctx.globalAlpha = 1;
    }

    /* Instants are ticks with a small square on top. */
    private paintInstants(ctx: CanvasRenderingContext2D, scene: TimelineScene): void {
        const { data, n } = this.instants;
        ctx.fillStyle = scene.theme.text2;
        for (let i = 0; i < n; i += 4) {
            ctx.fillRect(data[i] - 0.5, data[i + 1], 1, data[i + 3]);
            ctx.fillRect(data[i] - 2, data[i + 1], 4, 4);
        }
    }

    private paintLabels({ ctx, width, measure }: Surface, scene: TimelineScene): void {
        const { data, n } = this.labels;
        const { theme, names, found } = scene;
        ctx.font = theme.font;
        ctx.fillStyle = theme.ink;
        ctx.textBaseline = 'alphabetic';
        for (let i = 0, k = 0; i < n; i += 4, k++) {
            const left = Math.max(0, data[i]) + LABEL_PADDING;
            const maxWidth = Math.min(width, data[i] + data[i + 2]) - left - LABEL_PADDING + 1;
            if (maxWidth < MIN_LABEL_WIDTH - 2 * LABEL_PADDING) continue;
            const name = this.labelNames[k];
            const text = names.labelFor(name, maxWidth, measure);
            if (text === '') continue;
            ctx.globalAlpha = found === null || found.has(name) ? 1 : 0.8;
            ctx.fillText(text, left, data[i + 1] + 12);
        }
        ctx.globalAlpha = 1;
    }
}
