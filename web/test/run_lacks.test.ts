/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Run } from '../src/base/answers';
import { lacksHint, lacksPart } from '../src/model/run_lacks';

const run = { id: 'a1', summary: {}, lacks: ['collectives'] } as unknown as Run;

test('a run lacks what it lists; rows of lists of runs and unreadable runs list nothing', () => {
    assert.equal(lacksPart(run, 'collectives'), true);
    assert.equal(lacksPart(run, 'steps of ranks'), false);
    assert.equal(lacksPart({ ...run, lacks: null }, 'collectives'), false);
    assert.equal(lacksPart({ ...run, lacks: undefined }, 'collectives'), false);
});

test('only runs with an original can be read again', () => {
    assert.match(lacksHint(run), /`perfshelf renew a1`/);
    assert.doesNotMatch(lacksHint({ ...run, summary: { redacted: [] } }), /renew/);
});
