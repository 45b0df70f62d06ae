/* SPDX-License-Identifier: MIT
 *
 * JSON of docs/api-traces.md, as far as the timeline reads it. Times are integer ns since the first
 * event.
 */
import type { TimelineMemory, TimelineTrack } from '../base/answers';

export interface TraceTrack extends TimelineTrack {
    /** the layer that this track is; set by withLayers */
    layer?: string;
}

export interface TraceMemory extends TimelineMemory {
    /** the run that has the curve, if it is not the trace; `origin_us` is time 0 of the trace */
    snapshot?: { run: string; name: string; origin_us: number; evidence: string };
}

/** The id of a slice is track · 2³² + row, which exceeds the 32 bits of bit operations. */
export const TRACK_UNIT = 2 ** 32;

/** The ids of tracks are below it; those of layers are a multiple of it more than their track's. */
export const TRACK_IDS = 2 ** 21;

export const sliceId = (track: number, row: number): number => track * TRACK_UNIT + row;
export const trackOf = (id: number): number => Math.floor(id / TRACK_UNIT);
export const rowOf = (id: number): number => id % TRACK_UNIT;

export const TRACK = {
    thread: 0,
    stream: 1,
    streamAnnotations: 2,
    async: 3,
    instants: 4,
    overhead: 5,
    span: 6,
    sync: 7,
} as const;

/** Kernels, copies and memsets: the work of a device. */
export const isDeviceWork = (kind: number): boolean => kind >= 6 && kind <= 8;
