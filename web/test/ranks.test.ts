/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RankRow, RanksAnswer } from '../src/base/answers';
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
    steps: 2,
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
    repeated_rank: null,
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
    const rows = heatRows(answer(), 'rank');
    assert.equal(Math.round(1000 * meanExcess(rows[2])), 35);
    assert.equal(meanExcess(rows[3]), 0);
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
    const rows = heatRows(some, 'rank');
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
    const rows = heatRows(all, 'rank');
    assert.deepEqual(
        rows.map(({ startsHost }) => startsHost),
        [false, false, true, false],
    );
    assert.deepEqual(heatRows(all, 'slowest')[0].ranks, [2]);
});

test('more than 256 ranks are one row for each host', () => {
    const ranks = Array.from({ length: 512 }, (_, i) => rankRow(i, { host: `n${i >> 3}` }));
    const many = answer({ ranks, world_size: 512, cells: ranks.flatMap(() => [1, 1]) });
    const rows = heatRows(many, 'rank');
    assert.equal(rows.length, 64);
    assert.equal(rows[1].label, '8–15');
});

/* Ranks whose steps take 1000 ± 20 each; `slow`: its steps take as much longer. */
function noisyJob(perHost: number, hosts: number, slow = -1, longer = 0): RanksAnswer {
    let seed = 7;
    const draw = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
    const ranks = Array.from({ length: perHost * hosts }, (_, i) =>
        rankRow(i, { host: `n${Math.floor(i / perHost)}` }),
    );
    const steps = Array.from({ length: 20 }, (_, i) => `ProfilerStep#${i}`);
    const cells = ranks.flatMap(({ rank }) =>
        steps.map(() => 980 + 40 * draw() + (rank === slow ? longer : 0)),
    );
    return answer({ ranks, steps, cells, step_ns: steps.map(() => 1000) });
}

test('hosts of many ranks do not stand out by noise, and a slow rank makes its host stand out', () => {
    for (const [perHost, hosts] of [
        [8, 40],
        [64, 8],
        [256, 2],
        [300, 2],
    ]) {
        const rows = heatRows(noisyJob(perHost, hosts), 'rank');
        const colours = rows.flatMap(({ excess }) => [...excess].map(levelOf));
        assert.deepEqual(new Set(colours), new Set([0]), `${hosts} hosts of ${perHost}`);
        const slow = heatRows(noisyJob(perHost, hosts, perHost + 3, 100), 'slowest');
        assert.equal(slow[0].host, 'n1');
        assert.ok(meanExcess(slow[0]) > 0.07, String(meanExcess(slow[0])));
        assert.ok(meanExcess(slow[1]) < 0.01);
    }
});

test('a rank stands out if it causes most of the waiting and others wait long for it', () => {
    const late = (others: number, caused_ns: number): RanksAnswer =>
        answer({
            ranks: [0, 1, 2, 3].map((rank) =>
                rankRow(rank, { caused_ns: rank === 2 ? caused_ns : others }),
            ),
            latest: { index: 2, means: { compute: [150, 100], loading: [7, 7] } },
        });
    assert.equal(latestRank(late(10, 200)), 2);
    assert.equal(latestRank(late(100, 200)), null);
    assert.equal(latestRank(late(0, 2)), null);
    assert.deepEqual(causeOf(late(10, 200)), { metric: 'compute', ns: 50, share: 0.5 });
});
