/* SPDX-License-Identifier: MIT */
/* Layout of the call tree that is derived from per-caller sums (columns of GET
 * /runs/{id}/calltree).
 *
 * cProfile records sums per caller and callee, not call paths. So a value is exact, is between two
 * bounds, or is unknown, and the picture must not look more certain than that. A frame is as wide
 * as its upper bound. If the upper bounds of siblings add up to more than the width of their
 * parent, those that are not exact are shrunk to fit; their labels still show the bounds. */
import type { CallTree } from '../base/answers';
import { type FrameLayout, FrameBuilder, childLists } from './frames';

export const EXACT = 0;
export const BOUNDED = 1;
export const UNKNOWN = 2;

/** Node of a frame that stands for the calls of an exact frame that were too small to be sent. */
export const OMITTED_CALLS = -2;

export interface CallTreeLayout {
    frames: FrameLayout;
    /** 1 if the frame is narrower than its upper bound, because the upper bounds of its siblings do
     * not fit */
    shrunk: Uint8Array;
}

/** Places the frames of the tree. `allRoots` adds a row on top for the sum of all roots. */
export function layoutCallTree(tree: CallTree, allRoots: boolean): CallTreeLayout {
    const { n } = tree;
    const { start, list } = childLists(tree.parent, n);
    const shrunk = new Uint8Array(n);
    const out = new FrameBuilder(n);
    const roots = list.slice(start[n], start[n + 1]);
    let total = 0;
    for (const root of roots) total += tree.hi[root];
    out.beginRow();
    if (allRoots) out.add(-1, 0, total, -1);
    else placeInRow(out, roots, tree, 0, total, 1, -1, shrunk);
    for (let from = 0, to = out.length; from < to; from = to, to = out.length) {
        out.beginRow();
        for (let f = from; f < to; f++) {
            const node = out.nodeAt(f);
            if (out.isDottedAt(f) || (node >= 0 && tree.certainty[node] === UNKNOWN)) continue;
            const slot = node < 0 ? n : node;
            const children = list.subarray(start[slot], start[slot + 1]);
            const width = out.widthOf(f);
            const scale = node < 0 ? 1 : scaleOf(tree, node, width);
            const selfWidth = node < 0 ? 0 : (tree.self[node] ?? 0) * scale;
            const available = Math.max(0, width - selfWidth);
            const right = placeInRow(
                out,
                children,
                tree,
                out.leftOf(f),
                available,
                scale,
                f,
                shrunk,
            );
            const left = out.leftOf(f) + available - right;
            if (node >= 0 && tree.self[node] !== null && tree.cut > 0 && left > available * 1e-6) {
                out.add(OMITTED_CALLS, right, right + left, f, true);
            }
        }
    }
    return { frames: out.finish(total), shrunk };
}

/** Ratio of the drawn width to the upper bound; below 1 inside a frame that was shrunk. */
function scaleOf(tree: CallTree, node: number, width: number): number {
    const hi = tree.hi[node];
    return hi > 0 ? Math.min(1, width / hi) : 1;
}

/** Places siblings from left to right; returns the x at which they end. */
function placeInRow(
    out: FrameBuilder,
    children: ArrayLike<number>,
    tree: CallTree,
    left: number,
    available: number,
    scale: number,
    parent: number,
    shrunk: Uint8Array,
): number {
    let exactWidth = 0;
    let inexactWidth = 0;
    for (let k = 0; k < children.length; k++) {
        const wantedWidth = tree.hi[children[k]] * scale;
        if (tree.certainty[children[k]] === EXACT) exactWidth += wantedWidth;
        else inexactWidth += wantedWidth;
    }
    const exactScale = exactWidth > available && exactWidth > 0 ? available / exactWidth : 1;
    const remaining = Math.max(0, available - exactWidth * exactScale);
    const inexactScale =
        inexactWidth > remaining && inexactWidth > 0 ? remaining / inexactWidth : 1;
    let x = left;
    for (let k = 0; k < children.length; k++) {
        const node = children[k];
        const factor = tree.certainty[node] === EXACT ? exactScale : inexactScale;
        const w = tree.hi[node] * scale * factor;
        if (scale * factor < 1 - 1e-6) shrunk[node] = 1;
        out.add(node, x, x + w, parent);
        x += w;
    }
    return x;
}

/** Number of frames of each certainty, for the legend. */
export function certaintyCounts(tree: Pick<CallTree, 'n' | 'certainty'>): [number, number, number] {
    const counts: [number, number, number] = [0, 0, 0];
    for (let i = 0; i < tree.n; i++) counts[tree.certainty[i] as 0 | 1 | 2]++;
    return counts;
}
