/* SPDX-License-Identifier: MIT
 *
 * The ranges that a person chose as the steps of a trace. The choice is remembered for the runs of its
 * series, which have the same ranges, and is part of the address of their comparisons.
 */
import { type Signal, signal } from '@preact/signals';
import type { Run } from '../../base/answers';
import { formatHash, replaceQuery } from '../../base/router';
import { readStored, storeText } from '../../components/stored_text';
import { groupQuery } from '../../model/compare';

/** A run, or a series alone, whose `id` is empty. */
type Owner = Pick<Run, 'series' | 'id'>;

const chosen = new Map<string, Signal<string | null>>();

function keyOf(run: Owner): string {
    return `step.${run.series || run.id}`;
}

/** The name of the ranges; null: the steps that the file marks. */
export function chosenStep(run: Owner): Signal<string | null> {
    const key = keyOf(run);
    const found = chosen.get(key) ?? signal(readStored(key));
    chosen.set(key, found);
    return found;
}

export function chooseStep(run: Owner, name: string | null): void {
    storeText(keyOf(run), name);
    chosenStep(run).value = name;
}

/** Forgets the choice for these runs, and removes it from the current address. */
export function endStepChoice(runs: readonly Owner[]): void {
    for (const run of runs) chooseStep(run, null);
    replaceQuery({ step: null });
}

/** URL of a comparison. A step that was chosen for the runs of both groups is that of the comparison. */
export function compareHash(base: readonly Run[], fresh: readonly Run[]): string {
    const [step, ...others] = new Set([...base, ...fresh].map((run) => chosenStep(run).value));
    return formatHash(['compare'], {
        ...groupQuery(base, fresh),
        ...(step && others.length === 0 ? { step } : {}),
    });
}
