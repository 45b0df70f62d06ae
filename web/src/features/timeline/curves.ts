/* SPDX-License-Identifier: MIT */
/* Curves of the timeline as typed arrays: memory, counters and busy shares, for one window. */
import type { CurvesAnswer } from '../../base/answers';
import { placeKey } from '../../model/device';

/** A curve over `t` in ns; each value holds until the next point. */
export interface StepCurve {
    t: Float64Array;
    value: Float64Array;
    /** memory only: bytes reserved by the allocator */
    reserved: Float64Array | null;
}

export interface CurveSet {
    from: number;
    to: number;
    nsPerPx: number;
    px: number;
    /** requested keys: `b3`, `m1:0`, `c2`; some of them may have no data */
    keys: ReadonlySet<string>;
    memory: Map<string, StepCurve>;
    counters: Map<number, StepCurve>;
    busy: Map<number, Uint8Array>;
}

const orNaN = (value: number | null): number => value ?? Number.NaN;

export function curveSet(
    answer: CurvesAnswer,
    window: { from: number; to: number; px: number },
    keys: string[],
): CurveSet {
    const memory = new Map<string, StepCurve>();
    for (const { t_ns, allocated, reserved, ...place } of answer.memory) {
        const hasReserved = reserved.some((value) => value !== null && value >= 0);
        memory.set(`m${placeKey(place)}`, {
            t: Float64Array.from(t_ns),
            value: Float64Array.from(allocated, orNaN),
            reserved: hasReserved ? Float64Array.from(reserved, orNaN) : null,
        });
    }
    const counters = new Map<number, StepCurve>();
    for (const { id, t_ns, value } of answer.counters) {
        const curve = {
            t: Float64Array.from(t_ns),
            value: Float64Array.from(value),
            reserved: null,
        };
        counters.set(id, curve);
    }
    const busy = new Map(answer.busy.map(({ track, share }) => [track, Uint8Array.from(share)]));
    const nsPerPx = (window.to - window.from) / window.px;
    return { ...window, nsPerPx, keys: new Set(keys), memory, counters, busy };
}

/** Index of the first point at or after the time `at`; t.length if there is none. */
export function firstPointAtOrAfter(t: Float64Array, at: number): number {
    let [low, high] = [0, t.length];
    while (low < high) {
        const middle = (low + high) >> 1;
        if (t[middle] < at) low = middle + 1;
        else high = middle;
    }
    return low;
}

/** The value that holds at the time `at`; NaN before the first point. */
export function valueAt({ t, value }: StepCurve, at: number): number {
    const next = firstPointAtOrAfter(t, at);
    if (next < t.length && t[next] === at) return value[next];
    return next > 0 ? value[next - 1] : Number.NaN;
}
