/* SPDX-License-Identifier: MIT */
/* Placed frames: the common input of every icicle.
 *
 * A layout is a struct of arrays. Frames are ordered by row, and within a row from left to right,
 * so the visible frames of a row are found by bisection. `node` is an index into the columns that
 * the layout was made from; -1 is the root frame of the complete run. Widths are in the unit of the
 * picture. */

export interface FrameLayout {
    count: number;
    rows: number;
    total: number;
    node: Int32Array;
    /** the last node of the chain that is folded into a frame; `node` if none is */
    last: Int32Array;
    x0: Float64Array;
    x1: Float64Array;
    row: Int32Array;
    parent: Int32Array;
    /** frames of row r are [rowStart[r], rowStart[r + 1]) */
    rowStart: Int32Array;
    /** index of a node's frame, or -1 if the node is not placed */
    frameOf: Int32Array;
    /** 1 if the frame is below the threshold: it is drawn as part of a dotted run and has no frames
     * below it */
    isDotted: Uint8Array;
}

export interface ChildLists {
    start: Int32Array;
    list: Int32Array;
}

/** Children of each node in one array, in index order; slot n contains the nodes without a parent. */
export function childLists(parent: ArrayLike<number>, n: number, skip?: Uint8Array): ChildLists {
    const start = new Int32Array(n + 2);
    const slot = (i: number): number => (parent[i] < 0 ? n : parent[i]);
    for (let i = 0; i < n; i++) if (!skip?.[i]) start[slot(i) + 1]++;
    for (let i = 0; i <= n; i++) start[i + 1] += start[i];
    const next = start.slice();
    const list = new Int32Array(start[n + 1]);
    for (let i = 0; i < n; i++) if (!skip?.[i]) list[next[slot(i)]++] = i;
    return { start, list };
}

/** Parents after hidden nodes are removed: each node gets its nearest visible ancestor. */
export function skipHiddenParents(
    parent: ArrayLike<number>,
    n: number,
    hidden: Uint8Array,
): Int32Array {
    const shown = new Int32Array(n);
    for (let i = 0; i < n; i++) {
        const parentNode = parent[i];
        shown[i] = parentNode < 0 ? -1 : hidden[parentNode] ? shown[parentNode] : parentNode;
    }
    return shown;
}

/** Collects frames breadth first; `finish` returns arrays of the final length. */
export class FrameBuilder {
    private node: number[] = [];
    private last: number[] = [];
    private x0: number[] = [];
    private x1: number[] = [];
    private row: number[] = [];
    private parent: number[] = [];
    private isDotted: number[] = [];
    private starts: number[] = [];

    constructor(private readonly nodes: number) {}

    get length(): number {
        return this.node.length;
    }
    beginRow(): void {
        this.starts.push(this.node.length);
    }
    add(
        node: number,
        last: number,
        x0: number,
        x1: number,
        parent: number,
        isDotted = false,
    ): number {
        this.node.push(node);
        this.last.push(last);
        this.x0.push(x0);
        this.x1.push(x1);
        this.row.push(this.starts.length - 1);
        this.parent.push(parent);
        this.isDotted.push(isDotted ? 1 : 0);
        return this.node.length - 1;
    }
    lastOf(frame: number): number {
        return this.last[frame];
    }
    leftOf(frame: number): number {
        return this.x0[frame];
    }
    rightOf(frame: number): number {
        return this.x1[frame];
    }
    isDottedAt(frame: number): boolean {
        return this.isDotted[frame] === 1;
    }
    finish(total: number): FrameLayout {
        const count = this.node.length;
        while (this.starts.length > 0 && this.starts[this.starts.length - 1] === count)
            this.starts.pop();
        const frameOf = new Int32Array(this.nodes).fill(-1);
        for (let f = 0; f < count; f++) if (this.node[f] >= 0) frameOf[this.node[f]] = f;
        return {
            count,
            rows: this.starts.length,
            total,
            node: Int32Array.from(this.node),
            last: Int32Array.from(this.last),
            x0: Float64Array.from(this.x0),
            x1: Float64Array.from(this.x1),
            row: Int32Array.from(this.row),
            parent: Int32Array.from(this.parent),
            rowStart: Int32Array.from([...this.starts, count]),
            frameOf,
            isDotted: Uint8Array.from(this.isDotted),
        };
    }
}

