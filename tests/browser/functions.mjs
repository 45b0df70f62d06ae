/* SPDX-License-Identifier: MIT
 *
 * The cProfile report: numbers are pstats' own, and what one sees stands in the URL.
 */
import { check, equal, grid, quiet, rowTexts, test, until } from './lib.mjs';

const DUMP = 'expressions.prof';

function report(demo, file, tab = 'functions', query = '') {
    return `${demo.url}#/run/${demo.demo.get(file).id}/${tab}${query}`;
}

async function functions(page) {
    return until(async () => {
        const rows = await rowTexts(page, 'Functions');
        return rows.length > 3 ? rows : null;
    }, 'rows of the functions table');
}

const sql = (demo, file, statement) => demo.run('sql', demo.demo.get(file).id, statement, '--json')[0];

test('functions: the table equals pstats', async ({ pages, demo }) => {
    const page = await pages.open(report(demo, DUMP));
    const rows = await functions(page);
    const wanted = sql(demo, DUMP, 'SELECT name, ncalls, primitive_calls, tottime_s, cumtime_s FROM functions ' +
        'ORDER BY cumtime_s DESC, id LIMIT 8');
    const byName = new Map(rows.map((cells) => [cells[5], cells]));
    for (const row of wanted) {
        const cells = [...byName.entries()].find(([name]) => row.name.includes(name))?.[1];
        check(cells, `${row.name} is not among ${[...byName.keys()]}`);
        const calls = row.ncalls === row.primitive_calls ? row.ncalls.toLocaleString('en-US')
            : `${row.ncalls.toLocaleString('en-US')}/${row.primitive_calls.toLocaleString('en-US')}`;
        equal(cells[0], calls, `ncalls of ${row.name}`);
        equal(cells[1], row.tottime_s.toFixed(3), `tottime of ${row.name}`);
        equal(cells[3], row.cumtime_s.toFixed(3), `cumtime of ${row.name}`);
    }
});

test('functions: sort, search, select, reload', async ({ pages, demo }) => {
    const page = await pages.open(report(demo, DUMP));
    await functions(page);
    await grid(page, 'Functions').getByText('tottime').first().click();
    await until(() => /sort=tottime/.test(page.url()), 'the sort in the URL');
    await page.keyboard.press('/');
    await page.keyboard.type('evaluate');
    await until(async () => /q=evaluate/.test(page.url()), 'the search in the URL');
    await quiet(page); // a row is clicked when it is not about to move
    const row = grid(page, 'Functions').locator('.grid-row', { hasText: 'evaluate' }).first();
    await row.click();
    await until(() => /(sel|fn)=/.test(page.url()), 'the selection in the URL');
    await quiet(page); // the pane of the function comes after its row
    const before = await page.locator('main').innerText();
    await page.reload();
    await until(async () => (await page.locator('main').innerText()) === before, 'the same after a reload');
});

test('functions: callers and callees of the selected one', async ({ pages, demo }) => {
    const [fn] = sql(demo, DUMP, "SELECT id FROM functions WHERE name = 'total'");
    const page = await pages.open(report(demo, DUMP, 'functions', `?sel=${fn.id}`));
    await functions(page);
    const callers = sql(demo, DUMP, `SELECT f.name FROM callers c JOIN functions f ON f.id = c.caller_id WHERE callee_id = ${fn.id}`);
    const text = await until(async () => {
        const now = await page.locator('main').innerText();
        return callers.every(({ name }) => now.includes(name)) ? now : null;
    }, `callers ${callers.map(({ name }) => name)}`);
    check(/amdahl|limit|2\s*×/i.test(text), 'no ceiling of Amdahl');
});

const pane = (page) => page.getByRole('complementary', { name: 'Selection' });
const words = async (locator) => (await locator.innerText()).replace(/\s+/g, ' ').trim();

test('functions: the pane has the sums of pstats, and the function stays selected in the other tabs', async ({ pages, demo }) => {
    const file = 'bookshop-slow.prof';
    const [fn] = sql(demo, file, "SELECT id, ncalls, tottime_s, cumtime_s FROM functions WHERE name = 'author_of'");
    const [{ total }] = sql(demo, file, 'SELECT sum(tottime_s) AS total FROM functions');
    const related = (this_id, other_id) => sql(demo, file, `SELECT f.name, c.cumtime_s FROM callers c JOIN functions f ON f.id = c.${other_id} ` +
        `WHERE c.${this_id} = ${fn.id} ORDER BY c.cumtime_s DESC`);
    const page = await pages.open(report(demo, file));
    await page.keyboard.press('/');
    await page.keyboard.type('author_of');
    await grid(page, 'Functions').locator('.grid-row', { hasText: 'author_of' }).first().click();
    await until(async () => (await words(pane(page).locator('header'))).startsWith('author_of'), 'the pane of the function');
    const share = (value) => `${value.toFixed(3)} s ${((100 * value) / total).toFixed(1)}`;
    const text = await words(pane(page));
    check(text.includes(`% of ${total.toFixed(3)} s total Total ${share(fn.cumtime_s)} Self ${share(fn.tottime_s)} Calls ${fn.ncalls.toLocaleString('en-US')}`), text);
    check(/Heaviest stack 1\d frames Show all <listcomp>/.test(text), `the heaviest stack: ${text}`);
    for (const [title, rows] of [['Callers', related('callee_id', 'caller_id')], ['Callees', related('caller_id', 'callee_id')]]) {
        const section = pane(page).locator('section').filter({ has: page.locator('h3', { hasText: title }) });
        const values = await section.locator('li .is-right:not(.soft)').allInnerTexts();
        equal(values.map((value) => value.replace(/\s/g, ' ')), rows.map(({ cumtime_s }) => `${cumtime_s.toFixed(3)} s`), title);
    }
    for (const tab of ['Call tree', 'Call graph', 'Functions']) {
        await page.getByRole('navigation', { name: 'views of this run' }).getByRole('link', { name: new RegExp(`^${tab}`) }).click();
        await until(() => page.url().includes(`/${tab.toLowerCase().replace(' ', '')}?`), tab);
        await until(async () => (await words(pane(page).locator('header'))).startsWith('author_of'), `selected in ${tab}`);
    }
    await page.getByRole('link', { name: /^Call tree/ }).click();
    await until(async () => (await words(pane(page))).includes('All 2 instances 1 of 2'), 'two calls in the tree');
    await page.keyboard.press('.');
    await until(async () => (await words(pane(page))).includes('All 2 instances 2 of 2'), 'the other call');
    await page.reload();
    await until(async () => (await words(pane(page))).includes('All 2 instances 2 of 2'), 'the same after a reload');
    await page.keyboard.press('Escape');
    await pane(page).waitFor({ state: 'detached' });
});

/* What is only there when the tab has drawn what it is about. */
const DRAWN = {
    'Call tree': '.frame-scroll canvas',
    'Call graph': 'svg.call-graph',
    Files: '.grid-scroll[aria-label="Files"] .grid-row',
};
for (const tab of Object.keys(DRAWN)) {
    test(`functions: the tab ${tab}`, async ({ pages, demo }) => {
        const page = await pages.open(report(demo, DUMP));
        await functions(page);
        await page.getByRole('navigation', { name: 'views of this run' }).getByRole('link', { name: new RegExp(`^${tab}`) }).click();
        await page.waitForURL(new RegExp(`/${tab.toLowerCase().replace(' ', '')}`));
        await page.locator(DRAWN[tab]).first().waitFor();
        await quiet(page);
        const text = await page.locator('main').innerText();
        check(!/could not be/.test(text), text);
    });
}
