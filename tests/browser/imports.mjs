/* SPDX-License-Identifier: MIT
 *
 * The import report: its numbers are those of the log, and what one sees stands in the URL.
 */
import { check, equal, grid, quiet, rowTexts, test, until, zoomWheel } from './lib.mjs';

const LOG = 'awscli.log';

function report(demo, file, tab = 'imports', query = '') {
    return `${demo.url}#/run/${demo.demo.get(file).id}/${tab}${query}`;
}

/* Microseconds as the table prints them: milliseconds with three decimals. */
const ms = (us) => (us / 1000).toLocaleString('en-US', { minimumFractionDigits: 3 });

/* The rows once they stand beside their picture, which is drawn from an answer of its own. */
async function modules(page) {
    await until(async () => (await rowTexts(page, 'Modules')).length > 3, 'rows of the modules table');
    await quiet(page);
    return rowTexts(page, 'Modules');
}

test('imports: the table equals the log', async ({ pages, demo }) => {
    const page = await pages.open(report(demo, LOG));
    const rows = await modules(page);
    const sql = 'SELECT module, self_us, cumulative_us FROM imports WHERE NOT cached ORDER BY self_us DESC LIMIT 12';
    const [wanted] = demo.run('sql', demo.demo.get(LOG).id, sql, '--json');
    equal(wanted.length, 12, 'rows of sql');
    const text = rows.map((cells) => cells.join(' '));
    for (const row of wanted) {
        const line = text.find((cells) => cells.includes(row.module) && cells.includes(ms(row.self_us)));
        check(line, `${row.module} with ${ms(row.self_us)} ms self is not among ${text.slice(0, 14).join('\n')}`);
        check(line.includes(ms(row.cumulative_us)), `${line} lacks ${ms(row.cumulative_us)}`);
    }
});

test('imports: zoom by double click, keys and wheel, and back', async ({ pages, demo }) => {
    const page = await pages.open(report(demo, LOG));
    await modules(page);
    const picture = page.locator('.frame-scroll canvas').first();
    const box = await picture.boundingBox();
    await page.mouse.dblclick(box.x + 200, box.y + 3 * 18 + 8);
    await until(() => /zoom=/.test(page.url()), 'the zoom in the URL');
    const zoomed = page.url();
    await page.reload();
    await modules(page);
    equal(page.url(), zoomed, 'the URL after a reload');
    await page.locator('.frame-crumb').waitFor();
    await page.locator('.frame-scroll').first().focus();
    await page.keyboard.press('Escape');
    await until(() => page.url() !== zoomed, 'Escape steps back');
    await page.mouse.move(box.x + 300, box.y + 60);
    await page.mouse.click(box.x + 300, box.y + 60, { button: 'right' });
    await page.getByRole('menuitem', { name: 'Copy name' }).click();
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    await until(async () => /^[\w.]+$/.test(await copied()), 'the name of a module in the clipboard');
    await quiet(page);
    const before = page.url();
    await page.mouse.move(box.x + 300, box.y + 60);
    await page.mouse.wheel(0, 400);
    await quiet(page);
    equal(page.url(), before, 'the wheel alone scrolls');
    await zoomWheel(page, -400);
    await until(() => page.url() !== before, 'Ctrl and the wheel zoom');
});

test('imports: hovering tells all numbers', async ({ pages, demo }) => {
    const page = await pages.open(report(demo, LOG));
    await modules(page);
    const box = await page.locator('.frame-scroll canvas').first().boundingBox();
    await page.mouse.move(box.x + 120, box.y + 2 * 18 + 9);
    await page.mouse.move(box.x + 122, box.y + 2 * 18 + 9);
    const tip = page.locator('.tooltip');
    await tip.waitFor();
    const text = await tip.innerText();
    check(/self/i.test(text) && /cumulative/i.test(text) && /%/.test(text), text);
});

test('imports: search by text and by regular expression', async ({ pages, demo }) => {
    const page = await pages.open(report(demo, LOG));
    await modules(page);
    await page.keyboard.press('/');
    await page.keyboard.type('botocore');
    const count = page.locator('.search-count').last();
    const [{ 0: row }] = [demo.run('sql', demo.demo.get(LOG).id,
        "SELECT count(*) AS n FROM imports WHERE NOT cached AND module LIKE '%botocore%'", '--json')[0]];
    check(row.n > 5, `only ${row.n} modules of botocore`);
    await until(async () => Number((await count.textContent()).replace(',', '')) === row.n, `${row.n} hits`);
    await page.locator('.regex-switch').last().click();
    const field = page.getByLabel('Search modules');
    await field.fill('^botocore\\.(auth|awsrequest)$');
    await until(async () => (await count.textContent()) === '2', 'two hits by regular expression');
    await until(() => /regex=1/.test(page.url()), 'the switch in the URL');
    await field.fill('(');
    await page.locator('.search-field.is-wrong').waitFor();
});

