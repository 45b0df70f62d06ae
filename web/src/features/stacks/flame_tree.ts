/* SPDX-License-Identifier: MIT */
/* The flame graph of a trace: places the frames of GET /runs/{id}/flame. A frame is as wide as its
 * total. The children are below it, from the left, in the order of the response. The space to their
 * right is the self time of the frame plus the nodes that were too small to send. */
import type { FlameAnswer } from '../../base/answers';
import type { StackFunctionRow } from '../../base/rows';
import { childLists, FrameBuilder, type FrameLayout } from '../../model/frames';

export function layoutFlame(flame: FlameAnswer): FrameLayout {
    const { n, parent, total: width } = flame;
    const { start, list } = childLists(parent, n);
    const total = flame.sum;
    const out = new FrameBuilder(n);
    out.beginRow();
    out.add(-1, 0, total, -1);
    for (let from = 0, to = out.length; from < to; from = to, to = out.length) {
        out.beginRow();
        for (let f = from; f < to; f++) {
            const slot = out.nodeAt(f) < 0 ? n : out.nodeAt(f);
            let x = out.leftOf(f);
            for (let k = start[slot]; k < start[slot + 1]; k++) {
                out.add(list[k], x, x + width[list[k]], f);
                x += width[list[k]];
            }
        }
    }
    return out.finish(total);
}

/** A flame graph of one frame, the function of a row: what is offered for it is that of a frame. */
export function flameOfFunction(row: StackFunctionRow): FlameAnswer {
    const { name, name_id, family, origin, collapsed, self, total, slices } = row;
    return {
        n: 1,
        unit: '',
        sum: total,
        cut: 0,
        parent: [-1],
        name: [0],
        self: [self],
        total: [total],
        count: [slices],
        family: [family],
        kind: [0],
        names: [name],
        origins: [origin],
        ids: [name_id],
        collapsed: [collapsed],
    };
}

interface FrameLine {
    line: number;
    total: number;
}

/** The lines of a node, largest total first; none if the answer has none for it. */
export function linesOf({ lines }: FlameAnswer, node: number): FrameLine[] {
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

/** Σ total of the matching nodes that are not below another matching node, so that no time is
 * counted twice. */
export function matchedNs({ n, parent, total }: FlameAnswer, match: Uint8Array): number {
    const inside = new Uint8Array(n);
    let sum = 0;
    for (let i = 0; i < n; i++) {
        const up = parent[i];
        const isBelowMatch = up >= 0 && (match[up] === 1 || inside[up] === 1);
        inside[i] = isBelowMatch ? 1 : 0;
        if (match[i] && !isBelowMatch) sum += total[i];
    }
    return sum;
}
