/* SPDX-License-Identifier: MIT */
/* What is selected in a memory snapshot: a stack, or the allocations of a row by file, module or size. */
import type { LiveRow } from '../base/answers';

export interface Pick {
    /** null in the set: memory without a Python stack; null: any stack */
    stacks: ReadonlySet<number | null> | null;
    /** requested bytes; null: any */
    bytes: number | null;
}

export function pickOfStack(stack: number | null): Pick {
    return { stacks: new Set([stack]), bytes: null };
}

const SIZE = /^(\d+) B$/;

/** Bytes of a row by size, whose name is `4096 B`. */
export function sizeOfRow({ name }: LiveRow): number | null {
    const found = SIZE.exec(name ?? '');
    return found ? Number(found[1]) : null;
}

export function pickOfRow(row: LiveRow): Pick {
    const bytes = sizeOfRow(row);
    return bytes === null ? { stacks: new Set(row.stacks), bytes: null } : { stacks: null, bytes };
}

/** Whether an allocation of a stack belongs to the selection. */
export function isPicked(pick: Pick | null, stack: number | null, bytes: number): boolean {
    if (pick === null) return false;
    return pick.bytes === null ? pick.stacks?.has(stack) === true : pick.bytes === bytes;
}
