/* SPDX-License-Identifier: MIT
 *
 * Lanes of the timeline from top to bottom: one per track, the busy share below each stream,
 * memory, counters. This module computes the layout only; the canvas and the labels draw it.
 */
import type {
    TraceProcessRow as TraceProcess,
    TraceSeriesRow as TraceCounter,
} from '../../base/rows';
import { formatValueIn, int, text } from '../../base/units';
import { acceleratorName, deviceName, placeKey } from '../../model/device';
import {
    type TimelineAnswer,
    TRACK,
    type TraceMemory,
    type TraceTrack,
} from '../../model/timeline_types';
import type { WorkerName } from '../../model/worker_names';

export const SLICE_ROW = 17;
const LANE_PADDING = 3;
const TRACK_FOOT = 5;
const LABEL_LINE_HEIGHT = 16;
const BUSY_HEIGHT = 26;
const MEMORY_HEIGHT = 88;
const COUNTER_HEIGHT = 60;
/** maximum length of a process label that leaves space for `stream 20` on the same line */
const MAX_INLINE_PROCESS = 8;

export interface Lane {
    /** `t3`, `b3`, `m1:0`, `c2`; the URL lists folded lanes by these keys */
    key: string;
    kind: 'track' | 'busy' | 'memory' | 'counter';
    top: number;
    height: number;
    isFolded: boolean;
    /** true: first lane of a process */
    first: boolean;
    process: TraceProcess | null;
    track: TraceTrack | null;
    memory: TraceMemory | null;
    counter: TraceCounter | null;
    label: LaneLabel;
}

export interface LaneLabel {
    /** shown in bold: the process, only in its first lane */
    process: string;
    /** true: the name fits on the line of the process */
    isInline: boolean;
    name: string;
    role: string;
    /** the complete label, for the tooltip */
    tooltip: string;
}

export interface Lanes {
    lanes: Lane[];
    height: number;
    /** lane by track id */
    byTrack: Map<number, Lane>;
}

const TRACK_ROLES: Record<number, string> = {
    [TRACK.streamAnnotations]: 'GPU annotations',
    [TRACK.async]: 'asynchronous',
    [TRACK.instants]: 'instants',
    [TRACK.overhead]: 'profiler overhead',
    [TRACK.span]: 'recording',
    [TRACK.sync]: 'device waits',
};

/** Label of a process; with several workers in a run it includes the worker. */
function processLabel(process: TraceProcess, nameOf: WorkerName | null): string {
    const label = processName(process);
    return nameOf ? `${label}, ${nameOf(process.worker)}` : label;
}

function processName({ name, labels, pid, device }: TraceProcess): string {
    if (labels) return labels;
    if (!name && device !== null) return acceleratorName(device);
    if (!name) return pid ? (/^\d+$/.test(pid) ? `process ${pid}` : pid) : '';
    return /\d/.test(name) || !pid ? name : `${name} ${pid}`;
}

/* Label of a thread by its id; without `thread` if the id is a long address. */
function threadLabel(tid: string): string {
    return /^\d{1,9}$/.test(tid) ? `thread ${tid}` : tid;
}

/** Splits the label of a track: in `thread 25738 (python)` the part in brackets is the role, shown
 * on the second line. */
export function trackLabel(track: TraceTrack): { name: string; role: string } {
    if (track.kind === TRACK.stream || track.kind === TRACK.streamAnnotations) {
        const role = TRACK_ROLES[track.kind] ?? '';
        const streamName = track.stream >= 0 ? `stream ${track.stream}` : track.name;
        // Streams with equal numbers in several processes or contexts have distinguishing names.
        return { name: track.name.startsWith(`${streamName}, `) ? track.name : streamName, role };
    }
    const named = track.name || threadLabel(track.tid);
    const match = /^(.*\S)\s*\(([^()]*)\)$/.exec(named.replace(/^thread (?=\d{10})/, ''));
    const bracketed = match && !/^[\d.]+$/.test(match[2]) ? match[2] : '';
    const role = TRACK_ROLES[track.kind] ?? bracketed;
    const name = match && bracketed ? match[1] : named.replace(/^thread (?=\d{10})/, '');
    return { name, role: role === name ? '' : role };
}

