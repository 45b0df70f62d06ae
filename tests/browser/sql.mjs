/* SPDX-License-Identifier: MIT
 *
 * The SQL tab: an example, the keyboard, mistakes at their place, what is cut, charts, files, the
 * documentation beside it, and the same after a reload.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { check, DEMO, equal, grid, rowTexts, Shelf, settle, test, until } from './lib.mjs';

const ENDLESS = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)';

async function withRun(file, work) {
    const shelf = await Shelf.start();
    try {
        await work(shelf, shelf.add(join(DEMO, file)));
    } finally {
        await shelf.stop();
    }
}

const editor = (page) => page.getByLabel('Statement', { exact: true });
const said = (page) => page.locator('.sql-answer .pane-remark');

async function ask(page, sql) {
    await editor(page).fill(sql);
    await page.keyboard.press('Control+Enter');
}

test('SQL: a statement, its answer in any order, and the same after a reload', ({ pages }) =>
    withRun('expressions.prof', async (shelf, run) => {
        const page = await pages.open(`${shelf.url}#/run/${run.id}/sql`);
        await page.getByText('Type one SELECT statement').waitFor();
        await page.getByRole('button', { name: 'Examples' }).click();
        await page.getByRole('menuitem', { name: 'Functions with most self time' }).click();
        await until(async () => (await rowTexts(page, 'Result')).length > 10, 'rows');
        check((await editor(page).inputValue()).startsWith('SELECT name, file'), 'the example stands in the editor');
        await ask(page, "SELECT 'b' AS word, 2 AS n UNION ALL SELECT 'a', 10");
        await until(async () => (await rowTexts(page, 'Result')).length === 2, 'two rows');
        await grid(page, 'Result').getByRole('button', { name: 'n', exact: true }).click();
        await until(async () => (await rowTexts(page, 'Result'))[0][0] === 'a', 'the greatest first');
        await page.reload();
        await settle(page);
        await until(async () => (await rowTexts(page, 'Result'))[0]?.[0] === 'a', 'the same after a reload');
        await page.goBack();
        await until(async () => (await rowTexts(page, 'Result')).length > 10, 'Back is the statement before');
        await page.getByRole('button', { name: 'History' }).click();
        await page.getByRole('menuitem', { name: "SELECT 'b' AS word" }).click();
        check((await editor(page).inputValue()).includes("'b' AS word"), 'what was asked before comes back');
    }));

test('SQL: a mistake is marked, what writes is refused, what is long is cut or stopped', ({ pages }) =>
    withRun('expressions.prof', async (shelf, run) => {
        pages.expect(/400 \(Bad Request\)/);
        const page = await pages.open(`${shelf.url}#/run/${run.id}/sql`);
        await ask(page, 'SELECT nam FROM functions');
        await page.getByText('no such column: nam').waitFor();
        equal(await page.locator('.sql-wrong').innerText(), 'nam', 'the mistake');
        await ask(page, 'DROP TABLE function');
        await page.getByText('not authorized').waitFor();
        await ask(page, `${ENDLESS} SELECT i FROM n`);
        await until(async () => (await said(page).innerText()).includes('first rows only'), 'it is cut');
        await page.getByRole('button', { name: 'up to 100,000' }).click();
        await until(async () => (await said(page).innerText()).startsWith('100,000 rows'), 'more of it');
        await grid(page, 'Result').focus();
        await page.keyboard.press('End');
        await until(async () => (await rowTexts(page, 'Result')).some(([first]) => first === '100,000'), 'its end');
        await ask(page, `${ENDLESS} SELECT count(*) FROM n`);
        await page.getByRole('button', { name: 'Stop' }).click();
        await page.getByRole('button', { name: 'Run' }).waitFor();
    }));

test('SQL: a run of an older version lacks newer views', ({ pages }) =>
    withRun('expressions.prof', async (shelf, run) => {
        const drop = 'import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute("DROP VIEW collectives")';
        execFileSync('python3', ['-c', drop, join(shelf.folder, 'runs', `${run.id}.db`)]);
        const page = await pages.open(`${shelf.url}#/run/${run.id}/sql`);
        await page.getByText(/\d with rows/).waitFor();
        check((await page.locator('.pane', { hasText: 'with rows' }).innerText()).includes('functions'), 'the views that there are');
    }));

test('SQL: a chart of two columns, and files of all rows', ({ pages }) =>
    withRun('expressions.prof', async (shelf, run) => {
        const page = await pages.open(`${shelf.url}#/run/${run.id}/sql`);
        await ask(page, 'SELECT name, ncalls, tottime_s FROM functions ORDER BY 3 DESC LIMIT 12');
        await page.getByRole('button', { name: 'Chart' }).click();
        await page.getByRole('img', { name: 'ncalls over name' }).waitFor();
        await page.getByRole('button', { name: 'Vertical' }).click();
        await page.getByRole('menuitem', { name: 'tottime_s' }).click();
        await page.getByRole('button', { name: 'Bars' }).click();
        await page.getByRole('img', { name: 'tottime_s over name' }).waitFor();
        check(page.url().includes('chart=bars') && page.url().includes('y=tottime_s'), page.url());
        const waiting = page.waitForEvent('download');
        await page.getByRole('button', { name: 'Export' }).click();
        await page.getByRole('menuitem', { name: 'CSV' }).click();
        const file = readFileSync(await (await waiting).path(), 'utf8')
            .trim()
            .split('\r\n');
        equal([file[0], file.length], ['name,ncalls,tottime_s', 13], 'the file');
        await ask(page, "SELECT 'a' AS a");
        await page.getByText('No numeric column to draw. Select at least one column of numbers.').waitFor();
    }));

test('SQL: the documentation tells the columns that there are', ({ pages }) =>
    withRun('expressions.prof', async (shelf, run) => {
        const page = await pages.open(`${shelf.url}#/run/${run.id}/sql`);
        const views = page.locator('.sql-docs details');
        await page.getByText('no rows').first().waitFor();
        equal(
            (await views.allInnerTexts()).slice(0, 4).map((text) => text.trim()),
            ['run', 'functions', 'callers', 'nodes'],
            'filled ones first',
        );
        for (let i = 0; i < (await views.count()); i++) {
            await views.nth(i).locator('summary').click();
            const name = await views.nth(i).locator('summary .mono').innerText();
            const told = await views.nth(i).locator('.sql-doc-line .sql-name').allInnerTexts();
            const body = JSON.stringify({ run: run.id, sql: `SELECT * FROM "${name}" LIMIT 0` });
            const answer = await (await fetch(`${shelf.url}api/v1/sql`, { method: 'POST', body })).json();
            equal(
                told,
                answer.columns.map((column) => column.name),
                name,
            );
        }
        await editor(page).fill('SELECT  FROM functions');
        await editor(page).evaluate((box) => box.setSelectionRange(7, 7));
        await page.locator('.sql-docs').getByRole('button', { name: 'tottime_s', exact: true }).first().click();
        equal(await editor(page).inputValue(), 'SELECT tottime_s FROM functions', 'a click inserts');
    }));

test('SQL: several runs are checked on the shelf and asked at once', async ({ pages }) => {
    const shelf = await Shelf.start();
    try {
        for (const file of ['expressions.prof', 'bookshop-slow.prof', 'stdlib.log']) shelf.add(join(DEMO, file));
        const page = await pages.open(shelf.url);
        await page.getByRole('button', { name: 'more of the shelf' }).click();
        await page.getByRole('menuitem', { name: 'SQL' }).click();
        await ask(page, 'SELECT name, kind FROM runs ORDER BY name');
        await until(async () => (await rowTexts(page, 'Result')).length === 3, 'the catalog');
        await page.goto(`${shelf.url}#/`);
        for (const name of ['expressions.prof', 'bookshop-slow.prof']) await page.getByRole('checkbox', { name }).check();
        await page.getByRole('region', { name: 'checked runs' }).getByRole('link', { name: 'SQL' }).click();
        await page.getByRole('button', { name: 'Examples' }).click();
        await page.getByRole('menuitem', { name: 'Functions across these runs' }).click();
        await until(async () => new Set((await rowTexts(page, 'Result')).map((row) => row[2])).size === 2, 'functions of both');
        const told = await (
            await fetch(`${shelf.url}api/v1/sql`, { method: 'POST', body: JSON.stringify({ runs: [], sql: 'SELECT * FROM runs LIMIT 0' }) })
        ).json();
        const first = page
            .locator('.sql-docs details')
            .filter({ has: page.getByText('runs', { exact: true }) })
            .first();
        await first.locator('summary').click();
        equal(
            await first.locator('.sql-doc-line .sql-name').allInnerTexts(),
            told.columns.map(({ name }) => name),
            'its columns',
        );
    } finally {
        await shelf.stop();
    }
});

test('SQL: a statement is saved for others, offered for its kind, and removed', ({ pages }) =>
    withRun('expressions.prof', async (shelf, run) => {
        const page = await pages.open(`${shelf.url}#/run/${run.id}/sql`);
        await editor(page).fill("SELECT 'kept' AS word");
        await page.getByRole('button', { name: 'Saved' }).click();
        await page.getByRole('menuitem', { name: 'Save or remove' }).click();
        await page.getByLabel('Name', { exact: true }).fill('the word');
        await page.keyboard.press('Enter');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        await page.reload();
        await settle(page);
        await page.getByRole('button', { name: 'Saved' }).click();
        await page.getByRole('menuitem', { name: 'the word' }).click();
        await until(async () => (await rowTexts(page, 'Result'))[0]?.[0] === 'kept', 'its answer');
        await page.getByRole('button', { name: 'Saved' }).click();
        await page.getByRole('menuitem', { name: 'Save or remove' }).click();
        await page.getByRole('button', { name: 'remove the word' }).click();
        await page.getByRole('button', { name: 'remove the word' }).waitFor({ state: 'detached' });
    }));

test('SQL: views and columns are completed by keyboard', ({ pages }) =>
    withRun('expressions.prof', async (shelf, run) => {
        const page = await pages.open(`${shelf.url}#/run/${run.id}/sql`);
        const list = page.getByRole('listbox', { name: 'completions' });
        const marked = list.locator('[aria-selected=true]');
        await page.getByText('no rows').first().waitFor();
        await editor(page).fill('');
        await page.keyboard.type('SELECT f.tot');
        equal(await list.count(), 0, 'f is unknown yet');
        await editor(page).fill('SELECT  FROM func');
        await editor(page).press('End');
        await page.keyboard.type('t');
        await marked.getByText('functions').waitFor();
        await page.keyboard.press('Tab');
        equal(await editor(page).inputValue(), 'SELECT  FROM functions', 'Tab completes the view');
        await page.keyboard.type(' f');
        await page.keyboard.press('Escape');
        await editor(page).evaluate((box) => box.setSelectionRange(7, 7));
        await page.keyboard.type('f.t');
        await marked.getByText('tottime_s').waitFor();
        check((await marked.innerText()).includes('own time'), 'the comment of the schema');
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('ArrowUp');
        await page.keyboard.press('Enter');
        equal(await editor(page).inputValue(), 'SELECT f.tottime_s FROM functions f', 'Enter completes the column');
        await page.keyboard.type(', f.nc');
        await list.waitFor();
        await page.keyboard.press('Escape');
        equal(await list.count(), 0, 'Escape closes the list');
        check(await editor(page).evaluate((box) => box === document.activeElement), 'and the editor keeps the focus');
        await page.keyboard.press('Control+ ');
        await marked.getByText('ncalls').click();
        equal(await editor(page).inputValue(), 'SELECT f.tottime_s, f.ncalls FROM functions f', 'a click completes');
        await page.keyboard.press('Control+Enter');
        await until(async () => (await rowTexts(page, 'Result')).length > 10, 'it runs');
    }));

const hash = (page) => page.evaluate(() => decodeURIComponent(location.hash.replaceAll('+', ' ')));

test('SQL: cells and rows lead back to functions and to the timeline', async ({ pages }) => {
    const shelf = await Shelf.start();
    try {
        const dump = shelf.add(join(DEMO, 'expressions.prof'));
        const trace = shelf.add(join(DEMO, 'training.pt.trace.json.gz'));
        const page = await pages.open(`${shelf.url}#/run/${dump.id}/sql`);
        await ask(page, 'SELECT id, name AS n, 2 AS file FROM functions ORDER BY tottime_s DESC LIMIT 3');
        await until(async () => (await rowTexts(page, 'Result')).length === 3, 'functions');
        equal(await grid(page, 'Result').locator('.sql-link').count(), 6, 'ids and names are links, computed columns are not');
        const [[id, name]] = await rowTexts(page, 'Result');
        await grid(page, 'Result').getByRole('link', { name, exact: true }).click();
        equal(await hash(page), `#/run/${dump.id}/functions?q=${name}&fn=${id}`, 'the function');
        await page.goto(`${shelf.url}#/run/${trace.id}/sql`);
        await ask(page, 'SELECT id, name, start_ns, duration_ns FROM slices WHERE kind = 6 ORDER BY duration_ns DESC LIMIT 5');
        await until(async () => (await rowTexts(page, 'Result')).length === 5, 'kernels');
        const [first] = await rowTexts(page, 'Result');
        await grid(page, 'Result').focus();
        await page.keyboard.press('Home');
        await page.keyboard.press('Enter');
        const number = (text) => Number(text.replaceAll(',', ''));
        await until(async () => (await hash(page)).startsWith(`#/run/${trace.id}/timeline?slice=${number(first[0])}&at=`), 'the timeline');
        const [from, to] = /at=(\d+)~(\d+)/.exec(await hash(page)).slice(1).map(Number);
        check(from <= number(first[2]) && to >= number(first[2]) + number(first[3]), `its time is in view: ${from}~${to}`);
        await until(async () => (await page.locator('.selection-name').getAttribute('title'))?.startsWith(first[1]), 'its name');
        await page.goto(`${shelf.url}#/sql?runs=${dump.id},${trace.id}`);
        await ask(page, `SELECT run, name FROM functions WHERE name = '${name}' UNION ALL SELECT 'no run', 'x'`);
        await page.getByRole('link', { name: 'expressions.prof', exact: true }).waitFor();
        await page.getByRole('link', { name, exact: true }).click();
        equal(await hash(page), `#/run/${dump.id}/functions?q=${name}`, 'the function in its run');
    } finally {
        await shelf.stop();
    }
});

test('SQL: rows with a start are marks on the timeline, until they are removed', ({ pages }) =>
    withRun('training-waits.pt.trace.json.gz', async (shelf, run) => {
        const page = await pages.open(`${shelf.url}#/run/${run.id}/sql`);
        const query = () => new URLSearchParams(new URL(page.url()).hash.split('?')[1] ?? '');
        const show = page.getByRole('link', { name: 'Show on timeline' });
        await ask(page, 'SELECT 1 AS one');
        await until(async () => (await rowTexts(page, 'Result')).length === 1, 'a row without a time');
        equal(await show.count(), 0, 'nothing to show');
        const sql = "SELECT id, name, start_ns, duration_ns FROM slices WHERE name LIKE '%AllReduce%' -- one a step";
        await ask(page, sql);
        await until(async () => (await rowTexts(page, 'Result')).length === 12, 'rows');
        await show.click();
        const chip = page.locator('.timeline-chip');
        await until(async () => (await chip.innerText()).includes('12 rows'), 'their number');
        equal(query().get('overlay'), sql, 'the statement is in the address');
        const label = page.locator('.timeline-label.is-rows');
        equal(await label.innerText(), 'SQL: 12 rows', 'the label');

        const answer = await fetch(`${shelf.url}api/v1/sql`, { method: 'POST', body: JSON.stringify({ run: run.id, sql }) });
        const [[id, , start, duration]] = (await answer.json()).rows;
        const timeline = await (await fetch(`${shelf.url}api/v1/runs/${run.id}/timeline`)).json();
        const canvas = await page.locator('.timeline-canvas').boundingBox();
        const box = await label.boundingBox();
        const share = (start + duration / 2 - timeline.start_ns) / (timeline.end_ns - timeline.start_ns);
        const at = [canvas.x + share * canvas.width, box.y + 10];
        await page.mouse.move(...at);
        await until(async () => /AllReduce[^]*row 1,/.test(await page.locator('.timeline-tip').innerText().catch(() => '')), 'the tooltip of the row');
        await page.mouse.click(...at);
        await until(() => query().get('slice') === String(id), 'the slice of the row');
        await page.getByRole('button', { name: 'remove the rows of the statement' }).click();
        await until(async () => (await label.count()) === 0 && !query().has('overlay'), 'removed');

        await page.goto(`${shelf.url}#/run/${run.id}/timeline?overlay=${encodeURIComponent('SELECT start_ns FROM slices UNION ALL SELECT start_ns FROM slices;')}`);
        const all = (await (await fetch(`${shelf.url}api/v1/sql`, { method: 'POST', body: JSON.stringify({ run: run.id, sql: 'SELECT 2 * count(*) FROM slices' }) })).json()).rows[0][0];
        await until(async () => (await chip.innerText()).includes(`5,000 rows, ${(all - 5000).toLocaleString('en')} omitted`), 'what is omitted');
        pages.expect(/400 \(Bad Request\)/);
        await page.goto(`${shelf.url}#/run/${run.id}/timeline?overlay=SELECT%20missing`);
        await until(async () => (await chip.innerText()).includes('no such column'), 'the error');
    }));
