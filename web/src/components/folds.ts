/* SPDX-License-Identifier: MIT */
/* The chains of frames with one child each of a picture, which are folded until they are clicked. */
import { useMemo, useState } from 'preact/hooks';
import type { FrameLayout } from '../model/frames';
import { foldedFrames, layoutTree, openFold, type Tree } from '../model/tree';

const NONE_OPEN: ReadonlySet<number> = new Set();

/** The layout of a tree with folded chains. openAt: opens the chain of a node; false if it has none.
 * hidden: 1 for each node that is not drawn. */
export function useFolds(
    tree: Tree,
    hidden: Uint8Array | null = null,
): { layout: FrameLayout; openAt: (node: number) => boolean } {
    const [open, setOpen] = useState({ tree, folds: NONE_OPEN });
    // Numbers of nodes are those of one tree.
    const folds = open.tree === tree ? open.folds : NONE_OPEN;
    const layout = useMemo(() => layoutTree(tree, { open: folds, hidden }), [tree, folds, hidden]);
    const openAt = (node: number): boolean => {
        const frame = node < 0 ? -1 : layout.frameOf[node];
        if (frame < 0 || foldedFrames(tree, layout, frame) === 1) return false;
        setOpen({ tree, folds: openFold(tree, layout, folds, frame) });
        return true;
    };
    return { layout, openAt };
}
