/* SPDX-License-Identifier: MIT */
/* Finds the slice under a point of the timeline. */
import {
    firstSliceAfter,
    firstRangeAfter,
    type TrackWindow,
    type WindowCache,
} from '../../model/timeline_cache';
import { wholeTrack } from '../../model/timeline_layers';
import { sliceId } from '../../model/timeline_types';
import { type TimeView, widthOf } from '../../model/timeline_view';
import { depthAt, type Lane } from './lanes';

export interface Hit {
    lane: Lane;
    track: number;
    depth: number;
    /** -1 for a group of slices that are too short to be drawn individually */
    id: number;
    name: number;
    family: number;
    start: number;
    end: number;
    /** number of slices in the group; 1 for a single slice */
    count: number;
}

const HIT_TOLERANCE_PX = 1.5;

function sliceIndexAt(window: TrackWindow, depth: number, t: number, tolerance: number): number {
    const { slices } = window;
    if (depth >= window.depth) return -1;
    const end = slices.lane[depth + 1];
    const at = firstSliceAfter(slices, slices.lane[depth], end, t - tolerance);
    // The slice that contains the time, else the nearest one within `tolerance`.
    for (let i = at; i < end && slices.start[i] <= t; i++) {
        if (slices.end[i] > t) return i;
    }
    return at < end && slices.start[at] <= t + tolerance ? at : -1;
}

function densityRunAt(window: TrackWindow, depth: number, t: number, tolerance: number): number {
    const { density } = window;
    if (depth >= window.depth || t < window.from || t > window.to) return -1;
    const px = (t - window.from) / window.nsPerPx;
    const tolerancePx = tolerance / window.nsPerPx;
    const end = density.lane[depth + 1];
    const at = firstRangeAfter(density, density.lane[depth], end, px - tolerancePx);
    return at < end && density.px[at] <= px + tolerancePx ? at : -1;
}

export function hitSlice(
    cache: WindowCache,
    lane: Lane,
    depth: number,
    t: number,
    tolerance: number,
): Hit | null {
    const track = lane.track?.id ?? -1;
    const window = cache.near(track);
    if (!window) return null;
    const base = { lane, track, depth };
    const i = sliceIndexAt(window, depth, t, tolerance);
    if (i >= 0) {
        const { slices } = window;
        return {
            ...base,
            id: sliceId(wholeTrack(track), slices.row[i]),
            name: slices.name[i],
            family: slices.family[i],
            start: slices.start[i],
            end: slices.end[i],
            count: 1,
        };
    }
    const run = densityRunAt(window, depth, t, tolerance);
    if (run < 0) return null;
    const { density } = window;
    return {
        ...base,
        id: -1,
        name: density.name[run],
        family: density.family[run],
        start: window.from + density.px[run] * window.nsPerPx,
        end: window.from + (density.px[run] + density.len[run]) * window.nsPerPx,
        count: density.count[run],
    };
}

/** The slice of a lane at x px from the left edge of the tracks and y px from the top of the first
 * lane; null if there is none. */
export function hitAt(
    cache: WindowCache,
    lane: Lane,
    view: TimeView,
    px: number,
    x: number,
    y: number,
): Hit | null {
    if (lane.kind !== 'track') return null;
    const depth = depthAt(lane, y);
    if (depth < 0) return null;
    const nsPerPx = widthOf(view) / px;
    return hitSlice(cache, lane, depth, view.from + x * nsPerPx, HIT_TOLERANCE_PX * nsPerPx);
}
