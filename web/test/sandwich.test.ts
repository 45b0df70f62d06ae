/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { FlameAnswer } from '../src/base/trace_types';
import { layoutSandwich } from '../src/features/stacks/sandwich_layout';

const tree = (names: string[], parent: number[], total: number[], self: number[]): FlameAnswer =>
    ({
        n: names.length,
        sum: total[0],
        cut: 0,
        parent,
        name: names.map((_, i) => i),
        self,
        total,
        count: names.map(() => 1),
        family: names.map(() => 0),
        kind: names.map(() => 0),
        names,
        origins: names.map(() => 0),
        ids: names.map((_, i) => i + 1),
        collapsed: names.map(() => 0),
        lines: { node: [0], line: [7], total: [10] },
    }) as unknown as FlameAnswer;

/* f is called by a (6, called by main) and by b (4), and calls x and y */
const CALLERS = tree(['f', 'a', 'main', 'b'], [-1, 0, 1, 0], [10, 6, 6, 4], [0, 0, 6, 4]);
const CALLEES = tree(['f', 'x', 'y'], [-1, 0, 0], [10, 5, 3], [2, 5, 3]);

test('sandwich: the outermost callers are on top, the callees below', () => {
    const { flame, layout, fn } = layoutSandwich(CALLERS, CALLEES);
    const rows = Array.from({ length: layout.rows }, (_, row) =>
        Array.from(
            layout.node.slice(layout.rowStart[row], layout.rowStart[row + 1]),
            (node) => flame.names[flame.name[node]],
        ),
    );
    assert.deepEqual(rows, [['main'], ['a', 'b'], ['f'], ['x', 'y']]);
    assert.equal(flame.names[flame.name[fn]], 'f');
    const frame = layout.frameOf[fn];
    assert.deepEqual([layout.x0[frame], layout.x1[frame], layout.total], [0, 10, 10]);
    assert.deepEqual([...layout.x1.slice(1, 3)], [6, 10]);
});

test('sandwich: only the function and its callees have self weight and lines', () => {
    const { flame, fn } = layoutSandwich(CALLERS, CALLEES);
    assert.deepEqual(flame.self, [0, 0, 0, 0, 2, 5, 3]);
    assert.deepEqual(flame.lines?.node, [fn]);
    assert.equal(flame.ids?.[flame.name[fn]], 1);
});

test('sandwich: a frame leads up to its widest caller and down to its callees', () => {
    const { layout, fn } = layoutSandwich(CALLERS, CALLEES);
    const f = layout.frameOf[fn];
    assert.equal(layout.parent[f], layout.frameOf[1]); // a, wider than b
    assert.equal(layout.parent[layout.frameOf[1]], layout.frameOf[2]);
    assert.equal(layout.parent[layout.frameOf[fn + 1]], f);
});
