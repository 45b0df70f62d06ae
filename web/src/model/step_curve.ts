/* SPDX-License-Identifier: MIT */
/* Curves whose value holds until the next point. */

/** The value at `at`; null before the first point. `x` is ascending. */
export function steppedValueAt(
    x: readonly number[],
    y: readonly number[],
    at: number,
): number | null {
    let lo = 0;
    let hi = x.length;
    while (lo < hi) {
        const mid = (lo + hi) >> 1;
        if (x[mid] <= at) lo = mid + 1;
        else hi = mid;
    }
    return lo === 0 ? null : y[lo - 1];
}

const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500];
const TICKS = 5;

/** A round tick distance for an axis of bytes, in powers of 1024. */
export function byteStep(top: number): number {
    for (let unit = 1; ; unit *= 1024) {
        const step = STEPS.find((factor) => top / (factor * unit) <= TICKS);
        if (step !== undefined) return step * unit;
    }
}
