/* SPDX-License-Identifier: MIT */
/* Two memory snapshots as one tree: widths, levels of change and sums. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SnapshotComparison } from '../src/base/answers';
import { diffSums, framesOf, nodeOfKey, stackKey } from '../src/model/snapshot_diff';
import { treeOfSnapshots } from '../src/model/tree_answers';
import { deltaOf, levelOf, nodeChangeOf } from '../src/model/tree_diff';

/* main calls f (base 8, new 2) and g (new 5); 3 bytes are its own in both; 7 have no stack in the base. */
const side = {
    device: 0,
    events: 1,
    at: 0,
    live: 0,
    reserved: 0,
    peak_live: 18,
    peak_event: 0,
    live_end: 0,
};
const frames = [
    { name: 'main', file: 'a.py', line: 1 },
    { name: 'f', file: 'a.py', line: 2 },
    { name: 'g', file: 'a.py', line: 3 },
];
const row = (index: number, base: number, fresh: number, stacks: (number | null)[]) => ({
    ...(frames[index] ?? { name: null, file: null, line: null }),
    base_stack: stacks[0],
    new_stack: stacks[1],
    caller: null,
    base,
    new: fresh,
    base_count: +(base > 0),
    new_count: +(fresh > 0),
    change: fresh - base,
    verdict: base === 0 ? ('new' as const) : fresh === 0 ? ('gone' as const) : ('less' as const),
});
const diff: SnapshotComparison = {
    base: { ...side, live: 18 },
    new: { ...side, live: 10 },
    begins_at: null,
    common_stacks: 2,
    rows: [
        row(9, 7, 0, [null, null]),
        row(1, 8, 2, [2, 2]),
        row(2, 0, 5, [null, 3]),
        { ...row(0, 3, 3, [1, 1]), verdict: 'same' },
    ],
    omitted: { rows: 0, base: 0, new: 0, base_count: 0, new_count: 0 },
    frames,
    nodes: {
        parent: [-1, 0, 0, 2, 2],
        frame: [null, null, 0, 1, 2],
        base: [18, 7, 11, 8, 0],
        new: [10, 0, 10, 2, 5],
        base_count: [3, 1, 2, 1, 0],
        new_count: [3, 0, 3, 1, 1],
        base_stack: [null, null, 1, 2, null],
        new_stack: [null, null, 1, 2, 3],
    },
};

test('a stack is as wide as in the run that has more, a frame as its stacks', () => {
    const tree = treeOfSnapshots(diff);
    assert.deepEqual(tree.parent, [-1, 0, 0]); // without the memory that has no stack
    assert.equal(tree.sum, 16);
    assert.deepEqual(tree.total, [16, 8, 5]);
    assert.deepEqual(tree.frame, [0, 1, 2]);
    assert.deepEqual(
        [-1, 0, 1, 2].map((node) => deltaOf(tree, node)),
        [-8, -1, -6, 5],
    );
    assert.deepEqual(
        [0, 1, 2].map((node) => nodeChangeOf(tree, node)),
        ['kept', 'kept', 'new'],
    );
});

test('sums of what changed', () => {
    assert.deepEqual(diffSums(diff), {
        more: { bytes: 5, stacks: 1 },
        less: { bytes: -6, stacks: 1 },
        base_without: 7,
        new_without: 0,
        changed: 1,
    });
});

test('a row finds its node, and the frames above it', () => {
    assert.deepEqual(diff.rows.map(stackKey), ['none', '2-2', '-3', '1-1']);
    const { base_stack, new_stack } = diff.nodes;
    assert.equal(nodeOfKey(base_stack, new_stack, '-3'), 4);
    assert.equal(nodeOfKey(base_stack, new_stack, 'none'), -1);
    assert.deepEqual(
        framesOf(diff, 4).map(({ name }) => name),
        ['g', 'main'],
    );
});

test('levels are shares of the peak of the base', () => {
    const levelAt = (change: number, peak_live: number) => {
        const { base, nodes } = diff;
        const fresh = nodes.base.map((bytes) => bytes + change);
        const tree = treeOfSnapshots({
            ...diff,
            base: { ...base, peak_live },
            nodes: { ...nodes, new: fresh },
        });
        return levelOf(tree, 0);
    };
    assert.deepEqual(
        [0, 4, 5, 79, -80, 299, 300].map((change) => levelAt(change, 10_000)),
        [0, 0, 1, 1, -2, 2, 3],
    );
    assert.equal(levelAt(5, 0), 3);
});
