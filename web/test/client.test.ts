/* SPDX-License-Identifier: MIT */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { newestOf } from '../src/base/client';

test('an answer that arrives after the request was repeated is left out', async () => {
    const waiting: ((value: string) => void)[] = [];
    const ask = newestOf(() => new Promise<string>((resolve) => waiting.push(resolve)));
    const [first, second] = [ask(), ask()];
    waiting[1]('new');
    waiting[0]('old');
    assert.equal(await first, null);
    assert.equal(await second, 'new');
});

test('the answer of a request that was not repeated is kept', async () => {
    const ask = newestOf(() => Promise.resolve(1));
    assert.equal(await ask(), 1);
    assert.equal(await ask(), 1);
});