test('imports: the threshold', async ({ pages, demo }) => {
    const page = await pages.open(report(demo, LOG));
    await modules(page);
    await page.getByLabel(/at least/).fill('5');
    await page.keyboard.press('Enter');
    await until(() => /min=5/.test(page.url()), 'the threshold in the URL');
    const [rows] = demo.run('sql', demo.demo.get(LOG).id,
        'SELECT count(*) AS n FROM imports WHERE self_us >= 5000', '--json');
    await until(async () => {
        const text = await page.locator('.pane-head').first().innerText();
        return text.includes(`${rows[0].n} of`);
    }, `${rows[0].n} rows of 5 ms and more`);
});

test('imports: flat and as a tree, sorted by the server', async ({ pages, demo }) => {
    const page = await pages.open(report(demo, LOG));
    await modules(page);
    await page.getByRole('button', { name: 'Tree', exact: true }).click();
    const tree = await until(async () => {
        const rows = await rowTexts(page, 'Modules as a tree');
        return rows.length > 3 ? rows : null;
    }, 'rows of the tree');
    check(tree[0].join(' ').includes('awscli') || tree.length > 10, tree[0].join(' '));
    await grid(page, 'Modules as a tree').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    await page.goBack();
});

test('imports: packages and who imports', async ({ pages, demo }) => {
    const page = await pages.open(report(demo, LOG, 'packages'));
    await until(async () => (await page.locator('main').innerText()).includes('botocore'), 'botocore in packages');
    await page.locator('canvas').first().waitFor();
    await page.getByRole('link', { name: 'Who imports' }).click();
    await page.waitForURL(/who-imports/);
    const field = page.getByLabel('module', { exact: true });
    await field.fill('json.decoder');
    await page.getByRole('option').filter({ hasText: 'json.decoder' }).first().waitFor();
    await page.keyboard.press('Enter');
    await until(() => /[?&]module=\d/.test(page.url()), 'the module in the URL');
    await page.getByRole('option').first().waitFor({ state: 'detached' }); // it said the name as well
    await until(async () => (await page.locator('main').innerText()).includes('json.decoder'), 'the chain of json.decoder');
});

test('imports: threads warn, and the ledger accounts', async ({ pages, demo }) => {
    const page = await pages.open(report(demo, 'threads.log'));
    await modules(page);
    await page.getByRole('link', { name: /Ledger/ }).click();
    await page.waitForURL(/ledger/);
    const run = demo.run('show', demo.demo.get('threads.log').id, '--json')[0];
    await until(async () => (await page.locator('main').innerText()).includes(`read ${run.ledger.read} `), 'the ledger');
});

test('imports: the table is exported whole', async ({ pages, demo }) => {
    const page = await pages.open(report(demo, LOG));
    await modules(page);
    await page.getByRole('button', { name: 'Export' }).first().click();
    const download = page.waitForEvent('download');
    await page.getByText(/CSV/).first().click();
    const stream = await (await download).createReadStream();
    let text = '';
    for await (const bytes of stream) text += bytes;
    const [rows] = demo.run('sql', demo.demo.get(LOG).id, 'SELECT count(*) AS n FROM imports WHERE NOT cached', '--json');
    equal(text.trim().split('\n').length - 1, rows[0].n, 'rows of the CSV');
});

test('imports: the selected module has a pane with its chain, its importer and its imports', async ({ pages, demo }) => {
    const { id } = demo.demo.get('ipython-cold.log');
    const [row] = demo.run('sql', id, "SELECT id, self_us, cumulative_us FROM imports WHERE module = 'IPython.core.interactiveshell' AND NOT cached", '--json')[0];
    const page = await pages.open(`${demo.url}#/run/${id}/imports?sel=${row.id}`);
    const pane = page.getByRole('complementary', { name: 'Selection' });
    await pane.waitFor();
    const text = (await pane.innerText()).replace(/\s+/g, ' ');
    const ms = (us) => `${(us / 1000).toFixed(3).replace(/\B(?=(\d{3})+(?!\d)\.)/g, ',')} ms`;
    check(text.includes(`Cumulative ${ms(row.cumulative_us)}`) && text.includes(`Self ${ms(row.self_us)}`), text);
    check(/Heaviest chain \d+ modules/.test(text) && /First importer 1/.test(text) && /Imports \d+/.test(text), text);
    await page.getByRole('link', { name: 'Who imports', exact: true }).click();
    await until(async () => (await page.locator('.who-sentence').innerText()).startsWith('IPython.core.interactiveshell'), 'the same module in Who imports');
});
