/* SPDX-License-Identifier: MIT */
/* Histograms as bars: heights by count, and the position of a value on the axis. */

export interface Histogram {
    from_ns: number;
    to_ns: number;
    /** bins are equal steps of the logarithm */
    log: boolean;
    count: number[];
}

/** Position along the axis, 0 to 1; clamped. */
export function positionOnAxis({ from_ns, to_ns, log }: Histogram, value: number): number {
    if (!(to_ns > from_ns)) return 0.5;
    const low = Math.max(1, from_ns);
    const at = log
        ? Math.log(Math.max(low, value) / low) / Math.log(to_ns / low)
        : (value - from_ns) / (to_ns - from_ns);
    return Math.max(0, Math.min(1, at));
}

/** Heights from 0 to 1; bars with a count above 0 have at least the height `least`. */
export function heights({ count }: Histogram, least = 0.03): number[] {
    const most = Math.max(1, ...count);
    return count.map((n) => (n === 0 ? 0 : Math.max(least, n / most)));
}
