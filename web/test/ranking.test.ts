/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type RankedInput, rankMeasurements } from '../src/model/ranking';

function row(id: number, name: string, grp: string, value: number, more = {}): RankedInput {
    return { id, name, grp, unit: 's', statistic: 'mean', value, stddev: null, failed: 0, ...more };
}

test('a command that failed is not ranked', () => {
    const rows = [
        row(1, 'a', '', 0.03),
        row(2, 'b', '', 0.02),
        row(3, 'c', '', 0.001, { failed: 1 }),
    ];
    assert.deepEqual(
        rankMeasurements(rows)[0].rows.map(({ row }) => row.name),
        ['b', 'a'],
    );
});

test('commands are ranked as in the summary of hyperfine', () => {
    // hyperfine 1.18: './b ran 1.67 ± 0.14 times faster than ./a'
    const rows = [
        row(1, './a', 'wall clock', 0.035, { stddev: 0.0021 }),
        row(2, './b', 'wall clock', 0.021, { stddev: 0.00126 }),
        row(3, './a', 'user', 0.01),
        row(4, './b', 'user', 0.012),
        row(5, './a', 'peak memory', 4000, { unit: 'KiB' }),
    ];
    const [ranking, ...others] = rankMeasurements(rows);
    assert.equal(others.length, 0);
    assert.deepEqual(
        ranking.rows.map((one) => one.row.name),
        ['./b', './a'],
    );
    assert.equal(ranking.rows[0].ratio, 1);
    assert.equal(ranking.rows[0].ratioStddev, null);
    assert.equal(ranking.rows[1].ratio.toFixed(2), '1.67');
    assert.equal(ranking.rows[1].ratioStddev?.toFixed(2), '0.14');
    assert.equal(ranking.rows[1].share, 1);
});

test('a ratio has an error only if both values are means of several runs', () => {
    const [best] = rankMeasurements([
        row(1, 'a', '', 2, { statistic: 'best', stddev: 0.1 }),
        row(2, 'b', '', 1, { statistic: 'best', stddev: 0.1 }),
    ]);
    assert.equal(best.rows[1].ratioStddev, null);
    const [single] = rankMeasurements([row(1, 'a', '', 2), row(2, 'b', '', 1, { stddev: 0.1 })]);
    assert.equal(single.rows[1].ratioStddev, null);
});

test('a single row and rows without time are not ranked', () => {
    assert.deepEqual(rankMeasurements([row(1, 'a', '', 1)]), []);
    assert.deepEqual(rankMeasurements([row(1, 'a', '', 0), row(2, 'b', '', 1)]), []);
});
