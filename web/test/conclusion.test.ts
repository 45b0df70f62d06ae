/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Explanation } from '../src/base/compare_types';
import { explanationWords } from '../src/features/compare/conclusion_text';
import { workText } from '../src/features/compare/per_switch';

function textOf(found: Explanation['found'], delta: number, ...rows: [string, number][]): string {
    const words = explanationWords({
        of: 'step_parts',
        row: 'part',
        metric: 'mean_us',
        title: 'Mean time',
        unit: 'us',
        per: 'step',
        base: 8751.03,
        new: 8751.03 + delta,
        delta,
        found,
        n: 17,
        rows: rows.map(([name, rowDelta], i) => ({
            id: i + 1,
            name,
            change: null,
            base: 5000,
            new: 5000 + rowDelta,
            delta: rowDelta,
        })),
    });
    return words.map(({ text }) => text).join('');
}

test('a conclusion names the cause with its part of the difference', () => {
    assert.equal(
        textOf('one', -4120.058, ['dataloader', -4004.916]),
        'DataLoader explains −4.005 of −4.120 ms a step',
    );
    assert.equal(
        textOf('one', 1983.796, ['kernel', 2839.419]),
        'GPU kernel explains +2.839 of +1.984 ms a step; all others −0.856',
    );
    assert.equal(
        textOf('two', 1000, ['kernel', 400], ['cpu', 300]),
        'GPU kernel (+0.400) and CPU (+0.300) explain +0.700 of +1.000 ms a step',
    );
    assert.equal(
        textOf('two', 1000, ['kernel', 5000], ['cpu', -4000]),
        'GPU kernel (+5.000) and CPU (−4.000) work against each other: +1.000 ms a step',
    );
    assert.equal(textOf('spread', 1000), '+1.000 ms a step, spread over 17 parts');
    assert.equal(textOf('none', 3), 'No part differs by more than 1 % of the base');
});

test('amounts of work are mentioned if they differ', () => {
    assert.equal(workText({ of: 'steps', base: [12], new: [458] }), '12 against 458 steps');
    assert.equal(workText({ of: 'calls', base: [1000], new: [1009] }), null);
    assert.equal(workText({ of: 'steps', base: [], new: [458] }), null);
});
