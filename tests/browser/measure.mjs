/* SPDX-License-Identifier: MIT
 *
 * Measurements: figures with their units, the pane of one with its samples, order and search, and
 * the same after a reload.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { check, equal, grid, quiet, ROOT, rowTexts, Shelf, settle, test, until } from './lib.mjs';

const golden = (name) => join(ROOT, 'tests', 'golden', name);

async function withRun(name, work) {
    const shelf = await Shelf.start();
    try {
        await work(shelf, shelf.add(golden(name)));
    } finally {
        await shelf.stop();
    }
}

const LABEL = 'Measurements';
const plain = (text) => text.replaceAll('\u202f', ' ');

async function names(page) {
    return (await rowTexts(page, LABEL)).map(([name]) => name);
}

test('measurements: rows in the order of the file, sorted and searched', ({ pages }) =>
    withRun('hyperfine/ok_hyperfine_v1.json', async (shelf, run) => {
        const page = await pages.open(`${shelf.url}#/run/${run.id}`);
        await until(async () => (await names(page)).length === 7, 'seven rows');
        const [first] = await rowTexts(page, LABEL);
        equal(first.slice(0, 5).map(plain), ['./app --size 1', 'wall clock', '125.0ms', 'mean', '3'], 'first row');
        equal(plain(first[5]), '12.50 ms10.0 %', 'spread');
        await grid(page, LABEL).getByRole('button', { name: 'value', exact: true }).click();
        await until(async () => (await rowTexts(page, LABEL))[0]?.[1] === 'peak memory', 'greatest first');
        await page.getByPlaceholder('Search measurements').fill('size 2 -user');
        const two = ['./app --size 2', './app --size 2'].join();
        await until(async () => (await names(page)).join() === two, 'two rows, both of size 2');
    }));

test('measurements: the pane shows samples and what else is known', ({ pages }) =>
    withRun('hyperfine/ok_hyperfine_v1.json', async (shelf, run) => {
        const page = await pages.open(`${shelf.url}#/run/${run.id}/measurements`);
        await grid(page, LABEL).locator('.grid-row').first().click();
        const pane = page.getByLabel('Measurement', { exact: true });
        await pane.locator('canvas').waitFor();
        const said = async () => plain(await pane.innerText());
        await quiet(page);
        const before = await said();
        check(/parameter size\s+1/.test(before), before);
        check(/exit codes\s+0 0 0/.test(before), before);
        check(/Median\s+120\.0 ms/.test(before), before);
        await page.reload();
        await settle(page);
        await pane.locator('canvas').waitFor();
        await until(async () => (await said()) === before, 'the same pane after a reload');
        await page.keyboard.press('Escape');
        await until(async () => (await pane.count()) === 0, 'the pane goes');
    }));

/* hyperfine prints of these: 'fast ran 1.67 ± 0.14 times faster than slow'. */
const RANKED = {
    results: [
        ['slow', 0.035, 0.0021],
        ['fast', 0.021, 0.00126],
        ['middle', 0.028, 0],
    ].map(([command, mean, stddev]) => ({
        command, mean, stddev, median: mean, user: mean / 2, system: mean / 4, min: mean - stddev, max: mean + stddev,
        times: [mean - stddev, mean, mean + stddev], exit_codes: [0, 0, 0],
    })),
};

