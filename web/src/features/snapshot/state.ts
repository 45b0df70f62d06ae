/* SPDX-License-Identifier: MIT
 *
 * What the URL says of a memory snapshot: d (GPU), at (event of the cursor), v (stacks, lifetimes or
 * reserved), c (what the areas of the chart are of), x (event or time), z (visible events, or µs by time), s (selected stack), a (selected
 * allocation), p=1 (plumbing is shown), by (rows of the table), row (selected one that is not a stack),
 * fz (zoom of the flame graph), q.
 */
import type { PartsBy } from '../../canvas/snapshot_theme';
import type { Snapshot, SnapshotDevice, SnapshotMark } from '../../base/answers';
import { type Query, replaceQuery, route } from '../../base/router';
import type { ChartMode } from '../../canvas/snapshot_chart';
import type { SnapshotX } from '../../model/snapshot_axis';

export type RowsBy = 'stack' | 'file' | 'module' | 'size';

export const PARTS: readonly { by: PartsBy; text: string }[] = [
    { by: 'stack', text: 'Python stack' },
    { by: 'category', text: 'category' },
    { by: 'stream', text: 'stream' },
    { by: 'pool', text: 'pool' },
];

/** With more allocations than this, the chart opens with stacks, otherwise with lifetimes. */
const MAX_BANDS = 2000;

export interface SnapshotState {
    device: SnapshotDevice;
    mode: ChartMode;
    parts: PartsBy;
    x: SnapshotX;
    /** event of the cursor, -1 before the first */
    at: number;
    zoom: string | undefined;
    /** null: allocations without a Python stack; undefined: nothing is selected */
    stack: number | null | undefined;
    allocation: number | null;
    /** selected row of the table by file, module or size */
    row: string | null;
    plumbing: boolean;
    by: RowsBy;
    search: string;
}

const NO_STACK_TEXT = 'none';

function readNumber(text: string | undefined, least = 0): number | null {
    if (text === undefined || !/^-?\d+$/.test(text)) return null;
    const value = Number(text);
    return Number.isSafeInteger(value) && value >= least ? value : null;
}

/** The device of the URL, otherwise the first one that ran out of memory or the one with the highest peak. */
export function chooseDevice(
    { devices }: Snapshot,
    text: string | undefined,
): SnapshotDevice | null {
    const named = devices.find(({ number }) => String(number) === text);
    if (named) return named;
    const failed = devices.find(({ ooms }) => ooms > 0);
    if (failed) return failed;
    return devices.reduce<SnapshotDevice | null>(
        (best, one) => (best === null || one.peak_live > best.peak_live ? one : best),
        null,
    );
}

function readMode(text: string | undefined, device: SnapshotDevice): ChartMode {
    if (text === 'stacks' || text === 'lifetimes' || text === 'reserved') return text;
    return defaultMode(device);
}

function readParts({ v, c }: Query): PartsBy {
    if (v === 'lifetimes' || v === 'reserved') return 'stack';
    return PARTS.find(({ by }) => by === c)?.by ?? 'stack';
}

/* Half of the events are allocations. */
export function defaultMode({ events, before_count }: SnapshotDevice): ChartMode {
    return events / 2 + before_count > MAX_BANDS ? 'stacks' : 'lifetimes';
}

export function readState(device: SnapshotDevice): SnapshotState {
    const { query } = route.value;
    const at = readNumber(query.at, -1) ?? device.cursor;
    const stack = readNumber(query.s);
    return {
        device,
        mode: readMode(query.v, device),
        parts: readParts(query),
        x: query.x === 'time' && device.has_times ? 'time' : 'event',
        at: Math.max(-1, Math.min(device.events - 1, at)),
        zoom: query.z,
        stack: query.s === NO_STACK_TEXT ? null : (stack ?? undefined),
        allocation: readNumber(query.a),
        row: query.row ?? null,
        plumbing: query.p === '1',
        by: (['file', 'module', 'size'] as const).find((by) => by === query.by) ?? 'stack',
        search: query.q ?? '',
    };
}

export function setDevice(device: SnapshotDevice, isDefault: boolean): void {
    replaceQuery({
        d: isDefault ? null : String(device.number),
        at: null,
        z: null,
        s: null,
        a: null,
        row: null,
        fz: null,
    });
}

export function stackText(stack: number | null | undefined): string | null {
    return stack === undefined ? null : stack === null ? NO_STACK_TEXT : String(stack);
}

/** Selects a stack in all parts; undefined clears the selection. */
export function selectStack(stack: number | null | undefined): void {
    replaceQuery({ s: stackText(stack), a: null, row: null });
}

/** Selects what a row by file, module or size has; null clears the selection. */
export function selectRow(row: string | null): void {
    replaceQuery({ row, s: null, a: null });
}

export function selectAllocation(id: number | null, stack?: number | null): void {
    replaceQuery({
        a: id === null ? null : String(id),
        ...(stack !== undefined && { s: stackText(stack), row: null }),
    });
}

/** Marks of a device that stand at one event, in order of events. */
export function eventMarks(snapshot: Snapshot, device: SnapshotDevice): SnapshotMark[] {
    return snapshot.marks
        .filter((mark) => mark.device === device.number && mark.kind !== 'annotation')
        .sort((a, b) => a.event - b.event);
}

/** Events at which keys stop: marks, the peak, starts of annotations. */
export function stops(snapshot: Snapshot, device: SnapshotDevice): number[] {
    const events = snapshot.marks
        .filter((mark) => mark.device === device.number)
        .map(({ event }) => event);
    return [...new Set([...events, device.peak_event])].sort((a, b) => a - b);
}
