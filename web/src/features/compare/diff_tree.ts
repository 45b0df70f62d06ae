/* SPDX-License-Identifier: MIT */
/* Rows of a comparison: the colour of their difference, and the frames of the picture that belong to
 * them. */
import type { ComparisonRow } from '../../base/answers';
import type { FrameLayout } from '../../model/frames';
import { layoutTree, recordedName, type Tree } from '../../model/tree';
import { colourLevel } from '../../model/tree_diff';

export type Side = 'base' | 'new';

/** Layout of the nodes that have a width, widest siblings first. */
export function layoutDrawn(tree: Tree, width: readonly number[], sum: number): FrameLayout {
    const hidden = Uint8Array.from(width, (total) => (total > 0 ? 0 : 1));
    return layoutTree(tree, { width, sum, hidden, widestFirst: true });
}

/* With too few runs for a test: whether the difference is not larger than the noise. */
function isWithinNoise({ verdict, delta, noise }: ComparisonRow): boolean {
    return verdict === 'same' || (verdict === 'few' && Math.abs(delta ?? 0) <= (noise ?? 0));
}

/** Colour level of a table row from -3 to 3, by its change and verdict. */
export function rowColourLevel(row: ComparisonRow, whole: number): number {
    if (!row.delta || isWithinNoise(row)) return 0;
    if (row.change === 'added' || row.change === 'removed') return 3 * Math.sign(row.delta);
    return colourLevel(row.delta, whole);
}

/** Source location of a node; null if it is unknown, or the name contains it. */
export function placeOf({ frame, frames }: Tree, node: number): string | null {
    return frames.file?.[frame[node]] || null;
}

export type RowName = Pick<ComparisonRow, 'name' | 'place' | 'line'>;

/** Whether a frame at this source location can belong to the row; the names are already equal. */
export function matchesRow(place: string | null, row: RowName): boolean {
    const file = row.place?.split(/[\\/]/).pop() ?? '';
    return place === null || place === file || place === `${file}:${row.line}`;
}

/** The widest frame of a row; -1 if the row has no frame. */
export function frameOfRow(tree: Tree, width: readonly number[], row: RowName): number {
    let best = -1;
    for (let i = 0; i < tree.n; i++) {
        if (recordedName(tree, i) !== row.name || !matchesRow(placeOf(tree, i), row)) continue;
        if (width[i] > (best < 0 ? 0 : width[best])) best = i;
    }
    return best;
}
