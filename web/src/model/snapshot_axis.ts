/* SPDX-License-Identifier: MIT */
/* The horizontal axis of a memory snapshot: events, or µs since the first event. A view is a range of
 * the axis; the answers of the server have columns of equal width on it. */
import type { SnapshotDevice, SnapshotTimeline } from '../base/answers';

export type SnapshotX = 'event' | 'time';

export interface AxisView {
    from: number;
    to: number;
}

/** Least number of events that a view shows. */
const MIN_EVENTS = 8;

/** The complete axis of a device. */
export function wholeAxis(device: SnapshotDevice, x: SnapshotX): AxisView {
    const { first_us, last_us, events } = device;
    if (x === 'time' && first_us !== null && last_us !== null)
        return { from: 0, to: Math.max(1, last_us - first_us) };
    return { from: 0, to: Math.max(1, events) };
}

function leastWidth(whole: AxisView, x: SnapshotX): number {
    const least = x === 'event' ? MIN_EVENTS : 1;
    return Math.min(whole.to - whole.from, Math.max(least, (whole.to - whole.from) * 1e-9));
}

export function clampAxis(view: AxisView, device: SnapshotDevice, x: SnapshotX): AxisView {
    const whole = wholeAxis(device, x);
    const least = leastWidth(whole, x);
    const width = Math.min(whole.to, Math.max(least, view.to - view.from));
    const from = Math.min(Math.max(0, view.from), whole.to - width);
    return { from, to: from + width };
}

/** Zooms so that `at` stays in place; factor < 1 zooms in. */
export function zoomAxis(
    view: AxisView,
    factor: number,
    at: number,
    device: SnapshotDevice,
    x: SnapshotX,
): AxisView {
    const whole = wholeAxis(device, x);
    const width = Math.min(
        whole.to,
        Math.max(leastWidth(whole, x), (view.to - view.from) * factor),
    );
    const share = (at - view.from) / (view.to - view.from);
    const from = at - width * share;
    return clampAxis({ from, to: from + width }, device, x);
}

/** The view with `at` in it: the same one, or one of the same width around it. */
export function revealOnAxis(
    view: AxisView,
    at: number,
    device: SnapshotDevice,
    x: SnapshotX,
): AxisView {
    if (at >= view.from && at <= view.to) return view;
    const half = (view.to - view.from) / 2;
    return clampAxis({ from: at - half, to: at + half }, device, x);
}

/** `from,to` of the URL; null: the complete axis. */
export function parseAxis(
    text: string | undefined,
    device: SnapshotDevice,
    x: SnapshotX,
): AxisView | null {
    const match = /^(\d+),(\d+)$/.exec(text ?? '');
    if (!match) return null;
    const view = { from: Number(match[1]), to: Number(match[2]) };
    return view.to > view.from ? clampAxis(view, device, x) : null;
}

export function axisText(view: AxisView): string {
    return `${Math.floor(view.from)},${Math.ceil(view.to)}`;
}

/** Columns of an answer on the axis. */
export interface PlacedColumns {
    data: SnapshotTimeline;
    x0: number;
    /** width of a column */
    step: number;
    n: number;
    /** position of the event that each column shows, never decreasing */
    at: Float64Array;
    /** by part and column: bytes of this part and those below it */
    sums: Float64Array[];
}

export function placeColumns(data: SnapshotTimeline, device: SnapshotDevice): PlacedColumns {
    const n = data.event.length;
    const first = device.first_us ?? 0;
    const byTime = data.x === 'time';
    const x0 = byTime ? (data.from_us ?? first) - first : data.from;
    const x1 = byTime ? (data.to_us ?? first) + 1 - first : data.to;
    const at = new Float64Array(n);
    let last = -Infinity;
    for (let i = 0; i < n; i++) {
        const position = byTime ? (data.t_us[i] ?? first) - first : data.event[i];
        last = Math.max(last, position);
        at[i] = last;
    }
    const sums: Float64Array[] = [];
    for (const [k, part] of data.parts.entries())
        sums.push(Float64Array.from(part, (bytes, i) => bytes + (k > 0 ? sums[k - 1][i] : 0)));
    return { data, sums, x0, step: Math.max(x1 - x0, byTime ? 1 : 0) / Math.max(1, n), n, at };
}

const endOf = ({ x0, step, n }: PlacedColumns): number => x0 + step * n;

/** Whether the columns cover the view. */
export function coversView(columns: PlacedColumns, view: AxisView, whole: AxisView): boolean {
    return (
        columns.x0 <= Math.max(view.from, whole.from) &&
        endOf(columns) >= Math.min(view.to, whole.to) - 1e-6
    );
}

/** What is drawn in each pixel of a view: the index of the answer and of its column; -1: nothing. */
export interface PixelColumns {
    answer: Int8Array;
    column: Int32Array;
}

/** Chooses the columns of each pixel. Of several columns in a pixel it takes the one with the most live
 * bytes, so no peak is lost. The first of `answers` that covers a pixel is used. */
