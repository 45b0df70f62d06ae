/* SPDX-License-Identifier: MIT
 *
 * Lanes of the timeline from top to bottom: one per track, the busy share below each stream,
 * memory, counters. Pinned lanes are first. This module computes the layout only; the canvas and
 * the labels draw it.
 */
import type { TimelineAnswer } from '../../base/answers';
import type {
    TraceProcessRow as TraceProcess,
    TraceSeriesRow as TraceCounter,
} from '../../base/rows';
import { formatValueIn, int, plural, text } from '../../base/units';
import { acceleratorName, deviceName, deviceWord, placeKey } from '../../model/device';
import { isLowerLayer, LAYER_LABELS, wholeTrack } from '../../model/timeline_layers';
import { TRACK, type TraceMemory, type TraceTrack } from '../../model/timeline_types';
import type { WorkerName } from '../../model/worker_names';
import type { RowMark } from '../sql/links';
import { applyMoves, type Arrangement, type FilterTexts, trackFilter } from './arrangement';
import type { SqlRows } from './sql_rows';

export const SLICE_ROW = 17;
const LANE_PADDING = 3;
/** height of a folded lane, and how many of its outermost rows it shows */
const FOLDED_HEIGHT = 30;
const FOLDED_ROWS = 4;
/** limits of the height that the user may give a curve */
const MIN_CURVE_HEIGHT = 30;
const MAX_CURVE_HEIGHT = 400;
/** number of GPU streams up to which they are pinned unless the user changes it */
const MAX_PINNED_STREAMS = 4;
/** A trace with more than MANY lanes shows the BUSIEST with the most slices, until the user filters
 * the lanes. */
const MANY = 400;
const BUSIEST = 50;
const TRACK_FOOT = 5;
const LABEL_LINE_HEIGHT = 16;
const BUSY_HEIGHT = 16;
const MEMORY_HEIGHT = 88;
const COUNTER_HEIGHT = 60;
const ROWS_HEIGHT = 24;
/** maximum length of a process label that leaves space for `stream 20` on the same line */
const MAX_INLINE_PROCESS = 8;

export interface Lane {
    /** `t3`, `b3`, `m1:0`, `s0`, `c2`; the URL names lanes by these keys */
    key: string;
    kind: 'rows' | 'track' | 'busy' | 'memory' | 'counter';
    /** px from the top of the first lane */
    top: number;
    height: number;
    /** number of rows that are drawn, and their height in px */
    rows: number;
    rowHeight: number;
    isFolded: boolean;
    isPinned: boolean;
    /** true: first lane of a process */
    first: boolean;
    process: TraceProcess | null;
    track: TraceTrack | null;
    memory: TraceMemory | null;
    counter: TraceCounter | null;
    /** rows of an SQL statement, by start */
    marks: readonly RowMark[] | null;
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
    /** the pinned lanes, then the others */
    lanes: Lane[];
    /** px of all lanes, and of the pinned ones */
    height: number;
    pinnedHeight: number;
    /** keys of the pinned lanes, from top to bottom */
    pinned: string[];
    /** lane by track id */
    byTrack: Map<number, Lane>;
    /** numbers of tracks and curves; a stream and its busy share count once */
    total: number;
    shown: number;
    /** number of lanes that are hidden because the trace has MANY; 0: the filter decides alone */
    unlisted: number;
}

const TRACK_ROLES: Record<number, string> = {
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
    const layer = track.layer ? LAYER_LABELS[track.layer] : '';
    if (isLowerLayer(track.id)) return { name: layer, role: '' };
    if (track.kind === TRACK.stream || track.kind === TRACK.streamAnnotations) {
        const role = track.kind === TRACK.streamAnnotations ? `${deviceWord()} annotations` : '';
        const streamName = track.stream >= 0 ? `stream ${track.stream}` : track.name;
        // Streams with equal numbers in several processes or contexts have distinguishing names.
        return { name: track.name.startsWith(`${streamName}, `) ? track.name : streamName, role };
    }
    const named = track.name || threadLabel(track.tid);
    const match = /^(.*\S)\s*\(([^()]*)\)$/.exec(named.replace(/^thread (?=\d{10})/, ''));
    const bracketed = match && !/^[\d.]+$/.test(match[2]) ? match[2] : '';
    const role = TRACK_ROLES[track.kind] ?? bracketed;
    const name = match && bracketed ? match[1] : named.replace(/^thread (?=\d{10})/, '');
    return { name, role: [role === name ? '' : role, layer].filter(Boolean).join(', ') };
}

