/* SPDX-License-Identifier: MIT */
/* The icicle of an import log: places the frames of GET /runs/{id}/imports/tree.
 *
 * A frame is as wide as its module's total (self time if not negative, plus its children). Its
 * children are below it from the left; the space left on the right is its self time. */
import type { ImportTree } from '../base/answers';
import { type FrameLayout, FrameBuilder, childLists, skipHiddenParents } from './frames';

export interface IcicleOptions {
    /** true: siblings by width, widest first; false: in import order */
    leftHeavy: boolean;
    /** 1 for each node that is removed; its children move up */
    hidden: Uint8Array | null;
    /** frames narrower than this (µs) become part of a dotted run */
    minUs: number;
}

/** Σ of the widths of the roots: the width of the top row. */
export function treeTotal(tree: ImportTree): number {
    let total = 0;
    for (let i = 0; i < tree.n; i++) if (tree.parent[i] < 0) total += tree.total_us[i];
    return total;
}

export function layoutIcicle(tree: ImportTree, options: IcicleOptions): FrameLayout {
    const { n } = tree;
    const width = tree.total_us;
    const hidden = options.hidden;
    const parent = hidden ? skipHiddenParents(tree.parent, n, hidden) : tree.parent;
    const { start, list } = childLists(parent, n, hidden ?? undefined);
    if (options.leftHeavy) sortSiblings(start, list, n, width);
    const total = treeTotal(tree);
    const out = new FrameBuilder(n);
    out.beginRow();
    out.add(-1, 0, total, -1);
    for (let from = 0, to = out.length; from < to; from = to, to = out.length) {
        out.beginRow();
        for (let f = from; f < to; f++) {
            if (out.isDottedAt(f)) continue;
            const slot = out.nodeAt(f) < 0 ? n : out.nodeAt(f);
            let x = out.leftOf(f);
            for (let k = start[slot]; k < start[slot + 1]; k++) {
                const node = list[k];
                const w = width[node];
                out.add(node, x, x + w, f, w < options.minUs);
                x += w;
            }
        }
    }
    return out.finish(total);
}

function sortSiblings(start: Int32Array, list: Int32Array, n: number, width: number[]): void {
    for (let slot = 0; slot <= n; slot++) {
        const [a, b] = [start[slot], start[slot + 1]];
        if (b - a < 2) continue;
        list.subarray(a, b).sort((p, q) => width[q] - width[p] || p - q);
    }
}

/** Self time by origin, and their sum, for the legend. A negative self time counts as 0, as in the
 * picture: its time is part of another row. */
export function originShares(tree: ImportTree): { us: number[]; sum: number } {
    const us = [0, 0, 0, 0, 0];
    let sum = 0;
    for (let i = 0; i < tree.n; i++) {
        const selfUs = Math.max(0, tree.self_us[i]);
        us[tree.origin[i]] += selfUs;
        sum += selfUs;
    }
    return { us, sum };
}

/** Σ of total over the matching nodes without a matching ancestor, so that no time is counted twice. */
export function matchedTotal(tree: ImportTree, match: Uint8Array): number {
    const inside = new Uint8Array(tree.n);
    let sum = 0;
    for (let i = 0; i < tree.n; i++) {
        const parentNode = tree.parent[i];
        const isInside = parentNode >= 0 && (match[parentNode] === 1 || inside[parentNode] === 1);
        inside[i] = isInside ? 1 : 0;
        if (match[i] && !isInside) sum += tree.total_us[i];
    }
    return sum;
}
