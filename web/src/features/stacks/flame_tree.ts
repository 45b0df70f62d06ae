/* SPDX-License-Identifier: MIT */
/* Parts of the answer of a flame graph. */
import type { StackFunctionRow } from '../../base/rows';
import type { Flame } from '../../model/tree_answers';

/** A flame graph of one frame, the function of a row: what is offered for it is that of a frame. */
export function flameOfFunction(row: StackFunctionRow): Flame {
    const { name, name_id, family, origin, collapsed, self, total, slices } = row;
    return {
        n: 1,
        unit: '',
        sum: total,
        cut: 0,
        parent: [-1],
        frame: [0],
        frames: { name: [name], origin: [origin], id: [name_id], collapsed: [collapsed] },
        self: [self],
        total: [total],
        count: [slices],
        family: [family],
        kind: [0],
    };
}

interface FrameLine {
    line: number;
    total: number;
}

/** The lines of a node, largest total first; none if the answer has none for it. */
export function linesOf({ lines }: Flame, node: number): FrameLine[] {
    if (!lines) return [];
    let lo = 0;
    for (let hi = lines.node.length; lo < hi;) {
        const mid = (lo + hi) >> 1;
        if (lines.node[mid] < node) lo = mid + 1;
        else hi = mid;
    }
    const found: FrameLine[] = [];
    for (; lines.node[lo] === node; lo++)
        found.push({ line: lines.line[lo], total: lines.total[lo] });
    return found;
}
