/* SPDX-License-Identifier: MIT
 *
 * State of a comparison in the URL: `#/compare/TAB?base=ID,ID&new=ID,ID&metric=&…`.
 */
import type { Comparison, ComparisonTable, Metric, Per, Run } from '../../base/answers';
import { API, withParams } from '../../base/client';
import { formatHash, navigate, route, type Query } from '../../base/router';
import { groupQuery } from '../../model/compare';
import { swapSides } from '../../model/side';

/** URL of the report of a single group. */
export function groupHash(runs: readonly Run[]): string {
    return formatHash(['compare'], { new: groupQuery([], runs).new });
}

/** API parameters of the two groups, of the ranges that are their steps, and of the sample type. */
export function groupsOf({
    base = '',
    new: fresh = '',
    step,
    sample_type,
}: Query): Record<string, string> {
    return { base, new: fresh, ...(step && { step }), ...(sample_type && { sample_type }) };
}

export function comparePath(query: Query, rest = '', params: Record<string, string | number> = {}) {
    return withParams(`${API}/compare${rest}`, { ...groupsOf(query), ...params });
}

/** The runs of both groups, the chosen step and sample type in the path of a comparison, equal for
 * swapped groups. */
export function subjectOf(path: string): string {
    const params = new URL(path, 'http://shelf').searchParams;
    const names = ['base', 'new'].flatMap((side) => (params.get(side) ?? '').split(','));
    return [...names.sort(), params.get('step') ?? '', params.get('sample_type') ?? ''].join();
}

/** URL of another tab; it keeps the groups and the search. */
export function tabHref(query: Query, tab: string): string {
    const newQuery: Query = { ...groupsOf(query) };
    if (query.q) newQuery.q = query.q;
    if (query.regex) newQuery.regex = query.regex;
    if (query.per) newQuery.per = query.per;
    if (query.mode) newQuery.mode = query.mode;
    return formatHash(['compare', tab], newQuery);
}

/** Swaps base and new, and the filters for added and removed rows. */
export function swapGroups(): void {
    const { path, query } = route.peek();
    const { row, frame, zoom, change, width, ...rest } = query;
    const other: Record<string, string> = { added: 'removed', removed: 'added' };
    const next: Query = swapSides(rest);
    if (change) next.change = other[change] ?? change;
    navigate(path, next, { replace: true });
}

/** What the values of a table are per, by the URL. */
export function perOf({ per }: ComparisonTable, query: Query): Per {
    return per.find((one) => one === query.per) ?? per[0];
}

/** The metrics of a table; per call only those that have values per call, which do not add up. */
export function metricsOf(table: ComparisonTable, query: Query): Metric[] {
    if (perOf(table, query) !== 'call') return table.metrics;
    return table.metrics
        .filter(({ per_call }) => per_call)
        .map((metric) => ({ ...metric, adds_up: false }));
}

export function metricOf(table: ComparisonTable, query: Query): Metric {
    const metrics = metricsOf(table, query);
    return metrics.find(({ metric }) => metric === query.metric) ?? metrics[0];
}

/** API parameters for the rows that the URL asks for. */
export function rowParams(
    table: ComparisonTable,
    query: Query,
): { metric: string; per: Per; mode?: string } {
    const mode = query.mode === 'line' ? { mode: query.mode } : {};
    return { metric: metricOf(table, query).metric, per: perOf(table, query), ...mode };
}

/** Whether each side is a single run, so that noise is unknown. Measurements are never single:
 * their groups are the samples of the runs. */
export function isSingle({ base, new: fresh }: Comparison, table: ComparisonTable): boolean {
    return base.length === 1 && fresh.length === 1 && table.place !== 'unit';
}

export const CHANGES_TAB = 'changes';

/** The table of the parts of a step. */
export const PARTS_TABLE = 'step_parts';

/** The tab of that table. */
export const STEPS_TAB = 'steps';

export function tabOf({ of }: ComparisonTable): string {
    return of === PARTS_TABLE ? STEPS_TAB : of;
}

/** What is selected in the comparison of steps. */
export interface StepSelection {
    of: 'part' | 'operator';
    name: string;
}

/** The value of `sel` in the URL. */
export function selectionKey(of: StepSelection['of'], name: string): string {
    return `${of}:${name}`;
}

export function readSelection({ sel = '' }: Query): StepSelection | null {
    const found = /^(part|operator):(.+)$/s.exec(sel);
    return found && { of: found[1] as StepSelection['of'], name: found[2] };
}

/** The table of a tab; the first table if the tab has none. */
export function tableOf(
    comparison: Pick<Comparison, 'tables'>,
    tab: string | undefined,
): ComparisonTable | undefined {
    return comparison.tables.find((table) => tabOf(table) === tab) ?? comparison.tables[0];
}
