/* SPDX-License-Identifier: MIT */
/* How the nodes of two sides differ. Node -1 is the whole. */
import type { TreeSide } from '../base/answers';
import { certaintyOf, EXACT, UNKNOWN } from './tree';
import type { DiffTree } from './tree_answers';

/** `below`: a side leaves open whether it has the path. */
export type NodeChange = 'kept' | 'new' | 'gone' | 'below';

const VERDICT_SAME = 2;

/** Whether a side leaves open whether it has the node. */
export function isOpen({ total }: TreeSide, node: number): boolean {
    return node >= 0 && total[node] === null;
}

/** Bounds of the total of a node on a side; Infinity: unknown. */
export function boundsOf(
    { sum, total, low, floor = Infinity }: Pick<TreeSide, 'sum' | 'total' | 'low' | 'floor'>,
    node: number,
): [low: number, high: number] {
    const high = node < 0 ? sum : total[node];
    return high === null ? [0, floor] : [low?.[node] ?? high, high];
}

/** Widths of the nodes on a side; 0 for those that it leaves open. */
export function widthsOf({ total }: TreeSide): number[] {
    return total.map((value) => value ?? 0);
}

/** Whether a path is on both sides, only on the new one, or only on the base. */
export function nodeChangeOf({ base, new: fresh }: DiffTree, node: number): NodeChange {
    if (node < 0) return 'kept';
    if (isOpen(base, node) || isOpen(fresh, node)) return 'below';
    if (base.total[node] === 0 && fresh.total[node] !== 0) return 'new';
    return fresh.total[node] === 0 && base.total[node] !== 0 ? 'gone' : 'kept';
}

/** Range of the difference of a node, from the bounds of both sides. It has no meaning if the
 * certainty is UNKNOWN. */
export function deltaRange(
    { base, new: fresh }: DiffTree,
    node: number,
): [low: number, high: number] {
    const [baseLow, baseHigh] = boundsOf(base, node);
    const [newLow, newHigh] = boundsOf(fresh, node);
    return [newLow - baseHigh, newHigh - baseLow];
}

/** Difference of the totals; of a path that a side leaves open, the smallest possible one. */
export function deltaOf(tree: DiffTree, node: number): number {
    if (!isOpen(tree.base, node) && !isOpen(tree.new, node))
        return boundsOf(tree.new, node)[1] - boundsOf(tree.base, node)[1];
    const [low, high] = deltaRange(tree, node);
    return low > 0 ? low : Math.min(high, 0);
}

/* Whether the sign of the difference is unknown: the bounds allow both signs, or the certainty is
 * UNKNOWN. */
function isSignUnknown(tree: DiffTree, node: number): boolean {
    const certainty = certaintyOf(tree, node);
    if (certainty === EXACT && nodeChangeOf(tree, node) !== 'below') return false;
    const [low, high] = deltaRange(tree, node);
    return certainty === UNKNOWN || (low < 0 && high > 0);
}

/** Smallest colour of values without a verdict, as a share of the whole. */
const QUIET_SHARE = 0.0005;
/** Thresholds of the other colour levels. */
const LEVEL_SHARES = [0.008, 0.03];

/** Level from -3 to 3 of a difference, by its share of `whole`; 0 only if there is no
 * difference. */
export function colourLevel(delta: number, whole: number): number {
    const share = Math.abs(delta) / (whole || 1);
    return Math.sign(delta) * (1 + LEVEL_SHARES.filter((step) => share >= step).length);
}

/** Colour level from -3 (much faster) to 3 (much slower); 0: within noise, or the sign is unknown.
 * With one run or too few runs per side, noise is unknown: the size alone decides. Values without
 * verdicts are counted, so that they have no noise. */
export function levelOf(tree: DiffTree, node: number): number {
    const { verdict, whole } = tree;
    const delta = deltaOf(tree, node);
    if (delta === 0 || isSignUnknown(tree, node)) return 0;
    if (!verdict)
        return Math.abs(delta) < QUIET_SHARE * (whole || 1) ? 0 : colourLevel(delta, whole);
    if (verdict[node] === VERDICT_SAME) return 0;
    if (['new', 'gone'].includes(nodeChangeOf(tree, node))) return 3 * Math.sign(delta);
    return colourLevel(delta, whole);
}

/** Removed paths (only in the base) without a removed parent, the largest first. */
export function removedNodes(tree: DiffTree): number[] {
    const isRemoved = (node: number) => nodeChangeOf(tree, node) === 'gone';
    const nodes = [...tree.parent.keys()].filter(
        (node) => isRemoved(node) && !isRemoved(tree.parent[node]),
    );
    const totalOf = (node: number) => tree.base.total[node] ?? 0;
    return nodes.sort((a, b) => totalOf(b) - totalOf(a));
}
