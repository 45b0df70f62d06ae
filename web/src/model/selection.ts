/* SPDX-License-Identifier: MIT */
/* What the pane of a selection says about a node of a call tree: all instances of its function, the
 * heaviest stack through it, its callers and its callees. */

import type { Tree } from './tree';

export type SelectableTree = Pick<Tree, 'n' | 'parent' | 'frame' | 'total' | 'self'>;

export interface Neighbour {
    key: number;
    /** its widest node */
    node: number;
    total: number;
}

export interface SelectionFacts {
    /** nodes of the same function, widest first */
    instances: number[];
    /** Time in the function: an instance inside another one counts once. */
    total: number;
    self: number;
    /** from the root through the node to the heaviest leaf below it */
    stack: number[];
    callers: Neighbour[];
    callees: Neighbour[];
}

/** 1 for each node of the function of `node`; null if it is the only one. */
export function instancesOf({ n, frame: key }: SelectableTree, node: number): Uint8Array | null {
    if (node < 0) return null;
    const set = new Uint8Array(n);
    let count = 0;
    for (let i = 0; i < n; i++) if (key[i] === key[node]) count += set[i] = 1;
    return count > 1 ? set : null;
}

/** The widest node of a function, or -1. */
export function widestNode({ n, frame: key, total }: SelectableTree, wanted: number): number {
    let widest = -1;
    for (let i = 0; i < n; i++)
        if (key[i] === wanted && (widest < 0 || total[i] > total[widest])) widest = i;
    return widest;
}

/* Whether a node above `node` passes the test. */
function hasAbove({ parent }: SelectableTree, node: number, test: (above: number) => boolean) {
    for (let above = parent[node]; above >= 0; above = parent[above]) if (test(above)) return true;
    return false;
}

/* Sums totals by function; `keyNode` is the node that a total is counted for. */
class Sums {
    private readonly byKey = new Map<number, Neighbour>();

    constructor(private readonly tree: SelectableTree) {}

    add(keyNode: number, total: number): void {
        const { frame: key, total: totals } = this.tree;
        const found = this.byKey.get(key[keyNode]);
        if (!found) this.byKey.set(key[keyNode], { key: key[keyNode], node: keyNode, total });
        else {
            found.total += total;
            if (totals[keyNode] > totals[found.node]) found.node = keyNode;
        }
    }

    sorted(): Neighbour[] {
        return [...this.byKey.values()].sort((a, b) => b.total - a.total);
    }
}

/** Everything about a node that follows from the tree. */
export function selectionFacts(tree: SelectableTree, node: number): SelectionFacts {
    const { n, parent, frame: key, total, self } = tree;
    const isSame = (i: number): boolean => key[i] === key[node];
    const instances: number[] = [];
    const callers = new Sums(tree);
    const callees = new Sums(tree);
    const [sums, heaviest] = [{ total: 0, self: 0 }, new Int32Array(n).fill(-1)];
    for (let i = 0; i < n; i++) {
        const up = parent[i];
        if (up >= 0 && (heaviest[up] < 0 || total[i] > total[heaviest[up]])) heaviest[up] = i;
        if (isSame(i)) {
            instances.push(i);
            sums.self += self?.[i] ?? 0;
            if (!hasAbove(tree, i, isSame)) {
                sums.total += total[i];
                if (up >= 0) callers.add(up, total[i]);
            }
        }
        if (up < 0 || !isSame(up) || isSame(i)) continue;
        const isInside = hasAbove(
            tree,
            i,
            (above) => key[above] === key[i] && parent[above] >= 0 && isSame(parent[above]),
        );
        if (!isInside) callees.add(i, total[i]);
    }
    const stack: number[] = [];
    for (let i = node; i >= 0; i = parent[i]) stack.push(i);
    stack.reverse();
    for (let i = heaviest[node]; i >= 0; i = heaviest[i]) stack.push(i);
    instances.sort((a, b) => total[b] - total[a]);
    return { instances, ...sums, stack, callers: callers.sorted(), callees: callees.sorted() };
}

export type StackRow = { node: number } | { fold: string; node: number };

/** Shorter runs of library frames are not folded. */
const MIN_FOLD = 3;
const NAMED_LIBRARIES = 2;

/** Folds runs of library frames into one row that names the libraries. `libraryOf` answers null for
 * frames that are never folded: own code, and the selected one. */
export function foldStack(
    stack: readonly number[],
    libraryOf: (node: number) => string | null,
): StackRow[] {
    const rows: StackRow[] = [];
    for (let i = 0; i < stack.length;) {
        let end = i;
        while (end < stack.length && libraryOf(stack[end]) !== null) end++;
        if (end - i >= MIN_FOLD) {
            const libraries = [
                ...new Set(stack.slice(i, end).map((node) => libraryOf(node) ?? '')),
            ];
            rows.push({ fold: foldText(end - i, libraries), node: stack[i] });
        } else for (let k = i; k < end; k++) rows.push({ node: stack[k] });
        if (end < stack.length) rows.push({ node: stack[end] });
        i = end + 1;
    }
    return rows;
}

/** `9 frames of werkzeug and flask`. */
function foldText(count: number, libraries: string[]): string {
    const named = libraries.slice(0, NAMED_LIBRARIES);
    const rest = libraries.length - named.length;
    if (rest > 0) return `${count} frames of ${named.join(', ')} and ${rest} more`;
    return `${count} frames of ${named.join(' and ')}`;
}
