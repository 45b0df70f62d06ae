/* SPDX-License-Identifier: MIT
 *
 * The tabs Steps and Operators of a trace of XLA: what steps are made of, the step in the timeline,
 * and the columns that the file has values for.
 */
import { join } from 'node:path';
import { check, equal, grid, ROOT, rowTexts, Shelf, test, until } from './lib.mjs';

const TRACE = join(ROOT, 'tests', 'causes', 'jax', 'load_lists.trace.json.gz');

async function withTab(pages, tab, work) {
    const shelf = await Shelf.start();
    try {
        const { id } = shelf.add(TRACE);
        await work(await pages.open(`${shelf.url}#/run/${id}/${tab}`), shelf, id);
    } finally {
        await shelf.stop();
    }
}

const rowsOf = (page, label, n) =>
    until(async () => {
        const rows = await rowTexts(page, label);
        return rows.length >= n ? rows : null;
    }, `rows of ${label}`);

test('xla: steps, and one of them in the timeline', async ({ pages }) => {
    await withTab(pages, 'xla-steps', async (page, shelf, id) => {
        const rows = await rowsOf(page, 'Steps', 6);
        equal(rows.length, 6, 'steps');
        const { columns, rows: steps } = await (await fetch(`${shelf.url}api/v1/runs/${id}/xla_steps?limit=6&sort=start_ns`)).json();
        const start = steps[2][columns.indexOf('start_ns')];
        check((await page.locator('main').innerText()).includes('6 steps, mean'), 'the mean step');
        await grid(page, 'Steps').getByText('train 2', { exact: true }).dblclick();
        await until(async () => page.url().includes('/timeline'), 'the timeline');
        const query = new URLSearchParams(page.url().split('?')[1]);
        equal(Number(query.get('from_ns')), start, 'the start of the step');
        check(Number(query.get('to_ns')) > start, `the end of the step: ${query}`);
    });
});

test('xla: operators, without columns that have no values', async ({ pages }) => {
    await withTab(pages, 'xla-operators', async (page) => {
        const rows = await rowsOf(page, 'Operators', 3);
        check(rows.some(([name]) => name.includes('fusion')), `operators: ${rows.map(([name]) => name)}`);
        const heads = await grid(page, 'Operators').getByRole('columnheader').allInnerTexts();
        check(heads.some((head) => head.includes('self time')), `columns: ${heads}`);
        check(!heads.some((head) => head.includes('devices')), `no column for one device: ${heads}`);
    });
});
