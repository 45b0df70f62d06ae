/* SPDX-License-Identifier: MIT
 *
 * The comparison that a report belongs to: the last one of this window with its run, or else the one
 * with the baseline of its series.
 */
import type { Run } from '../../base/answers';
import type { Query } from '../../base/router';
import { groupQuery } from '../../model/compare';

const KEY = 'perfshelf.comparison';
const baselines = new Map<string, Run>();

/** Stores the comparison that is shown, until the window is closed. */
export function rememberComparison(base: readonly Run[], fresh: readonly Run[]): void {
    try {
        sessionStorage.setItem(KEY, JSON.stringify(groupQuery(base, fresh)));
    } catch {
        // Storage is disabled: reports offer the comparison with their baseline.
    }
}

/** Stores the baseline of the series of a run. */
export function rememberBaseline(run: Run, baseline: Run): void {
    baselines.set(run.id, baseline);
}

function lastComparison(): Query | null {
    try {
        return JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as Query | null;
    } catch {
        return null; // Storage is disabled.
    }
}

/** Base and new, as in the URL of the comparison; null if there is none. */
export function comparisonOf(run: Run): Query | null {
    const last = lastComparison();
    const ids = [last?.base, last?.new].filter(Boolean).join().split(',');
    if (last?.base && ids.includes(run.id)) return last;
    const baseline = baselines.get(run.id);
    return baseline ? groupQuery([baseline], [run]) : null;
}
