/* SPDX-License-Identifier: MIT */
/*
 * The trees of two groups of runs laid over each other by their paths of names: each node with its
 * median on either side, and what of their difference is noise.
 */
import { childLists, FrameBuilder, type FrameLayout } from './frames';

export interface PathTree {
    n: number;
    /** index into these columns, or -1; a parent stands before its children */
    parent: ArrayLike<number>;
    total: ArrayLike<number>;
    nameOf: (node: number) => string;
    /** Nodes up to this size may have been left out of the answer. */
    floor: number;
}

export type Fate = 'kept' | 'new' | 'gone';

export interface DiffTree {
    n: number;
    parent: number[];
    names: string[];
    base: Float64Array;
    fresh: Float64Array;
    /** |Δ| up to this is noise; all 0 with one run a side */
    noise: Float64Array;
    fate: Fate[];
    baseTotal: number;
    freshTotal: number;
}

/** What repeats must differ by more than, in root sums of squared MADs: the rule of the tables. */
const FACTOR = 2;

export function diffTree(base: readonly PathTree[], fresh: readonly PathTree[]): DiffTree {
    const trees = [...base, ...fresh];
    const { parent, names, values } = unite(trees);
    const n = names.length;
    const out: DiffTree = {
        n,
        parent,
        names,
        base: new Float64Array(n),
        fresh: new Float64Array(n),
        noise: new Float64Array(n),
        fate: [],
        baseTotal: 0,
        freshTotal: 0,
    };
    const floor = Math.max(...trees.map((tree) => tree.floor));
    const most = (from: number, to: number, node: number) =>
        values.slice(from, to).reduce((max, run) => Math.max(max, run[node] ?? 0), 0);
    for (let i = 0; i < n; i++) {
        const b = spread(values, 0, base.length, i);
        const f = spread(values, base.length, trees.length, i);
        out.base[i] = b.median;
        out.fresh[i] = f.median;
        out.noise[i] = FACTOR * Math.hypot(b.mad, f.mad);
        const lacks = (from: number, to: number) => most(from, to, i) === 0;
        const big = Math.max(b.median, f.median) > floor;
        out.fate[i] =
            big && lacks(0, base.length)
                ? 'new'
                : big && lacks(base.length, trees.length)
                  ? 'gone'
                  : 'kept';
        if (parent[i] < 0) {
            out.baseTotal += b.median;
            out.freshTotal += f.median;
        }
    }
    return out;
}

/* One node for each path of names; values[run][node]. Siblings of one name are one. */
function unite(trees: readonly PathTree[]) {
    const parent: number[] = [];
    const names: string[] = [];
    const values: number[][] = [];
    const known = new Map<string, number>();
    for (const tree of trees) {
        const here: number[] = [];
        const place = new Int32Array(tree.n);
        for (let i = 0; i < tree.n; i++) {
            const up = tree.parent[i] < 0 ? -1 : place[tree.parent[i]];
            const name = tree.nameOf(i);
            const key = `${up} ${name}`;
            let at = known.get(key);
            if (at === undefined) {
                at = names.length;
                known.set(key, at);
                parent.push(up);
                names.push(name);
            }
            place[i] = at;
            here[at] = (here[at] ?? 0) + tree.total[i];
        }
        values.push(here);
    }
    return { parent, names, values };
}

function spread(values: number[][], from: number, to: number, node: number) {
    const of: number[] = [];
    for (let run = from; run < to; run++) of.push(values[run][node] ?? 0);
    const median = middle(of);
    return { median, mad: of.length > 1 ? middle(of.map((v) => Math.abs(v - median))) : 0 };
}

export function middle(values: readonly number[]): number {
    const sorted = [...values].sort((a, b) => a - b);
    const at = sorted.length >> 1;
    return sorted.length % 2 ? sorted[at] : (sorted[at - 1] + sorted[at]) / 2;
}

/** Steps of colour, in shares of the total. */
const STEPS = [0.008, 0.03];

/** -3 … 3: much faster … much slower; 0 is within noise. */
export function levelOf(tree: DiffTree, node: number): number {
    if (tree.fate[node] === 'new') return 3;
    if (tree.fate[node] === 'gone') return -3;
    const delta = tree.fresh[node] - tree.base[node];
    const size = Math.abs(delta);
    if (delta === 0 || size <= tree.noise[node]) return 0;
    const share = size / (Math.max(tree.baseTotal, tree.freshTotal) || 1);
    return Math.sign(delta) * (1 + STEPS.filter((step) => share >= step).length);
}

/** Frames as wide as one side says, the widest first. A child is never wider than what it stands under. */
export function layoutDiff(tree: DiffTree, side: 'base' | 'fresh'): FrameLayout {
    const width = tree[side];
    const { n } = tree;
    const { start, list } = childLists(tree.parent, n);
    const total = side === 'base' ? tree.baseTotal : tree.freshTotal;
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
            const sum = children.reduce((all, node) => all + width[node], 0);
            // Medians of the parts may exceed that of the whole.
            const fit = sum > out.widthOf(f) ? out.widthOf(f) / sum : 1;
            let x = out.leftOf(f);
            for (const node of children) {
                out.add(node, x, x + width[node] * fit, f);
                x += width[node] * fit;
            }
        }
    }
    return out.finish(total);
}

/** What is gone and stands under nothing gone, the largest first. */
export function vanished(tree: DiffTree): number[] {
    const out: number[] = [];
    for (let i = 0; i < tree.n; i++) {
        const up = tree.parent[i];
        if (tree.fate[i] === 'gone' && (up < 0 || tree.fate[up] !== 'gone')) out.push(i);
    }
    return out.sort((a, b) => tree.base[b] - tree.base[a]);
}
