/* SPDX-License-Identifier: MIT
 *
 * Runs for people outside: what the dialog tells, what its boxes leave out, what its links give.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { check, equal, quiet, ROOT, test } from './lib.mjs';

const FOLDER = join(ROOT, 'tests', 'browser', 'shots');

async function openDialog(pages, url, options) {
    const page = await pages.open(url, options);
    await page.getByRole('button', { name: 'Share…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Share' });
    await dialog.getByRole('checkbox').first().waitFor();
    return { page, dialog };
}

async function download(page, link) {
    const [file] = await Promise.all([page.waitForEvent('download'), link.click()]);
    return { name: file.suggestedFilename(), path: await file.path() };
}

test('share: a box names what it leaves out, and the file holds none of it', async ({ pages, demo }) => {
    const { id } = demo.demo.get('bookshop-slow.prof');
    const { page, dialog } = await openDialog(pages, `${demo.url}#/run/${id}`);
    equal(await dialog.getByRole('checkbox').count(), 6, 'categories');
    const paths = dialog.getByRole('checkbox', { name: /^Paths/ });
    const example = dialog.getByRole('list', { name: 'Paths: examples' }).getByRole('listitem').first();
    const path = (await example.textContent()).trim();
    check(path.startsWith('/'), `an example of a path: ${path}`);
    equal(await dialog.getByText('→ ~1/').count(), 0, 'before it is ticked');
    await paths.focus();
    await page.keyboard.press('Space');
    await dialog.getByText('→ ~1/').first().waitFor();
    await dialog.getByText('The original is not in the file').waitFor();
    const bundle = await download(page, dialog.getByRole('link', { name: 'Bundle for another shelf' }));
    equal(bundle.name, 'pstats.perfshelf', 'the name of the file, not that of the run');
    const folder = mkdtempSync(join(tmpdir(), 'perfshelf-share-'));
    execFileSync('tar', ['-xf', bundle.path, '-C', folder, '--zstd']);
    const bytes = readFileSync(join(folder, '0', 'run'));
    check(!bytes.includes(path.slice(0, path.lastIndexOf('/') + 1)), 'the folder is gone');
    check(bytes.includes(path.slice(path.lastIndexOf('/') + 1)), 'the name of the file is there');
    rmSync(folder, { recursive: true });
    const html = await download(page, dialog.getByRole('link', { name: 'One HTML file' }));
    equal(html.name, 'pstats.html', 'the name of the page');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    equal(await page.evaluate(() => document.activeElement.textContent), 'Share…', 'the focus is back');
});

test('share: a comparison is shared with both of its groups', async ({ pages, demo }) => {
    const [base, fresh] = ['bookshop-slow.prof', 'bookshop-joined.prof'].map((file) => demo.demo.get(file).id);
    const { page, dialog } = await openDialog(pages, `${demo.url}#/compare?base=${base}&new=${fresh}`);
    await dialog.getByRole('checkbox', { name: /^Labels/ }).check();
    const bundle = await download(page, dialog.getByRole('link', { name: 'Bundle for another shelf' }));
    const listed = execFileSync('tar', ['-xOf', bundle.path, '--zstd', 'bundle.json'], { encoding: 'utf8' });
    const about = JSON.parse(listed);
    equal(JSON.stringify([about.base, about.new]), '[[0],[1]]', 'the groups');
    equal(JSON.stringify(about.runs.map((run) => [run.name, run.tags])), '[["pstats",[]],["pstats",[]]]', 'labels');
});

test('share: a run that came redacted says so', async ({ pages, demo }) => {
    const folder = mkdtempSync(join(tmpdir(), 'perfshelf-share-'));
    const file = join(folder, 'x.perfshelf');
    demo.run('export', demo.demo.get('bookshop-slow.prof').id, '--redact', 'paths,people', '-o', file);
    const { id } = demo.add(file);
    rmSync(folder, { recursive: true });
    const page = await pages.open(`${demo.url}#/run/${id}`);
    await page.getByText('shared without its original; redacted: paths, people').waitFor();
    demo.run('rm', id);
});

const LOOKS = { light: {}, dark: { theme: 'dark' }, 800: { width: 800 } };

test('share: pictures', async ({ pages, demo }) => {
    mkdirSync(FOLDER, { recursive: true });
    for (const [look, options] of Object.entries(LOOKS)) {
        const { id } = demo.demo.get('gpt-h200.pt.trace.json.gz');
        const { page, dialog } = await openDialog(pages, `${demo.url}#/run/${id}`, options);
        await dialog.getByRole('checkbox', { name: /^Arguments/ }).check();
        await quiet(page);
        await page.screenshot({ path: join(FOLDER, `share-${look}.png`) });
    }
});
