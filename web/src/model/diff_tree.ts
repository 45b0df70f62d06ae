/* SPDX-License-Identifier: MIT */
/*
 * The icicle of a difference: GET /compare/tree in, placed frames and steps of colour out.
 */
import type { ComparedTree, GroupTree } from '../base/compare_types';
import { childLists, FrameBuilder, type FrameLayout } from './frames';

export type Fate = 'kept' | 'new' | 'gone';
export type Side = 'base' | 'new';

const VERDICT_NONE = 0;
const VERDICT_UP = 3;

/** Whether a path is on both sides. */
export function fateOf(tree: ComparedTree, node: number): Fate {
    if (tree.base_total[node] === 0 && tree.new_total[node] !== 0) return 'new';
    return tree.new_total[node] === 0 && tree.base_total[node] !== 0 ? 'gone' : 'kept';
}

export function deltaOf(tree: ComparedTree, node: number): number {
    return tree.new_total[node] - tree.base_total[node];
}

export function nameOf(tree: GroupTree, node: number): string {
    return tree.names[tree.name[node]];
}

/** Steps of colour, in shares of the total. */
const STEPS = [0.008, 0.03];

/** -3 … 3: much faster … much slower; 0 is within noise, or not to be told from it. */
export function levelOf(tree: ComparedTree, node: number): number {
    const verdict = tree.verdict[node];
    const delta = deltaOf(tree, node);
    if (delta === 0 || (verdict !== VERDICT_NONE && verdict < VERDICT_UP)) return 0;
    if (fateOf(tree, node) !== 'kept') return 3 * Math.sign(delta);
    const share = Math.abs(delta) / (Math.max(tree.base, tree.new) || 1);
    return Math.sign(delta) * (1 + STEPS.filter((step) => share >= step).length);
}

/** Frames as wide as one side says, the widest first. */
export function layoutDiff(tree: ComparedTree, side: Side): FrameLayout {
    return layoutTree(tree, side === 'base' ? tree.base_total : tree.new_total, tree[side]);
}

/** Frames as wide as `width` says, below one that stands for all. */
export function layoutTree({ n, parent }: GroupTree, width: number[], total: number): FrameLayout {
    const { start, list } = childLists(parent, n);
    const out = new FrameBuilder(n);
    out.beginRow();
    out.add(-1, 0, total, -1);
    for (let from = 0, to = out.length; from < to; from = to, to = out.length) {
        out.beginRow();
        for (let f = from; f < to; f++) {
            const slot = out.nodeAt(f) < 0 ? n : out.nodeAt(f);
            const children = [...list.subarray(start[slot], start[slot + 1])]
                .filter((node) => width[node] > 0)
                .sort((a, b) => width[b] - width[a] || a - b);
            let x = out.leftOf(f);
            for (const node of children) {
                out.add(node, x, x + width[node], f);
                x += width[node];
            }
        }
    }
    return out.finish(total);
}

/** What is gone and stands under nothing gone, the largest first. */
export function vanished(tree: ComparedTree): number[] {
    const gone = (node: number) => node >= 0 && fateOf(tree, node) === 'gone';
    const out: number[] = [];
    for (let i = 0; i < tree.n; i++) if (gone(i) && !gone(tree.parent[i])) out.push(i);
    return out.sort((a, b) => tree.base_total[b] - tree.base_total[a]);
}
