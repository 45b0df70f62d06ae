/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
    brokenLine,
    nearestSample,
    panWindow,
    secondsText,
    slopeText,
    spanRows,
    tickText,
    windowOf,
    zoomWindow,
} from '../src/model/memory_curve';

const plain = (words: string | null) => words?.replaceAll('\u202f', ' ') ?? null;

test('the slope in words', () => {
    const minute = { from: 0, to: 60 };
    const held = { peak: 100, last: 100 };
    assert.equal(plain(slopeText(1.24, minute, held)), '+1.2 MiB/s: a leak if it continues');
    assert.match(slopeText(-2, minute, held) ?? '', /shrinks/);
    assert.match(slopeText(0.01, minute, held) ?? '', /constant/);
    assert.match(slopeText(1.24, minute, { peak: 100, last: 60 }) ?? '', /40\.0.MiB were freed/);
    assert.match(slopeText(30, { from: 0, to: 1 }, held) ?? '', /too short/);
    assert.equal(slopeText(null, minute, held), null);
});

test('spans without a level find a row with room', () => {
    const span = (name: string, start_s: number, end_s: number, level: number | null = null) => ({
        name,
        level,
        start_s,
        end_s,
        start_mib: 0,
        end_mib: 0,
    });
    const rows = spanRows([span('inner', 1, 2), span('outer', 0, 5), span('next', 5, 6)]);
    assert.deepEqual(
        rows.map(({ span: { name }, row }) => [name, row]),
        [
            ['outer', 0],
            ['inner', 1],
            ['next', 0],
        ],
    );
    assert.equal(spanRows([span('deep', 0, 1, 3)])[0].row, 3);
});

test('windows stay inside of what there is', () => {
    assert.deepEqual(windowOf(undefined, undefined, 10), { from: 0, to: 10 });
    assert.deepEqual(windowOf('2', '5', 10), { from: 2, to: 5 });
    assert.deepEqual(windowOf('7', '3', 10), { from: 0, to: 10 });
    assert.deepEqual(windowOf('-4', '99', 10), { from: 0, to: 10 });
    assert.deepEqual(zoomWindow({ from: 0, to: 10 }, 5, 0.5, 10), { from: 2.5, to: 7.5 });
    assert.deepEqual(zoomWindow({ from: 2, to: 8 }, 5, 4, 10), { from: 0, to: 10 });
    assert.deepEqual(panWindow({ from: 0, to: 4 }, -0.5, 10), { from: 0, to: 4 });
    assert.deepEqual(panWindow({ from: 0, to: 4 }, 0.5, 10), { from: 2, to: 6 });
});

test('times on the axis have their own digits, others those of the window', () => {
    assert.equal(tickText(0.2), '0.2');
    assert.equal(tickText(0), '0');
    assert.equal(tickText(1200), '1,200');
    assert.equal(secondsText(1.23456, { from: 0, to: 0.5 }), '1.2346');
    assert.equal(secondsText(123.456, { from: 0, to: 500 }), '123.5');
});

const SAMPLED = {
    t_s: [0, 1, 2, 99, 100],
    values: [10, 20, 30, 400, 500],
    gaps: [{ from_s: 2, to_s: 99 }],
};

test('a tooltip has the nearest sample, and nothing where there are no samples', () => {
    const at = (t: number) => nearestSample(SAMPLED, t);
    assert.deepEqual(at(0.4), { t_s: 0, value: 10 });
    assert.deepEqual(at(0.6), { t_s: 1, value: 20 });
    assert.deepEqual(at(2), { t_s: 2, value: 30 });
    assert.deepEqual([-1, 2.1, 50, 98.9, 100.5].map(at), [null, null, null, null, null]);
    assert.deepEqual(at(99.6), { t_s: 100, value: 500 });
    assert.equal(nearestSample({ t_s: [], values: [], gaps: [] }, 0), null);
});

test('a line is interrupted where there are no samples', () => {
    assert.deepEqual(brokenLine(SAMPLED), {
        x: [0, 1, 2, 2, 99, 100],
        y: [10, 20, 30, Number.NaN, 400, 500],
    });
    assert.deepEqual(brokenLine({ ...SAMPLED, gaps: [] }).y, SAMPLED.values);
});