test('measurements: commands are ranked as hyperfine summarises them', async ({ pages }) => {
    const shelf = await Shelf.start();
    try {
        const file = join(shelf.folder, 'ranked.json');
        writeFileSync(file, JSON.stringify(RANKED));
        const run = shelf.add(file);
        for (const width of [1440, 390]) {
            const page = await pages.open(`${shelf.url}#/run/${run.id}`, { width });
            const ranking = page.locator('.ranking');
            await ranking.waitFor();
            equal(await ranking.count(), 1, 'rankings');
            const shown = (await ranking.locator('.ranking-row').allInnerTexts()).map((row) => plain(row).replace(/\s+/g, ' '));
            equal(shown, ['fast 21.00 ms ± 1.26 ms fastest', 'middle 28.00 ms ± 0 s 1.33 ± 0.08 times as long', 'slow 35.00 ms ± 2.10 ms 1.67 ± 0.14 times as long'], 'rows');
            equal(plain(await ranking.locator('p').first().innerText()), 'wall clock mean, fastest first', 'title');
            await ranking.locator('.ranking-row').nth(2).click();
            await page.getByLabel('Measurement', { exact: true }).waitFor();
            await pages.close();
        }
    } finally {
        await shelf.stop();
    }
});

test('measurements: an empty file says so', ({ pages }) =>
    withRun('pytest_benchmark/ok_pytest_empty.json', async (shelf, run) => {
        const page = await pages.open(`${shelf.url}#/run/${run.id}`);
        await page.getByText('This run has no measurements.').waitFor();
    }));

test('time: what a command was bound by, with thresholds, and for more processors', ({ pages }) =>
    withRun('time/ok_time_bash.txt', async (shelf, run) => {
        const page = await pages.open(`${shelf.url}#/run/${run.id}`);
        const section = page.locator('.bound');
        await section.getByRole('heading', { name: 'Waiting' }).waitFor();
        const words = plain(await section.innerText());
        check(/Real\s+122 ms/.test(words), words);
        check(/CPU-bound\s+utilisation \/ CPUs\s+0\.02\s+≥ 0\.8\s+no/.test(words), words);
        check(/Memory-heavy\s+major faults \/ s\s+–\s+≥ 100\s+not reported/.test(words), words);
        await page.getByLabel('Usable CPUs').fill('4');
        await page.keyboard.press('Enter');
        await section.getByText('as given').waitFor();
        check(page.url().includes('cpus=4'), page.url());
    }));

test('time: several commands of one log', ({ pages }) =>
    withRun('time/ok_time_mixed.txt', async (shelf, run) => {
        const page = await pages.open(`${shelf.url}#/run/${run.id}/bound`, { theme: 'dark', width: 800 });
        await until(async () => (await page.locator('.bound').count()) === 6, 'six commands');
        const heads = await page.locator('.bound h2').allInnerTexts();
        equal(heads[0], 'CPU-bound', 'the first');
    }));

test('timeit: figures have the digits that were printed, and say what they are', ({ pages }) =>
    withRun('timeit/ok_timeit.txt', async (shelf, run) => {
        const page = await pages.open(`${shelf.url}#/run/${run.id}`);
        await until(async () => (await names(page)).length === 4, 'four rows');
        const [first, , , last] = await rowTexts(page, LABEL);
        equal(first.slice(2, 5).map(plain), ['13.8ns', 'best', '5'], 'the first');
        equal(last.slice(2, 5).map(plain), ['1.04µs', 'mean', '7'], 'the last');
    }));

test('top: lines of processes, memory, and the legend that hides them', ({ pages }) =>
    withRun('top/ok_top.txt', async (shelf, run) => {
        const page = await pages.open(`${shelf.url}#/run/${run.id}`);
        await page.locator('.processes-chart canvas').waitFor();
        const legend = page.locator('.process-row');
        equal(plain((await legend.allInnerTexts())[0]).split(/\s+/).slice(0, 2), ['python3.11', '-c'], 'busiest');
        await page.getByRole('button', { name: 'Memory' }).click();
        await until(async () => /3\.00 GiB/.test(plain(await legend.first().innerText())), 'peaks of memory');
        await legend.first().click();
        await until(() => page.url().includes('off=22519'), 'the URL knows what is hidden');
        const hidden = async () => (await legend.first().getAttribute('aria-pressed')) === 'false';
        await until(hidden, 'hidden');
        await page.reload();
        await settle(page);
        await until(hidden, 'hidden after a reload');
    }));
