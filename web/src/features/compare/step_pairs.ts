/* SPDX-License-Identifier: MIT
 *
 * Pairs the steps of a base run and a new run: the time of each part of the mean step, and each step
 * of the base with the aligned step of the new run.
 */
import type { Definition, Parts, TraceOverview, TraceStep } from '../../base/trace_types';
import { type PartText, partText } from '../../model/breakdown';

export interface PartPair extends PartText {
    base: number;
    new: number;
}

/** Pairs of the parts of the mean step, in the order of the definition. Parts that take no time in
 * either run are omitted. */
export function partPairs(base: Parts | undefined, fresh: Parts | undefined): PartPair[] {
    const pairByName = new Map<string, PartPair>();
    const add = (side: 'base' | 'new', parts: Parts): void => {
        for (const [name, ns] of parts) {
            const pair = pairByName.get(name) ?? { ...partText(name), base: 0, new: 0 };
            pair[side] += ns;
            pairByName.set(name, pair);
        }
    };
    add('base', base ?? []);
    add('new', fresh ?? []);
    return [...pairByName.values()].filter((pair) => pair.base > 0 || pair.new > 0);
}

export interface StepPair {
    base: TraceStep | null;
    new: TraceStep | null;
}

export const durationOf = (step: TraceStep | null): number =>
    step ? step.end_ns - step.start_ns : 0;

/* Steps of the job's first worker; the other workers run in parallel. */
function stepsOf({ steps }: TraceOverview): TraceStep[] {
    const first = Math.min(...steps.map(({ worker }) => worker));
    return steps.filter(({ worker }) => worker === first);
}

/** Pairs step n of the base with step n + `by` of the new run. If `by` is null, the first step of
 * the base is paired with the step of the same name, or with the first step if there is none. */
export function stepPairs(
    base: TraceOverview,
    fresh: TraceOverview,
    by: number | null,
): { pairs: StepPair[]; by: number } {
    const [a, b] = [stepsOf(base), stepsOf(fresh)];
    const namedIndex = b.findIndex(({ name }) => name === a[0]?.name);
    const shift = by ?? Math.max(0, namedIndex);
    const pairs: StepPair[] = [];
    for (let n = Math.min(0, -shift); n < Math.max(a.length, b.length - shift); n++) {
        const pair = { base: a[n] ?? null, new: b[n + shift] ?? null };
        if (pair.base || pair.new) pairs.push(pair);
    }
    return { pairs, by: shift };
}

/** The longest step in ns, which sets the scale of all bars. */
export function maxDuration(pairs: StepPair[]): number {
    return pairs.reduce(
        (most, pair) => Math.max(most, durationOf(pair.base), durationOf(pair.new)),
        1,
    );
}

export const partsOf = (step: TraceStep | null, definition: Definition): Parts | undefined =>
    step?.parts[definition];
