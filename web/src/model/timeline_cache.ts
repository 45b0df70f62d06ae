/* SPDX-License-Identifier: MIT
 *
 * Cache of the server's windows of each track, as typed arrays. Each track keeps its last window
 * and a window of the complete run, so that a fast pan never shows an empty track.
 */
import type { WindowAnswer, WindowTrack } from '../base/answers';
import { type TimeView, widthOf } from './timeline_view';

/** Slices sorted by depth and start; the slices of depth d are [lane[d], lane[d + 1]). */
export interface SliceColumns {
    n: number;
    row: Uint32Array;
    start: Float64Array;
    end: Float64Array;
    name: Uint32Array;
    family: Uint8Array;
    flags: Uint16Array;
    lane: Uint32Array;
}

/** Ranges of adjacent pixels with slices too short to draw one by one, sorted by depth and px. */
export interface DensityColumns {
    n: number;
    px: Uint32Array;
    len: Uint32Array;
    fill: Uint8Array;
    count: Uint32Array;
    name: Uint32Array;
    family: Uint8Array;
    lane: Uint32Array;
}

export interface TrackWindow {
    track: number;
    from: number;
    to: number;
    px: number;
    /** ns per pixel */
    nsPerPx: number;
    depth: number;
    slices: SliceColumns;
    density: DensityColumns;
    counted: number;
}

function depthOffsets(depth: number[], rows: number): Uint32Array {
    const lane = new Uint32Array(rows + 1);
    for (const d of depth) lane[d + 1]++;
    for (let d = 0; d < rows; d++) lane[d + 1] += lane[d];
    return lane;
}

function lastDepth(list: number[]): number {
    // The list is sorted by depth.
    return list.length ? list[list.length - 1] : -1;
}

export function trackWindow(answer: WindowAnswer, track: WindowTrack): TrackWindow {
    const { slices, density } = track;
    const rows = Math.max(lastDepth(slices.depth), lastDepth(density.depth)) + 1;
    const n = slices.depth.length;
    const start = new Float64Array(n);
    const end = new Float64Array(n);
    for (let i = 0; i < n; i++) {
        start[i] = answer.from_ns + slices.start[i];
        end[i] = start[i] + slices.duration[i];
    }
    return {
        track: track.id,
        from: answer.from_ns,
        to: answer.to_ns,
        px: answer.px,
        nsPerPx: (answer.to_ns - answer.from_ns) / answer.px,
        depth: rows,
        counted: track.counted,
        slices: {
            n,
            start,
            end,
            row: Uint32Array.from(slices.row),
            name: Uint32Array.from(slices.name),
            family: Uint8Array.from(slices.family),
            flags: Uint16Array.from(slices.flags),
            lane: depthOffsets(slices.depth, rows),
        },
        density: {
            n: density.depth.length,
            px: Uint32Array.from(density.px),
            len: Uint32Array.from(density.len),
            fill: Uint8Array.from(density.fill),
            count: Uint32Array.from(density.count),
            name: Uint32Array.from(density.name),
            family: Uint8Array.from(density.family),
            lane: depthOffsets(density.depth, rows),
        },
    };
}

/** First slice of [low, high) that ends after t or starts at t; slices of one depth do not overlap. */
export function firstSliceAfter(
    slices: SliceColumns,
    low: number,
    high: number,
    t: number,
): number {
    while (low < high) {
        const middle = (low + high) >> 1;
        if (slices.end[middle] <= t && slices.start[middle] < t) low = middle + 1;
        else high = middle;
    }
    return low;
}

/** First pixel range of [low, high) that ends after px. */
export function firstRangeAfter(
    density: DensityColumns,
    low: number,
    high: number,
    px: number,
): number {
    while (low < high) {
        const middle = (low + high) >> 1;
        if (density.px[middle] + density.len[middle] <= px) low = middle + 1;
        else high = middle;
    }
    return low;
}

/** Maximum ratio between a pixel of the data and a pixel of the view, in both directions: at rest,
 * and while the view moves. */
const REST_RATIO = 1.03;
const MOVING_RATIO = 1.6;
/** Fraction of the view's width: request more when less data than this is loaded beyond an edge. */
const EDGE_SHARE = 0.1;
const MAX_TRACKS = 400;

interface TrackWindows {
    near: TrackWindow;
    whole: TrackWindow | null;
}

export class WindowCache {
    private readonly tracks = new Map<number, TrackWindows>();

    constructor(readonly whole: TimeView) {}

    put(answer: WindowAnswer): TrackWindow[] {
        const isComplete = answer.from_ns <= this.whole.from && answer.to_ns >= this.whole.to;
        return answer.tracks.map((track) => {
            const window = trackWindow(answer, track);
            const old = this.tracks.get(track.id);
            this.tracks.delete(track.id);
            this.tracks.set(track.id, {
                near: window,
                whole: isComplete ? window : (old?.whole ?? null),
            });
            this.trim();
            return window;
        });
    }

    /** Stores windows of the complete run as fallback; the near windows stay. */
    putWhole(answer: WindowAnswer): void {
        for (const track of answer.tracks) {
            const window = trackWindow(answer, track);
            const old = this.tracks.get(track.id);
            if (old) old.whole = window;
            else this.tracks.set(track.id, { near: window, whole: window });
        }
        this.trim();
    }

    near(track: number): TrackWindow | null {
        return this.tracks.get(track)?.near ?? null;
    }

    wholeOf(track: number): TrackWindow | null {
        return this.tracks.get(track)?.whole ?? null;
    }

    /** Tracks whose data is not sufficient for this view of `px` pixels. */
    missing(view: TimeView, px: number, tracks: number[], moving: boolean): number[] {
        return tracks.filter((track) => {
            const window = this.near(track);
            return !window || !coversView(window, view, px, this.whole, moving);
        });
    }

    private trim(): void {
        for (const track of this.tracks.keys()) {
            if (this.tracks.size <= MAX_TRACKS) return;
            this.tracks.delete(track);
        }
    }
}

export function coversView(
    window: { from: number; to: number; nsPerPx: number },
    view: TimeView,
    px: number,
    whole: TimeView,
    moving: boolean,
): boolean {
    const edge = widthOf(view) * EDGE_SHARE;
    if (window.from > Math.max(whole.from, view.from - edge) + 1) return false;
    if (window.to < Math.min(whole.to, view.to + edge) - 1) return false;
    const ratio = window.nsPerPx / (widthOf(view) / px);
    const slack = moving ? MOVING_RATIO : REST_RATIO;
    return ratio <= slack && ratio >= 1 / slack;
}

/** The window to request: the view plus half its width on both sides, in integer ns, at one data
 * pixel per screen pixel. */
export function windowFor(
    view: TimeView,
    px: number,
    whole: TimeView,
): { from: number; to: number; px: number } {
    const width = widthOf(view);
    const from = Math.floor(Math.max(whole.from, view.from - width / 2));
    const to = Math.max(from + 1, Math.ceil(Math.min(whole.to, view.to + width / 2)));
    return { from, to, px: Math.max(1, Math.round(((to - from) / width) * px)) };
}