interface LaneBuilder {
    answer: TimelineAnswer;
    folded: ReadonlySet<string>;
    roles: ReadonlyMap<number, string>;
    lanes: Lane[];
    processes: Map<number, TraceProcess>;
    top: number;
    process: number;
    nameOf: WorkerName | null;
}

function pushLane(
    builder: LaneBuilder,
    lane: Omit<Lane, 'top' | 'isFolded' | 'first'>,
    process: number,
): void {
    const first = process !== builder.process;
    builder.process = process;
    builder.lanes.push({
        ...lane,
        top: builder.top,
        isFolded: builder.folded.has(lane.key),
        first,
    });
    builder.top += lane.height;
}

function trackHeight(track: TraceTrack, folded: boolean, lines: number): number {
    if (folded) return SLICE_ROW + 2 * LANE_PADDING;
    const rowsHeight = LANE_PADDING + Math.max(1, track.depth) * SLICE_ROW + TRACK_FOOT;
    if (track.kind === TRACK.stream)
        return Math.max(rowsHeight - TRACK_FOOT + 2, LANE_PADDING + lines * LABEL_LINE_HEIGHT + 2);
    return Math.max(rowsHeight, 2 * LANE_PADDING + lines * LABEL_LINE_HEIGHT + 4);
}

function addTrack(builder: LaneBuilder, track: TraceTrack): void {
    const key = `t${track.id}`;
    const folded = builder.folded.has(key);
    const process = builder.processes.get(track.process) ?? null;
    const first = track.process !== builder.process;
    const label = trackLabel(track);
    const role = builder.roles.get(track.id) ?? label.role;
    const processText = first && process ? processLabel(process, builder.nameOf) : '';
    const stream = track.kind === TRACK.stream;
    const isInline = stream && processText.length <= MAX_INLINE_PROCESS;
    const lines = (processText && !isInline ? 1 : 0) + 1 + (role ? 1 : 0);
    const tooltip = [
        process && `${process.name} ${process.pid} ${process.labels}`.trim(),
        track.name,
        track.tid,
    ]
        .filter(Boolean)
        .join(' · ');
    pushLane(
        builder,
        {
            key,
            kind: 'track',
            height: trackHeight(track, folded, lines),
            process,
            track,
            memory: null,
            counter: null,
            label: { process: processText, isInline, name: label.name, role, tooltip },
        },
        track.process,
    );
    if (stream && !folded) addBusy(builder, track, process);
}

function addBusy(builder: LaneBuilder, track: TraceTrack, process: TraceProcess | null): void {
    const label = {
        process: '',
        isInline: false,
        name: '',
        role: 'busy, 0–100 %',
        tooltip: 'share of each pixel in which the stream works',
    };
    const lane = {
        key: `b${track.id}`,
        kind: 'busy' as const,
        height: BUSY_HEIGHT + 6,
        memory: null,
        counter: null,
    };
    pushLane(builder, { ...lane, process, track, label }, track.process);
}

function addMemory(builder: LaneBuilder, memory: TraceMemory): void {
    const key = `m${placeKey(memory)}`;
    const role = `0 – ${byteScale(memory.peak_bytes).label}`;
    const name = `${deviceName(memory.device_type, memory.device)} memory`;
    const prefix = builder.nameOf ? `${builder.nameOf(memory.worker)}, ` : '';
    const label = {
        process: '',
        isInline: false,
        name,
        role: `${prefix}${role}`,
        tooltip: `${prefix}${name}: allocated, and reserved as a thin line`,
    };
    const height = builder.folded.has(key) ? SLICE_ROW + 2 * LANE_PADDING : MEMORY_HEIGHT;
    pushLane(
        builder,
        { key, kind: 'memory', height, process: null, track: null, memory, counter: null, label },
        -1,
    );
}

function addCounter(builder: LaneBuilder, counter: TraceCounter): void {
    const key = `c${counter.id}`;
    const format = (value: number): string =>
        Number.isInteger(value) ? int(value) : text(formatValueIn(value, ''));
    const low = Math.min(0, counter.least);
    const role = `${format(low)} – ${format(counter.greatest)}${counter.unit ? ` ${counter.unit}` : ''}`;
    const height = builder.folded.has(key) ? SLICE_ROW + 2 * LANE_PADDING : COUNTER_HEIGHT;
    const process = builder.processes.get(counter.process) ?? null;
    const prefix = process && builder.nameOf ? `${builder.nameOf(process.worker)}, ` : '';
    const label = {
        process: '',
        isInline: false,
        name: counter.name,
        role: `${prefix}${role}`,
        tooltip: `${counter.name}, ${prefix}${role}`,
    };
    pushLane(
        builder,
        { key, kind: 'counter', height, process, track: null, memory: null, counter, label },
        -1,
    );
}

