/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const STYLES = readFileSync(
    new URL('../styles/tokens.css', `file://${process.cwd()}/test/`),
    'utf8',
);
const MIN_RATIO = 4.5;

function colorsOf(css: string): Map<string, string> {
    return new Map(
        [...css.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6})/g)].map((match) => [match[1], match[2]]),
    );
}

function luminance(color: string): number {
    const [r, g, b] = [1, 3, 5].map((at) => {
        const value = parseInt(color.slice(at, at + 2), 16) / 255;
        return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
    const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
}

const [light, dark] = STYLES.split(":root[data-theme='dark']");

for (const [theme, css] of [
    ['light', light],
    ['dark', dark],
]) {
    const colors = colorsOf(css);
    const colorOf = (name: string) => colors.get(name) ?? assert.fail(`${theme} has no ${name}`);

    test(`${theme}: ink stands out from each colour of frames, slices and heat`, () => {
        const fills = [...colors.keys()].filter((name) =>
            /^(origin|family|package|heat|diff)-/.test(name),
        );
        assert.ok(fills.length > 20);
        fills.push('bar-2'); // of frames whose colours show nothing
        const faults = fills.filter((name) => contrast(colorOf('ink'), colorOf(name)) < MIN_RATIO);
        assert.deepEqual(faults, []);
    });

    test(`${theme}: digits stand out from the bars below them`, () => {
        for (const bar of ['bar', 'bar-2']) {
            const ratio = contrast(colorOf('text-1'), colorOf(bar));
            assert.ok(ratio >= MIN_RATIO, `${bar}: ${ratio.toFixed(2)}`);
        }
    });

    test(`${theme}: texts stand out from each ground`, () => {
        for (const text of ['text-1', 'text-2', 'text-3', 'accent', 'slower', 'faster']) {
            for (const ground of ['bg', 'panel', 'inset', 'hover', 'selected']) {
                const ratio = contrast(colorOf(text), colorOf(ground));
                assert.ok(ratio >= MIN_RATIO, `${text} on ${ground}: ${ratio.toFixed(2)}`);
            }
        }
    });
}
