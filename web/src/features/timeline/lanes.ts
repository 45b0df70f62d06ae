/* SPDX-License-Identifier: MIT
 *
 * Lanes of the timeline from top to bottom: one per track, the busy share below each stream, memory
 * and counters. This module computes the layout only; the canvas and the labels draw it.
 */
import { formatValueIn, int, text } from '../../base/units';
import { acceleratorName, deviceName, placeKey } from '../../model/device';
import {
    type TimelineAnswer,
    TRACK,
    type TraceCounter,
    type TraceMemory,
    type TraceProcess,
    type TraceTrack,
} from '../../model/timeline_types';
import type { WorkerName } from '../../model/worker_names';

export const SLICE_ROW = 17;
const PAD = 3;
const TRACK_FOOT = 5;
const LABEL_LINE = 16;
const BUSY = 26;
const MEMORY = 88;
const COUNTER = 60;
/** maximum length of a process label that leaves space for `stream 20` on the same line */
const BESIDE = 8;

export interface Lane {
    /** `t3`, `b3`, `m1:0`, `c2`; the URL lists folded lanes by these keys */
    key: string;
    kind: 'track' | 'busy' | 'memory' | 'counter';
    top: number;
    height: number;
    folded: boolean;
    /** first lane of a process */
    first: boolean;
    process: TraceProcess | null;
    track: TraceTrack | null;
    memory: TraceMemory | null;
    counter: TraceCounter | null;
    words: LaneWords;
}

export interface LaneWords {
    /** bold: the process, in its first lane */
    process: string;
    /** the name fits on the same line */
    beside: boolean;
    name: string;
    role: string;
    /** the complete label, for the tooltip */
    whole: string;
}

export interface Lanes {
    lanes: Lane[];
    height: number;
    /** lane by track id */
    byTrack: Map<number, Lane>;
}

const ROLES: Record<number, string> = {
    [TRACK.streamAnnotations]: 'GPU annotations',
    [TRACK.async]: 'asynchronous',
    [TRACK.instants]: 'instants',
    [TRACK.overhead]: 'profiler overhead',
    [TRACK.span]: 'recording',
    [TRACK.sync]: 'device waits',
};

/** With several workers in a run, the label of each process includes its worker. */
function processWords(process: TraceProcess, nameOf: WorkerName | null): string {
    const words = plainWords(process);
    return nameOf ? `${words}, ${nameOf(process.worker)}` : words;
}

function plainWords({ name, labels, pid, device }: TraceProcess): string {
    if (labels) return labels;
    if (!name && device !== null) return acceleratorName(device);
    if (!name) return pid ? (/^\d+$/.test(pid) ? `process ${pid}` : pid) : '';
    return /\d/.test(name) || !pid ? name : `${name} ${pid}`;
}

/* With an address of up to 15 digits there is no space for `thread`. */
function threadWords(tid: string): string {
    return /^\d{1,9}$/.test(tid) ? `thread ${tid}` : tid;
}

/** Splits the label of a track: in `thread 25738 (python)` the part in brackets is the role, shown
 * on the second line. */
export function trackWords(track: TraceTrack): { name: string; role: string } {
    if (track.kind === TRACK.stream || track.kind === TRACK.streamAnnotations) {
        const role = ROLES[track.kind] ?? '';
        const plain = track.stream >= 0 ? `stream ${track.stream}` : track.name;
        // Streams with equal numbers in several processes or contexts have distinguishing names.
        return { name: track.name.startsWith(`${plain}, `) ? track.name : plain, role };
    }
    const named = track.name || threadWords(track.tid);
    const match = /^(.*\S)\s*\(([^()]*)\)$/.exec(named.replace(/^thread (?=\d{10})/, ''));
    const inside = match && !/^[\d.]+$/.test(match[2]) ? match[2] : '';
    const role = ROLES[track.kind] ?? inside;
    const name = match && inside ? match[1] : named.replace(/^thread (?=\d{10})/, '');
    return { name, role: role === name ? '' : role };
}

interface Open {
    answer: TimelineAnswer;
    folded: ReadonlySet<string>;
    roles: ReadonlyMap<number, string>;
    lanes: Lane[];
    processes: Map<number, TraceProcess>;
    top: number;
    process: number;
    nameOf: WorkerName | null;
}

function push(open: Open, lane: Omit<Lane, 'top' | 'folded' | 'first'>, process: number): void {
    const first = process !== open.process;
    open.process = process;
    open.lanes.push({ ...lane, top: open.top, folded: open.folded.has(lane.key), first });
    open.top += lane.height;
}

function trackHeight(track: TraceTrack, folded: boolean, lines: number): number {
    if (folded) return SLICE_ROW + 2 * PAD;
    const own = PAD + Math.max(1, track.depth) * SLICE_ROW + TRACK_FOOT;
    if (track.kind === TRACK.stream)
        return Math.max(own - TRACK_FOOT + 2, PAD + lines * LABEL_LINE + 2);
    return Math.max(own, 2 * PAD + lines * LABEL_LINE + 4);
}

function addTrack(open: Open, track: TraceTrack): void {
    const key = `t${track.id}`;
    const folded = open.folded.has(key);
    const process = open.processes.get(track.process) ?? null;
    const first = track.process !== open.process;
    const words = trackWords(track);
    const role = open.roles.get(track.id) ?? words.role;
    const bold = first && process ? processWords(process, open.nameOf) : '';
    const stream = track.kind === TRACK.stream;
    const beside = stream && bold.length <= BESIDE;
    const lines = (bold && !beside ? 1 : 0) + 1 + (role ? 1 : 0);
    const whole = [
        process && `${process.name} ${process.pid} ${process.labels}`.trim(),
        track.name,
        track.tid,
    ]
        .filter(Boolean)
        .join(' · ');
    push(
        open,
        {
            key,
            kind: 'track',
            height: trackHeight(track, folded, lines),
            process,
            track,
            memory: null,
            counter: null,
            words: { process: bold, beside, name: words.name, role, whole },
        },
        track.process,
    );
    if (stream && !folded) addBusy(open, track, process);
}

