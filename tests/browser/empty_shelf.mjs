/* SPDX-License-Identifier: MIT
 *
 * The page of an empty shelf: samples, recorders, files that are added there, and what readers see.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { check, DEMO, dropFiles, equal, grid, PROGRAM, ROOT, rowTexts, Shelf, test, until } from './lib.mjs';

const SAMPLES = readFileSync(join(ROOT, 'demo', 'samples.tsv'), 'utf8').trim().split('\n').slice(1).map((row) => row.split('\t'));

function onEmptyShelf(name, run, ...options) {
    test(`empty shelf: ${name}`, async ({ pages }) => {
        const shelf = await Shelf.start(...options);
        try {
            await run({ pages, shelf });
        } finally {
            await pages.close();
            check(await shelf.stop(), 'serve did not end on SIGTERM');
        }
    });
}

const list = async (shelf) => (await (await fetch(new URL('/api/v1/runs?limit=100', shelf.url))).json()).rows;

/* Holds the reading requests to the URL back until release(). */
async function hold(page, url) {
    const held = { waiting: 0, release: null };
    const released = new Promise((resolve) => (held.release = resolve));
    await page.route(url, async (route) => {
        if (route.request().method() !== 'GET') return route.continue();
        held.waiting++;
        await released;
        return route.continue();
    });
    return held;
}

