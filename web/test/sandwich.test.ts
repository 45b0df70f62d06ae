/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { FlameAnswer } from '../src/base/answers';
import { layoutSandwich, type Sandwich, shareRoom } from '../src/features/stacks/sandwich_layout';
import type { FrameLayout } from '../src/model/frames';
import { idOf } from '../src/model/stack_transforms';
import { nameOf } from '../src/model/tree';

const tree = (names: string[], parent: number[], total: number[], self: number[]): FlameAnswer =>
    ({
        n: names.length,
        sum: total[0],
        cut: 0,
        parent,
        frame: names.map((_, i) => i),
        self,
        total,
        count: names.map(() => 1),
        family: names.map(() => 0),
        kind: names.map(() => 0),
        frames: {
            name: names,
            origin: names.map(() => 0),
            id: names.map((_, i) => i + 1),
            collapsed: names.map(() => 0),
        },
        lines: { node: [0], line: [7], total: [10] },
    }) as unknown as FlameAnswer;

/* f is called by a (6, called by main) and by b (4), and calls x and y */
const CALLERS = tree(['f', 'a', 'main', 'b'], [-1, 0, 1, 0], [10, 6, 6, 4], [0, 0, 6, 4]);
const CALLEES = tree(['f', 'x', 'y'], [-1, 0, 0], [10, 5, 3], [2, 5, 3]);

const rowsOf = ({ flame }: Sandwich, layout: FrameLayout) =>
    Array.from({ length: layout.rows }, (_, row) =>
        Array.from(layout.node.slice(layout.rowStart[row], layout.rowStart[row + 1]), (node) =>
            nameOf(flame, node),
        ),
    );

test('sandwich: the outermost callers are on top, the callees below', () => {
    const sandwich = layoutSandwich(CALLERS, CALLEES);
    const { flame, callers, callees, fn } = sandwich;
    assert.deepEqual(rowsOf(sandwich, callers), [['main'], ['a', 'b']]);
    assert.deepEqual(rowsOf(sandwich, callees), [['x', 'y']]);
    assert.equal(nameOf(flame, fn), 'f');
    assert.deepEqual([...callers.x1], [6, 6, 10]);
    assert.deepEqual([callers.total, callees.total], [10, 10]);
    assert.equal(callers.frameOf[fn], -1, 'the function is between the halves');
});

test('sandwich: only the function and its callees have self weight and lines', () => {
    const { flame, fn } = layoutSandwich(CALLERS, CALLEES);
    assert.deepEqual(flame.self, [0, 0, 0, 0, 2, 5, 3]);
    assert.deepEqual(flame.lines?.node, [fn]);
    assert.equal(idOf(flame, fn), 1);
});

test('sandwich: each half gets the room that the other does not need', () => {
    assert.deepEqual(shareRoom(400, 100, 90), [100, 90], 'both fit');
    assert.deepEqual(shareRoom(400, 900, 90), [310, 90], 'few callees');
    assert.deepEqual(shareRoom(400, 100, 900), [100, 300], 'few callers');
    assert.deepEqual(shareRoom(400, 900, 800), [200, 200], 'neither fits');
});
