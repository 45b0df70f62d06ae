/* SPDX-License-Identifier: MIT
 *
 * Hits, time, time per hit and percent as `python -m line_profiler` prints them, and in other units
 * that the user may choose. The order of the multiplications is that of line_profiler, because it
 * decides the last digit.
 */
import { formatFixed, MINUS } from '../../base/units';

/** `tick`: the unit of the report, if it is none of the other units (for example 100 ns on
 * Windows). */
export type TimeUnit = 's' | 'ms' | 'us' | 'ns' | 'tick';

const TIME_UNITS = ['s', 'ms', 'us', 'ns'] as const;
export const UNIT_TEXT: Record<TimeUnit, string> = {
    s: 's',
    ms: 'ms',
    us: 'µs',
    ns: 'ns',
    tick: 'ticks',
};
const SECONDS = { s: 1, ms: 1e-3, us: 1e-6, ns: 1e-9 };

/** Unit in which line_profiler prints by default: microseconds. */
const TOOL_UNIT_S = 1e-6;
/** Widths of line_profiler's columns in characters; a wider number is printed with fewer digits. */
const COLUMN_WIDTH = { hits: 9, time: 12, perHit: 8 };

/** Conversion of ticks to a unit, and their number format. */
export interface TimeScale {
    unit: TimeUnit;
    /** seconds of one tick */
    unit_s: number;
    /** true: the profile is a text report; values computed from its numbers may differ in the last
     * digit */
    rounded: boolean;
    /** factor from ticks to the displayed unit */
    scalar: number;
    /** true: the digits are those of line_profiler, including its change to `%g` for numbers that
     * are too wide */
    printed: boolean;
    decimals: number;
}

/** The unit in which line_profiler prints the profile. `rounded`: the profile is a text report, so
 * its ticks are the printed numbers, in units of `unit_s` seconds. */
export function profileUnit(unit_s: number, rounded: boolean): TimeUnit {
    const profileUnit_s = rounded ? unit_s : TOOL_UNIT_S;
    return TIME_UNITS.find((unit) => Math.abs(SECONDS[unit] / profileUnit_s - 1) < 1e-9) ?? 'tick';
}

/** Units that the user can choose for this profile. */
export function unitsFor(unit_s: number, rounded: boolean): TimeUnit[] {
    return profileUnit(unit_s, rounded) === 'tick' ? [...TIME_UNITS, 'tick'] : [...TIME_UNITS];
}

export function timeScale(unit: TimeUnit, unit_s: number, rounded: boolean): TimeScale {
    const profileUnit_s = rounded ? unit_s : TOOL_UNIT_S;
    const seconds = unit === 'tick' ? unit_s : SECONDS[unit];
    const addedDigits = Math.round(Math.log10(seconds / profileUnit_s));
    // With LINE_PROFILE=1, line_profiler prints in the unit of the profile itself.
    const isTick = Math.abs(seconds / unit_s - 1) < 1e-9;
    return {
        unit,
        unit_s,
        rounded,
        scalar: unit_s / seconds,
        printed: addedDigits === 0 || isTick,
        decimals: Math.max(0, 1 + addedDigits),
    };
}

export function asTimeUnit(text: string | undefined): TimeUnit | null {
    return [...TIME_UNITS, 'tick' as const].find((unit) => unit === text) ?? null;
}

/* Like C's %.{digits}g: exponential notation if the exponent is below -4 or at least `digits`, else
 * fixed notation; without trailing zeros. */
export function formatGeneral(value: number, digits: number): string {
    if (value === 0) return '0';
    const [mantissa, power] = Math.abs(value)
        .toExponential(digits - 1)
        .split('e');
    const sign = value < 0 ? MINUS : '';
    const exponent = Number(power);
    if (exponent < -4 || exponent >= digits) {
        const size = String(Math.abs(exponent)).padStart(2, '0');
        return `${sign}${trimTrailingZeros(mantissa)}e${exponent < 0 ? '-' : '+'}${size}`;
    }
    return sign + trimTrailingZeros(formatFixed(Math.abs(value), digits - 1 - exponent));
}

function trimTrailingZeros(digits: string): string {
    return digits.includes('.') ? digits.replace(/\.?0+$/, '') : digits;
}

function ungroupedLength(text: string): number {
    return text.replaceAll(',', '').length;
}

/* One decimal like %5.1f; a number wider than the column is printed like %5.3g. */
function formatNarrow(value: number, width: number): string {
    const text = formatFixed(value, 1);
    return ungroupedLength(text) > width ? formatGeneral(value, 3) : text;
}

export function hitsText(hits: number): string {
    const text = formatFixed(hits, 0);
    return ungroupedLength(text) > COLUMN_WIDTH.hits ? formatGeneral(hits, 6) : text;
}

export function timeText(ticks: number, scale: TimeScale): string {
    const value = ticks * scale.scalar;
    return scale.printed
        ? formatNarrow(value, COLUMN_WIDTH.time)
        : formatFixed(value, scale.decimals);
}

export function perHitText(ticks: number, hits: number, scale: TimeScale): string {
    if (hits === 0) return '';
    const value = (ticks * scale.scalar) / hits;
    if (scale.printed) return formatNarrow(value, COLUMN_WIDTH.perHit);
    return formatFixed(value, Math.max(1, scale.decimals));
}

/** Percent of the function; '' if the function took no time, as in line_profiler. */
export function percentText(ticks: number, total: number): string {
    return total === 0 ? '' : formatFixed((100 * ticks) / total, 1);
}

/** Decimals, from 1 to `most`, that a column needs to show all digits of its values. */
export function decimalsOf(values: readonly (number | null)[], most = 6): number {
    let decimals = 1;
    for (const value of values) {
        if (value === null || !Number.isFinite(value)) continue;
        const text = String(value);
        if (text.includes('e')) continue;
        const dot = text.indexOf('.');
        if (dot >= 0) decimals = Math.max(decimals, text.length - dot - 1);
        if (decimals >= most) return most;
    }
    return decimals;
}
