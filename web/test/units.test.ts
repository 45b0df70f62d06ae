/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
    bytesText,
    dayHeading,
    formatSeconds,
    formatCount,
    formatValueIn,
    formatFixed,
    int,
    pct,
    signed,
    text,
    when,
} from '../src/base/units';

/* Expected digits are those of Python's '%.*f', which are those of C's printf. */
test('fmtFixed rounds the binary value, ties to even', () => {
    const cases: [number, number, string][] = [
        [0.5, 0, '0'],
        [1.5, 0, '2'],
        [2.5, 0, '2'],
        [0.125, 2, '0.12'],
        [0.375, 2, '0.38'],
        [2.0625, 3, '2.062'],
        [2.1875, 3, '2.188'],
        [1.0005, 3, '1.000'],
        [0.0005, 3, '0.001'],
        [0.15, 1, '0.1'],
        [0.25, 1, '0.2'],
        [0.35, 1, '0.3'],
        [1e-320, 3, '0.000'],
        [1108.934, 3, '1,108.934'],
        [999.9996, 3, '1,000.000'],
        [1234567.8, 0, '1,234,568'],
        [1e21, 1, '1,000,000,000,000,000,000,000.0'],
        [0.5000000000000001, 0, '1'],
    ];
    for (const [value, decimals, expected] of cases) {
        assert.equal(formatFixed(value, decimals), expected, `${value} to ${decimals}`);
    }
});

test('fmtFixed keeps the sign that printf prints', () => {
    assert.equal(formatFixed(-1234.5, 1), '−1,234.5');
    assert.equal(formatFixed(-0.0001, 3), '−0.000');
    assert.equal(formatFixed(-2.5, 0), '−2');
    assert.equal(int(-0), '0');
});

test('what is no number is a dash, never NaN', () => {
    assert.equal(formatFixed(NaN, 3), '–');
    assert.equal(formatFixed(Infinity, 3), '–');
    assert.equal(text(formatSeconds(NaN)), '–');
});

test('fig has four significant digits and the unit that fits', () => {
    const cases: [number, string][] = [
        [0, '0 s'],
        [1.534, '1.534 s'],
        [0.01219, '12.19 ms'],
        [0.000812, '812.0 µs'],
        [0.0009999, '999.9 µs'],
        [0.00099996, '1.000 ms'],
        [0.99996, '1.000 s'],
        [0.1167, '116.7 ms'],
        [119.94, '119.9 s'],
        [119.99, '2 min 00 s'],
        [124, '2 min 04 s'],
        [3599.4, '59 min 59 s'],
        [3599.6, '1 h 00 min'],
        [3720, '1 h 02 min'],
        [1.2e-8, '12.00 ns'],
        [-0.0027, '−2.700 ms'],
    ];
    for (const [seconds, expected] of cases) {
        assert.equal(
            text(formatSeconds(seconds)).replace('\u202f', ' '),
            expected,
            String(seconds),
        );
    }
});

test('formatValueIn scales seconds and bytes, and leaves other units alone', () => {
    assert.deepEqual(formatValueIn(1.5, 's'), { value: '1.500', unit: 's' });
    assert.deepEqual(formatValueIn(2048, 'B'), { value: '2.00', unit: 'KiB' });
    assert.deepEqual(formatValueIn(136.3, 'MiB'), { value: '136.3', unit: 'MiB' });
    assert.deepEqual(formatValueIn(12345, 'calls'), { value: '12,345', unit: 'calls' });
});

test('counts are whole, and large rates are scaled', () => {
    assert.deepEqual(formatCount(26, 'rows/op'), { value: '26', unit: 'rows/op' });
    assert.deepEqual(formatCount(1, 'calls'), { value: '1', unit: 'call' });
    assert.deepEqual(formatCount(0, ''), { value: '0', unit: '' });
    assert.deepEqual(formatCount(1.5, ''), { value: '1.500', unit: '' });
    const rate = { value: '16.28', unit: 'M\u202fitems/s' };
    assert.deepEqual(formatCount(16276827, 'items/s'), rate);
    assert.deepEqual(formatCount(829114.2, 'items/s'), { value: '829,114', unit: 'items/s' });
    assert.deepEqual(formatCount(2e6, 'MB/s'), { value: '2,000,000', unit: 'MB/s' });
    assert.equal(signed(-0.04, 1), '0.0');
});

test('formatValueIn shows a dash for a missing value', () => {
    for (const unit of ['s', 'B', 'calls'])
        assert.deepEqual(formatValueIn(null, unit), { value: '–', unit: '' });
});

test('bytes are powers of 1024 with three digits', () => {
    const cases: [number, string][] = [
        [0, '0 B'],
        [1023, '1,023 B'],
        [3871, '3.78 KiB'],
        [68608, '67.0 KiB'],
        [261237, '255 KiB'],
        [1023 * 1024, '1,023 KiB'],
        [1048576, '1.00 MiB'],
        [2791728742, '2.60 GiB'],
        [-1023, '−1,023 B'],
        [-30511464, '−29.1 MiB'],
    ];
    for (const [count, expected] of cases) {
        assert.equal(bytesText(count).replace('\u202f', ' '), expected);
    }
});

test('percentages and differences', () => {
    assert.equal(pct(92.66), '92.7');
    assert.equal(signed(38.7, 1), '+38.7');
    assert.equal(signed(-6.94, 1), '−6.9');
    assert.equal(signed(0, 1), '0.0');
});

test('times of day grow shorter with distance', () => {
    const now = new Date('2026-11-20T15:00:00Z');
    assert.equal(when('2026-11-20T14:02:11.120Z', now), '14:02');
    assert.equal(when('2026-11-19T17:40:00Z', now), 'yesterday 17:40');
    assert.equal(when('2026-11-16T09:12:00Z', now), 'Monday 09:12');
    assert.equal(when('2026-11-13T09:12:00Z', now), '2026-11-13');
    assert.equal(when('not a time', now), '–');
    assert.deepEqual(dayHeading('2026-11-20T01:00:00Z', now), {
        label: 'Today',
        date: 'Friday 20 November',
    });
    assert.deepEqual(dayHeading('2026-11-16T01:00:00Z', now), {
        label: 'Monday',
        date: '16 November',
    });
    assert.deepEqual(dayHeading('2026-10-02T01:00:00Z', now), {
        label: '2026-10-02',
        date: 'Friday',
    });
});