/** What a lane shows, before the layout. */
interface LaneSource {
    key: string;
    process: TraceProcess | null;
    track: TraceTrack | null;
    memory: TraceMemory | null;
    counter: TraceCounter | null;
    marks: readonly RowMark[] | null;
}

const NO_SOURCE = { process: null, track: null, memory: null, counter: null, marks: null };

interface LaneBuilder {
    arrangement: Arrangement;
    roles: ReadonlyMap<number, string>;
    nameOf: WorkerName | null;
    lanes: Lane[];
    top: number;
    process: number;
    isPinned: boolean;
}

type LaneShape = Pick<Lane, 'height' | 'rows' | 'rowHeight'>;

function pushLane(
    builder: LaneBuilder,
    { key, ...source }: LaneSource,
    kind: Lane['kind'],
    label: LaneLabel,
    shape: LaneShape,
): void {
    const process = source.track?.process ?? -1;
    const first = process !== builder.process;
    builder.process = process;
    const { top, isPinned } = builder;
    const isFolded = builder.arrangement.isFolded(key);
    builder.lanes.push({ key, kind, ...source, label, ...shape, top, first, isFolded, isPinned });
    builder.top += shape.height;
}

function trackShape(track: TraceTrack, folded: boolean, lines: number, px?: number): LaneShape {
    const depth = Math.max(1, track.depth);
    if (folded) {
        const rows = Math.min(FOLDED_ROWS, depth);
        return {
            height: FOLDED_HEIGHT,
            rows,
            rowHeight: (FOLDED_HEIGHT - 2 * LANE_PADDING) / rows,
        };
    }
    const rowsHeight = LANE_PADDING + depth * SLICE_ROW + TRACK_FOOT;
    const ownHeight =
        track.kind === TRACK.stream
            ? Math.max(rowsHeight - TRACK_FOOT + 2, LANE_PADDING + lines * LABEL_LINE_HEIGHT + 2)
            : Math.max(rowsHeight, 2 * LANE_PADDING + lines * LABEL_LINE_HEIGHT + 4);
    const height = px === undefined ? ownHeight : Math.min(ownHeight, Math.max(FOLDED_HEIGHT, px));
    const fitting = Math.floor((height - LANE_PADDING) / SLICE_ROW);
    return { height, rows: Math.min(track.depth, fitting), rowHeight: SLICE_ROW };
}

function curveShape(folded: boolean, ownHeight: number, px?: number): LaneShape {
    const chosen = Math.min(MAX_CURVE_HEIGHT, Math.max(MIN_CURVE_HEIGHT, px ?? ownHeight));
    return { height: folded ? FOLDED_HEIGHT : chosen, rows: 0, rowHeight: 0 };
}

/* The second line of a track: its role, or how many of its rows are not drawn. */
function roleText(role: string, { rows, height }: LaneShape, depth: number): string {
    if (height === FOLDED_HEIGHT && depth > 1) return plural(depth, 'row');
    if (rows < depth) return `${int(rows)} of ${plural(depth, 'row')}`;
    return role;
}

function addTrack(builder: LaneBuilder, source: LaneSource, track: TraceTrack): void {
    const { process, key } = source;
    const folded = builder.arrangement.isFolded(key);
    const first = track.process !== builder.process;
    const label = trackLabel(track);
    const role = builder.roles.get(track.id) ?? label.role;
    const processText = first && process ? processLabel(process, builder.nameOf) : '';
    const stream = track.kind === TRACK.stream;
    const isInline = stream && processText.length <= MAX_INLINE_PROCESS;
    const lines = (processText && !isInline ? 1 : 0) + 1 + (role ? 1 : 0);
    const shape = trackShape(track, folded, lines, builder.arrangement.heights.get(key));
    const tooltip = [
        process && `${process.name} ${process.pid} ${process.labels}`.trim(),
        track.name,
        track.tid,
        track.layer && LAYER_LABELS[track.layer],
    ]
        .filter(Boolean)
        .join(' · ');
    const shownRole = roleText(role, shape, track.depth);
    pushLane(
        builder,
        source,
        'track',
        { process: processText, isInline, name: label.name, role: shownRole, tooltip },
        shape,
    );
    if (stream && !folded) addBusy(builder, source, track);
}

function addBusy(builder: LaneBuilder, source: LaneSource, track: TraceTrack): void {
    const label = {
        process: '',
        isInline: false,
        name: '',
        role: 'busy, 0–100 %',
        tooltip: 'share of each pixel in which the stream works',
    };
    const shape = { height: BUSY_HEIGHT + 6, rows: 0, rowHeight: 0 };
    pushLane(builder, { ...source, key: `b${track.id}` }, 'busy', label, shape);
}

