/* SPDX-License-Identifier: MIT */
/* The sandwich of a function as one picture in two halves: its callers, the outermost on top, and
 * its callees. All widths are shares of the weight of the function. */
import type { FlameAnswer } from '../../base/answers';
import type { FrameLayout } from '../../model/frames';
import { layoutTree, type Tree } from '../../model/tree';
import { treeOfFlame } from '../../model/tree_answers';

export interface Sandwich {
    /** The nodes of the callers, then those of the callees. Callers have no self weight. */
    flame: FlameAnswer;
    tree: Tree;
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

export function layoutSandwich(callers: FlameAnswer, callees: FlameAnswer): Sandwich {
    const flame = joinTrees(callers, callees);
    const tree = treeOfFlame(flame);
    const fn = callers.n;
    return {
        flame,
        tree,
        callers: layoutTree(tree, { below: 0, growsUp: true }),
        callees: layoutTree(tree, { below: fn }),
        fn,
    };
}

/** Heights in px of two halves that need `above` and `below` px and share `room` px. A half that needs
 * less than half of the room gets what it needs, and the other half gets the rest, up to its need. */
export function shareRoom(room: number, above: number, below: number): [number, number] {
    const half = room / 2;
    const first = below <= half ? Math.min(above, room - below) : Math.min(above, half);
    return [first, Math.max(0, Math.min(below, room - first))];
}
