/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { fileHeader, padding, tarEnd } from '../src/features/upload/tar';

function packed(files: [string, string][]): Buffer {
    const parts = files.flatMap(([name, text]) => {
        const bytes = new TextEncoder().encode(text);
        return [...fileHeader(name, bytes.length), bytes, padding(bytes.length)];
    });
    return Buffer.concat([...parts, tarEnd()]);
}

test('what is packed comes out of tar again', () => {
    const long = `${'deep/'.repeat(40)}app.prof`;
    const files: [string, string][] = [
        ['a.log', 'one'],
        ['empty', ''],
        ['jöb/w 0.pt.trace.json', 'x'.repeat(512)],
        [long, 'y'.repeat(1000)],
        ['n'.repeat(96), 'edge of pax lengths'],
        [`ü${'n'.repeat(84)}`, 'again'],
    ];
    const tar = packed(files);
    const env = { ...process.env, LC_ALL: 'C.UTF-8' };
    const names = execFileSync('tar', ['-t'], { input: tar, env }).toString().trim().split('\n');
    assert.deepEqual(
        names,
        files.map(([name]) => name),
    );
    for (const [name, text] of files) {
        const out = execFileSync('tar', ['-xO', name], { input: tar, env });
        assert.equal(out.toString(), text, name);
    }
});
