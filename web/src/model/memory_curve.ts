/* SPDX-License-Identifier: MIT
 *
 * Helpers of memory curves: description of the slope, rows of the span brackets, and the visible
 * time window.
 */
import type { MemorySpanRow as MemorySpan } from '../base/rows';
import { formatFixed, signed, THIN_SPACE } from '../base/units';

export interface TimeWindow {
    from: number;
    to: number;
}

/** Growth is called a leak only if at least this share of the peak is still held at the end. */
const MIN_LEAK_SHARE = 0.95;
/** Shorter windows do not indicate a leak: every program grows while it starts. */
const LEAK_SECONDS = 5;

/** Describes the slope of a window in words; null if there is no slope. `ends`: peak and last value
 * of the window; memory that was released at the end is not a leak. */
export function slopeText(
    mib_s: number | null,
    shown: TimeWindow,
    ends: { peak: number; last: number } | null,
): string | null {
    const seconds = shown.to - shown.from;
    if (mib_s === null || !(seconds > 0)) return null;
    const growth = mib_s * seconds;
    const rate = `${signed(mib_s, Math.abs(mib_s) < 0.1 ? 3 : 1)}${THIN_SPACE}MiB/s`;
    if (Math.abs(growth) < Math.max(1, 0.05 * (ends?.peak ?? 0))) {
        return `${rate}: constant`;
    }
    if (growth < 0) return `${rate}: memory shrinks`;
    if (ends && ends.last < MIN_LEAK_SHARE * ends.peak) {
        return `${rate}, but ${formatFixed(ends.peak - ends.last, 1)}${THIN_SPACE}MiB were freed after the peak`;
    }
    if (seconds < LEAK_SECONDS) return `${rate}: too short to tell a leak from start-up`;
    return `${rate}: a leak if it continues`;
}

/** Assigns spans to rows of brackets: the row of their level in the file, or the next row with free
 * space. */
export function spanRows(spans: readonly MemorySpan[]): { span: MemorySpan; row: number }[] {
    const ends: number[] = [];
    return [...spans]
        .sort((a, b) => a.start_s - b.start_s || b.end_s - a.end_s)
        .map((span) => {
            let row = span.level ?? 0;
            while (ends[row] !== undefined && ends[row] > span.start_s) row++;
            ends[row] = span.end_s;
            return { span, row };
        });
}

/** The time window of the URL, clamped to the run; the complete run if it is invalid. */
export function windowOf(
    from: string | undefined,
    to: string | undefined,
    length: number,
): TimeWindow {
    const a = from === undefined ? 0 : Number(from);
    const b = to === undefined ? length : Number(to);
    if (!Number.isFinite(a) || !Number.isFinite(b) || b <= a) return { from: 0, to: length };
    return { from: Math.max(0, a), to: Math.min(length, b) };
}

/** Zooms around `at`; the window is at most the complete run and at least a ten thousandth of it. */
export function zoomWindow(
    { from, to }: TimeWindow,
    at: number,
    factor: number,
    length: number,
): TimeWindow {
    const span = Math.min(length, Math.max(length / 10_000, (to - from) * factor));
    const share = to > from ? (at - from) / (to - from) : 0.5;
    const start = Math.max(0, Math.min(length - span, at - share * span));
    return { from: start, to: start + span };
}

export function panWindow({ from, to }: TimeWindow, by: number, length: number): TimeWindow {
    const span = to - from;
    const start = Math.max(0, Math.min(length - span, from + by * span));
    return { from: start, to: start + span };
}

/** Samples of memory, in ascending order of time. */
export interface Samples {
    t_s: readonly number[];
    values: readonly number[];
    /** times without samples; nothing is known of the value there */
    gaps: readonly { from_s: number; to_s: number }[];
}

export interface Sample {
    t_s: number;
    value: number;
}

/** The sample nearest to a time; null in a gap, and before the first and after the last sample. */
export function nearestSample({ t_s, values, gaps }: Samples, at: number): Sample | null {
    const last = t_s.length - 1;
    if (last < 0 || at < t_s[0] || at > t_s[last]) return null;
    if (gaps.some(({ from_s, to_s }) => at > from_s && at < to_s)) return null;
    let low = 0;
    let high = last;
    while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (t_s[middle] <= at) low = middle;
        else high = middle - 1;
    }
    const i = low < last && t_s[low + 1] - at < at - t_s[low] ? low + 1 : low;
    return { t_s: t_s[i], value: values[i] };
}

/** Points of a line that is interrupted at the gaps: a chart draws no line to a value of NaN. */
export function brokenLine({ t_s, values, gaps }: Samples): { x: number[]; y: number[] } {
    const x: number[] = [];
    const y: number[] = [];
    let next = 0;
    for (let i = 0; i < t_s.length; i++) {
        while (next < gaps.length && gaps[next].from_s < t_s[i]) {
            if (x.length && gaps[next].to_s <= t_s[i]) {
                x.push(gaps[next].from_s);
                y.push(Number.NaN);
            }
            next++;
        }
        x.push(t_s[i]);
        y.push(values[i]);
    }
    return { x, y };
}

/** A time on the axis, without trailing zeros. */
export function tickText(seconds: number): string {
    return formatFixed(seconds, 6).replace(/\.?0+$/, '') || '0';
}

/** Formats seconds with enough decimals to distinguish neighbouring points of the window. */
export function secondsText(seconds: number, { from, to }: TimeWindow): string {
    const span = to - from;
    const decimals = span > 100 ? 1 : span > 10 ? 2 : span > 1 ? 3 : 4;
    return formatFixed(seconds, decimals);
}
