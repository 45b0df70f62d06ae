/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Trend } from '../src/base/answers';
import {
    summarize,
    aroundChange,
    benchmarkPrefix,
    changeText,
    commitsOf,
    isInTime,
    levelsOf,
    nearest,
    otherKinds,
    pairOf,
    changePosition,
    positionsOf,
    rangeOf,
    rowsOf,
    spanOf,
    tickTime,
} from '../src/features/trend/points';

const plain = (text: string) => text.replaceAll('\u202f', ' ');

/* Values of runs a minute apart, each with as many repeats as `n` says. */
function trendOf(values: number[], more: Partial<Trend> = {}, n = 1): Trend {
    return {
        runs: 'series:s',
        by: null,
        unit: 's',
        metric: 'headline',
        points: values.map((value, i) => ({
            id: `r${i}`,
            name: `run ${i}`,
            at: `2026-11-20T10:${String(i).padStart(2, '0')}:00.000Z`,
            by: null,
            value,
            mad: n > 1 ? 0.5 : null,
            n,
            ids: Array.from({ length: n }, (_, k) => `r${i}.${k}`),
            absent: false,
            tags: {},
        })),
        changes: [],
        left_out: [],
        figures: [],
        baseline: null,
        ...more,
    } as unknown as Trend;
}

const step = { index: 6, from: 0, to: 12, before: 2, after: 3, delta: 1, delta_pct: 50, p: 0.001 };
const stepped = (n = 1) =>
    trendOf([...Array(6).fill(2), ...Array(6).fill(3)], { changes: [step] }, n);

test('points stand by their order or by their time', () => {
    assert.deepEqual(positionsOf(trendOf([1, 2, 3]), false), [0, 1, 2]);
    const [a, b] = positionsOf(trendOf([1, 2]), true);
    assert.equal(b - a, 60_000);
    assert.ok(isInTime(trendOf([1, 2])));
    const turned = trendOf([1, 2]);
    turned.points.reverse();
    assert.ok(!isInTime(turned));
    assert.deepEqual(spanOf([5]), { from: 4, to: 6 });
    assert.equal(nearest([0, 1, 2], 1.4), 1);
    assert.equal(nearest([0, 1, 2], -9), 0);
});

test('the axis holds all values, their spread, the baseline and the words of steps', () => {
    const plainRange = rangeOf(trendOf([10, 20]), false);
    assert.ok(
        plainRange.from < 10 && plainRange.from > 9 && plainRange.to > 20 && plainRange.to < 21,
    );
    assert.equal(rangeOf(trendOf([10, 20]), true).from, 0);
    assert.ok(rangeOf(trendOf([10, 20], {}, 3), false).from < 9.5);
    const baseline = { id: 'b', name: 'b', at: '', value: 40 };
    assert.ok(rangeOf(trendOf([10, 20], { baseline }), false).to > 40);
    const flat = rangeOf(trendOf([7, 7]), false);
    assert.ok(flat.from < 7 && flat.to > 7);
    assert.ok(rangeOf(trendOf([0, 0]), false).to > 0);
    assert.ok(rangeOf(stepped(), false).to - 3 > 0.25);
});

test('a step is told in words of its unit', () => {
    const { tone, short, long } = changeText(step, 's');
    assert.equal(tone, 'slower');
    assert.equal(plain(short), '▲ +50.0 %');
    assert.equal(
        plain(long),
        'slower by 1.000 s (+50.0 %): median 2.000 s before, 3.000 s after, p = 0.001',
    );
    assert.equal(plain(changeText({ ...step, before: 0, delta: 3 }, '').short), '▲ +3');
    assert.equal(changeText({ ...step, delta: -1 }, 'B').long.split(' ')[0], 'less');
});

test('the answer is the last step, no step, or too few', () => {
    const said = summarize(stepped());
    assert.match(plain(said.phrase), /^▲ slower by 1\.000 s \(\+50\.0 %\)$/);
    assert.match(
        plain(said.rest),
        /^ since run 6, .*; median 2\.000 s before, 3\.000 s after, p = 0\.001\.$/,
    );
    assert.equal(summarize(trendOf(Array(12).fill(1))).phrase, 'No change point');
    assert.match(summarize(trendOf([1])).rest, /^1 run: a change point needs at least ten/);
});

test('levels end where the next begins', () => {
    const trend = stepped();
    assert.deepEqual(levelsOf(trend, positionsOf(trend, false)), [
        [0, 5, 2],
        [6, 11, 3],
    ]);
    assert.equal(changePosition(step, positionsOf(trend, false)), 5.5);
});

test('five runs before a step are compared with five after, the earlier of two is the base', () => {
    const groups = aroundChange(stepped(), step);
    assert.deepEqual(groups.base, ['r1.0', 'r2.0', 'r3.0', 'r4.0', 'r5.0']);
    assert.deepEqual(groups.new, ['r6.0', 'r7.0', 'r8.0', 'r9.0', 'r10.0']);
    assert.deepEqual(aroundChange(stepped(3), step).base, ['r4.1', 'r4.2', 'r5.0', 'r5.1', 'r5.2']);
    assert.deepEqual(pairOf(stepped(), 8, 2), { base: ['r2.0'], new: ['r8.0'] });
});

test('the table has the newest first, with what was before', () => {
    const rows = rowsOf(stepped());
    assert.deepEqual([rows[0].index, rows[0].previous, rows[11].previous], [11, 3, null]);
    assert.deepEqual(
        rows.filter(({ change }) => change).map(({ index }) => index),
        [6],
    );
});

test('kinds that were left out can be shown', () => {
    const left_out = [
        { why: 'of kind pstats', runs: 2 },
        { why: 'without the tag commit', runs: 1 },
    ];
    assert.deepEqual(otherKinds(trendOf([1], { left_out })), ['pstats']);
});

test('times on an axis are as fine as its length asks for', () => {
    const time = new Date(2026, 10, 5, 9, 7, 3);
    assert.equal(tickTime(time, 60_000), '09:07:03');
    assert.equal(tickTime(time, 3_600_000), '09:07');
    assert.equal(tickTime(time, 86_400_000), '11-05 09:07');
    assert.equal(tickTime(time, 30 * 86_400_000), '2026-11-05');
});

test('a step names the commits between which it is', () => {
    const trend = stepped();
    assert.equal(commitsOf(trend, step), '');
    trend.points.forEach((point, i) => (point.tags = { commit: `${i}`.repeat(40) }));
    assert.equal(commitsOf(trend, step), '5555555555..6666666666');
    assert.match(summarize(trend).rest, /, commits 5555555555\.\.6666666666;/);
});

test('the parameter sets of a benchmark have a common prefix', () => {
    assert.equal(benchmarkPrefix("bench.time_sort(10, 'str')"), 'bench.time_sort(');
    assert.equal(benchmarkPrefix('test_codec[b64-1000]'), 'test_codec[');
    assert.equal(benchmarkPrefix('plain'), '');
});
