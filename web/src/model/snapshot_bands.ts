/* SPDX-License-Identifier: MIT */
/* Lifetimes of allocations as bands: at each event, the live allocations lie on each other in order of
 * birth. When one ends, those above it move down. */
import type { Lifetime } from '../base/snapshot_types';

/** Stretches in which a band keeps its place. A stretch covers columns [x0, x1). */
export interface BandRuns {
    count: number;
    x0: Int32Array;
    x1: Int32Array;
    /** bytes below the run, and its own */
    base: Float64Array;
    bytes: Float64Array;
    /** index in the allocations as they were given; of joined bands, the largest */
    index: Int32Array;
}

/** Allocations in order of birth; those older than the recording by their number. */
export function byBirth(allocations: readonly Lifetime[]): Int32Array {
    const order = Int32Array.from(allocations, (_, i) => i);
    return order.sort(
        (a, b) =>
            allocations[a].start - allocations[b].start || allocations[a].id - allocations[b].id,
    );
}

export function isLive({ start, end }: Lifetime, event: number): boolean {
    return start <= event && (end === null || end > event);
}

/* Collects runs: of each band, the column from which it has its place. */
class RunCollector {
    private readonly x0: number[] = [];
    private readonly x1: number[] = [];
    private readonly base: number[] = [];
    private readonly bytes: number[] = [];
    private readonly index: number[] = [];
    private readonly since: Int32Array;
    private readonly seen: Int32Array;
    private readonly openBase: Float64Array;
    private readonly openBytes: Float64Array;
    private open: number[] = [];
    private next: number[] = [];

    constructor(n: number) {
        this.since = new Int32Array(n).fill(-1);
        this.seen = new Int32Array(n).fill(-1);
        this.openBase = new Float64Array(n);
        this.openBytes = new Float64Array(n);
    }

    private close(index: number, x: number): void {
        this.x0.push(this.since[index]);
        this.x1.push(x);
        this.base.push(this.openBase[index]);
        this.bytes.push(this.openBytes[index]);
        this.index.push(index);
        this.since[index] = -1;
    }

    /** A band of the column `x`; columns come from left to right. */
    add(index: number, x: number, base: number, bytes: number): void {
        const isSame =
            this.since[index] >= 0 &&
            this.openBase[index] === base &&
            this.openBytes[index] === bytes;
        if (!isSame) {
            if (this.since[index] >= 0) this.close(index, x);
            this.since[index] = x;
            this.openBase[index] = base;
            this.openBytes[index] = bytes;
        }
        this.seen[index] = x;
        this.next.push(index);
    }

    /** All bands of the column were added. */
    endColumn(x: number): void {
        for (const index of this.open)
            if (this.seen[index] !== x && this.since[index] >= 0) this.close(index, x);
        [this.open, this.next] = [this.next, []];
    }

    finish(): BandRuns {
        return {
            count: this.index.length,
            x0: Int32Array.from(this.x0),
            x1: Int32Array.from(this.x1),
            base: Float64Array.from(this.base),
            bytes: Float64Array.from(this.bytes),
            index: Int32Array.from(this.index),
        };
    }
}

/** `events`: the event that each column shows, never decreasing.
 * `live`: live bytes of each column; those that are not of `allocations` lie below all bands.
 * `leastBytes`: thinner bands are joined with their neighbours of the same group. */
export function layoutBands(
    allocations: readonly Lifetime[],
    events: ArrayLike<number>,
    live: ArrayLike<number>,
    leastBytes: number,
): BandRuns {
    const order = byBirth(allocations);
    const shown = liveBytes(allocations, events);
    const collector = new RunCollector(allocations.length);
    let alive: number[] = [];
    let born = 0;
    for (let x = 0; x < events.length; x++) {
        const event = events[x];
        if (x === 0 || event !== events[x - 1]) {
            alive = alive.filter((i) => isLive(allocations[i], event));
            for (; born < order.length && allocations[order[born]].start <= event; born++)
                if (isLive(allocations[order[born]], event)) alive.push(order[born]);
            stackBands(
                allocations,
                alive,
                x,
                Math.max(0, live[x] - shown[x]),
                leastBytes,
                collector,
            );
            collector.endColumn(x);
        }
    }
    stackBands(allocations, [], events.length, 0, 0, collector);
    collector.endColumn(events.length);
    return collector.finish();
}

/* Adds the bands of one column, from below. */
function stackBands(
    allocations: readonly Lifetime[],
    alive: readonly number[],
    x: number,
    below: number,
    leastBytes: number,
    collector: RunCollector,
): void {
    let base = below;
    let thin = { index: -1, largest: 0, base: 0, bytes: 0 };
    const flush = (): void => {
        if (thin.index >= 0) collector.add(thin.index, x, thin.base, thin.bytes);
        thin = { index: -1, largest: 0, base: 0, bytes: 0 };
    };
    for (const index of alive) {
        const { bytes, group } = allocations[index];
        if (bytes >= leastBytes) {
            flush();
            collector.add(index, x, base, bytes);
        } else if (thin.index >= 0 && allocations[thin.index].group === group) {
            thin.bytes += bytes;
            if (bytes > thin.largest) Object.assign(thin, { index, largest: bytes });
        } else {
            flush();
            thin = { index, largest: bytes, base, bytes };
        }
        base += bytes;
    }
    flush();
}

/** The run at a column and a height; -1: none. */
export function runAt(runs: BandRuns, x: number, bytes: number): number {
    for (let i = 0; i < runs.count; i++) {
        if (x < runs.x0[i] || x >= runs.x1[i]) continue;
        if (bytes >= runs.base[i] && bytes < runs.base[i] + runs.bytes[i]) return i;
    }
    return -1;
}

/** Bytes of the allocations that are live at each column. */
export function liveBytes(
    allocations: readonly Lifetime[],
    events: ArrayLike<number>,
): Float64Array {
    const sums = new Float64Array(events.length);
    // A change is added at the first column whose event is not before it.
    const firstColumn = (event: number): number => {
        let lo = 0;
        let hi = events.length;
        while (lo < hi) {
            const mid = (lo + hi) >> 1;
            if (events[mid] < event) lo = mid + 1;
            else hi = mid;
        }
        return lo;
    };
    for (const { start, end, bytes } of allocations) {
        const from = firstColumn(start);
        if (from < sums.length) sums[from] += bytes;
        const to = end === null ? sums.length : firstColumn(end);
        if (to < sums.length) sums[to] -= bytes;
    }
    for (let i = 1; i < sums.length; i++) sums[i] += sums[i - 1];
    return sums;
}
