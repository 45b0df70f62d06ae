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

/** Runs that are more than this many median absolute deviations from the median are counted instead
 * of extending the scale. */
const OUTLIER_MADS = 8;

function visibleRange({ values, median, mad }: StripGroup): [number, number] {
    const maxDistance = OUTLIER_MADS * mad;
    const near = mad > 0 ? values.filter((v) => Math.abs(v - median) <= maxDistance) : values;
    return [Math.min(median - mad, ...near), Math.max(median + mad, ...near)];
}

export function stripScale(groups: readonly StripGroup[]): StripScale {
    const ranges = groups.map(visibleRange);
    const low = Math.min(...ranges.map(([from]) => from));
    const high = Math.max(...ranges.map(([, to]) => to));
    const margin = (high - low || Math.abs(high) || 1) * 0.06;
    const [from, to] = [low - margin, high + margin];
    return { from, to, ticks: niceTicks(from, to, 5) };
}

/** Round numbers within [from, to], about `count` of them. */
export function niceTicks(from: number, to: number, count: number): number[] {
    const minStep = (to - from) / Math.max(1, count);
    if (!(minStep > 0) || !Number.isFinite(minStep)) return [];
    const power = 10 ** Math.floor(Math.log10(minStep));
    const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= minStep) ?? 10 * power;
    const out: number[] = [];
    for (let i = Math.ceil(from / step); i * step <= to && out.length < 20; i++) out.push(i * step);
    return out;
}

/** Numbers of values left and right of the scale. */
export function countOutside(
    values: readonly number[],
    scale: StripScale,
): [left: number, right: number] {
    return [values.filter((v) => v < scale.from).length, values.filter((v) => v > scale.to).length];
}
