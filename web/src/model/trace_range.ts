/* SPDX-License-Identifier: MIT */
/* The time range for which every tab of a trace recomputes: `from_ns` and `to_ns` of the URL,
 * half-open, in ns since the first event. */
import { axisText, isTimeAxis } from '../base/axis';
import { formatFixed, THIN_SPACE } from '../base/units';

export interface TraceRange {
    from_ns: number;
    to_ns: number;
    /** ids of tracks, separated by commas, if only their slices count; not in the URL */
    tracks?: string;
}

type Query = Record<string, string | undefined>;

const INTEGER = /^\d{1,16}$/;

/** The range of the URL; null for the complete run, also if the URL value is invalid. */
export function readRange({ from_ns, to_ns }: Query): TraceRange | null {
    if (!from_ns || !to_ns || !INTEGER.test(from_ns) || !INTEGER.test(to_ns)) return null;
    const range = { from_ns: Number(from_ns), to_ns: Number(to_ns) };
    return range.to_ns > range.from_ns ? range : null;
}

/** Parameters of the API; none for the complete run. */
export function rangeParams(range: TraceRange | null): Partial<TraceRange> {
    return range ? { ...range } : {};
}

/** The range as URL query parameters; null clears it. */
export function rangeQuery(range: TraceRange | null): {
    from_ns: string | null;
    to_ns: string | null;
} {
    if (!range) return { from_ns: null, to_ns: null };
    return { from_ns: String(Math.round(range.from_ns)), to_ns: String(Math.round(range.to_ns)) };
}

/** Milliseconds with three decimals, as in torch's tables. */
export function ms(ns: number): string {
    return formatFixed(ns / 1e6, 3);
}

/** "246.000–291.000 ms". */
export function rangeText({ from_ns, to_ns }: TraceRange): string {
    if (!isTimeAxis()) return `${axisText(from_ns)} – ${axisText(to_ns)}`;
    return `${ms(from_ns)}–${ms(to_ns)}${THIN_SPACE}ms`;
}
