/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
    decimalsOf,
    hitsText,
    profileUnit,
    percentText,
    perHitText,
    timeScale,
    timeText,
    type TimeUnit,
    unitsFor,
} from '../src/features/lines/units';
import printed from './lines_printed.json';

type Printed = [number, number, number, number, number, string[]];

/* The text in the form of `want`: line_profiler prints numbers wider than a column with %g. */
function asPrinted(text: string, want: string): string {
    const digits = want.split('e')[0].replace(/\D/g, '').length;
    if (!want.includes('e')) return text;
    return Number(Number(text).toPrecision(digits)) === Number(want) ? want : text;
}

test('columns equal the text report of line_profiler, digit for digit', () => {
    for (const [hits, ticks, total, unit_s, out_s, want] of printed as Printed[]) {
        const unit: TimeUnit = out_s === 1e-6 ? 'us' : 'ns';
        const scale = timeScale(unit, unit_s, false);
        const have = [
            hitsText(hits),
            timeText(ticks, scale),
            perHitText(ticks, hits, scale),
            percentText(ticks, total),
        ].map((text, i) => asPrinted(text.replaceAll(',', ''), want[i]));
        assert.deepEqual(have, want, `${hits} hits, ${ticks} ticks of ${unit_s}`);
    }
});

test('a text report is shown in the unit it was printed in', () => {
    assert.equal(profileUnit(1e-9, false), 'us');
    assert.equal(profileUnit(0.001, true), 'ms');
    assert.equal(profileUnit(1, true), 's');
    const scale = timeScale('ms', 0.001, true);
    assert.ok(scale.printed);
    assert.equal(timeText(4.5, scale), '4.5');
});

test('a report in a unit without a name is shown in its ticks', () => {
    assert.equal(profileUnit(1e-7, true), 'tick');
    assert.equal(profileUnit(1e-7, false), 'us');
    assert.deepEqual(unitsFor(1e-7, true), ['s', 'ms', 'us', 'ns', 'tick']);
    assert.equal(timeText(983, timeScale('tick', 1e-7, true)), '983.0');
    assert.equal(timeText(983, timeScale('us', 1e-7, true)), '98.30');
});

test('other units reach as far as the tenth of a microsecond that was printed', () => {
    assert.equal(timeText(452352, timeScale('us', 1e-9, false)), '452.4');
    assert.equal(timeText(452352, timeScale('ms', 1e-9, false)), '0.4524');
    assert.equal(timeText(452352, timeScale('s', 1e-9, false)), '0.0004524');
    assert.equal(timeText(452.4, timeScale('ns', 1e-6, true)), '452,400');
});

test('lines without hits have no time per hit, functions without time no percent', () => {
    assert.equal(perHitText(10, 0, timeScale('us', 1e-9, false)), '');
    assert.equal(percentText(0, 0), '');
});

test('numbers have thousands and no exponent', () => {
    const scale = timeScale('us', 1e-9, false);
    assert.equal(hitsText(1234567890), '1,234,567,890');
    assert.equal(timeText(58_312_345_678_900_000, scale), '58,312,345,678,900');
    assert.equal(perHitText(58_312_345_678, 1, scale), '58,312,346');
});

test('decimals of a column are those its tool printed', () => {
    assert.equal(decimalsOf([46.438, 0, null, -15.262]), 3);
    assert.equal(decimalsOf([54, 7]), 1);
    assert.equal(decimalsOf([46.46484375]), 6);
});
