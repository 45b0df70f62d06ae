/* SPDX-License-Identifier: MIT */
/* Scale of a strip plot: it covers most runs; runs outside are only counted. */

interface StripScale {
    from: number;
    to: number;
    ticks: number[];
}

export interface StripGroup {
    values: readonly number[];
    median: number;
    mad: number;
}

/** Runs more than this many MADs from the median are counted instead of extending the scale. */
const FAR = 8;

function reach({ values, median, mad }: StripGroup): [number, number] {
    const far = FAR * mad;
    const near = mad > 0 ? values.filter((v) => Math.abs(v - median) <= far) : values;
    return [Math.min(median - mad, ...near), Math.max(median + mad, ...near)];
}

export function stripScale(groups: readonly StripGroup[]): StripScale {
    const ends = groups.map(reach);
    const low = Math.min(...ends.map(([from]) => from));
    const high = Math.max(...ends.map(([, to]) => to));
    const room = (high - low || Math.abs(high) || 1) * 0.06;
    const [from, to] = [low - room, high + room];
    return { from, to, ticks: niceTicks(from, to, 5) };
}

/** Round numbers within [from, to], about `count` of them. */
export function niceTicks(from: number, to: number, count: number): number[] {
    const rough = (to - from) / Math.max(1, count);
    if (!(rough > 0) || !Number.isFinite(rough)) return [];
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough) ?? 10 * power;
    const out: number[] = [];
    for (let i = Math.ceil(from / step); i * step <= to && out.length < 20; i++) out.push(i * step);
    return out;
}

/** Number of values left and right of the scale. */
export function beyond(
    values: readonly number[],
    scale: StripScale,
): [left: number, right: number] {
    return [values.filter((v) => v < scale.from).length, values.filter((v) => v > scale.to).length];
}
