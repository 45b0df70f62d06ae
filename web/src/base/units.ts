/* SPDX-License-Identifier: MIT
 *
 * Formatting of numbers. Tables use formatFixed, which prints the same digits as C's printf and
 * Python's `%.3f`. Single values use formatSeconds and formatBytes, which choose a unit and keep
 * four or three digits.
 */

/** A number and its unit, separate because they are drawn in different font weights. */
export interface FormattedValue {
    value: string;
    unit: string;
}

export const MINUS = '\u2212';
export const DASH = '\u2013';
/** Narrow no-break space, between a number and its unit. */
export const THIN_SPACE = '\u202f';

/* Whether the value is an exact tie: a 5 in the next decimal place, followed only by zeros.
 * Number.toFixed rounds the exact binary value, like printf, but rounds ties up, where printf
 * rounds them to the even digit. */
function isTie(magnitude: number, decimals: number): boolean {
    const scaled = magnitude * 10 ** decimals;
    if (Math.abs(scaled - Math.floor(scaled) - 0.5) > 1e-6) return false;
    const digits = magnitude.toFixed(100);
    const tieIndex = digits.indexOf('.') + decimals + 1;
    return /^50*$/.test(digits.slice(tieIndex));
}

function roundEven(magnitude: number, decimals: number): string {
    if (magnitude >= 1e21) return BigInt(magnitude).toString() + zeroDigits(decimals);
    if (!isTie(magnitude, decimals)) return magnitude.toFixed(decimals);
    const exact = magnitude.toFixed(Math.min(100, decimals + 1));
    const roundedDown = exact.slice(0, decimals === 0 ? exact.indexOf('.') : -1);
    const lastDigit = Number(roundedDown[roundedDown.length - 1]);
    return lastDigit % 2 === 0 ? roundedDown : magnitude.toFixed(decimals);
}

function zeroDigits(decimals: number): string {
    return decimals > 0 ? `.${'0'.repeat(decimals)}` : '';
}

function groupDigits(digits: string): string {
    const dot = digits.indexOf('.');
    const whole = dot < 0 ? digits : digits.slice(0, dot);
    if (whole.length < 4) return digits;
    return whole.replace(/\B(?=(\d{3})+$)/g, ',') + (dot < 0 ? '' : digits.slice(dot));
}

/** `formatFixed(1108.934, 3)` is "1,108.934". The minus is U+2212, also for negative values that round
 * to zero. */
export function formatFixed(value: number, decimals: number): string {
    if (!Number.isFinite(value)) return DASH;
    const negative = value < 0 || Object.is(value, -0);
    return (negative ? MINUS : '') + groupDigits(roundEven(Math.abs(value), decimals));
}

export function int(value: number | null): string {
    if (value === null) return DASH;
    return formatFixed(value === 0 ? 0 : value, 0);
}

/** Formats with one decimal, without the percent sign; callers add the sign. */
export function pct(value: number): string {
    return formatFixed(value, 1);
}

/* Formats a magnitude below 1000 with `digits` significant digits. */
function significant(magnitude: number, digits: number): string {
    for (let whole = 1; whole <= digits; whole++) {
        const text = roundEven(magnitude, digits - whole);
        if (Number(text) < 10 ** whole) return text;
    }
    return groupDigits(roundEven(magnitude, 0));
}

function longTime(seconds: number): FormattedValue {
    const whole = Math.round(seconds);
    if (whole < 3600) {
        return { value: `${Math.floor(whole / 60)} min ${padTwo(whole % 60)}`, unit: 's' };
    }
    const minutes = Math.round(seconds / 60);
    return { value: `${int(Math.floor(minutes / 60))} h ${padTwo(minutes % 60)}`, unit: 'min' };
}

function padTwo(value: number): string {
    return String(value).padStart(2, '0');
}

const TIME_STEPS: readonly [factor: number, below: number, unit: string][] = [
    [1e9, 1000, 'ns'],
    [1e6, 1000, 'µs'],
    [1e3, 1000, 'ms'],
    [1, 120, 's'],
];

/** Formats a single time: four significant digits, ns to s, then "2 min 04 s" and "1 h 02 min". */
export function formatSeconds(seconds: number): FormattedValue {
    if (!Number.isFinite(seconds)) return { value: DASH, unit: '' };
    if (seconds === 0) return { value: '0', unit: 's' };
    const magnitude = Math.abs(seconds);
    const sign = seconds < 0 ? MINUS : '';
    for (const [factor, below, unit] of TIME_STEPS) {
        const text = significant(magnitude * factor, 4);
        if (Number(text.replaceAll(',', '')) < below) return { value: sign + text, unit };
    }
    const long = longTime(magnitude);
    return { value: sign + long.value, unit: long.unit };
}

const BYTE_UNITS = ['KiB', 'MiB', 'GiB', 'TiB'];