function addBusy(open: Open, track: TraceTrack, process: TraceProcess | null): void {
    const words = {
        process: '',
        beside: false,
        name: '',
        role: 'busy, 0–100 %',
        whole: 'share of each pixel in which the stream works',
    };
    const lane = {
        key: `b${track.id}`,
        kind: 'busy' as const,
        height: BUSY + 6,
        memory: null,
        counter: null,
    };
    push(open, { ...lane, process, track, words }, track.process);
}

function addMemory(open: Open, memory: TraceMemory): void {
    const key = `m${placeKey(memory)}`;
    const role = `0 – ${byteScale(memory.peak_bytes).words}`;
    const name = `${deviceName(memory.device_type, memory.device)} memory`;
    const whose = open.nameOf ? `${open.nameOf(memory.worker)}, ` : '';
    const words = {
        process: '',
        beside: false,
        name,
        role: `${whose}${role}`,
        whole: `${whose}${name}: allocated, and reserved as a thin line`,
    };
    const height = open.folded.has(key) ? SLICE_ROW + 2 * PAD : MEMORY;
    push(
        open,
        { key, kind: 'memory', height, process: null, track: null, memory, counter: null, words },
        -1,
    );
}

function addCounter(open: Open, counter: TraceCounter): void {
    const key = `c${counter.id}`;
    const say = (value: number): string =>
        Number.isInteger(value) ? int(value) : text(formatValueIn(value, ''));
    const low = Math.min(0, counter.least);
    const role = `${say(low)} – ${say(counter.greatest)}${counter.unit ? ` ${counter.unit}` : ''}`;
    const height = open.folded.has(key) ? SLICE_ROW + 2 * PAD : COUNTER;
    const process = open.processes.get(counter.process) ?? null;
    const whose = process && open.nameOf ? `${open.nameOf(process.worker)}, ` : '';
    const words = {
        process: '',
        beside: false,
        name: counter.name,
        role: `${whose}${role}`,
        whole: `${counter.name}, ${whose}${role}`,
    };
    push(
        open,
        { key, kind: 'counter', height, process, track: null, memory: null, counter, words },
        -1,
    );
}

/* Processes that have only instants and recording windows. The profiler created them; they are last. */
function asideProcesses(tracks: TraceTrack[]): Set<number> {
    const aside = new Set(tracks.map(({ process }) => process));
    for (const { process, kind } of tracks) {
        if (kind !== TRACK.instants && kind !== TRACK.span) aside.delete(process);
    }
    return aside;
}

export function layoutLanes(
    answer: TimelineAnswer,
    folded: ReadonlySet<string>,
    roles: ReadonlyMap<number, string>,
    nameOf: WorkerName | null = null,
): Lanes {
    const processes = new Map(answer.processes.map((process) => [process.id, process]));
    const open: Open = {
        answer,
        folded,
        roles,
        lanes: [],
        processes,
        top: 0,
        process: Number.NaN,
        nameOf,
    };
    const aside = asideProcesses(answer.tracks);
    const tracks = (apart: boolean): TraceTrack[] =>
        answer.tracks.filter(({ process }) => aside.has(process) === apart);
    for (const track of tracks(false)) addTrack(open, track);
    // Device memory first, because its lanes are then next to those of the streams.
    for (const memory of answer.memory) if (memory.device_type !== 0) addMemory(open, memory);
    for (const memory of answer.memory) if (memory.device_type === 0) addMemory(open, memory);
    for (const counter of answer.counters) addCounter(open, counter);
    for (const track of tracks(true)) addTrack(open, track);
    const byTrack = new Map<number, Lane>();
    for (const lane of open.lanes) {
        if (lane.kind === 'track' && lane.track) byTrack.set(lane.track.id, lane);
    }
    return { lanes: open.lanes, height: open.top, byTrack };
}

/** Index of the first lane that ends below y. */
export function laneFrom({ lanes }: Lanes, y: number): number {
    let [low, high] = [0, lanes.length];
    while (low < high) {
        const middle = (low + high) >> 1;
        if (lanes[middle].top + lanes[middle].height <= y) low = middle + 1;
        else high = middle;
    }
    return low;
}

export function laneAt(lanes: Lanes, y: number): Lane | null {
    const lane = lanes.lanes[laneFrom(lanes, y)];
    return lane && y >= lane.top ? lane : null;
}

/** y of the upper edge of a depth, from the top of the first lane. A folded track shows only its
 * outermost row. */
export const sliceTop = (lane: Lane, depth: number): number => lane.top + PAD + depth * SLICE_ROW;

/** The depth at y; -1 if the lane has none there. */
export function depthAt(lane: Lane, y: number): number {
    const depth = Math.floor((y - lane.top - PAD) / SLICE_ROW);
    const rows = lane.folded ? 1 : (lane.track?.depth ?? 0);
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
export function byteScale(peak: number): { top: number; words: string } {
    const [factor, unit] = UNITS.find(([size]) => peak >= size) ?? [1, 'B'];
    const units = Math.max(1, peak / factor);
    const power = 10 ** Math.max(0, Math.floor(Math.log10(units)));
    const round = [1, 1.5, 2, 3, 4, 5, 6, 8, 10].find((step) => step * power >= units) ?? 10;
    const whole = Math.ceil(round * power);
    return { top: whole * factor, words: `${whole} ${unit}` };
}
