/* SPDX-License-Identifier: MIT
 *
 * Bundles every test/*.test.ts with esbuild and gives them to node's own test runner, which
 * prints the counts. Arguments narrow the set: `node test/run.mjs units router`.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { kinds } from '../kinds.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const wanted = process.argv.slice(2);
const files = readdirSync(here)
    .filter((name) => name.endsWith('.test.ts'))
    .filter((name) => !wanted.length || wanted.some((word) => name.includes(word)))
    .map((name) => join(here, name));

const out = mkdtempSync(join(tmpdir(), 'perfshelf-web-test-'));
try {
    await build({
        entryPoints: files,
        outdir: out,
        outExtension: { '.js': '.mjs' },
        bundle: true,
        format: 'esm',
        platform: 'node',
        target: 'node18',
        sourcemap: 'inline',
        jsx: 'automatic',
        jsxImportSource: 'preact',
        logLevel: 'warning',
        loader: { '.h': 'text' },
        plugins: [kinds],
    });
    const built = files.map((file) => join(out, basename(file).replace(/\.ts$/, '.mjs')));
    const run = spawnSync(process.execPath, ['--enable-source-maps', '--test', ...built], {
        stdio: 'inherit',
        // The tests print times of day, so they run in a fixed zone.
        env: { ...process.env, TZ: 'UTC' },
    });
    process.exitCode = run.status ?? 1;
} finally {
    rmSync(out, { recursive: true, force: true });
}
