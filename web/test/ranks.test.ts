/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RankRow, RanksAnswer } from '../src/base/ranks_types';
import {
    causeOf,
    excessOfCells,
    heatRows,
    latestRank,
    levelOf,
    meanExcess,
    missingRanks,
} from '../src/model/ranks';

const rankRow = (rank: number, more: Partial<RankRow> = {}): RankRow => ({
    rank,
    worker: rank,
    name: `node${1 + (rank >> 1)}_${rank}`,
    host: `node${1 + (rank >> 1)}`,
    offset_ns: 0,
    clock: 1,
    calls: 10,
    last: 0,
    wait_ns: 0,
    caused_ns: 0,
    ...more,
});

const answer = (more: Partial<RanksAnswer> = {}): RanksAnswer => ({
    ranks: [0, 1, 2, 3].map((rank) => rankRow(rank)),
    world_size: 4,
    ranks_in_files: true,
    clock: { collectives: 10, groups: 1, error_ns: 1000 },
    matching: {
        collectives: 10,
        by_sequence: 40,
        by_order: 0,
        unmatched: 0,
        disagreeing: 0,
        single: 0,
        point_to_point: 0,
        omitted: 0,
        on_host: false,
    },
    latest: null,
    collectives: [],
    steps: ['ProfilerStep#0', 'ProfilerStep#1'],
    steps_omitted: 0,
    step_ns: [1000, 1000],
    metrics: ['step', 'compute'],
    metric: 'compute',
    cells: [100, 300, 100, 300, 107, 300, 100, -1],
    ...more,
});

test('cells compare with the median of their own step', () => {
    const excess = excessOfCells(answer());
    assert.deepEqual(
        [...excess.slice(0, 7)].map((x) => Math.round(1000 * x)),
        [0, 0, 0, 0, 70, 0, 0],
    );
    assert.ok(Number.isNaN(excess[7]));
    assert.equal(Math.round(1000 * meanExcess(excess, 2, 2)), 35);
});

test('parts that can be almost nothing compare with the step', () => {
    const excess = excessOfCells(answer({ metric: 'wait', cells: [2, 2, 2, 2, 22, 2, 2, 2] }));
    assert.equal(excess[4], 0.02);
});

test('colours begin at 1, 3, 6, 12 and 25 %', () => {
    const shares = [-0.5, 0.009, 0.01, 0.03, 0.06, 0.12, 0.25, 9];
    assert.deepEqual(shares.map(levelOf), [0, 0, 1, 2, 3, 4, 5, 5]);
});

test('missing ranks are rows between the others and at the end', () => {
    const some = answer({ ranks: [rankRow(1), rankRow(4)], world_size: 8, cells: [1, 1, 1, 1] });
    const rows = heatRows(some, 'rank', excessOfCells(some));
    assert.deepEqual(
        rows.map(({ label, missing }) => [label, missing]),
        [
            ['0', 1],
            ['1', 0],
            ['2–3', 2],
            ['4', 0],
            ['5–7', 3],
        ],
    );
    assert.equal(missingRanks(some), 6);
    assert.equal(missingRanks({ ...some, ranks_in_files: false }), 0);
});

test('hosts are separated, and the slowest rank can be first', () => {
    const all = answer();
    const rows = heatRows(all, 'rank', excessOfCells(all));
    assert.deepEqual(
        rows.map(({ startsHost }) => startsHost),
        [false, false, true, false],
    );
    assert.deepEqual(heatRows(all, 'slowest', excessOfCells(all))[0].ranks, [2]);
});

test('more than 256 ranks are one row for each host', () => {
    const ranks = Array.from({ length: 512 }, (_, i) => rankRow(i, { host: `n${i >> 3}` }));
    const many = answer({ ranks, world_size: 512, cells: ranks.flatMap(() => [1, 1]) });
    const rows = heatRows(many, 'rank', excessOfCells(many));
    assert.equal(rows.length, 64);
    assert.equal(rows[1].label, '8–15');
});

test('a rank stands out if it is often last and others wait long for it', () => {
    const late = (last: number, caused_ns: number): RanksAnswer =>
        answer({
            ranks: [0, 1, 2, 3].map((rank) => rankRow(rank, rank === 2 ? { last, caused_ns } : {})),
            latest: { index: 2, means: { compute: [150, 100], loading: [7, 7] } },
        });
    assert.equal(latestRank(late(8, 200)), 2);
    assert.equal(latestRank(late(3, 200)), null);
    assert.equal(latestRank(late(8, 2)), null);
    assert.deepEqual(causeOf(late(8, 200)), { metric: 'compute', ns: 50, share: 0.5 });
});