export function columnsOfPixels(
    answers: readonly PlacedColumns[],
    view: AxisView,
    px: number,
): PixelColumns {
    const answer = new Int8Array(px).fill(-1);
    const column = new Int32Array(px).fill(-1);
    const perPx = (view.to - view.from) / px;
    answers.forEach((one, index) => {
        const end = endOf(one);
        const { live } = one.data;
        for (let p = 0; p < px; p++) {
            if (answer[p] >= 0) continue;
            const left = view.from + p * perPx;
            const right = left + perPx;
            if (left < one.x0 - perPx / 2 || left >= end || one.n === 0) continue;
            const first = Math.min(one.n - 1, Math.max(0, Math.floor((left - one.x0) / one.step)));
            const last = Math.min(
                one.n,
                Math.max(first + 1, Math.ceil((right - one.x0) / one.step)),
            );
            let best = first;
            // A column that only begins at the right edge belongs to the next pixel.
            for (let c = first + 1; c < last; c++) {
                if (one.x0 + c * one.step >= right) break;
                if (live[c] > live[best]) best = c;
            }
            answer[p] = index;
            column[p] = best;
        }
    });
    return { answer, column };
}

/* Index of the last value that is at most x; -1: none. */
function lastAtMost(values: ArrayLike<number>, x: number): number {
    let lo = 0;
    let hi = values.length;
    while (lo < hi) {
        const mid = (lo + hi) >> 1;
        if (values[mid] <= x) lo = mid + 1;
        else hi = mid;
    }
    return lo - 1;
}

/* y at x on the line through the points; extrapolates nothing. */
function interpolate(xs: ArrayLike<number>, ys: ArrayLike<number>, x: number): number {
    const i = lastAtMost(xs, x);
    if (i < 0) return ys[0];
    if (i >= xs.length - 1) return ys[xs.length - 1];
    const width = xs[i + 1] - xs[i];
    return width > 0 ? ys[i] + ((x - xs[i]) / width) * (ys[i + 1] - ys[i]) : ys[i];
}

/** Position of an event on the axis. The answers have the times of some events only; the
 * times of the others are interpolated. `answers`: the most detailed one first. */
export function xOfEvent(answers: readonly PlacedColumns[], event: number, x: SnapshotX): number {
    if (x === 'event') return event;
    const inside = answers.find(({ data, n }) => n > 0 && event >= data.from && event < data.to);
    const one = inside ?? answers.at(-1);
    return one && one.n > 0 ? interpolate(one.data.event, one.at, event) : 0;
}

/** The event at a position of the axis. */
export function eventAtX(
    answers: readonly PlacedColumns[],
    at: number,
    device: SnapshotDevice,
    x: SnapshotX,
): number {
    const clamp = (event: number): number =>
        Math.max(Math.min(0, device.events - 1), Math.min(device.events - 1, event));
    if (x === 'event') return clamp(Math.floor(at));
    const inside = answers.find((one) => one.n > 0 && at >= one.x0 && at <= endOf(one));
    const one = inside ?? answers.at(-1);
    return one && one.n > 0 ? clamp(Math.round(interpolate(one.at, one.data.event, at))) : 0;
}

/** Events that a request must cover to show the view, with a view's width on both sides. */
export function eventsToAsk(
    answers: readonly PlacedColumns[],
    view: AxisView,
    device: SnapshotDevice,
    x: SnapshotX,
): { from: number; to: number } {
    const width = view.to - view.from;
    const wide = { from: view.from - width, to: view.to + width };
    if (x === 'event')
        return {
            from: Math.max(0, Math.floor(wide.from)),
            to: Math.min(device.events, Math.max(1, Math.ceil(wide.to))),
        };
    const from = eventAtX(answers, wide.from, device, x);
    const to = eventAtX(answers, wide.to, device, x) + 1;
    // The events at the edges are interpolated, so one column more on each side is asked.
    const slack = Math.ceil((to - from) * 0.05) + 1;
    return { from: Math.max(0, from - slack), to: Math.min(device.events, to + slack) };
}

const TICK_STEPS = [1, 2, 5];

/** Distance of ticks: 1, 2 or 5 times a power of ten, at least `least`. */
export function tickStep(least: number): number {
    for (let power = 10 ** Math.floor(Math.log10(Math.max(1e-9, least))); ; power *= 10)
        for (const factor of TICK_STEPS)
            if (factor * power >= least * (1 - 1e-9)) return factor * power;
}

export interface Flag {
    /** px of the line */
    x: number;
    /** px of the text */
    width: number;
}

/** Where the flags stand: `right` of their line, `left` of it, or `hidden` since others are in the way.
 * Flags are given by importance; earlier ones get their place first. */
export function placeFlags(
    flags: readonly Flag[],
    left: number,
    right: number,
): ('right' | 'left' | 'hidden')[] {
    const taken: [number, number][] = [];
    const isFree = (a: number, b: number): boolean =>
        a >= left && b <= right && taken.every(([from, to]) => b <= from || a >= to);
    return flags.map(({ x, width }) => {
        if (isFree(x, x + width)) {
            taken.push([x, x + width]);
            return 'right';
        }
        if (isFree(x - width, x)) {
            taken.push([x - width, x]);
            return 'left';
        }
        return 'hidden';
    });
}

/** Left edge of a label that crosses no line, as near to `wanted` as possible; if there is no such place,
 * `wanted` within the chart. */
export function placeLabel(
    wanted: number,
    width: number,
    lines: readonly number[],
    left: number,
    right: number,
): number {
    const margin = 5;
    const clamp = (x: number): number => Math.max(left, Math.min(right - width, x));
    const isFree = (x: number): boolean =>
        lines.every((line) => line <= x - margin + 0.5 || line >= x + width + margin - 0.5);
    const places = [wanted, ...lines.flatMap((x) => [x + margin, x - margin - width])]
        .filter((x) => clamp(x) === x)
        .sort((a, b) => Math.abs(a - wanted) - Math.abs(b - wanted));
    return places.find(isFree) ?? clamp(wanted);
}
