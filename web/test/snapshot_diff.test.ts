/* SPDX-License-Identifier: MIT */
/* Two memory snapshots as one tree: widths, levels of change and sums. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SnapshotComparison } from '../src/base/answers';
import { diffSums, nodeOfKey, stackKey } from '../src/model/snapshot_diff';
import { frameOfRow, framesUpTo } from '../src/model/tree';
import { treeOfSnapshots } from '../src/model/tree_answers';
import { deltaOf, levelOf, nodeChangeOf } from '../src/model/tree_diff';

/* main calls f (base 8, new 2) and g (new 5); 3 bytes are its own in both; 7 have no stack in the base. */
const side = {
    device: 0,
    events: 1,
    at: 0,
    live: 0,
    count: 3,
    reserved: 0,
    peak_live: 18,
    peak_event: 0,
    live_end: 0,
};
const NAMES = ['main', 'f', 'g'];
const row = (index: number, base: number, fresh: number, stacks: (number | null)[]) => ({
    name: NAMES[index] ?? null,
    file: index < 3 ? 'a.py' : null,
    line: index < 3 ? index + 1 : null,
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
    tree: {
        n: 4,
        cut: 0,
        unit: 'B',
        frames: { name: NAMES, file: ['a.py', 'a.py', 'a.py'], line: [1, 2, 3] },
        parent: [-1, -1, 1, 1],
        frame: [-2, 0, 1, 2],
        base: { sum: 18, total: [7, 11, 8, 0], count: [1, 2, 1, 0], stack: [null, 1, 2, null] },
        new: { sum: 10, total: [0, 10, 2, 5], count: [0, 3, 1, 1], stack: [null, 1, 2, 3] },
    },
};

test('a stack is as wide as in the run that has more, a frame as its stacks', () => {
    const tree = treeOfSnapshots(diff);
    assert.equal(tree.sum, 16);
    assert.deepEqual(tree.total, [0, 16, 8, 5]); // without the memory that has no stack
    assert.deepEqual(
        [-1, 1, 2, 3].map((node) => deltaOf(tree, node)),
        [-8, -1, -6, 5],
    );
    assert.deepEqual(
        [1, 2, 3].map((node) => nodeChangeOf(tree, node)),
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
    const { base, new: fresh, ...tree } = treeOfSnapshots(diff);
    const nodeOf = (key: string) => nodeOfKey(base.stack ?? [], fresh.stack ?? [], key);
    assert.equal(nodeOf('-3'), 3);
    assert.equal(nodeOf('none'), -1);
    const frames = framesUpTo(tree, 3, -1).map((row) => frameOfRow(tree, row));
    assert.deepEqual(
        frames.map(({ name }) => name),
        ['g', 'main'],
    );
});

test('levels are shares of the peak of the base', () => {
    const levelAt = (change: number, peak_live: number) => {
        const { base, tree: both } = diff;
        const total = both.base.total.map((bytes) => (bytes ?? 0) + change);
        const tree = treeOfSnapshots({
            ...diff,
            base: { ...base, peak_live },
            tree: { ...both, new: { ...both.new, total } },
        });
        return levelOf(tree, 1);
    };
    assert.deepEqual(
        [0, 4, 5, 79, -80, 299, 300].map((change) => levelAt(change, 10_000)),
        [0, 0, 1, 1, -2, 2, 3],
    );
    assert.equal(levelAt(5, 0), 3);
});
