/* SPDX-License-Identifier: MIT
 *
 * Types of a cProfile report's rows, as in the API, and helpers that the tabs of the report share.
 */
import type { PstatsSummary, Run } from '../../base/answers';
import { API } from '../../base/client';
import { useEffectOn } from '../../base/hooks';
import { navigate, route } from '../../base/router';
import { setStatus } from '../../components/status_line';

export function pstatsOf(run: Run): PstatsSummary {
    return run.summary as unknown as PstatsSummary;
}

/** Whether the profile counts samples of each function, not calls. */
export function isSampled(run: Run): boolean {
    return Boolean(pstatsOf(run).sampled);
}

export function functionsPath(run: Run): string {
    return `${API}/runs/${run.id}/functions`;
}

/** Selects another function in the same view, as a new history entry; clears zoom and frame. */
export function openFunction(id: number): void {
    const query = { ...route.peek().query, fn: String(id) };
    delete (query as Record<string, string>).zoom;
    delete (query as Record<string, string>).frame;
    navigate(route.peek().path, query);
}

/** `ncalls` as pstats prints it: total/primitive if they differ. Null: the tool does not count calls. */
export function callsText(
    total: number | null,
    primitive: number | null,
    int: (value: number | null) => string,
): string {
    return primitive === null || primitive === total
        ? int(total)
        : `${int(total)}/${int(primitive)}`;
}

const SUMS_REMARK =
    'The profile has sums per caller, not call paths: values can be exact, bounded or unknown';

/** Shows a remark in the status line: values may be bounds. Runs without callers have no remark. */
export function useSumsRemark(run: Run): void {
    useEffectOn(() => {
        if (!run.summary.flat) setStatus(undefined, SUMS_REMARK, undefined);
        return () => setStatus(undefined, null, undefined);
    }, [run.id]);
}
