/* SPDX-License-Identifier: MIT */
/* A tree of weighted frames in columns, and its layout: what every flame graph, icicle and comparison
 * of the page draws and searches. tree_answers.ts makes it from the answers of the API. */
import type { SnapshotFrame, TreeAnswer, TreeFrames } from '../base/answers';
import { plural } from '../base/units';
import { type FrameLayout, FrameBuilder, childLists, skipHiddenParents, turnOver } from './frames';
import type { Matcher } from './search';
import { NO_STACK } from './snapshot_names';

/** Certainty of a total: exact, between `low` and `total`, or at most `total`. */
export const EXACT = 0;
export const BOUNDED = 1;
export const UNKNOWN = 2;

/** Node of a frame that stands for children of an exact frame that are not in the answer. */
export const OMITTED_CALLS = -2;

/** A chain of more frames with one child each is one row, which opens. */
const MAX_CHAIN = 3;

/** The frames of a tree, as shown. */
interface Frames extends TreeFrames {
    /** the names as recorded, if these differ */
    recordedName?: readonly string[];
}

/** A tree as the API describes it, with the columns that several kinds of trees have. */
export interface Tree extends TreeAnswer {
    /** row of `frames`; negative if the node is no frame */
    frame: number[];
    frames: Frames;
    /** of the rows of the file, if nodes are rows */
    id?: readonly number[];
    low?: number[];
    self?: (number | null)[];
    count?: (number | null)[];
    certainty?: readonly number[];
    /** operator family */
    family?: readonly number[];
    /** code of the allocations that end at the node */
    group?: readonly number[];
    /** number of the stack that ends at the node; null: none */
    stack?: readonly (number | null)[];
}

export interface LayoutOptions {
    /** width of each node; without it, its total */
    width?: readonly number[];
    /** width of the whole; without it, the sum of the tree */
    sum?: number;
    /** The first row has the children of this node (-1: the roots), and the whole has no frame. */
    below?: number;
    /** The last row is the nearest to the root. */
    growsUp?: boolean;
    /** Siblings are sorted by width; else they are in the order of the tree. */
    widestFirst?: boolean;
    /** 1 for each node that is removed; its children move up. */
    hidden?: Uint8Array | null;
    /** Narrower frames become part of a dotted run. */
    minWidth?: number;
    /** Folds chains of frames with one child each, except those that begin with these nodes. */
    open?: ReadonlySet<number>;
}

/** Places the frames of a tree: children from the left, below their parent or at its place. Upper
 * bounds of siblings may add up to more than their parent has beside its self time: those that are
 * not exact are then drawn narrower, and so is what is below them. */
export function layoutTree(tree: Tree, options: LayoutOptions = {}): FrameLayout {
    const { n, certainty, self } = tree;
    const { below, width = tree.total, sum = tree.sum, hidden, minWidth = 0, open } = options;
    const parent = hidden ? skipHiddenParents(tree.parent, n, hidden) : tree.parent;
    const { start, list } = childLists(parent, n, hidden ?? undefined);
    if (options.widestFirst) sortSiblings(start, list, n, width);
    const out = new FrameBuilder(n);

    function onlyChild(node: number): number {
        if (start[node + 1] - start[node] !== 1) return -1;
        const child = list[start[node]];
        return width[child] === width[node] && roleOf(tree, child) === 'frame' ? child : -1;
    }

    /* The last frame of the chain that is folded into a node; the node itself if none is. */
    function lastOf(node: number): number {
        if (!open || roleOf(tree, node) !== 'frame') return node;
        if (open.has(node) || open.has(parent[node])) return node;
        let last = node;
        let frames = 0;
        for (let next = onlyChild(node); next >= 0; next = onlyChild(next)) {
            last = parent[next];
            frames++;
        }
        return frames > MAX_CHAIN ? last : node;
    }

    /* Places the children of a node (-1: the roots) between `left` and `right`. */
    function placeChildren(node: number, left: number, right: number, frame: number): void {
        const slot = node < 0 ? n : node;
        const children = list.subarray(start[slot], start[slot + 1]);
        const scale = node < 0 || !certainty ? 1 : Math.min(1, (right - left) / (width[node] || 1));
        const own = node < 0 ? null : (self?.[node] ?? null);
        const end = right - (own ?? 0) * scale;
        const factors = certainty && fitFactors(certainty, children, width, scale, end - left);
        let x = left;
        for (const child of children) {
            const factor = factors ? scale * factors[certainty[child] === EXACT ? 0 : 1] : 1;
            const w = width[child] * factor;
            out.add(child, lastOf(child), x, x + w, frame, w < minWidth);
            x += w;
        }
        if (certainty && own !== null && tree.cut > 0 && end - x > (end - left) * 1e-6)
            out.add(OMITTED_CALLS, OMITTED_CALLS, x, end, frame, true);
    }

    const total = below !== undefined && below >= 0 ? width[below] : sum;
    out.beginRow();
    if (below === undefined) out.add(-1, -1, 0, total, -1);
    else placeChildren(below, 0, total, -1);
    for (let from = 0, to = out.length; from < to; from = to, to = out.length) {
        out.beginRow();
        for (let f = from; f < to; f++) {
            if (out.isDottedAt(f)) continue;
            placeChildren(out.lastOf(f), out.leftOf(f), out.rightOf(f), f);
        }
    }
    const layout = out.finish(total);
    return options.growsUp ? turnOver(layout) : layout;
}

