/* SPDX-License-Identifier: MIT
 *
 * The visible time window and how input changes it. All functions are pure: sizes in px are
 * parameters. Times are ns since the first event; they may be fractions while zooming.
 */
import { type AxisUnit, axisUnit, isTimeAxis } from '../base/axis';
import { formatFixed } from '../base/units';

export interface TimeView {
    from: number;
    to: number;
}

/** Minimum width of the window in ns; clocks do not resolve less. */
const MIN_WIDTH_NS = 100;

/** width at which a slice has a label that can be read */
const READABLE_PX = 90;

export const widthOf = (view: TimeView): number => view.to - view.from;

export const shifted = ({ from, to }: TimeView, by: number): TimeView => ({
    from: from + by,
    to: to + by,
});

export function clampView(view: TimeView, whole: TimeView): TimeView {
    const wholeWidth = widthOf(whole);
    const width = Math.min(wholeWidth, Math.max(Math.min(MIN_WIDTH_NS, wholeWidth), widthOf(view)));
    const from = Math.min(Math.max(whole.from, view.from), whole.to - width);
    return { from, to: from + width };
}

/** Zooms so that the time `at` stays in place; factor < 1 zooms in. */
export function zoomView(view: TimeView, whole: TimeView, factor: number, at: number): TimeView {
    const wholeWidth = widthOf(whole);
    const width = Math.min(
        wholeWidth,
        Math.max(Math.min(MIN_WIDTH_NS, wholeWidth), widthOf(view) * factor),
    );
    const from = at - (width * (at - view.from)) / widthOf(view);
    return clampView({ from, to: from + width }, whole);
}

export function panView(view: TimeView, whole: TimeView, by: number): TimeView {
    return clampView({ from: view.from + by, to: view.to + by }, whole);
}

/** A view that shows the range `of`, with a margin on both sides as a share of its width. */
export function fitView(of: TimeView, whole: TimeView, margin = 0.06): TimeView {
    const width = Math.max(1, widthOf(of));
    return clampView({ from: of.from - width * margin, to: of.to + width * margin }, whole);
}

/** Makes the range `of` visible: no change if it is visible already, else it is centred. Keeps the
 * width if the range fits. */
export function revealView(of: TimeView, view: TimeView, whole: TimeView): TimeView {
    const width = widthOf(view);
    if (widthOf(of) > width) return fitView(of, whole);
    if (of.from >= view.from && of.to <= view.to) return view;
    const middle = (of.from + of.to) / 2;
    return clampView({ from: middle - width / 2, to: middle + width / 2 }, whole);
}

/** A slice narrower than READABLE_PX gets READABLE_PX, in its middle of a view of `px` pixels. */
export function readableView(of: TimeView, view: TimeView, whole: TimeView, px: number): TimeView {
    const share = READABLE_PX / px;
    const width = Math.max(1, widthOf(of));
    if (width >= widthOf(view) * share) return view;
    const middle = (of.from + of.to) / 2;
    const half = width / share / 2;
    return clampView({ from: middle - half, to: middle + half }, whole);
}

export function sameView(a: TimeView, b: TimeView): boolean {
    const slack = widthOf(a) * 1e-4;
    return Math.abs(a.from - b.from) <= slack && Math.abs(a.to - b.to) <= slack;
}

/** Cubic ease-out between two windows; t from 0 to 1. */
export function easeView(a: TimeView, b: TimeView, t: number): TimeView {
    const k = 1 - (1 - Math.min(1, Math.max(0, t))) ** 3;
    return { from: a.from + (b.from - a.from) * k, to: a.to + (b.to - a.to) * k };
}

export function viewText(view: TimeView): string {
    return `${Math.floor(view.from)}~${Math.ceil(view.to)}`;
}

/** Parses `FROM~TO` in ns; null if it is invalid. Times may be negative when the other run of a
 * comparison began earlier. */
export function parseView(text: string | undefined, whole: TimeView): TimeView | null {
    const match = /^(-?\d+)~(-?\d+)$/.exec(text ?? '');
    if (!match) return null;
    const [from, to] = [Number(match[1]), Number(match[2])];
    return to > from && from < whole.to && to > whole.from ? clampView({ from, to }, whole) : null;
}

/** A range between two times: integer ns, at least 1 ns long, within the run. */
export function roundRange(a: number, b: number, whole: TimeView): TimeView {
    const from = Math.max(whole.from, Math.floor(Math.min(a, b)));
    const to = Math.min(whole.to + 1, Math.max(from + 1, Math.ceil(Math.max(a, b))));
    return { from, to };
}

export interface Axis {
    /** ns between two grid lines */
    step: number;
    first: number;
    unit: string;
    /** ns per unit */
    scale: number;
    decimals: number;
}

const TICK_PX = 104;

function niceStep(least: number): number {
    const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
    for (const factor of [1, 2, 5, 10]) {
        if (power * factor >= least) return power * factor;
    }
    return power * 10;
}

/** Grid lines at round times, about TICK_PX apart, in a unit with few digits. */
export function axisOf(view: TimeView, px: number): Axis {
    const step = niceStep((widthOf(view) / Math.max(1, px)) * TICK_PX);
    const [unit, scale] = unitOf(Math.max(Math.abs(view.from), view.to), step);
    const decimals = Math.max(0, Math.ceil(Math.log10(scale) - Math.log10(step) - 1e-9));
    return { step, first: Math.ceil(view.from / step) * step + 0, unit, scale, decimals };
}

function unitOf(greatest: number, step: number): [string, number] {
    if (!isTimeAxis()) return countUnit(greatest, axisUnit());
    if (greatest >= 2e9 && step >= 1e7) return ['s', 1e9];
    if (greatest >= 1e6) return ['ms', 1e6];
    if (greatest >= 1e3) return ['µs', 1e3];
    return ['ns', 1];
}

function countUnit(greatest: number, { unit, scale }: AxisUnit): [string, number] {
    if (unit !== 'B') return [unit, scale];
    if (greatest >= 1e6) return ['MB', 1e6];
    return greatest >= 1e3 ? ['kB', 1e3] : ['B', 1];
}

/** Formats a view, `176.302 – 350.294 ms`, with as many digits as the pixels of the window can
 * resolve. */
export function spanText(view: TimeView, px: number): string {
    const { unit, scale } = axisOf(view, px);
    const nsPerPx = widthOf(view) / Math.max(1, px);
    const digits = Math.max(3, Math.ceil(Math.log10(scale / Math.max(1, nsPerPx))));
    const decimals = Math.min(Math.log10(scale), digits);
    const format = (ns: number): string => formatFixed(ns / scale, decimals);
    return `${format(view.from)} – ${format(view.to)} ${unit}`;
}
