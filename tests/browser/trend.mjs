/* SPDX-License-Identifier: MIT
 *
 * Trends: from the shelf to the page, its step, its points, the same after a reload, one row, the
 * baseline, and series with one run or with runs of several kinds.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { faultsOfPage } from './access.mjs';
import { check, equal, rowTexts, settle, Shelf, test, until } from './lib.mjs';

const plain = (text) => text.replaceAll('\u202f', ' ').replaceAll('−', '-');

/* Twenty runs, two a commit: `app` takes longer from the thirteenth on. */
function logOf(i) {
    const rows = [
        ['app', 3000 + ((i * 7) % 17) + (i >= 12 ? 600 : 0)],
        ['quiet', 500 + ((i * 5) % 13)],
    ];
    const line = ([name, us]) => `import time: ${String(us).padStart(9)} | ${String(us).padStart(10)} | ${name}`;
    return ['import time: self [us] | cumulative | imported package', ...rows.map(line), ''].join('\n');
}

async function withSeries(work) {
    const shelf = await Shelf.start();
    const folder = mkdtempSync(join(tmpdir(), 'perfshelf-trend-'));
    const add = (name, text, series, ...more) => {
        const file = join(folder, name);
        writeFileSync(file, text);
        return shelf.add(file, '--name', name, '--series', series, ...more).id;
    };
    try {
        const ids = [];
        for (let i = 0; i < 20; i++) ids.push(add(`n${i}`, logOf(i), 'nightly', '--tag', `commit=c${i >> 1}`));
        await work({ shelf, ids, add });
    } finally {
        rmSync(folder, { recursive: true });
        await shelf.stop();
    }
}

const TABLE = 'points of the trend';
const cells = (page) => rowTexts(page, TABLE);
const ready = (page) => until(async () => (await cells(page)).length > 0, 'points');
const open = async (pages, shelf, rest = '') => {
    const page = await pages.open(`${shelf.url}#/trend?runs=series:nightly${rest}`);
    await ready(page);
    await settle(page);
    return page;
};
const answer = async (page) => plain(await page.locator('.trend-answer').innerText());

/* Where point i of n stands, along the middle of the chart. */
async function spotOf(page, i, n) {
    const box = await page.locator('.trend-chart').boundingBox();
    const [left, right] = [64, box.width - 16];
    const room = (n - 1) * 0.02;
    const x = left + ((i + room) / (n - 1 + 2 * room)) * (right - left);
    return { x, y: box.height / 2 };
}

async function clickPoint(page, i, n, modifiers = []) {
    await page.locator('.trend-chart').click({ position: await spotOf(page, i, n), modifiers });
}

test('trend: the sparkline of the shelf leads to the series, whose step is told', ({ pages }) =>
    withSeries(async ({ shelf }) => {
        const page = await pages.open(shelf.url);
        await page.getByRole('link', { name: 'trend of nightly' }).first().click();
        await ready(page);
        check(page.url().includes('#/trend?runs=series'), page.url());
        check(/slower by 6\d\d\.\d µs \(\+1\d\.\d %\) since n12/.test(await answer(page)), await answer(page));
        equal(await page.locator('.trend-mark').count(), 1, 'marks');
        const rows = await cells(page);
        check(rows[0].includes('n19') && rows[7].some((text) => plain(text).startsWith('▲ +1')), rows[7].join('|'));
        equal((await page.evaluate(faultsOfPage)).length, 0, 'faults of access');
    }));

test('trend: a click opens a run, two with Shift compare, the earlier as base', ({ pages }) =>
    withSeries(async ({ shelf, ids, add }) => {
        const page = await open(pages, shelf);
        await clickPoint(page, 15, 20, ['Shift']);
        const isPicked = async () => /n15 selected/.test(await page.locator('.trend-hint').innerText());
        await until(isPicked, 'the hint names it');
        add('n20', logOf(20), 'nightly');
        await until(async () => (await cells(page))[0].includes('n20'), 'what comes meanwhile is shown');
        check(await isPicked(), 'and leaves what was picked');
        await settle(page);
        await clickPoint(page, 3, 21, ['Shift']);
        await page.locator('.compare-head').waitFor();
        check(page.url().includes(`base=${ids[3]}&new=${ids[15]}`), page.url());
        await page.goBack();
        await ready(page);
        await settle(page);
        await clickPoint(page, 8, 21);
        await until(() => page.url().includes(`#/run/${ids[8]}`), 'the run');
    }));

test('trend: a click on the step compares five before with five after', ({ pages }) =>
    withSeries(async ({ shelf, ids }) => {
        const page = await open(pages, shelf);
        await page.locator('.trend-mark span').click();
        await page.locator('.compare-head').waitFor();
        const { base, new: fresh } = Object.fromEntries(new URLSearchParams(page.url().split('?')[1]));
        equal(base, ids.slice(7, 12).join(), 'base');
        equal(fresh, ids.slice(12, 17).join(), 'new');
        await until(async () => /slower/.test(await page.locator('.compare-answer').innerText()), 'a verdict');
    }));

