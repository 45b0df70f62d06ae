/* SPDX-License-Identifier: MIT
 *
 * JSON of docs/api-traces.md, as far as the timeline reads it. Times are integer ns since the first
 * event.
 */
import type { TraceProcessRow, TraceSeriesRow, TraceStepRow } from '../base/rows';

/** A part of a thread that is a track of the timeline (timeline_layers.ts). */
export interface TraceLayer {
    id: number;
    layer: string;
    slices: number;
    depth: number;
}

export interface TraceTrack {
    id: number;
    process: number;
    kind: number;
    name: string;
    tid: string;
    device: number;
    stream: number;
    slices: number;
    depth: number;
    start_ns: number;
    end_ns: number;
    /** absent: all slices of the track are drawn together */
    layers?: TraceLayer[];
    /** the layer that this track is; set by withLayers */
    layer?: string;
}

export interface TraceMemory {
    device_type: number;
    device: number;
    worker: number;
    label: string;
    peak_bytes: number;
    reserved_peak_bytes: number | null;
    /** the run that has the curve, if it is not the trace; `origin_us` is time 0 of the trace */
    snapshot?: { run: string; name: string; origin_us: number; evidence: string };
}

export interface TimelineAnswer {
    start_ns: number;
    end_ns: number;
    origin_us: string | null;
    processes: TraceProcessRow[];
    tracks: TraceTrack[];
    counters: TraceSeriesRow[];
    memory: TraceMemory[];
    steps: TraceStepRow[];
    overview: { px: number; tracks: { id: number; busy: number[] }[] };
}

export interface WindowTrack {
    id: number;
    slices: {
        depth: number[];
        row: number[];
        start: number[];
        duration: number[];
        name: number[];
        family: number[];
        kind: number[];
        flags: number[];
    };
    density: {
        depth: number[];
        px: number[];
        len: number[];
        fill: number[];
        count: number[];
        name: number[];
        family: number[];
    };
    counted: number;
}

export interface WindowAnswer {
    from_ns: number;
    to_ns: number;
    px: number;
    tracks: WindowTrack[];
    drawn: number;
    counted: number;
}

export interface CurvesAnswer {
    counters: { id: number; t_ns: number[]; value: number[] }[];
    memory: {
        device_type: number;
        device: number;
        worker: number;
        t_ns: number[];
        allocated: (number | null)[];
        reserved: (number | null)[];
    }[];
    busy: { track: number; share: number[] }[];
}

/** What counts at each pixel of a window, by the first of the three breakdowns: the parts of a step,
 * in runs of equal pixels. */
export interface PartsAnswer {
    from_ns: number;
    to_ns: number;
    px: number;
    /** names of the parts; `part` has indices of them */
    names: string[];
    part: number[];
    len: number[];
}

export interface SliceRef {
    id: number;
    name: string;
    start_ns: number;
    duration_ns: number;
}

export interface SliceFlow {
    kind: string;
    from: number;
    to: number;
    from_ns: number;
    to_ns: number;
    from_name: string;
    to_name: string;
}

export interface SliceFacts {
    id: number;
    track: number;
    row: number;
    name: string;
    /** text id */
    name_id: number;
    category: string;
    kind: number;
    flags: number;
    family: number;
    start_ns: number;
    duration_ns: number;
    self_ns: number;
    depth: number;
    device_self_ns: number;
    device_total_ns: number;
    cpu_bytes: number;
    device_bytes: number;
    flops: number;
    /** where it is drawn */
    layer_track: number;
    layer_depth: number;
}

export interface SliceAnswer {
    slice: SliceFacts;
    args: Record<string, unknown>;
    parents: SliceRef[];
    children: SliceRef[];
    children_total: number;
    previous: number | null;
    next: number | null;
    launch: (SliceRef & { delay_ns: number }) | null;
    /** recorded_by: how the operator of work that a graph replayed was found in its capture */
    operator: (SliceRef & { recorded_by?: 'node' | 'order' }) | null;
    kernels: (SliceRef & { track: number })[];
    kernels_total: number;
    /** sum of the durations of the kernels, copies and sets that the slice launched */
    kernels_ns: number;
    flows: SliceFlow[];
    memory: { t_ns: number; bytes: number; device: number; device_type: number }[];
    memory_total: number;
}

export interface FoundName {
    id: number;
    name: string;
    count: number;
    total_ns: number;
    kind: number;
}

export interface FindAnswer {
    names: FoundName[];
    names_total: number;
    count: number;
    /** index: its place among the hits of the trace, from 0 */
    hit:
        | (SliceRef & {
              track: number;
              depth: number;
              index: number;
              layer_track: number;
              layer_depth: number;
          })
        | null;
    /** the pixels of the trace in which hits start; null if not requested */
    bins: { px: number[]; count: number[] } | null;
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
