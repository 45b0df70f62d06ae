/* SPDX-License-Identifier: MIT
 *
 * Moves the cursor of a grid by key.
 */
import type { GridSource, GridTree } from './grid_types';

export interface KeyTarget<R> {
    source: GridSource<R>;
    tree?: GridTree<R>;
    /** Whether the cursor can be on this row; false for headings. */
    stops: (index: number) => boolean;
    /** Number of rows that fit on the screen. */
    page: number;
}

function step<R>(target: KeyTarget<R>, from: number, by: 1 | -1): number {
    let index = from;
    while (index >= 0 && index < target.source.total) {
        if (target.stops(index)) return index;
        index += by;
    }
    return -1;
}

function parentOf<R>(target: KeyTarget<R>, cursor: number): number {
    const { source, tree } = target;
    const row = source.rowAt(cursor);
    if (!tree || row === undefined) return -1;
    for (let i = cursor - 1; i >= 0; i--) {
        const earlierRow = source.rowAt(i);
        if (earlierRow !== undefined && tree.depth(earlierRow) < tree.depth(row)) return i;
    }
    return -1;
}

/* Returns the new cursor, or -1 if only the tree changed. */
function treeKey<R>(key: string, target: KeyTarget<R>, cursor: number): number {
    const { source, tree } = target;
    const row = source.rowAt(cursor);
    if (!tree || row === undefined) return -1;
    const open = tree.open(row);
    if (key === 'ArrowRight') {
        if (open) return step(target, cursor + 1, 1);
        if (open === false) tree.toggle(row, cursor);
        return -1;
    }
    if (open) {
        tree.toggle(row, cursor);
        return -1;
    }
    return parentOf(target, cursor);
}

/** The new row of the cursor; -1 to keep it; undefined if the grid does not handle the key. */
export function nextCursor<R>(
    key: string,
    target: KeyTarget<R>,
    cursor: number,
): number | undefined {
    const last = target.source.total - 1;
    const clamp = (index: number) => Math.max(0, Math.min(last, index));
    switch (key) {
        case 'ArrowDown':
            return step(target, cursor + 1, 1);
        case 'ArrowUp':
            return cursor <= 0 ? -1 : step(target, cursor - 1, -1);
        case 'PageDown':
            return step(target, clamp(cursor + target.page), -1);
        case 'PageUp':
            return step(target, clamp(cursor - target.page), 1);
        case 'Home':
            return step(target, 0, 1);
        case 'End':
            return step(target, last, -1);
        case 'ArrowLeft':
        case 'ArrowRight':
            return target.tree ? treeKey(key, target, cursor) : undefined;
        default:
            return undefined;
    }
}
