/* SPDX-License-Identifier: MIT */
/* The flame graph of the live bytes of a memory snapshot. A chain of more than MAX_CHAIN frames with one
 * child each is one row, which opens. */
import type { LiveNodes } from '../base/answers';
import { childLists, FrameBuilder, type FrameLayout } from './frames';

export const MAX_CHAIN = 3;

/** Value of `frame` of a node that stands for frames too small to draw. */
const REST = -1;

export type FlameNodeKind = 'frame' | 'fold' | 'rest' | 'none';

export interface FlameNode {
    kind: FlameNodeKind;
    /** index in the answer; of a fold, its first frame */
    node: number;
    /** the last frame of a fold, otherwise `node` */
    last: number;
    /** frames in a fold, otherwise 1 */
    frames: number;
}

export interface SnapshotFlame {
    nodes: FlameNode[];
    /** `node` is an index into `nodes` */
    layout: FrameLayout;
}

function kindOf({ frame, parent, stack }: LiveNodes, node: number): FlameNodeKind {
    const value = frame[node];
    if (value !== null && value !== REST) return 'frame';
    return value === null && parent[node] === 0 && stack[node] === null ? 'none' : 'rest';
}

/** `open`: first frames of the folds that are open. */
export function layoutLiveFlame(flame: LiveNodes, open: ReadonlySet<number>): SnapshotFlame {
    const { parent, bytes } = flame;
    const n = parent.length;
    const { start, list } = childLists(parent, n);
    const onlyChild = (node: number): number => {
        if (start[node + 1] - start[node] !== 1) return -1;
        const child = list[start[node]];
        return bytes[child] === bytes[node] && kindOf(flame, child) === 'frame' ? child : -1;
    };
    const nodes: FlameNode[] = [];
    const describe = (node: number): FlameNode => {
        const kind = kindOf(flame, node);
        let last = node;
        let frames = 1;
        if (kind === 'frame' && !open.has(node) && !open.has(parent[node])) {
            // Each frame of a fold has one child; the first frame without one is drawn below it.
            let next = onlyChild(node);
            let chain = 0;
            let end = node;
            while (next >= 0) {
                chain++;
                end = parent[next];
                next = onlyChild(next);
            }
            if (chain > MAX_CHAIN) [last, frames] = [end, chain];
        }
        return { kind: frames > 1 ? 'fold' : kind, node, last, frames };
    };
    const builder = new FrameBuilder(n);
    const total = n > 0 ? bytes[0] : 0;
    builder.beginRow();
    let row = n > 0 ? [{ frame: builder.add(-1, 0, total, -1), last: 0 }] : [];
    while (row.length > 0) {
        builder.beginRow();
        const below: typeof row = [];
        for (const { frame, last } of row) {
            let x = builder.leftOf(frame);
            for (let i = start[last]; i < start[last + 1]; i++) {
                const child = list[i];
                const shown = describe(child);
                nodes.push(shown);
                const placed = builder.add(nodes.length - 1, x, x + bytes[child], frame);
                x += bytes[child];
                below.push({ frame: placed, last: shown.last });
            }
        }
        row = below;
    }
    return { nodes, layout: builder.finish(total) };
}

/** Chains inside an open fold are not folded again: all their frames are open. */
export function openFold(
    flame: LiveNodes,
    open: ReadonlySet<number>,
    fold: FlameNode,
): Set<number> {
    const next = new Set(open);
    for (let at = fold.last; at !== fold.node; at = flame.parent[at]) next.add(at);
    return next.add(fold.node);
}

/** Index of the deepest frame of a stack; null: of allocations without a Python stack; -1: not drawn. */
export function nodeOfStack(
    flame: LiveNodes,
    nodes: readonly FlameNode[],
    stack: number | null,
): number {
    if (stack === null) return nodes.findIndex(({ kind }) => kind === 'none');
    return nodes.findIndex(({ kind, node }) => kind === 'frame' && flame.stack[node] === stack);
}

/** 1 for each frame that a stack of the set ends in. */
export function nodesOfStacks(
    flame: LiveNodes,
    nodes: readonly FlameNode[],
    stacks: ReadonlySet<number | null>,
): Uint8Array {
    return Uint8Array.from(nodes, ({ kind, node }) => {
        if (kind === 'none') return stacks.has(null) ? 1 : 0;
        const stack = flame.stack[node];
        return kind === 'frame' && stack !== null && stacks.has(stack) ? 1 : 0;
    });
}

/** Stacks at and below a node of the answer. */
export function stacksBelow(flame: LiveNodes, node: number): Set<number | null> {
    const below = new Uint8Array(flame.parent.length);
    below[node] = 1;
    const stacks = new Set<number | null>();
    for (let i = node; i < below.length; i++) {
        if (i > node && flame.parent[i] >= 0) below[i] = below[flame.parent[i]];
        if (below[i] === 0) continue;
        if (flame.stack[i] !== null) stacks.add(flame.stack[i]);
        else if (kindOf(flame, i) === 'none') stacks.add(null);
    }
    return stacks;
}
