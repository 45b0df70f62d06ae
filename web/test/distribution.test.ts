/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { distributionSteps, histogramBins, processStarts } from '../src/model/distribution';

test('bins have all samples, the largest in the last', () => {
    const samples = Array.from({ length: 1000 }, (_, i) => i / 100);
    const bins = histogramBins(samples, 2.5, 7.5);
    assert.equal(bins.length, 10); // 2 × 5 / ∛1000 = 1 wide
    assert.equal(
        bins.reduce((sum, { count }) => sum + count, 0),
        1000,
    );
    assert.ok(bins.every(({ count }) => count > 95 && count < 105));
    assert.deepEqual(histogramBins([2, 2, 2], 2, 2), [{ from: 2, to: 2, count: 3 }]);
    const far = [...samples, 1e6];
    assert.equal(histogramBins(far, 2.5, 7.5).length, 60);
});

test('the steps of a distribution end at 1, however few there are', () => {
    assert.deepEqual(distributionSteps([3, 1, 2, 2], 10), [
        { value: 1, share: 0.25 },
        { value: 2, share: 0.5 },
        { value: 2, share: 0.75 },
        { value: 3, share: 1 },
    ]);
    const many = distributionSteps(
        Array.from({ length: 1001 }, (_, i) => i),
        10,
    );
    assert.equal(many.length, 10);
    assert.deepEqual(many[9], { value: 1000, share: 1 });
});

test('processes begin after the samples of those before', () => {
    assert.deepEqual(processStarts([5, 5, 4]), [5, 10]);
    assert.deepEqual(processStarts([]), []);
});
