/* SPDX-License-Identifier: MIT */
/* The tooltip of a frame is the same data in every tree. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { layoutTree, type Tree } from '../src/model/tree';
import type { DiffTree } from '../src/model/tree_answers';
import { changeRows, changeText, tipOf, weightRows } from '../src/model/tree_tip';

const plain = (text: unknown): string => String(text).replaceAll('\u202f', ' ');

/* main calls read (0.2 to 0.5) and loop, which is recursive. */
const calls: Tree = {
    n: 3,
    parent: [-1, 0, 0],
    frame: [0, 1, 2],
    frames: {
        name: ['main', 'read', 'loop'],
        file: ['/a/app.py', '/a/app.py', ''],
        line: [1, 7, 0],
    },
    unit: 's',
    sum: 1,
    cut: 0,
    total: [1, 0.5, 0.4],
    low: [1, 0.2, 0],
    self: [0.1, 0.2, null],
    count: [1, 3, 2],
    certainty: [0, 1, 2],
};
const words = {
    total: 'total',
    self: 'self',
    count: 'calls',
    whole: 1,
    of: 'of all',
    format: (value: number) => `${value} s`,
};
const rowsOf = (tree: Tree, node: number): string[] =>
    weightRows(tree, node, words).map((row) => plain(Object.values(row).join(' | ')));

test('the weights of a node have the base of their shares, and bounds where they are no numbers', () => {
    assert.deepEqual(rowsOf(calls, 0), [
        'total | 1 s | 100.0 % of all',
        'self | 0.1 s | 10.0 % of all',
        'calls | 1',
    ]);
    assert.deepEqual(rowsOf(calls, 1)[0], 'total | [0.2 s–0.5 s] | 20.0–50.0 % of all');
    assert.deepEqual(rowsOf(calls, 2), ['total | ? of 0.4 s | ≤ 40.0 % of all', 'calls | 2']);
    assert.deepEqual(rowsOf(calls, -1), ['total | 1 s | 100.0 % of all'], 'the whole');
    const nothing = weightRows({ ...calls, sum: 0 }, -1, { ...words, whole: 0 });
    assert.equal(nothing[0].share, '– of all', 'a share of nothing');
});

test('a tooltip has the place of its frame, but none for a folded chain or the whole', () => {
    const tip = (tree: Tree, node: number, open?: Set<number>) =>
        tipOf(tree, layoutTree(tree, { open }), node, { root: 'all', rows: [], foot: ['', 'x'] });
    assert.deepEqual(tip(calls, 1), { title: 'read', place: '/a/app.py:7', rows: [], foot: ['x'] });
    assert.equal(tip(calls, 2).place, undefined);
    assert.deepEqual([tip(calls, -1).title, tip(calls, -1).place], ['all', undefined]);
    const chain: Tree = {
        ...calls,
        n: 5,
        parent: [-1, 0, 1, 2, 3],
        frame: [0, 1, 1, 1, 1],
        total: [1, 1, 1, 1, 1],
        certainty: undefined,
    };
    const folded = tip(chain, 0, new Set());
    assert.deepEqual([folded.title, folded.place], ['4 frames with one child each', undefined]);
});

const MIB = 1024 * 1024;
const diff: DiffTree = {
    ...calls,
    n: 4,
    parent: [-1, 0, 0, 0],
    frame: [0, 1, 2, 2],
    unit: 'B',
    certainty: undefined,
    base: { sum: 4 * MIB, total: [4 * MIB, 2 * MIB, 0, null], floor: MIB, count: [5, 2, 0, 0] },
    new: { sum: 5 * MIB, total: [5 * MIB, 0, 3 * MIB, 2 * MIB], count: [6, 0, 4, 1] },
    whole: 5 * MIB,
    verdict: [1, 1, 1, 1],
};
const sidesOf = (node: number): string[] =>
    changeRows(diff, node).map((row) => plain(Object.values(row).join(' | ')));

test('a difference has both sides, a dash for the one that lacks the path, and its share of its own base', () => {
    assert.deepEqual(sidesOf(0), [
        'base | 4.00 MiB | 5',
        'new | 5.00 MiB | 6',
        'Δ | +1.00 MiB | +25.0 % of base',
    ]);
    assert.deepEqual(sidesOf(1), [
        'base | 2.00 MiB | 2',
        'new | – | 0',
        'Δ | −2.00 MiB | −100.0 % of base',
    ]);
    assert.deepEqual(sidesOf(2)[0], 'base | – | 0');
    assert.deepEqual(sidesOf(3), [
        'base | < 1.00 MiB | 0',
        'new | 2.00 MiB | 1',
        'Δ | +1.00 MiB to +2.00 MiB | ',
    ]);
    assert.equal(changeText(diff, 1), 'removed from this path, too few runs for a test');
    assert.match(changeText(diff, 3), /^below the threshold of a profile/);
});
