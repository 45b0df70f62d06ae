/* SPDX-License-Identifier: MIT */
/* Trees from the answers of the API. Columns are those of the answer, and so are the nodes, unless
 * said otherwise. */
import type {
    ComparisonTree,
    FlameAnswer,
    GroupTree,
    LiveFlame,
    MergedTree,
    SnapshotComparison,
    SnapshotDiffNodes,
    SnapshotFrame,
    TreeAnswer,
    TreeFrames,
} from '../base/answers';
import { functionName } from './labels';
import { frameText } from './snapshot_names';
import type { Tree, TreeSide } from './tree';

/* The tree of an answer, made when it is first asked for. */
function once<Answer extends object, T>(make: (answer: Answer) => T): (answer: Answer) => T {
    const made = new WeakMap<Answer, T>();
    return (answer) => {
        const tree = made.get(answer) ?? make(answer);
        made.set(answer, tree);
        return tree;
    };
}

export const treeOfFlame = once((flame: FlameAnswer): Tree => {
    const { n, unit, sum, cut, parent, name: frame, self, total, count, family } = flame;
    const { names: name, origins: origin, collapsed } = flame;
    const frames = { name, origin, collapsed };
    return { n, parent, frame, frames, unit, sum, cut, total, self, count, family };
});

const trees = new WeakMap<TreeAnswer, Tree>();

/** The tree of an answer, with the columns that only its kind has. show: the name of a frame as
 * shown, by its recorded name. */
export function treeOf<Answer extends TreeAnswer>(
    answer: Answer,
    show?: (name: string) => string,
): Answer & Tree {
    const { parent, frames } = answer;
    const tree: Answer & Tree = (trees.get(answer) as (Answer & Tree) | undefined) ?? {
        ...answer,
        frame: answer.frame ?? [...parent.keys()],
        frames: show
            ? { ...frames, name: frames.name.map(show), recordedName: frames.name }
            : frames,
        id: answer.frame ? undefined : frames.id,
    };
    trees.set(answer, tree);
    return tree;
}

function treeOfMerged(merged: MergedTree): Omit<Tree, 'total'> {
    const { n, parent, cut, unit, name: frame, names, places, certainty } = merged;
    const file = places?.map((place) => place ?? '');
    // Only names of cProfile have bounds and other forms.
    const name = certainty ? names.map(functionName) : names;
    const frames = { name, recordedName: names, file };
    return { n, parent, frame, frames, unit, sum: merged.new, cut, certainty };
}

export const treeOfGroup = once((group: GroupTree): Tree => {
    const { new_total: total, new_low: low, new_self: self } = group;
    return { ...treeOfMerged(group), total, low, self };
});

/* What the numbers of `frame` mean in both answers of snapshots. */
const NO_NODE = -1;
const MERGED = -1;

function framesOfSnapshot(frames: readonly SnapshotFrame[]): TreeFrames {
    return {
        name: frames.map(frameText),
        file: frames.map(({ file }) => file ?? ''),
        line: frames.map(({ line }) => line ?? 0),
    };
}

/** Whether a node of an answer is the memory without a Python stack. */
export function isWithoutStack(
    { frame, parent }: Pick<SnapshotDiffNodes, 'frame' | 'parent'>,
    node: number,
): boolean {
    return node > 0 && frame[node] === null && parent[node] === 0;
}

/** The root of the answer is the whole, so its nodes have the number of the answer less one. */
export const treeOfSnapshot = once(({ frames, nodes }: LiveFlame): Tree => {
    const parent = nodes.parent.slice(1).map((up) => up - 1);
    const role = nodes.frame.slice(1).map((frame, i) => {
        if (frame !== null && frame !== MERGED) return 'frame';
        return isWithoutStack(nodes, i + 1) && nodes.stack[i + 1] === null ? 'none' : 'rest';
    });
    return {
        n: parent.length,
        parent,
        frame: nodes.frame.slice(1).map((frame) => frame ?? NO_NODE),
        role,
        frames: framesOfSnapshot(frames),
        unit: 'B',
        sum: nodes.bytes[0] ?? 0,
        cut: 0,
        total: nodes.bytes.slice(1),
        count: nodes.count.slice(1),
        group: nodes.group.slice(1),
        stack: nodes.stack.slice(1),
    };
});

/** Two sides of a comparison as one tree. */
export interface DiffTree extends Tree {
    base: TreeSide;
    new: TreeSide;
    /** what differences are large or small against */
    whole: number;
    /** of the totals: 0 none, 1 few, 2 same, 3 up, 4 down */
    verdict?: readonly number[];
}

/** Totals are those of the new runs. */
export const treeOfComparison = once((comparison: ComparisonTree): DiffTree => {
    const { base, base_total, base_low, base_floor, verdict } = comparison;
    const { new: fresh, new_total, new_low, new_floor } = comparison;
    return {
        ...treeOfMerged(comparison),
        total: new_total.map((total) => total ?? 0),
        base: { sum: base, total: base_total, low: base_low, floor: base_floor },
        new: { sum: fresh, total: new_total, low: new_low, floor: new_floor },
        whole: Math.max(base, fresh),
        verdict,
    };
});

/** Nodes are those of the answer without the root and without memory that has no Python stack. A
 * stack is as wide as its bytes in the run that has more of it, so that stacks of one run remain
 * visible; a frame is as wide as its stacks. */
export const treeOfSnapshots = once((comparison: SnapshotComparison): DiffTree => {
    const { nodes, frames } = comparison;
    const own = { base: [...nodes.base], new: [...nodes.new] };
    nodes.parent.forEach((up, node) => {
        if (up < 0) return;
        own.base[up] -= nodes.base[node];
        own.new[up] -= nodes.new[node];
    });
    const width = own.base.map((bytes, node) => Math.max(bytes, own.new[node]));
    for (let node = width.length - 1; node > 0; node--)
        if (!isWithoutStack(nodes, node)) width[nodes.parent[node]] += width[node];
    const kept = [...nodes.parent.keys()].filter(
        (node) => node > 0 && !isWithoutStack(nodes, node),
    );
    const moved = new Map(kept.map((from, to) => [from, to]));
    const ofKept = <T>(column: readonly T[]): T[] => kept.map((node) => column[node]);
    const frame = ofKept(nodes.frame).map((row) => row ?? NO_NODE);
    const side = (key: 'base' | 'new') => ({
        sum: nodes[key][0] ?? 0,
        total: ofKept(nodes[key]),
        count: ofKept(nodes[`${key}_count`]),
        stack: ofKept(nodes[`${key}_stack`]),
    });
    return {
        n: kept.length,
        parent: ofKept(nodes.parent).map((up) => moved.get(up) ?? NO_NODE),
        frame,
        role: frame.map((row) => (row >= 0 ? 'frame' : 'rest')),
        frames: framesOfSnapshot(frames),
        sum: width[0] ?? 0,
        unit: 'B',
        cut: 0,
        total: ofKept(width),
        base: side('base'),
        new: side('new'),
        whole: comparison.base.peak_live,
    };
});
