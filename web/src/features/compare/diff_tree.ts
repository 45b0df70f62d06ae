/* SPDX-License-Identifier: MIT */
/* The icicle of a comparison: places the frames of GET /compare/tree and computes their colour levels. */
import type { ComparisonRow, ComparisonTree, MergedTree } from '../../base/answers';
import { EXACT, UNKNOWN } from '../../model/call_tree';
import { childLists, FrameBuilder, type FrameLayout } from '../../model/frames';
import { functionName } from '../../model/labels';

/* `below`: a side leaves open whether it has the path, because its profiles leave out small calls,
 * or because it is below a recursive call. */
type NodeChange = 'kept' | 'new' | 'gone' | 'below';
export type Side = 'base' | 'new';

const VERDICT_SAME = 2;

/** Whether a path exists on both sides, only in the new runs, or only in the base. */
export function nodeChangeOf(tree: ComparisonTree, node: number): NodeChange {
    if (isOpen(tree, 'base', node) || isOpen(tree, 'new', node)) return 'below';
    if (tree.base_total[node] === 0 && tree.new_total[node] !== 0) return 'new';
    return tree.new_total[node] === 0 && tree.base_total[node] !== 0 ? 'gone' : 'kept';
}

/** Bounds of the total of a frame on a side. */
export function boundsOf(tree: ComparisonTree, side: Side, node: number): [number, number] {
    const total = totalsOf(tree, side)[node];
    const low = side === 'base' ? tree.base_low : tree.new_low;
    if (total === null) return [0, floorOf(tree, side)];
    return [low?.[node] ?? total, total];
}

function totalsOf(tree: ComparisonTree, side: Side): (number | null)[] {
    return side === 'base' ? tree.base_total : tree.new_total;
}

/** Whether a side leaves open whether it has the path. */
export function isOpen(tree: ComparisonTree, side: Side, node: number): boolean {
    return totalsOf(tree, side)[node] === null;
}

/* What paths that a side leaves open have less than; Infinity: unknown. */
function floorOf(tree: ComparisonTree, side: Side): number {
    return (side === 'base' ? tree.base_floor : tree.new_floor) ?? Infinity;
}

/** Widths of the frames on a side; 0 for those that it leaves open. */
export function widthsOf(tree: ComparisonTree, side: Side): number[] {
    return totalsOf(tree, side).map((total) => total ?? 0);
}

/** Range of the difference of a frame, from the bounds of both sides. It has no meaning if the
 * certainty is UNKNOWN. */
export function deltaRange(tree: ComparisonTree, node: number): [low: number, high: number] {
    const [baseLow, base] = boundsOf(tree, 'base', node);
    const [newLow, fresh] = boundsOf(tree, 'new', node);
    return [newLow - base, fresh - baseLow];
}

/** Difference of the totals; of a path that a side leaves open, the smallest possible one. */
export function deltaOf(tree: ComparisonTree, node: number): number {
    const { base_total, new_total } = tree;
    const [base, fresh] = [base_total[node], new_total[node]];
    if (base !== null && fresh !== null) return fresh - base;
    const [low, high] = deltaRange(tree, node);
    return low > 0 ? low : Math.min(high, 0);
}

export function nameOf(tree: MergedTree, node: number): string {
    const name = tree.names[tree.name[node]];
    return tree.certainty ? functionName(name) : name;
}

/** Thresholds of the colour levels, as shares of the total. */
const LEVEL_SHARES = [0.008, 0.03];

/* Whether the sign of the difference is unknown: the bounds allow both signs, or the certainty is
 * UNKNOWN. */
function isSignUnknown(tree: ComparisonTree, node: number): boolean {
    const certainty = certaintyOf(tree, node);
    if (certainty === EXACT && nodeChangeOf(tree, node) !== 'below') return false;
    const [low, high] = deltaRange(tree, node);
    return certainty === UNKNOWN || (low < 0 && high > 0);
}

function isOneSided(change: NodeChange): boolean {
    return change === 'new' || change === 'gone';
}

/** Colour level from -3 (much faster) to 3 (much slower); 0: within noise, or the sign is unknown.
 * With one run or too few runs per side, noise is unknown: the size alone decides. */
