/* SPDX-License-Identifier: MIT
 *
 * Hits, time, time per hit and percent as `python -m line_profiler` prints them, and in other units
 * that the user may choose. The order of the multiplications is that of line_profiler, because it
 * decides the last digit.
 */
import { formatFixed } from '../../base/units';

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
/** Widths of line_profiler's columns in characters. line_profiler prints a wider number with three
 * digits and an exponent; here it has all digits before the point. */
const COLUMN_WIDTH = { time: 12, perHit: 8 };

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
    /** true: the digits are those of line_profiler */
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

function ungroupedLength(text: string): number {
    return text.replaceAll(',', '').length;
}

/* One decimal like %5.1f; none for a number that is wider than the column. */
function formatNarrow(value: number, width: number): string {
    const text = formatFixed(value, 1);
    return ungroupedLength(text) > width ? formatFixed(value, 0) : text;
}

export function hitsText(hits: number): string {
    return formatFixed(hits, 0);
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
