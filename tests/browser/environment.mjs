/* SPDX-License-Identifier: MIT
 *
 * The machine and the software of runs: in the head of a report, and in what they differ above the
 * verdict of a comparison.
 */
import { join } from 'node:path';
import { faultsOfPage } from './access.mjs';
import { check, DEMO, equal, Shelf, test, until } from './lib.mjs';

const FACTS = {
    slow: ['cpu=AMD EPYC 7763 64-Core Processor', 'cores=8', 'python=3.13.1', 'packages.numpy=1.26.4', 'memory=16706707456', 'commit=1f0c2ab398ff00000000'],
    cached: ['cpu=Intel Xeon Platinum 8370C <b>', 'cores=8', 'python=3.15.0', 'packages.numpy=2.1.0', 'memory=16706707456', 'commit=8ed3f01b7aff00000000'],
};

const rowsOf = (page) =>
    page.locator('.environment-table tr').evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent.replace(/\s/g, ' '))));

async function withRuns(work) {
    const shelf = await Shelf.start();
    try {
        const ids = Object.entries(FACTS).map(
            ([name, tags]) => shelf.add(join(DEMO, `bookshop-${name}.prof`), '--name', name, ...tags.flatMap((tag) => ['--tag', tag])).id,
        );
        await work(shelf, ids);
    } finally {
        await shelf.stop();
    }
}

test('environment: in the head of a report, and all of it in a dialog', async ({ pages }) => {
    await withRuns(async (shelf, [id]) => {
        const page = await pages.open(`${shelf.url}#/run/${id}`);
        const head = page.locator('.run-meta');
        await until(async () => (await head.innerText()).includes('AMD EPYC 7763 64-Core Processor, 8 cores'), 'the main facts');
        equal(await head.locator('.tag').allInnerTexts(), ['commit=1f0c2ab398ff00000000', 'python=3.13.1'], 'the other tags');
        await page.getByRole('button', { name: 'Environment' }).click();
        const dialog = page.getByRole('dialog', { name: 'Environment' });
        await dialog.waitFor();
        equal(
            await rowsOf(page),
            [['Machine'], ['CPU', 'AMD EPYC 7763 64-Core Processor', 'tag'], ['Cores', '8', 'tag'], ['Memory', '15.6 GiB', 'tag'], ['Software'],
             ['Python', '3.13.1', 'tag'], ['Tool', 'cProfile', ''], ['Packages'], ['numpy', '1.26.4', 'tag'], ['Source'], ['Commit', '1f0c2ab398ff00000000', 'tag']],
            'the facts',
        );
        equal(await page.evaluate(faultsOfPage), [], 'faults of the dialog');
        await page.keyboard.press('Escape');
        await dialog.waitFor({ state: 'detached' });
        await page.goto(`${shelf.url}#/`);
        await page.locator('.tags-line').first().waitFor();
        check(!(await page.locator('.tags-line').allInnerTexts()).join().includes('cores='), 'the list of runs leaves the facts out');
    });
});

test('environment: what differs stands above the verdict', async ({ pages }) => {
    await withRuns(async (shelf, [base, fresh]) => {
        const page = await pages.open(`${shelf.url}#/compare?base=${base}&new=${fresh}`);
        const line = page.locator('.compare-environment');
        await line.waitFor();
        equal(await line.innerText(), 'Environment differs: CPU, Python 3.13.1 against 3.15.0, numpy 1.26.4 → 2.1.0 · Commit 1f0c2ab398 → 8ed3f01b7a Details', 'the line');
        const isAbove = await line.evaluate((one) => Boolean(one.compareDocumentPosition(document.querySelector('.compare-answer')) & Node.DOCUMENT_POSITION_FOLLOWING));
        check(isAbove, 'it stands above the verdict');
        await page.getByRole('button', { name: 'Details' }).click();
        equal(
            await rowsOf(page),
            [['', 'base', 'new'], ['Machine'], ['CPU', 'AMD EPYC 7763 64-Core Processor', 'Intel Xeon Platinum 8370C <b>'], ['Software'], ['Python', '3.13.1', '3.15.0'],
             ['Packages'], ['numpy', '1.26.4', '2.1.0'], ['Source'], ['Commit', '1f0c2ab398ff00000000', '8ed3f01b7aff00000000']],
            'the differences',
        );
        equal(await page.evaluate(faultsOfPage), [], 'faults of the dialog');
        await page.goto(`${shelf.url}#/compare?base=${base}&new=${base}`);
        await page.locator('.compare-answer').first().waitFor();
        equal(await line.count(), 0, 'the same run has no differences');
    });
});
