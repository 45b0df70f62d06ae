/* SPDX-License-Identifier: MIT
 *
 * What each kind of profile offers: the table of importers/kinds.c, which the build puts in. Views
 * ask here instead of comparing names of kinds.
 */
import KINDS from '../../../importers/kinds.c';

/** What runs of a kind hold. importers/kinds.h says what the words mean. */
export type KindHas =
    | 'imports'
    | 'calls'
    | 'printed'
    | 'actions'
    | 'printed_operators'
    | 'categories'
    | 'line_times'
    | 'line_memory'
    | 'line_cpu'
    | 'memory'
    | 'spans'
    | 'slices'
    | 'devices'
    | 'torch'
    | 'nvtx'
    | 'stacks'
    | 'measured'
    | 'bound'
    | 'processes';

export interface KindRow {
    name: string;
    /** a short word: at most 6 letters */
    mark: string;
    has: ReadonlySet<KindHas>;
    /** keys of the tabs in features/report/tabs.ts, in order */
    tabs: readonly string[];
}

export const kindRows: readonly KindRow[] = KINDS.map((row) => ({
    ...row,
    has: new Set(row.has as KindHas[]),
}));

const byName = new Map(kindRows.map((row) => [row.name, row]));

/** The row of a kind; of a kind that is not in the table, one that has nothing. */
export function kindOf(name: string): KindRow {
    return byName.get(name) ?? { name, mark: name.slice(0, 6), has: new Set(), tabs: [] };
}

/** Whether runs of a kind hold at least one of these. */
export function kindHas(name: string, ...any: KindHas[]): boolean {
    const { has } = kindOf(name);
    return any.some((word) => has.has(word));
}

/** Names of the kinds whose runs hold this. */
export function kindsWith(word: KindHas): string[] {
    return kindRows.filter(({ has }) => has.has(word)).map(({ name }) => name);
}
