/* SPDX-License-Identifier: MIT */
/* Two memory snapshots as one flame graph, and their stacks as rows. */
import type { SnapshotComparison, SnapshotDiffRow, SnapshotFrame } from '../base/answers';

/** Identifies a row and its node: the stacks of both runs; 'none' without a Python stack. */
export function stackKey(of: { base_stack: number | null; new_stack: number | null }): string {
    if (of.base_stack === null && of.new_stack === null) return 'none';
    return `${of.base_stack ?? ''}-${of.new_stack ?? ''}`;
}

type Stacks = readonly (number | null)[];

/** Key of the stacks of both runs that end at a node; 'none' if no stack ends there. */
export function keyOfNode(base: Stacks, fresh: Stacks, node: number): string {
    return stackKey({ base_stack: base[node] ?? null, new_stack: fresh[node] ?? null });
}

/** Node at which the stacks of a key end; -1: it is not drawn. */
export function nodeOfKey(base: Stacks, fresh: Stacks, key: string): number {
    return key === 'none' ? -1 : base.findIndex((_, node) => keyOfNode(base, fresh, node) === key);
}

/* In place of a frame. */
const WITHOUT_STACK = -2;

export interface DiffSums {
    more: { bytes: number; stacks: number };
    less: { bytes: number; stacks: number };
    /** bytes without a Python stack */
    base_without: number;
    new_without: number;
    /** rows that one run only has */
    changed: number;
}

export function diffSums({ rows, tree }: SnapshotComparison): DiffSums {
    const sums: DiffSums = {
        more: { bytes: 0, stacks: 0 },
        less: { bytes: 0, stacks: 0 },
        base_without: 0,
        new_without: 0,
        changed: 0,
    };
    for (const { change, verdict } of rows.filter((row) => stackKey(row) !== 'none')) {
        if (verdict === 'new' || verdict === 'gone') sums.changed++;
        if (change === 0) continue;
        const side = change > 0 ? sums.more : sums.less;
        side.bytes += change;
        side.stacks++;
    }
    const without = tree.frame?.indexOf(WITHOUT_STACK) ?? -1;
    if (without >= 0) {
        sums.base_without = tree.base.total[without] ?? 0;
        sums.new_without = tree.new.total[without] ?? 0;
    }
    return sums;
}

function valueOf(row: SnapshotDiffRow, key: string, nameOf: (row: SnapshotFrame) => string) {
    switch (key) {
        case 'name':
            return nameOf(row);
        case 'caller':
            return row.caller ? nameOf(row.caller) : '';
        case 'base':
            return row.base;
        case 'new':
            return row.new;
        case 'delta':
            return row.change;
        case 'count':
            return row.new_count - row.base_count;
        case 'verdict':
            return row.verdict;
        default:
            return Math.abs(row.change);
    }
}

export function sortDiffRows(
    rows: readonly SnapshotDiffRow[],
    { key, desc }: { key: string; desc: boolean },
    nameOf: (row: SnapshotFrame) => string,
): SnapshotDiffRow[] {
    const sign = desc ? -1 : 1;
    return [...rows].sort((a, b) => {
        const [x, y] = [valueOf(a, key, nameOf), valueOf(b, key, nameOf)];
        if (typeof x === 'number' && typeof y === 'number') return sign * (x - y);
        return sign * String(x).localeCompare(String(y));
    });
}
