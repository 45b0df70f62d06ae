/* SPDX-License-Identifier: MIT
 *
 * The ranges that a person chose as the steps of a trace. The choice is remembered for the runs of its
 * series, which have the same ranges, and is part of the address of their comparisons.
 */
import { type Signal, signal } from '@preact/signals';
import type { Run } from '../../base/answers';
import { formatHash } from '../../base/router';
import { readStored, storeText } from '../../components/stored_text';
import { groupQuery } from '../../model/compare';

const chosen = new Map<string, Signal<string | null>>();

function keyOf(run: Run): string {
    return `step.${run.series || run.id}`;
}

/** The name of the ranges; null: the steps that the file marks. */
export function chosenStep(run: Run): Signal<string | null> {
    const key = keyOf(run);
    const found = chosen.get(key) ?? signal(readStored(key));
    chosen.set(key, found);
    return found;
}

export function chooseStep(run: Run, name: string | null): void {
    storeText(keyOf(run), name);
    chosenStep(run).value = name;
}

/** URL of a comparison. A step that was chosen for the runs of both groups is that of the comparison. */
export function compareHash(base: readonly Run[], fresh: readonly Run[]): string {
    const [step, ...others] = new Set([...base, ...fresh].map((run) => chosenStep(run).value));
    return formatHash(['compare'], {
        ...groupQuery(base, fresh),
        ...(step && others.length === 0 ? { step } : {}),
    });
}