onEmptyShelf('the samples are loaded, opened, removed and recovered', async ({ pages, shelf }) => {
    const page = await pages.open(shelf.url);
    const rows = page.locator('.first-samples tbody tr');
    await until(async () => (await rows.count()) === SAMPLES.length, 'a row for each sample');
    const words = (await rows.allInnerTexts()).map((text) => text.replace(/\s+/g, ' '));
    SAMPLES.forEach(([, shows], i) => check(words[i].includes(shows), words[i]));
    check(words[0].includes('14.53 ms'), words[0]);
    await page.getByRole('button', { name: 'Load sample profiles' }).click();
    await page.waitForURL(/#\/run\//);
    await page.locator('.run-name', { hasText: 'two training steps' }).waitFor();
    await page.getByRole('link', { name: 'Shelf', exact: true }).click();
    await until(async () => (await list(shelf)).length === SAMPLES.length, 'all samples');
    const line = page.locator('.samples-line');
    await until(async () => (await line.innerText()).startsWith(`${SAMPLES.length} sample profiles on this shelf`), 'the line above the shelf');
    shelf.add(join(DEMO, 'stdlib.log'), '--name', 'my own');
    await line.getByRole('button', { name: 'Remove samples' }).click();
    await until(async () => (await list(shelf)).length === 1, 'the samples are gone');
    await line.waitFor({ state: 'detached' });
    const notice = page.locator('.notice', { hasText: `Deleted ${SAMPLES.length} sample profiles` });
    await notice.getByRole('button', { name: 'Undo' }).click();
    await until(async () => (await list(shelf)).length === SAMPLES.length + 1, 'the samples are back');
    await line.waitFor();
});

/* The page learns of the removal by its samples only: it has the shelf's state from before and from after. */
onEmptyShelf('samples that come back before the shelf was asked again', async ({ pages, shelf }) => {
    const page = await pages.open(shelf.url);
    await page.getByRole('button', { name: 'Load sample profiles' }).click();
    await until(async () => (await list(shelf)).length === SAMPLES.length, 'all samples');
    await page.getByRole('link', { name: 'Shelf', exact: true }).click();
    const line = page.locator('.samples-line');
    await until(async () => (await line.innerText()).startsWith(`${SAMPLES.length} sample`), 'the line above the shelf');
    const samples = await hold(page, '**/api/v1/samples');
    shelf.add(join(DEMO, 'stdlib.log'), '--name', 'my own');
    await until(() => samples.waiting > 0, 'the page asks for the samples of the grown shelf');
    const states = await hold(page, '**/api/v1/shelf');
    await line.getByRole('button', { name: 'Remove samples' }).click();
    await until(async () => (await list(shelf)).length === 1, 'the samples are gone');
    samples.release();
    await line.waitFor({ state: 'detached' });
    await page.locator('.notice').getByRole('button', { name: 'Undo' }).click();
    await until(async () => (await list(shelf)).length === SAMPLES.length + 1, 'the samples are back');
    states.release();
    await line.waitFor();
});

onEmptyShelf('commands are copied by click and by key', async ({ pages, shelf }) => {
    const page = await pages.open(shelf.url);
    const bars = page.locator('.command-bar');
    await until(async () => (await bars.count()) === 4, 'four recorders');
    const commands = await bars.locator('code').allInnerTexts();
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    for (const [i, command] of commands.entries()) {
        await page.keyboard.press(String(i + 1));
        await until(async () => (await copied()) === command, command);
        await until(async () => (await bars.nth(i).innerText()).includes('Copied'), 'it says so');
    }
    await bars.first().getByRole('button').click();
    await until(async () => (await copied()) === commands[0], commands[0]);
    await until(async () => !(await bars.nth(0).innerText()).includes('Copied'), 'for a moment');
    const { rows } = await (await fetch(new URL('/api/v1/formats', shelf.url))).json();
    const also = await page.locator('.first-formats').innerText();
    check(also.includes(`All ${rows.length} formats`) && also.includes('speedscope profile'), also);
});

onEmptyShelf('one dropped file opens its report, several are selected', async ({ pages, shelf }) => {
    const page = await pages.open(shelf.url);
    await page.locator('.empty-shelf').waitFor();
    await dropFiles(page, [join(DEMO, 'threads.log')]);
    await page.waitForURL(/#\/run\//);
    await page.locator('.run-name', { hasText: 'threads.log' }).waitFor();
    await page.getByRole('link', { name: 'Shelf', exact: true }).click();
    await dropFiles(page, [join(DEMO, 'stdlib.log'), join(DEMO, 'expressions.prof')]);
    await until(async () => (await page.locator('.check-bar').count()) && (await page.locator('.check-bar').innerText()).includes('2'), 'two are selected');
    equal(new URL(page.url()).hash.startsWith('#/run'), false);
    await until(async () => (await grid(page, 'runs').locator('.grid-row.is-selected').count()) === 2, 'both rows');
    equal((await rowTexts(page, 'runs')).length, 3);
});

onEmptyShelf('a run that is recorded meanwhile replaces the page', async ({ pages, shelf }) => {
    const page = await pages.open(shelf.url);
    await page.locator('.empty-shelf').waitFor();
    execFileSync(PROGRAM, ['record', 'importtime', '--data', shelf.folder, '--', 'python3', '-c', 'import json'], { stdio: 'ignore' });
    await grid(page, 'runs').locator('.grid-row').first().waitFor();
    equal(await page.locator('.empty-shelf').count(), 0);
});

onEmptyShelf('readers see whom to ask, uploaders who can read', async ({ pages, shelf }) => {
    const token = (role) => execFileSync(PROGRAM, ['token', 'add', role, '--role', role, '--data', shelf.folder], { encoding: 'utf8' }).trim();
    const open = async (role) => {
        pages.expect(/401/);
        const page = await pages.open(shelf.url);
        await page.getByLabel('Token').fill(token(role));
        await page.keyboard.press('Enter');
        await page.locator('.empty-shelf').waitFor();
        return page;
    };
    const reader = await open('viewer');
    const words = await reader.locator('.empty-shelf').innerText();
    check(words.includes('Ask the person who gave you the token'), words);
    equal(await reader.locator('.empty-shelf button').count(), 0);
    const uploader = await open('uploader');
    await until(async () => (await uploader.locator('.empty-shelf').innerText()).includes('Everyone with a token'), 'who can read');
    check((await uploader.locator('.empty-shelf').innerText()).includes('curl --fail-with-body --data-binary'), 'how others add');
}, '--tokens');

onEmptyShelf('it fits in narrow windows', async ({ pages, shelf }) => {
    for (const width of [1440, 800, 390]) {
        const page = await pages.open(shelf.url, { width });
        await page.locator('.first-samples tbody tr').first().waitFor();
        equal(await page.evaluate(() => document.querySelector('.empty-shelf').scrollWidth <= innerWidth), true);
    }
});