export function nodeColourLevel(tree: ComparisonTree, node: number): number {
    const verdict = tree.verdict[node];
    const delta = deltaOf(tree, node);
    if (isSignUnknown(tree, node)) return 0;
    if (delta === 0 || verdict === VERDICT_SAME) return 0;
    if (isOneSided(nodeChangeOf(tree, node))) return 3 * Math.sign(delta);
    return colourLevel(delta, Math.max(tree.base, tree.new));
}

/** Level from -3 to 3 of a difference, by its share of `whole`; 0 only if there is no
 * difference. */
function colourLevel(delta: number, whole: number): number {
    const share = Math.abs(delta) / (whole || 1);
    return Math.sign(delta) * (1 + LEVEL_SHARES.filter((step) => share >= step).length);
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

/** Places the frames with the widths of one side, widest siblings first. */
export function layoutDiff(tree: ComparisonTree, side: Side): FrameLayout {
    return layoutTree(tree, widthsOf(tree, side), tree[side]);
}

/** Source location of a node; null if the name already contains it. */
export function placeOf(tree: MergedTree, node: number): string | null {
    return tree.places?.[tree.name[node]] ?? null;
}

/** Certainty of a frame's total: EXACT, BOUNDED or UNKNOWN, see call_tree.ts. */
export function certaintyOf(tree: MergedTree, node: number): number {
    return node < 0 ? EXACT : (tree.certainty?.[node] ?? EXACT);
}

/** Places frames by `width` below one root frame. Upper bounds of siblings may add up to more than
 * the width of their parent: frames that are not exact are then drawn narrower to fit. */
export function layoutTree(tree: MergedTree, width: number[], total: number): FrameLayout {
    const { n, parent } = tree;
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
            const fittedWidths = fitWidths(tree, children, width, out.widthOf(f));
            let x = out.leftOf(f);
            children.forEach((node, i) => {
                out.add(node, x, x + fittedWidths[i], f);
                x += fittedWidths[i];
            });
        }
    }
    return out.finish(total);
}

function fitWidths(
    tree: MergedTree,
    nodes: number[],
    width: number[],
    available: number,
): number[] {
    const wantedWidths = nodes.map((node) => width[node]);
    if (!tree.certainty) return wantedWidths;
    const isSure = nodes.map((node) => certaintyOf(tree, node) === EXACT);
    const sum = (exact: boolean) =>
        wantedWidths.reduce((all, wide, i) => (isSure[i] === exact ? all + wide : all), 0);
    const exactScale = Math.min(1, available / (sum(true) || available || 1));
    const rest = Math.max(0, available - sum(true) * exactScale);
    const inexactScale = Math.min(1, rest / (sum(false) || 1));
    return wantedWidths.map((wide, i) => wide * (isSure[i] ? exactScale : inexactScale));
}

export type RowName = Pick<ComparisonRow, 'name' | 'place' | 'line'>;

/** Whether a frame at this source location can belong to the row; the names are already equal. */
export function matchesRow(place: string | null, row: RowName): boolean {
    const file = row.place?.split(/[\\/]/).pop() ?? '';
    return place === null || place === file || place === `${file}:${row.line}`;
}

/** The widest frame of a row; -1 if the row has no frame. */
export function frameOfRow(tree: MergedTree, width: number[], row: RowName): number {
    let best = -1;
    for (let i = 0; i < tree.n; i++) {
        if (tree.names[tree.name[i]] !== row.name || !matchesRow(placeOf(tree, i), row)) continue;
        if (width[i] > (best < 0 ? 0 : width[best])) best = i;
    }
    return best;
}

/** Removed paths (only in the base) without a removed parent, the largest first. */
export function removedNodes(tree: ComparisonTree): number[] {
    const isRemoved = (node: number) => node >= 0 && nodeChangeOf(tree, node) === 'gone';
    const out: number[] = [];
    for (let i = 0; i < tree.n; i++) if (isRemoved(i) && !isRemoved(tree.parent[i])) out.push(i);
    const width = widthsOf(tree, 'base');
    return out.sort((a, b) => width[b] - width[a]);
}
