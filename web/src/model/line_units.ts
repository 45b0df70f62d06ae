/* SPDX-License-Identifier: MIT
 *
 * Hits, time, time per hit and percent as `python -m line_profiler` prints them, and in the units
 * that a reader may choose besides. The order of the multiplications is line_profiler's, since it
 * decides the last digit.
 */
import { fmtFixed, MINUS } from '../base/units';

/** `tick`: what a report was printed in when it is none of the others, 100 ns on Windows. */
export type TimeUnit = 's' | 'ms' | 'us' | 'ns' | 'tick';

const NAMED = ['s', 'ms', 'us', 'ns'] as const;
export const UNIT_TEXT: Record<TimeUnit, string> = {
    s: 's',
    ms: 'ms',
    us: 'µs',
    ns: 'ns',
    tick: 'ticks',
};
const SECONDS = { s: 1, ms: 1e-3, us: 1e-6, ns: 1e-9 };

/** line_profiler prints microseconds unless it is told otherwise. */
const TOOL_UNIT_S = 1e-6;
/** Longer numbers are printed in fewer digits: widths of line_profiler's columns. */
const WIDTH = { hits: 9, time: 12, perHit: 8 };

/** Which units line_profiler's own digits are in, and how far they reach in another. */
export interface TimeScale {
    unit: TimeUnit;
    /** seconds of one tick */
    unit_s: number;
    /** read from a text: what is computed from its figures may differ in the last digit */
    rounded: boolean;
    /** factor from ticks to what is shown */
    scalar: number;
    /** true: the text equals line_profiler's, with its change to `%g` for what is too wide */
    printed: boolean;
    decimals: number;
}

/** `rounded`: the profile is a text, its ticks are what was printed in `unit_s`. */
export function ownUnit(unit_s: number, rounded: boolean): TimeUnit {
    const own = rounded ? unit_s : TOOL_UNIT_S;
    return NAMED.find((unit) => Math.abs(SECONDS[unit] / own - 1) < 1e-9) ?? 'tick';
}

/** The units to choose from. */
export function unitsFor(unit_s: number, rounded: boolean): TimeUnit[] {
    return ownUnit(unit_s, rounded) === 'tick' ? [...NAMED, 'tick'] : [...NAMED];
}

export function timeScale(unit: TimeUnit, unit_s: number, rounded: boolean): TimeScale {
    const own = rounded ? unit_s : TOOL_UNIT_S;
    const seconds = unit === 'tick' ? unit_s : SECONDS[unit];
    const reach = Math.round(Math.log10(seconds / own));
    // Its other way in, LINE_PROFILE=1, prints in the unit of the profile itself.
    const isTick = Math.abs(seconds / unit_s - 1) < 1e-9;
    return {
        unit,
        unit_s,
        rounded,
        scalar: unit_s / seconds,
        printed: reach === 0 || isTick,
        decimals: Math.max(0, 1 + reach),
    };
}

export function asTimeUnit(text: string | undefined): TimeUnit | null {
    return [...NAMED, 'tick' as const].find((unit) => unit === text) ?? null;
}

/* C's %.{digits}g: the shorter of fixed and exponent, without trailing zeros. */
export function general(value: number, digits: number): string {
    if (value === 0) return '0';
    const [mantissa, power] = Math.abs(value)
        .toExponential(digits - 1)
        .split('e');
    const sign = value < 0 ? MINUS : '';
    const exponent = Number(power);
    if (exponent < -4 || exponent >= digits) {
        const size = String(Math.abs(exponent)).padStart(2, '0');
        return `${sign}${trimZeros(mantissa)}e${exponent < 0 ? '-' : '+'}${size}`;
    }
    return sign + trimZeros(fmtFixed(Math.abs(value), digits - 1 - exponent));
}

function trimZeros(digits: string): string {
    return digits.includes('.') ? digits.replace(/\.?0+$/, '') : digits;
}

function ungrouped(text: string): number {
    return text.replaceAll(',', '').length;
}

/* One decimal, as %5.1f; wider than its column it becomes %5.3g. */
function narrow(value: number, width: number): string {
    const text = fmtFixed(value, 1);
    return ungrouped(text) > width ? general(value, 3) : text;
}

export function hitsText(hits: number): string {
    const text = fmtFixed(hits, 0);
    return ungrouped(text) > WIDTH.hits ? general(hits, 6) : text;
}

export function timeText(ticks: number, scale: TimeScale): string {
    const value = ticks * scale.scalar;
    return scale.printed ? narrow(value, WIDTH.time) : fmtFixed(value, scale.decimals);
}

export function perHitText(ticks: number, hits: number, scale: TimeScale): string {
    if (hits === 0) return '';
    const value = (ticks * scale.scalar) / hits;
    if (scale.printed) return narrow(value, WIDTH.perHit);
    return fmtFixed(value, Math.max(1, scale.decimals));
}

/** Of the function; empty when the function took no time, as line_profiler leaves it. */
export function percentText(ticks: number, total: number): string {
    return total === 0 ? '' : fmtFixed((100 * ticks) / total, 1);
}

/** Digits after the point that a column of printed numbers needs: those its tool printed. */
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
