/* SPDX-License-Identifier: MIT */
/* Ids of nodes in the URL survive another number of nodes, and links of older versions work. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { layoutTree, type Tree } from '../src/model/tree';
import { idOfNode, nodeOfId } from '../src/model/tree_ids';

/* Nodes: [name, parent]. */
function treeOf(nodes: [string, number][], more: Partial<Tree> = {}): Tree {
    return {
        n: nodes.length,
        unit: 'ns',
        sum: nodes.length,
        cut: 0,
        parent: nodes.map(([, parent]) => parent),
        frame: nodes.map((_, i) => i),
        frames: { name: nodes.map(([name]) => name) },
        total: nodes.map(() => 1),
        ...more,
    };
}

const WHOLE = treeOf([
    ['main', -1],
    ['small', 0],
    ['load', 0],
    ['read', 2],
    ['read', 0],
]);

test('a node has the same id in an answer with fewer nodes', () => {
    const less = treeOf([
        ['main', -1],
        ['load', 0],
        ['read', 1],
    ]);
    assert.equal(nodeOfId(less, idOfNode(WHOLE, 3)), 2);
    assert.equal(nodeOfId(less, idOfNode(WHOLE, 2)), 1);
    assert.equal(nodeOfId(less, idOfNode(WHOLE, 1)), -1, 'it is not in the answer');
    assert.notEqual(idOfNode(WHOLE, 3), idOfNode(WHOLE, 4), 'the same frame below another one');
    for (const id of [undefined, '', 'p', 'nonsense']) assert.equal(nodeOfId(WHOLE, id), -1);
});

test('all nodes have different ids, also those of the same path', () => {
    const twice = treeOf([
        ['f', -1],
        ['g', 0],
        ['f', -1],
        ['g', 2],
    ]);
    assert.deepEqual(
        [0, 1, 2, 3].map((node) => nodeOfId(twice, idOfNode(twice, node))),
        [0, 1, 2, 3],
    );
});

test('numbers of older links are nodes, rows of the file, or frames of a snapshot', () => {
    assert.equal(nodeOfId(WHOLE, '3'), 3);
    assert.equal(nodeOfId(WHOLE, '5'), -1);
    const rows = treeOf(
        [
            ['a', -1],
            ['b', 0],
        ],
        { id: [7, 9] },
    );
    assert.deepEqual([idOfNode(rows, 1), nodeOfId(rows, '9'), nodeOfId(rows, '1')], ['9', 1, -1]);
    const snapshot = treeOf(
        [
            ['a', -1],
            ['b', 0],
            ['c', -1],
        ],
        {
            stack: [null, null, null],
            total: [2, 2, 1],
        },
    );
    const layout = layoutTree(snapshot, { open: new Set() });
    assert.deepEqual(
        ['0', '1', '2', '3'].map((id) => nodeOfId(snapshot, id, layout)),
        [0, 2, 1, -1],
    );
});
