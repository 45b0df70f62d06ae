/* SPDX-License-Identifier: MIT */
/*
 * The icicle of a difference: GET /compare/tree in, placed frames and steps of colour out.
 */
import type { ComparedRow, ComparedTree, GroupTree } from '../base/compare_types';
import { EXACT, UNKNOWN } from './call_tree';
import { childLists, FrameBuilder, type FrameLayout } from './frames';
import { functionName } from './labels';

export type Fate = 'kept' | 'new' | 'gone';
export type Side = 'base' | 'new';

const VERDICT_NONE = 0;
const VERDICT_UP = 3;

/** Whether a path is on both sides. */
export function fateOf(tree: ComparedTree, node: number): Fate {
    if (tree.base_total[node] === 0 && tree.new_total[node] !== 0) return 'new';
    return tree.new_total[node] === 0 && tree.base_total[node] !== 0 ? 'gone' : 'kept';
}

/**
 * Between which two values the difference of a frame lies: bounds of both sides leave room. Nothing
 * is known below a frame that calls itself.
 */
export function deltaRange(tree: ComparedTree, node: number): [low: number, high: number] {
    const { base_total, base_low = base_total, new_total, new_low = new_total } = tree;
    return [new_low[node] - base_total[node], new_total[node] - base_low[node]];
}

export function deltaOf(tree: ComparedTree, node: number): number {
    return tree.new_total[node] - tree.base_total[node];
}

export function nameOf(tree: GroupTree, node: number): string {
    const name = tree.names[tree.name[node]];
    return tree.certainty ? functionName(name) : name;
}

/** Steps of colour, in shares of the total. */
const STEPS = [0.008, 0.03];

/* Bounds that leave room for more and for less tell nothing, nor does recursion. */
function isOpen(tree: ComparedTree, node: number): boolean {
    const certainty = certaintyOf(tree, node);
    if (certainty === EXACT) return false;
    const [low, high] = deltaRange(tree, node);
    return certainty === UNKNOWN || (low < 0 && high > 0);
}

/** -3 … 3: much faster … much slower; 0 is within noise, or not to be told from it. */
export function levelOf(tree: ComparedTree, node: number): number {
    const verdict = tree.verdict[node];
    const delta = deltaOf(tree, node);
    if (isOpen(tree, node)) return 0;
    if (delta === 0 || (verdict !== VERDICT_NONE && verdict < VERDICT_UP)) return 0;
    if (fateOf(tree, node) !== 'kept') return 3 * Math.sign(delta);
    return stepOf(delta, Math.max(tree.base, tree.new));
}

/** -3 … 3: how large a difference is, measured by the whole. */
export function stepOf(delta: number, whole: number): number {
    const share = Math.abs(delta) / (whole || 1);
    return Math.sign(delta) * (1 + STEPS.filter((step) => share >= step).length);
}

/** The same of a row, which is new, gone or judged. */
export function levelOfRow(row: ComparedRow, whole: number): number {
    if (row.delta === 0 || row.verdict === 'same' || row.verdict === 'few') return 0;
    if (row.change === 'added' || row.change === 'removed') return 3 * Math.sign(row.delta);
    return stepOf(row.delta, whole);
}

/** Frames as wide as one side says, the widest first. */
export function layoutDiff(tree: ComparedTree, side: Side): FrameLayout {
    return layoutTree(tree, side === 'base' ? tree.base_total : tree.new_total, tree[side]);
}

/** Where a name stands, when it does not say so itself. */
export function placeOf(tree: GroupTree, node: number): string | null {
    return tree.places?.[tree.name[node]] ?? null;
}

/** How sure the total of a frame is: EXACT, BOUNDED, UNKNOWN of the call tree. */
export function certaintyOf(tree: GroupTree, node: number): number {
    return node < 0 ? EXACT : (tree.certainty?.[node] ?? EXACT);
}

/**
 * Frames as wide as `width` says, below one that stands for all. Upper bounds of siblings may be more
 * than their parent has: those that are not exact are then drawn narrower, to fit.
 */
export function layoutTree(tree: GroupTree, width: number[], total: number): FrameLayout {
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
            const drawn = fitted(tree, children, width, out.widthOf(f));
            let x = out.leftOf(f);
            children.forEach((node, i) => {
                out.add(node, x, x + drawn[i], f);
                x += drawn[i];
            });
        }
    }
    return out.finish(total);
}

function fitted(tree: GroupTree, nodes: number[], width: number[], room: number): number[] {
    const want = nodes.map((node) => width[node]);
    if (!tree.certainty) return want;
    const isSure = nodes.map((node) => certaintyOf(tree, node) === EXACT);
    const sum = (sure: boolean) =>
        want.reduce((all, wide, i) => (isSure[i] === sure ? all + wide : all), 0);
    const sure = Math.min(1, room / (sum(true) || room || 1));
    const rest = Math.max(0, room - sum(true) * sure);
    const loose = Math.min(1, rest / (sum(false) || 1));
    return want.map((wide, i) => wide * (isSure[i] ? sure : loose));
}

export type RowName = Pick<ComparedRow, 'name' | 'place' | 'line'>;

/** Whether a frame of that name, at that place, is of this row. */
export function isOfRow(place: string | null, row: RowName): boolean {
    const file = row.place?.split(/[\\/]/).pop() ?? '';
    return place === null || place === file || place === `${file}:${row.line}`;
}

/** The widest frame of a row; -1: it has none. */
export function frameOfRow(tree: GroupTree, width: number[], row: RowName): number {
    let best = -1;
    for (let i = 0; i < tree.n; i++) {
        if (tree.names[tree.name[i]] !== row.name || !isOfRow(placeOf(tree, i), row)) continue;
        if (width[i] > (best < 0 ? 0 : width[best])) best = i;
    }
    return best;
}

/** What is gone and stands under nothing gone, the largest first. */
export function vanished(tree: ComparedTree): number[] {
    const gone = (node: number) => node >= 0 && fateOf(tree, node) === 'gone';
    const out: number[] = [];
    for (let i = 0; i < tree.n; i++) if (gone(i) && !gone(tree.parent[i])) out.push(i);
    return out.sort((a, b) => tree.base_total[b] - tree.base_total[a]);
}