export function formatBytes(count: number): FormattedValue {
    let scaled = Math.abs(count);
    if (scaled < 1024) return { value: int(count), unit: 'B' };
    const sign = count < 0 ? MINUS : '';
    for (const unit of BYTE_UNITS) {
        scaled /= 1024;
        if (scaled < 1023.5 || unit === 'TiB') {
            // Four digits only from 1000 to 1023; the next unit would start with a zero.
            return { value: sign + (scaled < 999.5 ? significant(scaled, 3) : int(scaled)), unit };
        }
    }
    throw new Error('unreachable: the last unit takes every size');
}

/** "1 run", "2 runs". */
export function plural(count: number, one: string, many = `${one}s`): string {
    return `${int(count)} ${count === 1 ? one : many}`;
}

/** "67.0 KiB": powers of 1024, three digits. */
export function bytesText(count: number): string {
    return text(formatBytes(count));
}

export function text({ value, unit }: FormattedValue): string {
    return unit ? value + THIN_SPACE + unit : value;
}

/** Formats a value in the unit that the run states; seconds and bytes choose their own scale. A
 * missing value is a dash without a unit. */
export function formatValueIn(value: number | null, unit: string): FormattedValue {
    if (value === null) return { value: '–', unit: '' };
    if (unit === 's') return formatSeconds(value);
    if (unit === 'B' || unit === 'bytes') return formatBytes(value);
    const magnitude = Math.abs(value);
    const digits =
        magnitude >= 1000 ? groupDigits(roundEven(magnitude, 0)) : significant(magnitude, 4);
    const isOne = magnitude === 1 && /...s$/.test(unit); // "1 sample"; units of measure are shorter
    return {
        value: (value < 0 ? MINUS : '') + digits,
        unit: isOne ? unit.slice(0, -1) : unit,
    };
}

const RATE_STEPS: readonly [factor: number, prefix: string][] = [
    [1e12, 'T'],
    [1e9, 'G'],
    [1e6, 'M'],
];

/** Formats a value in a unit of which parts may be whole, as "26 rows/op"; large rates are scaled, as
 * "16.28 M items/s". Units such as MB/s have a prefix already. */
export function formatCount(value: number, unit: string): FormattedValue {
    const step = RATE_STEPS.find(([factor]) => Math.abs(value) >= factor);
    if (step && /^[a-z].*\/s$/.test(unit)) {
        const [factor, prefix] = step;
        const scaled = formatValueIn(value / factor, '');
        return { value: scaled.value, unit: prefix + THIN_SPACE + unit };
    }
    if (Number.isInteger(value)) return { ...formatValueIn(value, unit), value: int(value) };
    return formatValueIn(value, unit);
}

/** Formats a difference with its sign. What rounds to zero has none. */
export function signed(value: number, decimals: number): string {
    const digits = formatFixed(Math.abs(value), decimals);
    if (!/[1-9]/.test(digits)) return digits;
    return (value < 0 ? MINUS : '+') + digits;
}

const DAY_MS = 86400000;
const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = [
    'January',
    'February',
    'March',
    'April',
    'May',
    'June',
    'July',
    'August',
    'September',
    'October',
    'November',
    'December',
];

/** Number of midnights between two times in the user's time zone; 0 is the same day. */
export function daysBetween(then: Date, now: Date): number {
    const a = Date.UTC(then.getFullYear(), then.getMonth(), then.getDate());
    const b = Date.UTC(now.getFullYear(), now.getMonth(), now.getDate());
    return Math.round((b - a) / DAY_MS);
}

export function clock(time: Date): string {
    return `${padTwo(time.getHours())}:${padTwo(time.getMinutes())}`;
}

export function formatIsoDay(time: Date): string {
    return `${time.getFullYear()}-${padTwo(time.getMonth() + 1)}-${padTwo(time.getDate())}`;
}

/** "14:02" today, "yesterday 17:40", "Monday 09:12" within a week, then "2026-11-20". */
export function when(iso: string, now: Date = new Date()): string {
    const then = new Date(iso);
    if (Number.isNaN(then.getTime())) return DASH;
    const days = daysBetween(then, now);
    if (days === 0) return clock(then);
    if (days === 1) return `yesterday ${clock(then)}`;
    if (days > 1 && days < 7) return `${WEEKDAYS[then.getDay()]} ${clock(then)}`;
    return formatIsoDay(then);
}

/** Heading of a day: its name if it is recent ("Today", "Monday"), and the date. */
export function dayHeading(iso: string, now: Date = new Date()): { label: string; date: string } {
    const then = new Date(iso);
    const days = daysBetween(then, now);
    const weekday = WEEKDAYS[then.getDay()];
    const date = `${then.getDate()} ${MONTHS[then.getMonth()]}`;
    if (days === 0) return { label: 'Today', date: `${weekday} ${date}` };
    if (days === 1) return { label: 'Yesterday', date: `${weekday} ${date}` };
    if (days > 1 && days < 7) return { label: weekday, date };
    return { label: formatIsoDay(then), date: weekday };
}
