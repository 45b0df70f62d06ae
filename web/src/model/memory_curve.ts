/* SPDX-License-Identifier: MIT
 *
 * Memory over time in words and rows: the slope, the spans as brackets, the window that is shown.
 */
import type { MemorySpan } from '../base/line_types';
import { fmtFixed, signed, THIN } from '../base/units';

export interface TimeWindow {
    from: number;
    to: number;
}

/** Share of the peak that is still held at the end of what grows without giving back. */
const KEPT = 0.95;
/** A program that starts grows; shorter windows tell no leak. */
const LEAK_SECONDS = 5;

/**
 * What the slope says about a leak; null where it says nothing. `ends` are the peak and the last
 * value of the window: what was given back at the end was no leak.
 */
export function slopeWords(
    mib_s: number | null,
    shown: TimeWindow,
    ends: { peak: number; last: number } | null,
): string | null {
    const seconds = shown.to - shown.from;
    if (mib_s === null || !(seconds > 0)) return null;
    const drift = mib_s * seconds;
    const rate = `${signed(mib_s, Math.abs(mib_s) < 0.1 ? 3 : 1)}${THIN}MiB/s`;
    if (Math.abs(drift) < Math.max(1, 0.05 * (ends?.peak ?? 0))) {
        return `${rate}: constant`;
    }
    if (drift < 0) return `${rate}: memory shrinks`;
    if (ends && ends.last < KEPT * ends.peak) {
        return `${rate}, but ${fmtFixed(ends.peak - ends.last, 1)}${THIN}MiB were freed after the peak`;
    }
    if (seconds < LEAK_SECONDS) return `${rate}: too short to tell a leak from start-up`;
    return `${rate}: a leak if it continues`;
}

/** Rows of brackets: by the level the file states; without one, the first row with room. */
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

/** A window inside of what there is, from the URL's words; all of it when they make no sense. */
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

/** Zooms around `at`; never beyond the whole, never closer than a ten thousandth of it. */
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

/** A time on the axis: its own digits and no more. */
export function tickText(seconds: number): string {
    return fmtFixed(seconds, 6).replace(/\.?0+$/, '') || '0';
}

/** Seconds with as many decimals as the window needs to tell its points apart. */
export function secondsText(seconds: number, { from, to }: TimeWindow): string {
    const span = to - from;
    const decimals = span > 100 ? 1 : span > 10 ? 2 : span > 1 ? 3 : 4;
    return fmtFixed(seconds, decimals);
}
