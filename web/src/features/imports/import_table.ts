/* SPDX-License-Identifier: MIT */
/* Rows of the tree table of an import log, as expanded, sorted and filtered. */
import { type ChildLists, childLists, skipHiddenParents } from '../../model/frames';
import type { Imports } from './data';

export type TreeSort = 'ord' | 'self_us' | 'cumulative_us' | 'module';

export interface TreeRow {
    node: number;
    level: number;
    children: number;
    open: boolean;
}

export interface TreeFilter {
    hidden: Uint8Array | null;
    /** 1 for rows to keep; the ancestors of these rows are kept too. null keeps all rows. */
    keepMask: Uint8Array | null;
}

/** Copy of `mask` in which all ancestors of marked rows are marked too, so that each hit is shown
 * on its path. */
export function withAncestors(tree: Imports, mask: Uint8Array): Uint8Array {
    const out = mask.slice();
    for (let i = tree.n - 1; i >= 0; i--) {
        const up = tree.parent[i];
        if (out[i] && up >= 0) out[up] = 1;
    }
    return out;
}

export class ImportRows {
    private readonly lists: ChildLists;

    constructor(
        private readonly tree: Imports,
        filter: TreeFilter,
        sort: TreeSort,
        desc: boolean,
    ) {
        const { n } = tree;
        const skip = new Uint8Array(n);
        const keepMask = filter.keepMask ? withAncestors(tree, filter.keepMask) : null;
        for (let i = 0; i < n; i++)
            skip[i] = filter.hidden?.[i] || (keepMask && !keepMask[i]) ? 1 : 0;
        const parent = filter.hidden
            ? skipHiddenParents(tree.parent, n, filter.hidden)
            : tree.parent;
        this.lists = childLists(parent, n, skip);
        const order = compareBy(tree, sort, desc);
        if (!order) return;
        for (let slot = 0; slot <= n; slot++) {
            const [a, b] = [this.lists.start[slot], this.lists.start[slot + 1]];
            if (b - a > 1) this.lists.list.subarray(a, b).sort(order);
        }
    }

    childrenOf(node: number): Int32Array {
        const slot = node < 0 ? this.tree.n : node;
        return this.lists.list.subarray(this.lists.start[slot], this.lists.start[slot + 1]);
    }

    /** Visible rows from top to bottom; iterative, because logs may be hundreds of levels deep. */
    flatten(open: ReadonlySet<number>): TreeRow[] {
        const rows: TreeRow[] = [];
        const stack: { children: Int32Array; at: number }[] = [
            { children: this.childrenOf(-1), at: 0 },
        ];
        while (stack.length > 0) {
            const top = stack[stack.length - 1];
            if (top.at >= top.children.length) {
                stack.pop();
                continue;
            }
            const node = top.children[top.at++];
            const children = this.childrenOf(node);
            const isOpen = children.length > 0 && open.has(node);
            rows.push({ node, level: stack.length - 1, children: children.length, open: isOpen });
            if (isOpen) stack.push({ children, at: 0 });
        }
        return rows;
    }

    /** Rows that are expanded at first: the path of the largest cumulative times. It ends where no
     * child has a third of its parent's time. */
    heaviestPath(): Set<number> {
        const open = new Set<number>();
        let node = -1;
        for (;;) {
            const children = this.childrenOf(node);
            let best = -1;
            for (const child of children) {
                if (best < 0 || this.tree.total[child] > this.tree.total[best]) best = child;
            }
            if (best < 0 || (node >= 0 && this.tree.total[best] * 3 < this.tree.total[node]))
                return open;
            open.add(best);
            node = best;
        }
    }
}

function compareBy(
    tree: Imports,
    sort: TreeSort,
    desc: boolean,
): ((a: number, b: number) => number) | null {
    const sign = desc ? -1 : 1;
    if (sort === 'module') {
        return (a, b) => {
            const [x, y] = [tree.frames.name[a], tree.frames.name[b]];
            return x === y ? a - b : x < y ? -sign : sign;
        };
    }
    if (sort === 'ord') return desc ? (a, b) => b - a : null;
    const values = sort === 'self_us' ? tree.self : tree.cumulative;
    return (a, b) => sign * (values[a] - values[b]) || a - b;
}

/** Index of every node by its row id. */
export function indexOfIds(ids: readonly number[]): Map<number, number> {
    const indexById = new Map<number, number>();
    for (let i = 0; i < ids.length; i++) indexById.set(ids[i], i);
    return indexById;
}

/** Number of ancestors of each node. */
export function computeDepths(parent: ArrayLike<number>, n: number): Int32Array {
    const depth = new Int32Array(n);
    for (let i = 0; i < n; i++) depth[i] = parent[i] < 0 ? 0 : depth[parent[i]] + 1;
    return depth;
}