test('trend: one row, repeats as one point, and all of it after a reload', ({ pages }) =>
    withSeries(async ({ shelf }) => {
        const page = await open(pages, shelf);
        await page.getByRole('button', { name: /^metric/ }).click();
        await page.getByRole('menuitem', { name: 'of one module' }).click();
        await page.getByRole('combobox', { name: 'the module to follow' }).fill('qui');
        await page.getByRole('option', { name: /quiet/ }).click();
        await until(async () => /No change point in 20 runs/.test(await answer(page)), 'the row');
        await page.getByRole('button', { name: /^by/ }).click();
        await page.getByRole('menuitem', { name: /commit/ }).click();
        await until(async () => (await cells(page)).length === 10, 'ten commits');
        await page.getByRole('button', { name: 'From zero' }).click();
        await page.getByRole('button', { name: 'By time' }).click();
        const [before, hash] = [await cells(page), await page.evaluate(() => location.hash)];
        for (const part of ['of=imports', 'row=quiet', 'by=tag%3Acommit', 'x=time', 'y=zero']) check(hash.includes(part), `${part} in ${hash}`);
        await page.reload();
        await ready(page);
        equal(JSON.stringify(await cells(page)), JSON.stringify(before), 'points');
        equal(await page.getByRole('button', { name: 'By time' }).getAttribute('aria-pressed'), 'true', 'by time');
        equal(await page.getByRole('combobox').inputValue(), 'quiet', 'the row');
    }));

test('trend: a baseline is pinned, drawn, marked on the shelf and let go', ({ pages }) =>
    withSeries(async ({ shelf }) => {
        const page = await open(pages, shelf);
        await page.getByRole('grid', { name: TABLE }).getByText('n16', { exact: true }).locator('xpath=ancestor::*[@role="row"]').click({ position: { x: 5, y: 5 } });
        await page.keyboard.press('b');
        await page.locator('.trend-baseline').waitFor();
        check(/n16/.test(await page.locator('.trend-baseline').innerText()), 'its name');
        await until(async () => (await cells(page))[3].some((text) => text.includes('baseline')), 'the mark');
        const other = await pages.open(shelf.url);
        equal(await other.locator('.baseline-mark').count(), 1, 'marks on the shelf');
        await other.getByRole('link', { name: 'n16', exact: true }).click();
        await other.getByRole('button', { name: 'More', exact: true }).click();
        await other.getByRole('menuitem', { name: /Unpin as baseline/ }).click();
        await until(async () => (await page.locator('.trend-baseline').count()) === 0, 'it is gone, here too');
    }));

test('trend: a series filter, a heading and the head of a report lead to it', ({ pages }) =>
    withSeries(async ({ shelf, ids }) => {
        for (const hash of ['#/?series=nightly', '#/?group=series', `#/run/${ids[0]}`]) {
            const page = await pages.open(shelf.url + hash);
            await page.getByRole('link', { name: /^trend$/i }).first().click();
            await ready(page);
            check(page.url().includes('#/trend?runs=series%3Anightly'), `${hash} to ${page.url()}`);
        }
    }));

test('trend: by keys alone, a point is chosen and another compared with it', ({ pages }) =>
    withSeries(async ({ shelf, ids }) => {
        const page = await open(pages, shelf);
        await page.getByRole('grid', { name: TABLE }).focus();
        for (const key of ['ArrowDown', 'c', 'ArrowDown', 'ArrowDown', 'c']) await page.keyboard.press(key);
        await page.locator('.compare-head').waitFor();
        const { base, new: fresh } = Object.fromEntries(new URLSearchParams(page.url().split('?')[1]));
        check(ids.indexOf(base) === ids.indexOf(fresh) - 2, `${base} and ${fresh}`);
    }));

test('trend: the pane of a compared row leads to its trend', ({ pages }) =>
    withSeries(async ({ shelf, ids }) => {
        const page = await pages.open(`${shelf.url}#/compare/imports?base=${ids[0]}&new=${ids[19]}&row=1`);
        await page.getByRole('link', { name: 'trend of this row' }).click();
        await ready(page);
        check(/of=imports/.test(page.url()) && /row=/.test(page.url()), page.url());
    }));

test('trend: one run, several kinds, and a series that is not there', ({ pages }) =>
    withSeries(async ({ shelf, add }) => {
        add('alone', logOf(30), 'alone');
        add('stacks', 'a;b 3\na;c 4\n', 'mixed');
        add('log', logOf(31), 'mixed');
        const page = await pages.open(`${shelf.url}#/trend?runs=series:alone`);
        await ready(page);
        check(/1 run: a change point needs at least ten/.test(await answer(page)), await answer(page));
        await page.goto(`${shelf.url}#/trend?runs=series:mixed`);
        await until(async () => /1 of kind folded/.test(await page.locator('.trend-left-out').innerText()), 'what is left out');
        await page.getByRole('button', { name: /^kind/ }).click();
        await page.getByRole('menuitem', { name: 'folded' }).click();
        await until(async () => (await cells(page)).some((row) => row.includes('stacks')), 'the other kind');
        pages.expect(/404/);
        await page.goto(`${shelf.url}#/trend?runs=series:none`);
        await page.getByText('no run has the series none').waitFor();
    }));
