/* SPDX-License-Identifier: MIT
 *
 * Search across runs: Ctrl+K lists runs and names, Enter opens a single hit, a name has a page of its
 * runs. Names are hostile.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { check, equal, rowTexts, Shelf, test, until } from './lib.mjs';

const HEAD = 'import time: self [us] | cumulative | imported package\n';
const HOSTILE = '<img_src=x_onerror=alert(1)>';

function importLog(modules) {
    const row = ([name, us]) => `import time: ${String(us).padStart(9)} | ${String(us).padStart(10)} | ${name}\n`;
    return HEAD + Object.entries(modules).map(row).join('');
}

function addLog(shelf, name, modules) {
    const path = join(shelf.folder, '..', `${name}-${process.pid}.log`);
    writeFileSync(path, importLog(modules));
    return shelf.add(path, '--name', name, '--series', 'nightly');
}

async function withRuns(work) {
    const shelf = await Shelf.start();
    try {
        const runs = [1, 2, 3].map((i) =>
            addLog(shelf, `night ${i}`, { app: 600 - 100 * i, 'json.decoder': 300 + 100 * i, [`only.night_${i}`]: 100, [HOSTILE]: 50 }),
        );
        await work(shelf, runs);
    } finally {
        await shelf.stop();
    }
}

const field = (page) => page.getByLabel('search runs, functions, modules, operators and lines');
const options = (page) => page.locator('.results [role=option]');
const optionTexts = (page) => options(page).evaluateAll((all) => all.map((one) => one.innerText.replace(/\s+/g, ' ').trim()));
const hash = (page) => page.evaluate(() => decodeURIComponent(location.hash.replaceAll('+', ' ')));

test('search: names in all runs by keyboard, and the runs of a name', ({ pages }) =>
    withRuns(async (shelf, runs) => {
        const page = await pages.open(`${shelf.url}#/run/${runs[0].id}`);
        await page.keyboard.press('Control+k');
        await field(page).fill('decoder');
        await until(async () => (await optionTexts(page)).length === 1, 'one module');
        equal(await optionTexts(page), ['json.decoder in 3 runs 57.1 %'], 'the name, its runs, its greatest share');
        await page.keyboard.press('Enter');
        await until(async () => (await hash(page)) === '#/search?of=imports&name=json.decoder', 'Enter opens the only hit');
        await until(async () => (await rowTexts(page, 'runs that have the name')).length === 3, 'its runs');
        const rows = await rowTexts(page, 'runs that have the name');
        check(rows[0].join(' ').includes('night 3') && rows[0].join(' ').includes('600'), `the newest first: ${rows[0]}`);
        await page.locator('.search-chart canvas').waitFor();
        await page.getByRole('link', { name: 'nightly' }).first().click();
        await until(async () => (await hash(page)).startsWith('#/trend?runs=series:nightly&of=imports&row=json.decoder'), 'its trend');
        await page.goBack();
        await page.getByRole('link', { name: 'night 2' }).click();
        await until(async () => (await hash(page)).startsWith(`#/run/${runs[1].id}/imports?q=json.decoder&sel=`), 'its row in the run');
    }));

test('search: a name of one run opens its row; the arrows mark; Escape and blur close', ({ pages }) =>
    withRuns(async (shelf, runs) => {
        const page = await pages.open(`${shelf.url}#/run/${runs[0].id}`);
        await page.keyboard.press('Control+k');
        await field(page).fill('night_2');
        await until(async () => (await optionTexts(page)).length === 1, 'one module of one run');
        await page.keyboard.press('Enter');
        await until(async () => (await hash(page)).startsWith(`#/run/${runs[1].id}/imports?q=only.night_2`), 'the run');
        await page.keyboard.press('Control+k');
        await field(page).fill('night');
        await until(async () => (await optionTexts(page)).length === 6, 'runs and names');
        for (let i = 0; i < 4; i++) await page.keyboard.press('ArrowDown');
        equal(await page.locator('.results [aria-selected=true]').count(), 1, 'one is marked');
        check((await page.locator('.results [aria-selected=true]').innerText()).includes('only'), 'after the three runs, a name');
        await page.keyboard.press('Escape');
        equal(await options(page).count(), 0, 'Escape closes the list');
        await field(page).fill('no such thing');
        await page.getByText('among the 200 hottest of each run').waitFor();
    }));

test('search: on the shelf, Ctrl+K searches and / filters; names are text', ({ pages }) =>
    withRuns(async (shelf) => {
        const page = await pages.open(shelf.url);
        await page.keyboard.press('Control+k');
        await field(page).fill('onerror');
        await until(async () => (await optionTexts(page)).length === 2, 'the module and its package');
        check((await optionTexts(page))[0].includes(HOSTILE), 'the name as it is');
        await page.keyboard.press('Enter');
        await until(async () => (await hash(page)) === '#/search?q=onerror', 'all names');
        await until(async () => (await rowTexts(page, 'names in runs')).length === 2, 'both');
        equal(await page.locator('img').count(), 0, 'no element was made of it');
        await page.goBack();
        await page.keyboard.press('/');
        await page.keyboard.type('night 2');
        await until(async () => (await hash(page)).includes('q=night 2'), '/ filters the shelf');
    }));