/* Ids of the processes that have only instants and recording windows. The profiler created them;
 * their lanes are last. */
function profilerProcesses(tracks: TraceTrack[]): Set<number> {
    const profilerOnly = new Set(tracks.map(({ process }) => process));
    for (const { process, kind } of tracks) {
        if (kind !== TRACK.instants && kind !== TRACK.span) profilerOnly.delete(process);
    }
    return profilerOnly;
}

export function layoutLanes(
    answer: TimelineAnswer,
    folded: ReadonlySet<string>,
    roles: ReadonlyMap<number, string>,
    nameOf: WorkerName | null = null,
): Lanes {
    const processes = new Map(answer.processes.map((process) => [process.id, process]));
    const builder: LaneBuilder = {
        answer,
        folded,
        roles,
        lanes: [],
        processes,
        top: 0,
        process: Number.NaN,
        nameOf,
    };
    const profilerOnly = profilerProcesses(answer.tracks);
    const tracks = (isProfilerOnly: boolean): TraceTrack[] =>
        answer.tracks.filter(({ process }) => profilerOnly.has(process) === isProfilerOnly);
    for (const track of tracks(false)) addTrack(builder, track);
    // Device memory is first, so that its lanes are next to the lanes of the streams.
    for (const memory of answer.memory) if (memory.device_type !== 0) addMemory(builder, memory);
    for (const memory of answer.memory) if (memory.device_type === 0) addMemory(builder, memory);
    for (const counter of answer.counters) addCounter(builder, counter);
    for (const track of tracks(true)) addTrack(builder, track);
    const byTrack = new Map<number, Lane>();
    for (const lane of builder.lanes) {
        if (lane.kind === 'track' && lane.track) byTrack.set(lane.track.id, lane);
    }
    return { lanes: builder.lanes, height: builder.top, byTrack };
}

/** Index of the first lane whose lower edge is below y. */
export function laneIndexAt({ lanes }: Lanes, y: number): number {
    let [low, high] = [0, lanes.length];
    while (low < high) {
        const middle = (low + high) >> 1;
        if (lanes[middle].top + lanes[middle].height <= y) low = middle + 1;
        else high = middle;
    }
    return low;
}

export function laneAt(lanes: Lanes, y: number): Lane | null {
    const lane = lanes.lanes[laneIndexAt(lanes, y)];
    return lane && y >= lane.top ? lane : null;
}

/** y of the upper edge of the row at a depth, in px from the top of the first lane. */
export const sliceTop = (lane: Lane, depth: number): number =>
    lane.top + LANE_PADDING + depth * SLICE_ROW;

/** The depth of the row at y; -1 if there is none. A folded track has only its outermost row. */
export function depthAt(lane: Lane, y: number): number {
    const depth = Math.floor((y - lane.top - LANE_PADDING) / SLICE_ROW);
    const rows = lane.isFolded ? 1 : (lane.track?.depth ?? 0);
    return depth >= 0 && depth < rows ? depth : -1;
}

const UNITS: [number, string][] = [
    [2 ** 40, 'TiB'],
    [2 ** 30, 'GiB'],
    [2 ** 20, 'MiB'],
    [2 ** 10, 'KiB'],
    [1, 'B'],
];

/** A round upper limit of the axis, at least the peak in bytes, with its label. */
export function byteScale(peak: number): { top: number; label: string } {
    const [factor, unit] = UNITS.find(([size]) => peak >= size) ?? [1, 'B'];
    const units = Math.max(1, peak / factor);
    const power = 10 ** Math.max(0, Math.floor(Math.log10(units)));
    const round = [1, 1.5, 2, 3, 4, 5, 6, 8, 10].find((step) => step * power >= units) ?? 10;
    const roundedUnits = Math.ceil(round * power);
    return { top: roundedUnits * factor, label: `${roundedUnits} ${unit}` };
}
