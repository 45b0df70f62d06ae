/* SPDX-License-Identifier: MIT */
/* Trees from the answers of the API. Nodes and columns are those of the answer. */
import type {
    ComparisonTree,
    FlameAnswer,
    SnapshotComparison,
    TreeAnswer,
    TreeNodes,
    TreeSide,
} from '../base/answers';
import { functionName } from './labels';
import { frameText } from './snapshot_names';
import { frameOfRow, roleOf, type Tree } from './tree';

/* The tree of an answer, made when it is first asked for. */
function once<Answer extends object, T>(make: (answer: Answer) => T): (answer: Answer) => T {
    const made = new WeakMap<Answer, T>();
    return (answer) => {
        const tree = made.get(answer) ?? make(answer);
        made.set(answer, tree);
        return tree;
    };
}

/** A flame graph with what its answer says of it. */
export type Flame = FlameAnswer & Tree;

type Show = (tree: Pick<Tree, 'frames'>, row: number) => string;

/** Names of functions as cProfile records them are shortened. */
export const FUNCTIONS: Show = ({ frames }, row) => functionName(frames.name[row]);
/** Frames of snapshots have their places. */
export const PLACES: Show = (tree, row) => frameText(frameOfRow(tree, row));

const trees = new WeakMap<TreeNodes, Tree>();

/** The tree of an answer, with the columns that only its kind has. show: the names of frames, if
 * not as recorded. */
export function treeOf<Answer extends TreeAnswer>(answer: Answer, show?: Show): Answer & Tree {
    const { parent, frames } = answer;
    const { name: recordedName } = frames;
    const tree: Answer & Tree = (trees.get(answer) as (Answer & Tree) | undefined) ?? {
        ...answer,
        frame: answer.frame ?? [...parent.keys()],
        frames: show
            ? { ...frames, name: recordedName.map((_, row) => show({ frames }, row)), recordedName }
            : frames,
        id: answer.frame ? undefined : frames.id,
    };
    trees.set(answer, tree);
    return tree;
}

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
export const treeOfComparison = once((answer: ComparisonTree): DiffTree => {
    const { base, new: fresh } = answer;
    const { sum } = fresh;
    const total = fresh.total.map((value) => value ?? 0);
    const tree = treeOf({ ...answer, sum, total }, answer.certainty && FUNCTIONS);
    return { ...tree, whole: Math.max(base.sum, sum) };
});

/** A stack is as wide as its bytes in the run that has more of it, so that stacks of one run remain
 * visible; a frame is as wide as its stacks. Memory without a Python stack has no width. */
export const treeOfSnapshots = once((answer: SnapshotComparison): DiffTree => {
    const { tree: both, base } = answer;
    const tree = { ...treeOf({ ...both, sum: 0, total: [] }, PLACES), whole: base.peak_live };
    const [baseOwn, newOwn] = [both.base, both.new].map(({ total }) => {
        const own = total.map((bytes) => bytes ?? 0);
        tree.parent.forEach((up, node) => {
            if (up >= 0) own[up] -= total[node] ?? 0;
        });
        return own;
    });
    const width = baseOwn.map((bytes, node) =>
        roleOf(tree, node) === 'none' ? 0 : Math.max(bytes, newOwn[node]),
    );
    for (let node = width.length - 1; node >= 0; node--) {
        if (tree.parent[node] >= 0) width[tree.parent[node]] += width[node];
        else tree.sum += width[node];
    }
    return { ...tree, total: width };
});
