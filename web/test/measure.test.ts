/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { text } from '../src/base/units';
import {
    boxPosition,
    boxScale,
    singleRowScale,
    formatSpread,
    formatNumber,
} from '../src/features/measurements/values';

const plain = (value: string) => value.replaceAll('\u202f', ' ');

test('a spread is told in the unit of its value', () => {
    const said = (spread: number, value: number, unit = 's') =>
        plain(text(formatSpread(spread, value, unit)));
    assert.equal(said(7.62e-5, 0.0212), '0.0762 ms');
    assert.equal(said(0.00661, 0.1148), '6.61 ms');
    assert.equal(said(2.47e-6, 1.147e-6), '2.47 µs');
    assert.equal(said(0, 0.5), '0 s');
    assert.equal(said(0.5, 20), '0.500 s');
    assert.equal(plain(text(formatNumber(4227072, 'B'))), '4.03 MiB');
});

test('box plots begin at 0, or are logarithmic where a group is wide', () => {
    assert.deepEqual(boxScale(0.01, 0.02), { from: 0, to: 0.02, log: false });
    assert.deepEqual(boxScale(1e-6, 1e-3), { from: 1e-6, to: 1e-3, log: true });
    assert.deepEqual(boxScale(0, 5), { from: 0, to: 5, log: false });
    assert.deepEqual(boxScale(null, null), { from: 0, to: 1, log: false });
    assert.equal(boxPosition({ from: 0, to: 4, log: false }, 1), 0.25);
    assert.equal(boxPosition({ from: 1, to: 100, log: true }, 10), 0.5);
    assert.equal(boxPosition({ from: 1, to: 100, log: true }, 0), 0);
    const own = singleRowScale(2, 2);
    assert.ok(own.from < 2 && own.to > 2);
});

test('a figure shows no digit that was not printed', () => {
    const said = (value: number, resolution: number | null, unit = 's') =>
        plain(text(formatNumber(value, unit, resolution)));
    assert.equal(said(0.05, 0.01), '50 ms');
    assert.equal(said(0.122, 0.001), '122 ms');
    assert.equal(said(5.91e-7, 1e-9), '591 ns');
    assert.equal(said(1.05, 0.01), '1.05 s');
    assert.equal(said(61.375, 0.001), '61.38 s');
    assert.equal(said(0.05, null), '50.00 ms');
    assert.equal(said(0, 0.01), '0 s');
    assert.equal(said(57920, 1, 'KiB'), '56.6 MiB');
});
