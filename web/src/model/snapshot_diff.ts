/* SPDX-License-Identifier: MIT */
/* Two memory snapshots as one flame graph, and their stacks as rows. */
import type {
    LiveNodes,
    SnapshotComparison,
    SnapshotDiffNodes,
    SnapshotDiffRow,
    SnapshotFrame,
} from '../base/answers';

/** The tree without the memory that has no Python stack. Of its nodes, `bytes` is the width and `stack`
 * the node of the answer. */
export interface DiffFlame {
    frames: SnapshotFrame[];
    nodes: LiveNodes;
    /** node of the answer, by node of this tree */
    source: number[];
}

const isWithoutStack = ({ frame, parent }: SnapshotDiffNodes, node: number): boolean =>
    node > 0 && frame[node] === null && parent[node] === 0;

/** A stack is as wide as its bytes in the run that has more of it, so that stacks of one run remain
 * visible; a frame is as wide as its stacks. */
export function diffFlame({ nodes, frames }: SnapshotComparison): DiffFlame {
    const n = nodes.parent.length;
    const own = { base: [...nodes.base], new: [...nodes.new] };
    for (let i = 1; i < n; i++) {
        own.base[nodes.parent[i]] -= nodes.base[i];
        own.new[nodes.parent[i]] -= nodes.new[i];
    }
    const width = own.base.map((bytes, i) => Math.max(bytes, own.new[i]));
    for (let i = n - 1; i > 0; i--)
        if (!isWithoutStack(nodes, i)) width[nodes.parent[i]] += width[i];
    const source: number[] = [];
    const target: number[] = [];
    for (let i = 0; i < n; i++) {
        target.push(source.length);
        if (!isWithoutStack(nodes, i)) source.push(i);
    }
    return {
        frames,
        source,
        nodes: {
            parent: source.map((i) => (i === 0 ? -1 : target[nodes.parent[i]])),
            frame: source.map((i) => nodes.frame[i]),
            bytes: source.map((i) => width[i]),
            count: source.map((i) => nodes.new_count[i]),
            group: source.map(() => 0),
            stack: source,
        },
    };
}

/** Shares of the peak of the base from which a change has the colours 1 to 3. */
const LEVEL_SHARES = [0.0005, 0.008, 0.03];

/** From -3, much less, to 3, much more. */
export function changeLevel(change: number, peak: number): number {
    const share = Math.abs(change) / (peak || 1);
    return Math.sign(change) * LEVEL_SHARES.filter((least) => share >= least).length;
}

/** Identifies a row and its node: the stacks of both runs; 'none' without a Python stack. */
export function stackKey(of: { base_stack: number | null; new_stack: number | null }): string {
    if (of.base_stack === null && of.new_stack === null) return 'none';
    return `${of.base_stack ?? ''}-${of.new_stack ?? ''}`;
}

/** Node of the answer whose stack ends there; -1: it is not drawn. */
export function nodeOfKey({ nodes }: SnapshotComparison, key: string): number {
    return nodes.parent.findIndex(
        (_, i) =>
            (nodes.base_stack[i] !== null || nodes.new_stack[i] !== null) &&
            stackKey({ base_stack: nodes.base_stack[i], new_stack: nodes.new_stack[i] }) === key,
    );
}

/** Frames of a node of the answer, the innermost first. */
export function framesOf({ nodes, frames }: SnapshotComparison, node: number): SnapshotFrame[] {
    const out: SnapshotFrame[] = [];
    for (let at = node; at > 0; at = nodes.parent[at]) {
        const frame = nodes.frame[at];
        if (frame !== null && frame >= 0) out.push(frames[frame]);
    }
    return out;
}

export interface DiffSums {
    more: { bytes: number; stacks: number };
    less: { bytes: number; stacks: number };
    /** bytes without a Python stack */
    base_without: number;
    new_without: number;
    /** rows that one run only has */
    changed: number;
}

export function diffSums({ rows, nodes }: SnapshotComparison): DiffSums {
    const sums: DiffSums = {
        more: { bytes: 0, stacks: 0 },
        less: { bytes: 0, stacks: 0 },
        base_without: 0,
        new_without: 0,
        changed: 0,
    };
    for (const { change, verdict } of rows.filter((row) => stackKey(row) !== 'none')) {
        if (verdict === 'new' || verdict === 'gone') sums.changed++;
        if (change === 0) continue;
        const side = change > 0 ? sums.more : sums.less;
        side.bytes += change;
        side.stacks++;
    }
    const without = nodes.parent.findIndex((_, i) => isWithoutStack(nodes, i));
    if (without > 0) {
        sums.base_without = nodes.base[without];
        sums.new_without = nodes.new[without];
    }
    return sums;
}

function valueOf(row: SnapshotDiffRow, key: string, nameOf: (row: SnapshotFrame) => string) {
    switch (key) {
        case 'name':
            return nameOf(row);
        case 'caller':
            return row.caller ? nameOf(row.caller) : '';
        case 'base':
            return row.base;
        case 'new':
            return row.new;
        case 'delta':
            return row.change;
        case 'count':
            return row.new_count - row.base_count;
        case 'verdict':
            return row.verdict;
        default:
            return Math.abs(row.change);
    }
}

export function sortDiffRows(
    rows: readonly SnapshotDiffRow[],
    { key, desc }: { key: string; desc: boolean },
    nameOf: (row: SnapshotFrame) => string,
): SnapshotDiffRow[] {
    const sign = desc ? -1 : 1;
    return [...rows].sort((a, b) => {
        const [x, y] = [valueOf(a, key, nameOf), valueOf(b, key, nameOf)];
        if (typeof x === 'number' && typeof y === 'number') return sign * (x - y);
        return sign * String(x).localeCompare(String(y));
    });
}
