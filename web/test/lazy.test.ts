// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatLazy, lazySnippet, readLazy, toggleLazy } from '../src/features/lazy/selection';

test('ticks come from the URL and go back into it', () => {
    assert.deepEqual(readLazy(undefined), []);
    assert.deepEqual(readLazy('numpy@app,json'), ['numpy@app', 'json']);
    assert.equal(formatLazy([]), null);
    assert.equal(formatLazy(['a', 'b@c']), 'a,b@c');
});

test('several words are one tick', () => {
    assert.deepEqual(toggleLazy(['a'], ['a', 'b']), ['a', 'b']);
    assert.deepEqual(toggleLazy(['x', 'a', 'b'], ['a', 'b']), ['x']);
});

test('the snippet stands by place', () => {
    const text = lazySnippet([
        { module: 'numpy', importer: 'app' },
        { module: 'json', importer: '__main__' },
        { module: 'torch', importer: 'app' },
    ]);
    assert.match(text, /# app: .*\nlazy import numpy\nlazy import torch\n/);
    assert.match(text, /# the program: .*\nlazy import json\n/);
    assert.match(text, /def work\(\):\n {4}import numpy\n {4}import torch\n/);
});