function addMemory(builder: LaneBuilder, source: LaneSource, memory: TraceMemory): void {
    const role = `0 – ${byteScale(memory.peak_bytes).label}`;
    const name = memoryName(memory);
    const prefix = builder.nameOf ? `${builder.nameOf(memory.worker)}, ` : '';
    const { snapshot } = memory;
    const label = {
        process: '',
        isInline: false,
        name,
        role: `${prefix}${role}`,
        tooltip: snapshot
            ? `${name} of the memory snapshot ${snapshot.name}: live, and reserved as a thin line; ${snapshot.evidence} by the clock`
            : `${prefix}${name}: allocated, and reserved as a thin line`,
    };
    const { isFolded, heights } = builder.arrangement;
    const shape = curveShape(isFolded(source.key), MEMORY_HEIGHT, heights.get(source.key));
    pushLane(builder, source, 'memory', label, shape);
}

export const memoryName = ({ device_type, device, snapshot }: TraceMemory): string =>
    snapshot ? `GPU ${device} snapshot` : `${deviceName(device_type, device)} memory`;

export const memoryKey = (memory: TraceMemory): string =>
    memory.snapshot ? `s${memory.device}` : `m${placeKey(memory)}`;

function addCounter(builder: LaneBuilder, source: LaneSource, counter: TraceCounter): void {
    const format = (value: number): string =>
        Number.isInteger(value) ? int(value) : text(formatValueIn(value, ''));
    const low = Math.min(0, counter.least);
    const role = `${format(low)} – ${format(counter.greatest)}${counter.unit ? ` ${counter.unit}` : ''}`;
    const { process } = source;
    const prefix = process && builder.nameOf ? `${builder.nameOf(process.worker)}, ` : '';
    const label = {
        process: '',
        isInline: false,
        name: counter.name,
        role: `${prefix}${role}`,
        tooltip: `${counter.name}, ${prefix}${role}`,
    };
    const { isFolded, heights } = builder.arrangement;
    const shape = curveShape(isFolded(source.key), COUNTER_HEIGHT, heights.get(source.key));
    pushLane(builder, source, 'counter', label, shape);
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

/* The lanes in their own order. Device memory is before other memory, so that its lanes are next to
 * the lanes of the streams. */
function laneSources(answer: TimelineAnswer): LaneSource[] {
    const processes = new Map(answer.processes.map((process) => [process.id, process]));
    const profilerOnly = profilerProcesses(answer.tracks);
    const tracks = answer.tracks.map((track) => ({
        ...NO_SOURCE,
        key: `t${track.id}`,
        track,
        process: processes.get(track.process) ?? null,
    }));
    const memory = answer.memory.map((one) => ({
        ...NO_SOURCE,
        key: memoryKey(one),
        memory: one,
    }));
    const counters = answer.counters.map((counter) => ({
        ...NO_SOURCE,
        key: `c${counter.id}`,
        counter,
        process: processes.get(counter.process) ?? null,
    }));
    return [
        ...tracks.filter(({ track }) => !profilerOnly.has(track.process)),
        ...memory.filter((one) => one.memory.device_type !== 0),
        ...memory.filter((one) => one.memory.device_type === 0),
        ...counters,
        ...tracks.filter(({ track }) => profilerOnly.has(track.process)),
    ];
}

const TRACK_KINDS: Record<number, string> = {
    [TRACK.thread]: 'thread',
    [TRACK.stream]: 'stream',
    [TRACK.streamAnnotations]: 'annotations',
    [TRACK.async]: 'async',
    [TRACK.instants]: 'instants',
    [TRACK.overhead]: 'overhead',
    [TRACK.span]: 'recording',
    [TRACK.sync]: 'waits',
};

function filterTexts(
    { process, track, memory, counter }: LaneSource,
    roles: ReadonlyMap<number, string>,
    nameOf: WorkerName | null,
): FilterTexts {
    const processText = process
        ? `${processLabel(process, nameOf)} ${process.name} ${process.pid} ${process.labels}`
        : '';
    const label = track ? trackLabel(track) : null;
    const kind = track ? (TRACK_KINDS[track.kind] ?? '') : memory ? 'memory' : 'counter';
    const device = track?.device ?? process?.device ?? memory?.device ?? -1;
    const name = memory ? memoryName(memory) : (counter?.name ?? '');
    const role = track ? (roles.get(track.id) ?? label?.role ?? '') : '';
    const thread = track ? `${track.name} ${track.tid}` : '';
    const all = [processText, label?.name, role, thread, name, kind].join(' ');
    const fields = {
        kind,
        device: device >= 0 ? String(device) : '',
        stream: track && track.stream >= 0 ? String(track.stream) : '',
        process: processText.toLowerCase(),
        thread: thread.toLowerCase(),
        // the number of "rank 5", or of "worker 5" if ranks are unknown
        rank: process && nameOf ? nameOf(process.worker).replace(/\D+/, '') : '',
    };
    return { all: all.toLowerCase(), fields };
}

/* GPU streams are pinned at first if there are few. */
function defaultPins(answer: TimelineAnswer): string[] {
    const streams = answer.tracks.filter(({ kind, slices }) => kind === TRACK.stream && slices > 0);
    return streams.length <= MAX_PINNED_STREAMS ? streams.map(({ id }) => `t${id}`) : [];
}

function busiest(sources: LaneSource[]): LaneSource[] {
    const slices = ({ track }: LaneSource): number => track?.slices ?? 0;
    const chosen = new Set([...sources].sort((a, b) => slices(b) - slices(a)).slice(0, BUSIEST));
    return sources.filter((source) => chosen.has(source));
}

function addSources(builder: LaneBuilder, sources: LaneSource[]): void {
    for (const source of sources) {
        if (source.track) addTrack(builder, source, source.track);
        else if (source.memory) addMemory(builder, source, source.memory);
        else if (source.counter) addCounter(builder, source, source.counter);
    }
}

function addRows(builder: LaneBuilder, { marks, sql }: SqlRows): void {
    const role = marks ? `SQL: ${plural(marks.length, 'row')}` : 'SQL';
    const label = { process: '', isInline: false, name: '', role, tooltip: sql };
    const shape = { height: ROWS_HEIGHT, rows: 0, rowHeight: 0 };
    pushLane(builder, { ...NO_SOURCE, key: 'sql', marks }, 'rows', label, shape);
}

export function layoutLanes(
    answer: TimelineAnswer,
    arrangement: Arrangement,
    roles: ReadonlyMap<number, string>,
    nameOf: WorkerName | null = null,
    sqlRows: SqlRows | null = null,
): Lanes {
    const sources = applyMoves(laneSources(answer), arrangement.moves);
    const pins = new Set(arrangement.pinned ?? defaultPins(answer));
    const matches = trackFilter(arrangement.filter);
    const pinned = sources.filter(({ key }) => pins.has(key));
    const others = sources.filter(
        (source) =>
            !pins.has(source.key) &&
            (!arrangement.filter || matches(filterTexts(source, roles, nameOf))),
    );
    const listed = !arrangement.filter && others.length > MANY ? busiest(others) : others;
    const builder: LaneBuilder = {
        arrangement,
        roles,
        nameOf,
        lanes: [],
        top: 0,
        process: Number.NaN,
        isPinned: true,
    };
    if (sqlRows) addRows(builder, sqlRows);
    addSources(builder, pinned);
    const pinnedHeight = builder.top;
    // The first lane below the pinned ones names its process again.
    builder.process = Number.NaN;
    builder.isPinned = false;
    addSources(builder, listed);
    const byTrack = new Map<number, Lane>();
    for (const lane of builder.lanes) {
        if (lane.kind === 'track' && lane.track) byTrack.set(lane.track.id, lane);
    }
    return {
        lanes: builder.lanes,
        height: builder.top,
        pinnedHeight,
        pinned: pinned.map(({ key }) => key),
        byTrack,
        total: sources.length,
        shown: pinned.length + listed.length,
        unlisted: others.length - listed.length,
    };
}

/** Key of a lane in areas. The busy share belongs to its stream, and the layers of a thread are in an
 * area together, because the tables count the slices of complete threads. */
export const areaKey = ({ track, key }: Lane): string => (track ? `t${wholeTrack(track.id)}` : key);

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
    lane.top + LANE_PADDING + depth * lane.rowHeight;

/** Height of a slice: rows are 1 px apart, unless the lane is folded. */
export const boxHeight = (lane: Lane): number =>
    lane.isFolded ? lane.rowHeight : lane.rowHeight - 1;

/** The depth of the row at y; -1 if there is none. */
export function depthAt(lane: Lane, y: number): number {
    const depth = Math.floor((y - lane.top - LANE_PADDING) / lane.rowHeight);
    return depth >= 0 && depth < lane.rows ? depth : -1;
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
