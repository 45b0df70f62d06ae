/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import test from 'node:test';
import {
    chipsOf,
    offersOf,
    readTransforms,
    shortFrameName,
    targetOf,
    withTransform,
} from '../src/model/stack_transforms';
import type { Flame } from '../src/model/tree_answers';

/* main > app.py (collapsed) > loads, of a package > unnamed */
const FLAME = {
    n: 4,
    parent: [-1, 0, 1, 2],
    frame: [0, 1, 2, 3],
    frames: {
        name: ['main (/srv/run.py:3)', 'app.py', 'loads (orjson/api.py)', '(no name)'],
        id: [5, 7, 9, 0],
        collapsed: [0, 1, 0, 0],
        origin: [0, 0, 1, 4],
    },
} as unknown as Flame;

const offer = (node: number, key: string, isInverted = false) =>
    offersOf(FLAME, node, !isInverted).find((other) => other.key === key);

test('stack transforms: the parameter is a list, switches are in it once', () => {
    assert.deepEqual(readTransforms('drop:12,,invert'), ['drop:12', 'invert']);
    assert.deepEqual(readTransforms(undefined), []);
    assert.deepEqual(withTransform(['invert'], 'invert'), ['invert']);
    assert.deepEqual(withTransform(['drop:1'], 'drop:1'), ['drop:1', 'drop:1']);
});

test('stack transforms: a frame offers its function, file or package', () => {
    assert.equal(offer(0, 'x')?.tf, 'drop:5');
    assert.deepEqual([offer(0, 'c')?.tf, offer(0, 'c')?.detail], ['collapse:file:5', 'run.py']);
    assert.equal(offer(2, 'c')?.tf, 'collapse:package:9');
    assert.equal(offer(2, 'shift+f')?.tf, 'focus-path:5.7.9');
    assert.equal(offer(2, 'shift+m')?.tf, 'merge-path:5.7.9');
    assert.equal(targetOf(FLAME, 1), 'file:7');
    assert.equal(offer(1, 'm')?.tf, 'merge:file:7');
});

test('stack transforms: what is not possible says why', () => {
    assert.equal(offer(2, 'shift+f', true)?.tf, null);
    assert.match(offer(2, 'shift+f', true)?.why ?? '', /begin at the root/);
    assert.match(offer(1, 'c')?.why ?? '', /collapsed already/);
    assert.match(offer(1, 'r')?.why ?? '', /collapsed/);
    assert.equal(offer(3, 'x')?.tf, null);
    assert.match(offer(3, 'shift+m')?.why ?? '', /no name/);
});

test('stack transforms: chips take their names from the answer with the same list', () => {
    const answers = [
        { text: 'drop:5', name: 'main (/srv/run.py)', removed: 8 },
        { text: 'recursion', name: '', removed: 0 },
    ];
    assert.deepEqual(
        chipsOf(['drop:5', 'invert', 'recursion'], answers).map(({ title, name, removed }) => [
            title,
            name,
            removed,
        ]),
        [
            ['Drop', 'main (/srv/run.py)', 8],
            ['Invert', '', 0],
            ['Collapse recursion', '', 0],
        ],
    );
    /* the answer is still that of another list */
    assert.equal(chipsOf(['merge:9'], answers)[0].name, '');
    assert.equal(shortFrameName('main (/srv/run.py)'), 'main');
    assert.equal(shortFrameName('app.py'), 'app.py');
});
