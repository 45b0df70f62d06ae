/* SPDX-License-Identifier: MIT */
/* The requests of two serving runs: the parts of the time to first token, distributions, and pairs. */
import type { RequestChange, RequestPair } from '../base/answers';
import type { BarPart } from './breakdown';

export type Side = 'base' | 'new';
export const SIDES: readonly Side[] = ['base', 'new'];

/** A metric of a pair: `ttft_ns`. */
export type RequestMetric = 'ttft_ns' | 'gap_ns' | 'latency_ns' | 'tpot_ns';

export const METRIC_TITLES: Record<RequestMetric, string> = {
    ttft_ns: 'First token',
    gap_ns: 'Longest gap',
    latency_ns: 'Latency',
    tpot_ns: 'Per token',
};

export function readMetric(text: string | undefined): RequestMetric {
    return text !== undefined && text in METRIC_TITLES ? (text as RequestMetric) : 'ttft_ns';
}

interface Part {
    key:
        | 'to_engine_ns'
        | 'step_ns'
        | 'slot_ns'
        | 'budget_ns'
        | 'others_ns'
        | 'between_ns'
        | 'prefill_ns'
        | 'to_client_ns'
        | 'outside_ns';
    label: string;
    colour: string;
}

const PARTS: readonly Part[] = [
    { key: 'to_engine_ns', label: 'to engine', colour: 'family-none' },
    { key: 'step_ns', label: 'step in progress', colour: 'family-data' },
    { key: 'slot_ns', label: 'slot', colour: 'family-memory' },
    { key: 'budget_ns', label: 'budget', colour: 'family-communication' },
    { key: 'others_ns', label: 'others', colour: 'family-attention' },
    { key: 'between_ns', label: 'between steps', colour: 'family-elementwise' },
    { key: 'prefill_ns', label: 'prefill', colour: 'family-matmul' },
    { key: 'to_client_ns', label: 'to client', colour: 'family-runtime' },
    { key: 'outside_ns', label: 'outside', colour: 'family-norm' },
];

/** The value of a column of a pair on a side. */
export function sideValue(
    pair: RequestPair,
    side: Side,
    key: RequestMetric | Part['key'],
): number | null {
    return pair[`${side}_${key}`];
}

/** The parts of the time to first token of a request, and their sum; null if they are unknown. Parts of
 * less than nothing, by clocks that are joined with an error, are left out. */
export function partsOf(
    pair: RequestPair,
    side: Side,
    amount: (ns: number) => string,
): { total: number; segments: BarPart[] } | null {
    const values = PARTS.map((part) => ({ part, ns: sideValue(pair, side, part.key) }));
    if (values.some(({ ns }) => ns === null)) return null;
    const known = values.flatMap(({ part, ns }) => (ns !== null && ns > 0 ? [{ part, ns }] : []));
    const total = known.reduce((sum, { ns }) => sum + ns, 0);
    const segments = known.map(({ part: { label, colour }, ns }) => ({
        label,
        colour,
        amount: amount(ns),
        share: ns / (total || 1),
    }));
    return { total, segments };
}

/** The parts that these pairs have, for a legend. */
export function legendOf(pairs: readonly RequestPair[]): { label: string; colour: string }[] {
    return PARTS.filter(({ key }) =>
        pairs.some((pair) => SIDES.some((side) => (sideValue(pair, side, key) ?? 0) > 0)),
    );
}

/** Pairs of which either request is among the `n` latest of its run by a metric, the latest first. */
export function worstPairs(
    pairs: readonly RequestPair[],
    metric: RequestMetric,
    n: number,
): RequestPair[] {
    const largest = (pair: RequestPair): number =>
        Math.max(...SIDES.map((side) => sideValue(pair, side, metric) ?? -1));
    return [...pairs].sort((a, b) => largest(b) - largest(a)).slice(0, n);
}

/** The share of the requests up to each value: the steps of a cumulative distribution. */
export function distribution(curve: readonly number[]): { x: number[]; y: number[] } {
    const values = curve.filter((ns) => ns > 0);
    return {
        x: values.map((ns) => Math.log10(ns)),
        y: values.map((_, i) => (100 * (i + 1)) / values.length),
    };
}

/** The range of the values of a metric in both runs, as powers of ten; null: there are none. */
export function rangeOf({ base, new: fresh }: RequestChange): { from: number; to: number } | null {
    const values = [...base.curve, ...fresh.curve].filter((ns) => ns > 0);
    if (!values.length) return null;
    const [least, most] = [Math.min(...values), Math.max(...values)];
    return { from: Math.log10(least / 1.2), to: Math.log10(most * 1.2) };
}

/** How many ticks a power of ten has: 1, 2 and 5 times it, or 1 and 3 times, or only itself. */
const TICKS_OF_POWER = [[1, 2, 5], [1, 3], [1]];

/** Ticks of a logarithmic axis between two powers of ten, in ns: as many as there can be up to `most`. */
export function logTicks(from: number, to: number, most: number): number[] {
    const choices = TICKS_OF_POWER.map((steps) => {
        const ticks: number[] = [];
        for (let power = Math.floor(from); power <= to; power++)
            for (const step of steps) ticks.push(step * 10 ** power);
        return ticks.filter((value) => Math.log10(value) >= from && Math.log10(value) <= to);
    });
    return choices.find((ticks) => ticks.length <= most) ?? choices[choices.length - 1];
}

/** A tick without digits that say nothing: "20 ms". */
export function tickText(ns: number): string {
    const [value, unit] =
        ns >= 1e9 ? [ns / 1e9, 's'] : ns >= 1e6 ? [ns / 1e6, 'ms'] : [ns / 1e3, 'µs'];
    return `${Number(value.toPrecision(3))} ${unit}`;
}
