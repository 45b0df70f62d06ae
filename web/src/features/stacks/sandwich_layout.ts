/* SPDX-License-Identifier: MIT */
/* The sandwich of a function as one picture: its callers above, the outermost on top, the function
 * over the full width, its callees below. All widths are shares of the weight of the function. */
import type { FlameAnswer } from '../../base/trace_types';
import { FrameBuilder, type FrameLayout, frameChildren } from '../../model/frames';
import { layoutFlame } from './flame_tree';

export interface Sandwich {
    /** The nodes of the callers, then those of the callees. Callers have no self weight. */
    flame: FlameAnswer;
    layout: FrameLayout;
    /** node of the function */
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
const FIRST_ROW = 1;

export function layoutSandwich(callers: FlameAnswer, callees: FlameAnswer): Sandwich {
    const above = layoutFlame(callers);
    const below = layoutFlame(callees);
    const out = new FrameBuilder(callers.n + callees.n);
    const placedAbove = new Int32Array(above.count).fill(-1);
    const placedBelow = new Int32Array(below.count).fill(-1);
    /* The arrow keys go from a frame to the row above it: to its widest caller. */
    const widestCaller = (frame: number): number => {
        const outer = frameChildren(above, frame);
        const width = (f: number) => above.x1[f] - above.x0[f];
        const widest = outer.reduce((a, b) => (width(b) > width(a) ? b : a), outer[0]);
        return widest === undefined ? -1 : placedAbove[widest];
    };
    for (let row = above.rows - 1; row > FIRST_ROW; row--) {
        out.beginRow();
        for (let f = above.rowStart[row]; f < above.rowStart[row + 1]; f++)
            placedAbove[f] = out.add(above.node[f], above.x0[f], above.x1[f], widestCaller(f));
    }
    for (let row = FIRST_ROW; row < below.rows; row++) {
        out.beginRow();
        for (let f = below.rowStart[row]; f < below.rowStart[row + 1]; f++) {
            const parent =
                row === FIRST_ROW
                    ? widestCaller(above.rowStart[FIRST_ROW])
                    : placedBelow[below.parent[f]];
            placedBelow[f] = out.add(below.node[f] + callers.n, below.x0[f], below.x1[f], parent);
        }
    }
    return {
        flame: joinTrees(callers, callees),
        layout: out.finish(below.total),
        fn: callers.n,
    };
}
