/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
    attributionTexts,
    classOfNode,
    nothingAttributed,
    placeOfFrame,
    type PythonFlame,
    toggleExpanded,
    withModuleCounts,
} from '../src/model/python_flame';

/* Net > Block (3 modules) > Linear (6 modules) > gemm; Net > Block_7 > gemm */
const ANSWER: PythonFlame = {
    n: 6,
    cut: 0,
    unit: 'ns',
    sum: 200,
    parent: [-1, 0, 1, 2, 0, 4],
    frame: [0, 1, 2, 3, 4, 3],
    frames: { name: ['Net', 'Block', 'Linear', 'gemm', 'Block_7'] },
    self: [0, 0, 0, 100, 0, 50],
    total: [150, 100, 100, 100, 50, 50],
    count: [2, 1, 1, 1, 1, 1],
    family: [9, 9, 9, 1, 9, 1],
    kind: [3, 3, 3, 6, 3, 6],
    modules: [1, 3, 6, 0, 1, 0],
    classes: [
        { name: 'Net', modules: 1 },
        { name: 'Block', modules: 4 },
        { name: 'Linear', modules: 6 },
    ],
    attributed: {
        total: 150,
        python: 150,
        modules: 150,
        backward: 50,
        without_launch: 40,
        without_frame: 10,
    },
};

test('merged modules have their number in their name', () => {
    const counted = withModuleCounts(ANSWER);
    const texts = counted.frame.map((row) => counted.frames.name[row]);
    assert.deepEqual(texts, ['Net', 'Block ×3', 'Linear ×6', 'gemm', 'Block_7', 'gemm']);
    const classes = [...texts.keys()].map((node) => classOfNode(counted, node));
    assert.deepEqual(classes, ['Net', 'Block', 'Linear', null, 'Block', null]);
    assert.equal(classOfNode(counted, -1), null);
});

test('classes are expanded and merged again', () => {
    assert.equal(toggleExpanded(undefined, 'Block'), 'Block');
    assert.equal(toggleExpanded('Block', 'Linear'), 'Block,Linear');
    assert.equal(toggleExpanded('Block,Linear', 'Block'), 'Linear');
    assert.equal(toggleExpanded('Linear', 'Linear'), null);
});

test('the shares of what is attributed have the whole as their base', () => {
    assert.deepEqual(
        attributionTexts(ANSWER).map((part) => part.replaceAll('\u202f', ' ')),
        [
            '75.0 % of 200.0 ns attributed',
            '75.0 % to Python frames',
            '75.0 % to modules',
            '25.0 % backward',
            '20.0 % without a recorded launch',
            '5.0 % launched outside of frames and operators',
        ],
    );
    assert.deepEqual(attributionTexts({ ...ANSWER, sum: 0 }), []);
    assert.equal(nothingAttributed(ANSWER), null);
});

test('a graph without any path says why', () => {
    const none = { total: 0, python: 0, modules: 0, backward: 0 };
    const launched = { ...none, without_launch: 0, without_frame: 200 };
    const unknown = { ...none, without_launch: 200, without_frame: 0 };
    assert.match(nothingAttributed({ ...ANSWER, attributed: launched }) ?? '', /no Python frames/);
    assert.match(nothingAttributed({ ...ANSWER, attributed: unknown }) ?? '', /correlation/);
});

test('the place of a Python frame', () => {
    assert.equal(placeOfFrame('/a b/model (1).py(35): forward'), '/a b/model (1).py:35');
    assert.equal(placeOfFrame('<frozen runpy>(88): _run_code'), '<frozen runpy>:88');
    assert.equal(placeOfFrame('aten::mm'), null);
    assert.equal(placeOfFrame('<built-in method sum of Tensor object>'), null);
});
