/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { editorUri, templateError } from '../src/model/editor_uri';
import { frameParts, libraryOfFile } from '../src/model/frame_names';
import {
    foldStack,
    instancesOf,
    type SelectableTree,
    selectionFacts,
    widestNode,
} from '../src/model/selection';

/* main(100): f(60): f(40): g(30); f(60): g(10); main: h(20): f(15): g(5) */
const TREE: SelectableTree = {
    n: 8,
    parent: [-1, 0, 1, 2, 1, 0, 5, 6],
    frame: [0, 1, 1, 2, 2, 3, 1, 2],
    total: [100, 60, 40, 30, 10, 20, 15, 5],
    self: [20, 10, 10, 30, 10, 5, 10, 5],
};

test('a recursive function counts once; its instances are ordered by width', () => {
    const facts = selectionFacts(TREE, 1);
    assert.deepEqual(facts.instances, [1, 2, 6]);
    assert.equal(facts.total, 75, '60 of the outer instance and 15');
    assert.equal(facts.self, 30);
    assert.deepEqual(facts.stack, [0, 1, 2, 3]);
    assert.deepEqual(facts.callers, [
        { key: 0, node: 0, total: 60 },
        { key: 3, node: 5, total: 15 },
    ]);
    assert.deepEqual(facts.callees, [{ key: 2, node: 3, total: 45 }]);
    assert.deepEqual([...(instancesOf(TREE, 1) ?? [])], [0, 1, 1, 0, 0, 0, 1, 0]);
    assert.equal(instancesOf(TREE, 5), null, 'the only one');
    assert.equal(widestNode(TREE, 2), 3);
    assert.equal(widestNode(TREE, 9), -1);
});

test('a callee inside of itself counts once', () => {
    const nested: SelectableTree = {
        n: 4,
        parent: [-1, 0, 1, 2],
        frame: [1, 2, 1, 2],
        total: [10, 9, 8, 7],
        self: [1, 1, 1, 7],
    };
    assert.deepEqual(selectionFacts(nested, 0).callees, [{ key: 2, node: 1, total: 9 }]);
});

test('runs of library frames fold into one row with their libraries', () => {
    const libraries = [null, 'werkzeug', 'werkzeug', 'flask', null, 'json', 'json'];
    const rows = foldStack([0, 1, 2, 3, 4, 5, 6], (node) => libraries[node]);
    assert.deepEqual(rows, [
        { node: 0 },
        { fold: '3 frames of werkzeug and flask', node: 1 },
        { node: 4 },
        { node: 5 },
        { node: 6 },
    ]);
    const many = foldStack([0, 1, 2, 3], (node) => `lib${node}`);
    assert.deepEqual(many, [{ fold: '4 frames of lib0, lib1 and 2 more', node: 0 }]);
});

test('frames of samplers in parts', () => {
    assert.deepEqual(frameParts('load (app.py:20)'), { name: 'load', file: 'app.py', line: 20 });
    assert.deepEqual(frameParts('load (app.py)'), { name: 'load', file: 'app.py', line: 0 });
    assert.deepEqual(frameParts('a/b/conv.py(438): _forward'), {
        name: '_forward',
        file: 'a/b/conv.py',
        line: 438,
    });
    assert.deepEqual(frameParts('/app/main.py:run:12'), {
        name: 'run',
        file: '/app/main.py',
        line: 12,
    });
    assert.deepEqual(frameParts('memcpy'), { name: 'memcpy', file: '', line: 0 });
    assert.equal(libraryOfFile('/venv/lib/python3.11/site-packages/flask/app.py'), 'flask');
    assert.equal(libraryOfFile('/usr/lib/python3.11/threading.py'), 'threading');
});

test('an editor template needs a scheme that runs nothing, and the file', () => {
    assert.equal(
        editorUri('vscode://file/{file}:{line}', '/a b/c#.py', 7),
        'vscode://file//a%20b/c%23.py:7',
    );
    assert.equal(editorUri('', '/a.py', 7), null);
    assert.equal(templateError(''), null);
    for (const wrong of [
        'javascript:{file}',
        ' JavaScript:{file}',
        'data:{file}',
        'code {file}',
        'vscode://x',
    ])
        assert.ok(templateError(wrong), wrong);
});