/* Factors by which exact siblings and the others are drawn narrower, so that they fit. */
function fitFactors(
    certainty: readonly number[],
    siblings: Int32Array,
    width: readonly number[],
    scale: number,
    available: number,
): [exact: number, inexact: number] {
    const sums = [0, 0];
    for (const node of siblings) sums[certainty[node] === EXACT ? 0 : 1] += width[node] * scale;
    const exact = Math.min(1, Math.max(0, available) / (sums[0] || 1));
    const rest = Math.max(0, available - sums[0] * exact);
    return [exact, Math.min(1, rest / (sums[1] || 1))];
}

function sortSiblings(
    start: Int32Array,
    list: Int32Array,
    n: number,
    width: readonly number[],
): void {
    for (let slot = 0; slot <= n; slot++) {
        const [a, b] = [start[slot], start[slot + 1]];
        if (b - a < 2) continue;
        list.subarray(a, b).sort((p, q) => width[q] - width[p] || p - q);
    }
}

const MERGED_SIBLINGS = -1;

/** none: what has no stack; rest: merged siblings. */
export function roleOf({ frame }: Tree, node: number): 'frame' | 'none' | 'rest' {
    if (node < 0 || frame[node] >= 0) return 'frame';
    return frame[node] === MERGED_SIBLINGS ? 'rest' : 'none';
}

/** Certainty of a total; that of the whole (-1) is exact. */
export function certaintyOf({ certainty }: Tree, node: number): number {
    return node < 0 ? EXACT : (certainty?.[node] ?? EXACT);
}

const REST = 'smaller frames';

/** What a node is called; of a chain that is folded, its first frame. */
export function nameOf(tree: Tree, node: number): string {
    const role = roleOf(tree, node);
    if (role !== 'frame') return role === 'none' ? NO_STACK : REST;
    return tree.frames.name[tree.frame[node]];
}

/** The frame of a row, as recorded. */
export function frameOfRow({ frames }: Pick<Tree, 'frames'>, row: number): SnapshotFrame {
    const { name, recordedName: recorded = name, file, line } = frames;
    return { name: recorded[row], file: file?.[row] ?? null, line: line?.[row] ?? null };
}

/** Rows of the frames from a node up to, and without, one above it. */
export function framesUpTo({ parent, frame }: Tree, node: number, above: number): number[] {
    const rows: number[] = [];
    for (let at = node; at !== above; at = parent[at]) if (frame[at] >= 0) rows.push(frame[at]);
    return rows;
}

/** The name that the tool recorded. */
export function recordedName(tree: Tree, node: number): string {
    return tree.frames.recordedName?.[tree.frame[node]] ?? nameOf(tree, node);
}

/** Number of frames that are folded into a frame; 1: none. */
export function foldedFrames({ parent }: Tree, { node, last }: FrameLayout, frame: number): number {
    let frames = 1;
    for (let at = last[frame]; at !== node[frame]; at = parent[at]) frames++;
    return frames;
}

