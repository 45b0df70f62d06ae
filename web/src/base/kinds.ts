/* SPDX-License-Identifier: MIT
 *
 * What each kind of profile offers: the table of importers/kinds.c, which the build compiles and
 * bundles. Views use these functions instead of comparing names of kinds.
 */
import KINDS from '../../../importers/kinds.c';

/** Data that runs of a kind can have. importers/kinds.h explains each value. */
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
    | 'processes'
    | 'snapshot'
    | 'sample_types'
    | 'xla';

export interface KindRow {
    name: string;
    /** short label of at most 6 letters */
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

/** The row of a kind. An unknown kind gets a row without data and tabs. */
export function kindOf(name: string): KindRow {
    return byName.get(name) ?? { name, mark: name.slice(0, 6), has: new Set(), tabs: [] };
}

/** Whether runs of a kind have at least one of these capabilities. */
export function kindHas(name: string, ...any: KindHas[]): boolean {
    const { has } = kindOf(name);
    return any.some((capability) => has.has(capability));
}

/** Names of the kinds whose runs have this capability. */
export function kindsWith(capability: KindHas): string[] {
    return kindRows.filter(({ has }) => has.has(capability)).map(({ name }) => name);
}
