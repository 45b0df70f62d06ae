/* SPDX-License-Identifier: MIT */
/* Curves whose value holds until the next point, and the axis of those that count bytes. */
import { formatFixed, THIN_SPACE } from '../base/units';

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

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
const STEPS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500];
const TICKS = 5;

export interface ByteAxis {
    /** distance of the ticks, in bytes */
    step: number;
    tickText: (bytes: number) => string;
}

/** An axis of bytes with round ticks, all in the unit of its top. */
export function byteAxis(top: number, ticks = TICKS): ByteAxis {
    let power = 0;
    while (power < UNITS.length - 1 && top >= 1024 ** (power + 1)) power++;
    const unit = 1024 ** power;
    const fits = (step: number): boolean => top / unit / step <= ticks;
    const least = power === 0 ? 1 : 0; // a byte has no parts
    const step =
        STEPS.find((one) => one >= least && fits(one)) ??
        10 ** Math.ceil(Math.log10(top / unit / ticks));
    const decimals = step < 1 ? 1 : 0;
    return {
        step: step * unit,
        tickText: (bytes) =>
            bytes === 0 ? '0' : formatFixed(bytes / unit, decimals) + THIN_SPACE + UNITS[power],
    };
}