/** What the frame of a node is called. */
export function shownName(tree: Tree, layout: FrameLayout, node: number): string {
    const frame = layout.frameOf[node];
    const frames = frame < 0 ? 1 : foldedFrames(tree, layout, frame);
    return frames > 1 ? `${plural(frames, 'frame')} with one child each` : nameOf(tree, node);
}

/** 1 for each node that the search matches, by its name or place; null if there is no search. */
export function searchTree(tree: Tree, search: Matcher): { set: Uint8Array; count: number } | null {
    if (search.empty) return null;
    const { name, recordedName: recorded, file, line } = tree.frames;
    const rows = name.map((shown, row) => {
        const place: [string | undefined, number | undefined] = [
            file?.[row] || undefined,
            line?.[row] || undefined,
        ];
        return search.test(shown, ...place) || (recorded && search.test(recorded[row], ...place));
    });
    const set = Uint8Array.from({ length: tree.n }, (_, node) =>
        (tree.frame[node] < 0 ? search.test(nameOf(tree, node)) : rows[tree.frame[node]]) ? 1 : 0,
    );
    return { set, count: set.reduce((sum, hit) => sum + hit, 0) };
}

/** The marks of nodes. A folded chain has the marks of all its frames, at its first frame. */
export function marksOfFolds(
    tree: Tree,
    { node, last }: FrameLayout,
    set: Uint8Array | undefined,
): Uint8Array | null {
    if (!set) return null;
    const out = set.slice();
    last.forEach((end, frame) => {
        for (let at = end; at !== node[frame]; at = tree.parent[at])
            if (set[at] === 1) out[node[frame]] = 1;
    });
    return out;
}

/** Σ total of the matching nodes that are not below another matching node, so that nothing is
 * counted twice. */
export function matchedTotal({ n, parent, total }: Tree, match: Uint8Array): number {
    const inside = new Uint8Array(n);
    let sum = 0;
    for (let i = 0; i < n; i++) {
        const up = parent[i];
        const isBelowMatch = up >= 0 && (match[up] === 1 || inside[up] === 1);
        inside[i] = isBelowMatch ? 1 : 0;
        if (match[i] && !isBelowMatch) sum += total[i];
    }
    return sum;
}

/** Number of nodes of each certainty, for the legend. */
export function certaintyCounts(certainty: readonly number[]): [number, number, number] {
    const counts: [number, number, number] = [0, 0, 0];
    for (const code of certainty) counts[code as 0 | 1 | 2]++;
    return counts;
}

/** `open` with the chain that is folded into a frame. Its frames are not folded again. */
export function openFold(
    { parent }: Tree,
    { node, last }: FrameLayout,
    open: ReadonlySet<number>,
    frame: number,
): Set<number> {
    const next = new Set(open).add(node[frame]);
    for (let at = last[frame]; at !== node[frame]; at = parent[at]) next.add(at);
    return next;
}

/** The stack that ends at a node: null for what has no stack, undefined if none ends there. */
export function stackOf(tree: Tree, node: number): number | null | undefined {
    if (roleOf(tree, node) === 'none') return null;
    return tree.stack?.[node] ?? undefined;
}

/** Node at which a stack ends; -1: it is not drawn, or undefined. */
export function nodeOfStack(tree: Tree, stack: number | null | undefined): number {
    if (stack === undefined) return -1;
    return tree.parent.findIndex((_, node) => stackOf(tree, node) === stack);
}

/** 1 for each node that a stack of the set ends at. */
export function nodesOfStacks(tree: Tree, stacks: ReadonlySet<number | null>): Uint8Array {
    return Uint8Array.from(tree.parent, (_, node) => {
        const stack = stackOf(tree, node);
        return stack !== undefined && stacks.has(stack) ? 1 : 0;
    });
}

/** Stacks that end at or below a node. */
export function stacksBelow(tree: Tree, node: number): Set<number | null> {
    const isBelow = new Uint8Array(tree.n);
    const stacks = new Set<number | null>();
    for (let i = node; i < tree.n; i++) {
        isBelow[i] = i === node || isBelow[tree.parent[i]] === 1 ? 1 : 0;
        const stack = isBelow[i] === 1 ? stackOf(tree, i) : undefined;
        if (stack !== undefined) stacks.add(stack);
    }
    return stacks;
}
