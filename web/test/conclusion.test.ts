/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { workText } from '../src/features/compare/per_switch';

test('amounts of work are mentioned if they differ', () => {
    assert.equal(workText({ of: 'steps', base: [12], new: [458] }), '12 against 458 steps');
    assert.equal(workText({ of: 'calls', base: [1000], new: [1009] }), null);
    assert.equal(workText({ of: 'steps', base: [], new: [458] }), null);
});
