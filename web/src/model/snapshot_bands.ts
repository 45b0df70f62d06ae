/* SPDX-License-Identifier: MIT */
/* Lifetimes of allocations as bands: at each event, the live allocations lie on each other in order of
 * birth. When one ends, those above it move down. */
import type { Lifetime } from '../base/answers';

/** Stretches in which a band keeps its place. A stretch covers columns [x0, x1). */
export interface BandRuns {
    count: number;
    x0: Int32Array;
    x1: Int32Array;
    /** bytes below the run, and its own */
    base: Float64Array;
    bytes: Float64Array;
    /** index in the allocations as they were given; of joined bands, the lowest */
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
    /** allocation and group of an open run */
    private readonly openIndex: Int32Array;
    private readonly openGroup: Uint8Array;
    private open: number[] = [];
    private next: number[] = [];

    /** `tolerance`: a band that moves by fewer bytes keeps its place. */
    constructor(
        n: number,
        private readonly tolerance: number,
    ) {
        this.since = new Int32Array(n).fill(-1);
        this.seen = new Int32Array(n).fill(-1);
        this.openBase = new Float64Array(n);
        this.openBytes = new Float64Array(n);
        this.openIndex = new Int32Array(n);
        this.openGroup = new Uint8Array(n);
    }

    private close(key: number, x: number): void {
        this.x0.push(this.since[key]);
        this.x1.push(x);
        this.base.push(this.openBase[key]);
        this.bytes.push(this.openBytes[key]);
        this.index.push(this.openIndex[key]);
        this.since[key] = -1;
    }

    /** A band of the column `x`; columns come from left to right. `key` tells which bands of two columns
     * are the same one. */
    add(key: number, index: number, group: number, x: number, base: number, bytes: number): void {
        const isSame =
            this.since[key] >= 0 &&
            this.openGroup[key] === group &&
            Math.abs(this.openBase[key] - base) <= this.tolerance &&
            Math.abs(this.openBytes[key] - bytes) <= this.tolerance;
        if (!isSame) {
            if (this.since[key] >= 0) this.close(key, x);
            this.since[key] = x;
            this.openBase[key] = base;
            this.openBytes[key] = bytes;
            this.openIndex[key] = index;
            this.openGroup[key] = group;
        }
        this.seen[key] = x;
        this.next.push(key);
    }

    /** All bands of the column were added. */
    endColumn(x: number): void {
        for (const key of this.open)
            if (this.seen[key] !== x && this.since[key] >= 0) this.close(key, x);
        [this.open, this.next] = [this.next, this.open];
        this.next.length = 0;
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

/** Sizes below which differences are not drawn, in bytes. */
export interface BandDetail {
    /** thinner bands are joined with their neighbours of the same group */
    least: number;
    /** a band that moves less keeps its place */
    tolerance: number;
}

const EXACT: BandDetail = { least: 0, tolerance: 0 };

/** `events`: the event that each column shows, never decreasing.
 * `live`: live bytes of each column; those that are not of `allocations` lie below all bands. */
export function layoutBands(
    allocations: readonly Lifetime[],
    events: ArrayLike<number>,
    live: ArrayLike<number>,
    { least, tolerance }: BandDetail = EXACT,
): BandRuns {
    const n = allocations.length;
    const order = byBirth(allocations);
    const start = Float64Array.from(order, (i) => allocations[i].start);
    const end = Float64Array.from(order, (i) => allocations[i].end ?? Infinity);
    const bytes = Float64Array.from(order, (i) => allocations[i].bytes);
    const group = Uint8Array.from(order, (i) => allocations[i].group);
    const shown = liveBytes(allocations, events);
    // Joined bands have keys from n on, in their order: their allocations change all the time.
    const collector = new RunCollector(2 * n, tolerance);
    // Positions in `order` of the live allocations, in order of birth.
    const alive = new Int32Array(n);
    let count = 0;
    let born = 0;
    for (let x = 0; x < events.length; x++) {
        const event = events[x];
        if (x > 0 && event === events[x - 1]) continue;
        let kept = 0;
        for (let i = 0; i < count; i++) if (end[alive[i]] > event) alive[kept++] = alive[i];
        count = kept;
        for (; born < n && start[born] <= event; born++)
            if (end[born] > event) alive[count++] = born;
        let base = Math.max(0, live[x] - shown[x]);
        let joined = 0;
        for (let i = 0; i < count;) {
            const first = alive[i];
            let sum = bytes[first];
            let key = order[first];
            i++;
            if (sum < least) {
                key = n + joined++;
                for (; i < count; i++) {
                    const next = alive[i];
                    if (bytes[next] >= least || group[next] !== group[first]) break;
                    sum += bytes[next];
                }
            }
            collector.add(key, order[first], group[first], x, base, sum);
            base += sum;
        }
        collector.endColumn(x);
    }
    collector.endColumn(events.length);
    return collector.finish();
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
