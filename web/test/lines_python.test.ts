/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pythonText } from '../src/features/lines/python_syntax';

function kinds(lines: (string | null)[], line: number): [string, string][] {
    const text = pythonText(lines);
    while (!text.parseFor(50)) continue;
    const source = lines[line - 1] ?? '';
    return (text.tokens(line) ?? []).map(({ from, to, kind }) => [kind, source.slice(from, to)]);
}

test('keywords, strings, numbers and comments; nothing else', () => {
    assert.deepEqual(kinds(['def f(*args, gap=1800):  # why'], 1), [
        ['keyword', 'def'],
        ['number', '1800'],
        ['comment', '# why'],
    ]);
    assert.deepEqual(kinds(['return None if x else "a"'], 1), [
        ['keyword', 'return'],
        ['keyword', 'None'],
        ['keyword', 'if'],
        ['keyword', 'else'],
        ['string', '"a"'],
    ]);
});

test('strings go over lines, and lines that are not known are empty', () => {
    const lines = ['x = """one', 'two', 'three"""', null, 'y = 1'];
    assert.deepEqual(kinds(lines, 2), [['string', 'two']]);
    assert.deepEqual(kinds(lines, 4), []);
    assert.deepEqual(kinds(lines, 5), [['number', '1']]);
});

test('nothing is said before the text is parsed', () => {
    const text = pythonText(['x = 1']);
    assert.equal(text.tokens(1), null);
    while (!text.parseFor(50)) continue;
    assert.equal(text.tokens(0), null);
    assert.equal(text.tokens(2), null);
});
