/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type RankedInput, rankMeasurements } from '../src/model/ranking';

function row(id: number, name: string, grp: string, value: number, more = {}): RankedInput {
    return {
        id,
        name,
        grp,
        unit: 's',
        ranked_by: 'mean',
        ranked_value: value,
        ranked_spread: null,
        better: -1,
        alternatives: 'all',
        failed: 0,
        ...more,
    };
}

test('a command that failed is not ranked', () => {
    const rows = [
        row(1, 'a', '', 0.03),
        row(2, 'b', '', 0.02),
        row(3, 'c', '', 0.001, { failed: 1 }),
    ];
    assert.deepEqual(
        rankMeasurements(rows)[0].map(({ row }) => row.name),
        ['b', 'a'],
    );
});

test('commands are ranked as in the summary of hyperfine', () => {
    // hyperfine 1.18: './b ran 1.67 ± 0.14 times faster than ./a'
    const rows = [
        row(1, './a', 'wall clock', 0.035, { ranked_spread: 0.0021 }),
        row(2, './b', 'wall clock', 0.021, { ranked_spread: 0.00126 }),
        row(3, './a', 'user', 0.01, { alternatives: null }),
        row(4, './b', 'user', 0.012, { alternatives: null }),
        row(5, './a', 'peak memory', 4000, { unit: 'KiB', alternatives: null }),
    ];
    const [ranking, ...others] = rankMeasurements(rows);
    assert.equal(others.length, 0);
    assert.deepEqual(
        ranking.map((one) => one.row.name),
        ['./b', './a'],
    );
    assert.equal(ranking[0].ratio, 1);
    assert.equal(ranking[0].ratioStddev, null);
    assert.equal(ranking[1].ratio.toFixed(2), '1.67');
    assert.equal(ranking[1].ratioStddev?.toFixed(2), '0.14');
});

test('a ratio has an error only if both values have a spread', () => {
    const [single] = rankMeasurements([
        row(1, 'a', '', 2),
        row(2, 'b', '', 1, { ranked_spread: 0.1 }),
    ]);
    assert.equal(single[1].ratioStddev, null);
    assert.equal(single[1].isClear, true);
});

test('a difference within its error is not clear', () => {
    const [noisy] = rankMeasurements([
        row(1, 'a', '', 1.1, { ranked_spread: 0.2 }),
        row(2, 'b', '', 1, { ranked_spread: 0.2 }),
    ]);
    assert.equal(noisy[1].isClear, false);
});

test('only alternatives are ranked', () => {
    const rows = [
        row(1, 'test_a[1]', '', 1, { alternatives: '' }),
        row(2, 'test_b[1]', '', 2, { alternatives: '' }),
        row(3, 'test_c[1]', 'g', 3, { alternatives: 'g 1' }),
        row(4, 'test_d[1]', 'g', 4, { alternatives: 'g 1' }),
        row(5, 'test_c[2]', 'g', 5, { alternatives: 'g 2' }),
    ];
    assert.deepEqual(
        rankMeasurements(rows).map((ranking) => ranking.map((one) => one.row.id)),
        [[3, 4]],
    );
});

test('the highest is the best where higher values are better', () => {
    const [ranking] = rankMeasurements([
        row(1, 'a', '', 100, { unit: 'tokens/s', better: 1 }),
        row(2, 'b', '', 250, { unit: 'tokens/s', better: 1 }),
    ]);
    assert.deepEqual(
        ranking.map((one) => [one.row.name, one.ratio]),
        [
            ['b', 1],
            ['a', 2.5],
        ],
    );
    const neither = { unit: '', better: 0 };
    assert.deepEqual(
        rankMeasurements([row(1, 'a', '', 1, neither), row(2, 'b', '', 2, neither)]),
        [],
    );
});

test('a single row and rows without time are not ranked', () => {
    assert.deepEqual(rankMeasurements([row(1, 'a', '', 1)]), []);
    assert.deepEqual(rankMeasurements([row(1, 'a', '', 0), row(2, 'b', '', 1)]), []);
});
