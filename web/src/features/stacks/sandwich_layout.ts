/* SPDX-License-Identifier: MIT */
/* The sandwich of a function as one picture in two halves: its callers, the outermost on top, and
 * its callees. All widths are shares of the weight of the function. */
import type { FlameAnswer } from '../../base/answers';
import type { FrameLayout } from '../../model/frames';
import { layoutTree } from '../../model/tree';
import { type Flame, treeOf } from '../../model/tree_answers';

export interface Sandwich {
    /** The nodes of the callers, then those of the callees. Callers have no self weight. */
    flame: Flame;
    /** the last row is the nearest */
    callers: FrameLayout;
    callees: FrameLayout;
    /** node of the function, which no half has */
    fn: number;
}

/* The nodes of both trees; the first node of each is the function. */
function joinTrees(callers: Flame, callees: Flame): Flame {
    const rows = callees.frames.name.length;
    const up = (parent: number) => (parent < 0 ? -1 : parent + callers.n);
    const both = (key: 'total' | 'count' | 'family' | 'kind') => [...callers[key], ...callees[key]];
    const ofFrames = (key: 'id' | 'origin' | 'collapsed') => [
        ...(callees.frames[key] ?? []),
        ...(callers.frames[key] ?? []),
    ];
    return {
        ...callees,
        n: callers.n + callees.n,
        cut: callers.cut + callees.cut,
        parent: [...callers.parent, ...callees.parent.map(up)],
        frame: [...callers.frame.map((row) => row + rows), ...callees.frame],
        self: [...callers.self.map(() => 0), ...callees.self],
        total: both('total'),
        count: both('count'),
        family: both('family'),
        kind: both('kind'),
        frames: {
            name: [...callees.frames.name, ...callers.frames.name],
            origin: ofFrames('origin'),
            id: ofFrames('id'),
            collapsed: ofFrames('collapsed'),
        },
        lines: callees.lines && { ...callees.lines, node: callees.lines.node.map(up) },
    };
}

export function layoutSandwich(callers: FlameAnswer, callees: FlameAnswer): Sandwich {
    const flame = joinTrees(treeOf(callers), treeOf(callees));
    const fn = callers.n;
    return {
        flame,
        callers: layoutTree(flame, { below: 0, growsUp: true }),
        callees: layoutTree(flame, { below: fn }),
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
