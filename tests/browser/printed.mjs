/* SPDX-License-Identifier: MIT
 *
 * Reports that were printed as text: what stands in the file stands in the table, and it is said what the text has lost.
 */
import { join } from 'node:path';
import { check, equal, grid, ROOT, rowTexts, test, until } from './lib.mjs';

const GOLDEN = join(ROOT, 'tests', 'golden');

/** A sample on the shelf, once. */
const added = new Map();
function sample(demo, file) {
    if (!added.has(file)) added.set(file, demo.add(join(GOLDEN, file)));
    return added.get(file);
}

function tabs(page) {
    return page.getByRole('navigation', { name: 'views of this run' }).locator('a');
}

async function rows(page, label, least = 1) {
    return until(async () => {
        const texts = await rowTexts(page, label);
        return texts.length >= least ? texts : null;
    }, `rows of ${label}`);
}

const says = (page, words) =>
    until(async () => words.test(await page.locator('main').innerText()), `the page says ${words}`);

test('printed: a cProfile report, restricted', async ({ pages, demo }) => {
    const run = sample(demo, 'pstats_text/ok_cprofile.txt');
    const page = await pages.open(`${demo.url}#/run/${run.id}`);
    const table = await rows(page, 'Functions', 5);
    equal(table[0].slice(0, 5), ['6/1', '0.000', '0.000', '0.054', '0.054'], 'the first row');
    await says(page, /rounded to milliseconds/);
    await says(page, /5 of 233 functions/);
    equal(await tabs(page).allInnerTexts(), ['Functions', 'Files', 'Ledger', 'SQL'], 'tabs');
    await page.getByText('Group by file').click();
    await rows(page, 'Functions by file', 5);
});

test('printed: of several reports one is shown, and chosen', async ({ pages, demo }) => {
    const run = sample(demo, 'pstats_text/ok_several.txt');
    const page = await pages.open(`${demo.url}#/run/${run.id}`);
    equal((await rows(page, 'Functions', 3)).length, 3, 'rows of the longest report');
    await page.getByRole('button', { name: 'report', exact: true }).click();
    await page.getByRole('menuitem', { name: /report 1, sorted by internal time/ }).click();
    await until(() => /report=1/.test(page.url()), 'the report in the URL');
    await tabs(page).filter({ hasText: 'Files' }).click();
    const files = await rows(page, 'Files', 2);
    equal(files.map((cells) => cells[3]), ['11', '1'], 'calls of the files of report 1');
    check(await grid(page, 'Files').isVisible(), 'no table of files');
});

test('printed: a table of torch.profiler', async ({ pages, demo }) => {
    const run = sample(demo, 'key_averages/ok_cuda.txt');
    const page = await pages.open(`${demo.url}#/run/${run.id}`);
    const table = await rows(page, 'Operators', 3);
    equal(table.map((cells) => cells[0]), ['aten::addmm', 'ampere_sgemm_128x64_tn', 'aten::linear'], 'names by self device time');
    check(table[0].includes('497.049'), `no 497.049 ms in ${table[0]}`);
    await says(page, /rounded.*row_limit/);
    await says(page, /Self CUDA time\s*562\.9/);
});

test('printed: tables by shape and stack are chosen', async ({ pages, demo }) => {
    const run = sample(demo, 'key_averages/ok_several.txt');
    const page = await pages.open(`${demo.url}#/run/${run.id}/operators?report=2`);
    const table = await rows(page, 'Operators', 2);
    check(table[0].includes('[[32, 10], [10, 5]]'), `no shapes in ${table[0]}`);
    await page.getByRole('button', { name: 'report', exact: true }).click();
    await page.getByRole('menuitem', { name: /by stack/ }).click();
    await until(async () => (await page.locator('main').innerText()).includes('train.py(13): step'), 'the stack');
});

test('printed: stages of Lightning', async ({ pages, demo }) => {
    const run = sample(demo, 'lightning/ok_stages.txt');
    const page = await pages.open(`${demo.url}#/run/${run.id}`);
    const table = await rows(page, 'Actions', 4);
    equal(table[0], ['run_training_epoch', '142.050000', '1', '142.050000', '98.5'], 'the longest action of fit');
    await says(page, /add up to more than 100/);
    await page.getByRole('radio', { name: 'validate' }).or(page.getByRole('button', { name: 'validate' })).first().click();
    await until(async () => (await rowTexts(page, 'Actions'))[0]?.[0] === '[LightningModule]Net.validation_step', 'the action of validate');
    equal(await tabs(page).allInnerTexts(), ['Actions6', 'Ledger', 'SQL'].map((text) => text.replace('6', '\n6')), 'tabs');
});

test('printed: an action of the advanced profiler leads to its functions', async ({ pages, demo }) => {
    const run = sample(demo, 'lightning/ok_advanced.txt');
    const page = await pages.open(`${demo.url}#/run/${run.id}`);
    const table = await rows(page, 'Actions', 3);
    equal(table[1].slice(0, 4), ['[LightningDataModule]Data.setup', '1', '1', '0.250'], 'the second action');
    await grid(page, 'Actions').locator('.grid-row').nth(1).getByRole('link').click();
    const functions = await rows(page, 'Functions', 1);
    equal(functions.map((cells) => cells[5]), ['setup'], 'its functions');
});

test('printed: the memory timeline of torch is stacked', async ({ pages, demo }) => {
    const run = sample(demo, 'memory_timeline/ok_sums.json');
    const page = await pages.open(`${demo.url}#/run/${run.id}`);
    const text = await until(async () => {
        const now = await page.locator('main').innerText();
        return /Peak/.test(now) ? now : null;
    }, 'the peak');
    check(/0\.299\s*MiB/.test(text), `another peak: ${text}`);
    for (const name of ['parameter', 'optimizer state', 'input', 'activation']) {
        check(text.includes(name), `no ${name} in the legend`);
    }
    check(!text.includes('gradient'), 'a category that holds nothing is in the legend');
});
