/* SPDX-License-Identifier: MIT */
/* The sandwich of a function as one picture in two halves: its callers, the outermost on top, and
 * its callees. All widths are shares of the weight of the function. */
import type { FlameAnswer } from '../../base/answers';
import { FrameBuilder, type FrameLayout } from '../../model/frames';
import { layoutFlame } from './flame_tree';

export interface Sandwich {
    /** The nodes of the callers, then those of the callees. Callers have no self weight. */
    flame: FlameAnswer;
    /** the last row is the nearest */
    callers: FrameLayout;
    callees: FrameLayout;
    /** node of the function, which no half has */
    fn: number;
}

/* The nodes of both trees; the first node of each is the function. */
function joinTrees(callers: FlameAnswer, callees: FlameAnswer): FlameAnswer {
    const names = callees.names.length;
    const up = (parent: number) => (parent < 0 ? -1 : parent + callers.n);
    const both = (key: 'total' | 'count' | 'family' | 'kind') => [...callers[key], ...callees[key]];
    const ofNames = (key: 'origins' | 'ids' | 'collapsed') => [
        ...(callees[key] ?? []),
        ...(callers[key] ?? []),
    ];
    return {
        ...callees,
        n: callers.n + callees.n,
        cut: callers.cut + callees.cut,
        parent: [...callers.parent, ...callees.parent.map(up)],
        name: [...callers.name.map((name) => name + names), ...callees.name],
        self: [...callers.self.map(() => 0), ...callees.self],
        total: both('total'),
        count: both('count'),
        family: both('family'),
        kind: both('kind'),
        names: [...callees.names, ...callers.names],
        origins: ofNames('origins'),
        ids: ofNames('ids'),
        collapsed: ofNames('collapsed'),
        lines: callees.lines && { ...callees.lines, node: callees.lines.node.map(up) },
    };
}

/* layoutFlame places the sum in row 0 and the function in row 1. */
const NEAREST_ROW = 2;

/* The rows of one half; `rows` in the order in which they are drawn. */
function placeHalf(
    tree: FrameLayout,
    rows: readonly number[],
    nodeOf: (node: number) => number,
    nodes: number,
): FrameLayout {
    const out = new FrameBuilder(nodes);
    const placed = new Int32Array(tree.count).fill(-1);
    for (const row of rows) {
        out.beginRow();
        for (let f = tree.rowStart[row]; f < tree.rowStart[row + 1]; f++) {
            // Callers are drawn before the frames that they call, which have no frame yet.
            const parent = placed[tree.parent[f]] ?? -1;
            placed[f] = out.add(nodeOf(tree.node[f]), tree.x0[f], tree.x1[f], parent);
        }
    }
    return out.finish(tree.total);
}

export function layoutSandwich(callers: FlameAnswer, callees: FlameAnswer): Sandwich {
    const above = layoutFlame(callers);
    const below = layoutFlame(callees);
    const nodes = callers.n + callees.n;
    const rowsOf = ({ rows }: FrameLayout) =>
        Array.from({ length: Math.max(0, rows - NEAREST_ROW) }, (_, i) => i + NEAREST_ROW);
    return {
        flame: joinTrees(callers, callees),
        callers: placeHalf(above, rowsOf(above).reverse(), (node) => node, nodes),
        callees: placeHalf(below, rowsOf(below), (node) => node + callers.n, nodes),
        fn: callers.n,
    };
}

/** Heights in px of two halves that need `above` and `below` px and share `room` px. A half that needs
 * less than half of the room gets what it needs, and the other half gets the rest, up to its need. */
export function shareRoom(room: number, above: number, below: number): [number, number] {
    const half = room / 2;
    const first = below <= half ? Math.min(above, room - below) : Math.min(above, half);
    return [first, Math.max(0, Math.min(below, room - first))];
}