/** The same frames with the first row at the bottom. */
export function turnOver(layout: FrameLayout): FrameLayout {
    const { rows, rowStart, row, parent, frameOf } = layout;
    const order = Int32Array.from(row.keys()).sort((a, b) => row[b] - row[a] || a - b);
    const moved = new Int32Array(order.length);
    order.forEach((from, to) => {
        moved[from] = to;
    });
    const movedTo = (frame: number): number => (frame < 0 ? -1 : moved[frame]);
    return {
        ...layout,
        node: order.map((f) => layout.node[f]),
        last: order.map((f) => layout.last[f]),
        x0: Float64Array.from(order, (f) => layout.x0[f]),
        x1: Float64Array.from(order, (f) => layout.x1[f]),
        row: order.map((f) => rows - 1 - row[f]),
        parent: order.map((f) => movedTo(parent[f])),
        rowStart: rowStart.map((_, i) => layout.count - rowStart[rows - i]),
        frameOf: frameOf.map(movedTo),
        isDotted: Uint8Array.from(order, (f) => layout.isDotted[f]),
    };
}

/** First frame of the row whose right end is greater than x. */
export function firstRightOf(layout: FrameLayout, row: number, x: number): number {
    let lo = layout.rowStart[row];
    let hi = layout.rowStart[row + 1];
    while (lo < hi) {
        const mid = (lo + hi) >> 1;
        if (layout.x1[mid] > x) hi = mid;
        else lo = mid + 1;
    }
    return lo;
}

/** The frame at a point of the picture, or -1. `slack` widens thin frames so that they can be hit. */
export function frameAt(layout: FrameLayout, row: number, x: number, slack = 0): number {
    if (row < 0 || row >= layout.rows) return -1;
    const end = layout.rowStart[row + 1];
    const hit = firstRightOf(layout, row, x);
    if (hit < end && layout.x0[hit] <= x) return hit;
    if (slack > 0) {
        if (hit < end && layout.x0[hit] - x <= slack) return hit;
        const previousFrame = hit - 1;
        if (previousFrame >= layout.rowStart[row] && x - layout.x1[previousFrame] <= slack)
            return previousFrame;
    }
    return -1;
}

/** Frames from the root down to this one, inclusive. */
export function framePath(layout: FrameLayout, frame: number): number[] {
    const path: number[] = [];
    for (let f = frame; f >= 0; f = layout.parent[f]) path.push(f);
    return path.reverse();
}

/** The deepest chain of frames that each cover [x0, x1] completely: the ancestors of a zoomed picture. */
export function coveredPath(layout: FrameLayout, x0: number, x1: number): number[] {
    const slack = (x1 - x0) * 1e-9;
    const path: number[] = [];
    for (let row = 0; row < layout.rows; row++) {
        const f = firstRightOf(layout, row, (x0 + x1) / 2);
        if (f >= layout.rowStart[row + 1] || layout.x0[f] > x0 + slack || layout.x1[f] < x1 - slack)
            break;
        path.push(f);
    }
    return path;
}

/** Children of a frame, left to right. */
export function frameChildren(layout: FrameLayout, frame: number): number[] {
    const row = layout.row[frame] + 1;
    if (row >= layout.rows) return [];
    const children: number[] = [];
    const end = layout.rowStart[row + 1];
    for (let f = firstRightOf(layout, row, layout.x0[frame]); f < end; f++) {
        if (layout.x0[f] >= layout.x1[frame]) break;
        if (layout.parent[f] === frame) children.push(f);
    }
    return children;
}

export type Step = 'up' | 'down' | 'left' | 'right';

/** The frame that an arrow key selects: parent, widest child or neighbour in the row. Returns the
 * same frame at an edge. */
export function stepFrame(layout: FrameLayout, frame: number, step: Step): number {
    if (step === 'up') return layout.parent[frame] >= 0 ? layout.parent[frame] : frame;
    if (step === 'down') {
        let best = frame;
        let width = -1;
        for (const child of frameChildren(layout, frame)) {
            const w = layout.x1[child] - layout.x0[child];
            if (w > width) [best, width] = [child, w];
        }
        return best;
    }
    const next = frame + (step === 'left' ? -1 : 1);
    const row = layout.row[frame];
    return next >= layout.rowStart[row] && next < layout.rowStart[row + 1] ? next : frame;
}
