/* SPDX-License-Identifier: MIT
 *
 * Two runs side by side: every view of the main kinds opens in both panels, what is done in one is
 * done in the other, by names where ids differ, and the address restores it.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { faultsOfPage } from './access.mjs';
import { check, dropFiles, equal, grid, longTest, quiet, ROOT, rowTexts, settle, Shelf, test, until, zoomWheel } from './lib.mjs';

const panel = (page, side) => page.frameLocator(`.side-panel.is-${side} iframe`);
const both = (page) => ['base', 'new'].map((side) => panel(page, side));
const queryOf = (page) => new URLSearchParams(page.url().split('?')[1] ?? '');

async function openSide(pages, shelf, base, fresh, view = '', rest = '') {
    const page = await pages.open(`${shelf.url}#/compare/side${view && `/${view}`}?base=${base}&new=${fresh}${rest}`);
    await drawn(page);
    return page;
}

async function drawn(page) {
    for (const one of both(page)) await one.locator('main.panel').waitFor();
    await quiet(page);
}

const demoPair = (demo, base, fresh) => [demo.demo.get(base).id, demo.demo.get(fresh).id];
const bookshop = (demo) => demoPair(demo, 'bookshop-slow.prof', 'bookshop-joined.prof');
const imports = (demo) => demoPair(demo, 'ipython-cold.log', 'ipython-warm.log');
const training = (demo) => demoPair(demo, 'training-waits.pt.trace.json.gz', 'training.pt.trace.json.gz');

/* Runs made of these texts: [base, new]. */
async function withTexts(texts, work) {
    const shelf = await Shelf.start();
    const folder = mkdtempSync(join(tmpdir(), 'perfshelf-side-'));
    try {
        const ids = texts.map((text, i) => {
            const file = join(folder, `run${i}.txt`);
            writeFileSync(file, text);
            return shelf.add(file, '--name', `run ${i}`).id;
        });
        await work(shelf, ...ids);
    } finally {
        rmSync(folder, { recursive: true });
        await shelf.stop();
    }
}

const lineReport = (first, lines) =>
    [
        'Timer unit: 1e-06 s',
        '',
        `Total time: ${lines.reduce((sum, [time]) => sum + time, 0) / 1e6} s`,
        'File: app.py',
        `Function: work at line ${first}`,
        '',
        'Line #      Hits         Time  Per Hit   % Time  Line Contents',
        '==============================================================',
        `${String(first).padStart(6)}                                           def work():`,
        ...lines.map(
            ([time, text], i) =>
                `${String(first + 1 + i).padStart(6)}        10 ${time.toFixed(1).padStart(12)} ${(time / 10).toFixed(1).padStart(8)}     10.0      ${text}`,
        ),
        '',
    ].join('\n');

const STACKS = ['main;load;read 30\nmain;run;parse 50\nmain;run;old 9\n', 'main;run;parse 20\nmain;load;read 40\nmain;load;fresh 5\n'];

const viewTabs = (page) => page.getByRole('navigation', { name: 'views that both runs have' }).getByRole('link');

async function everyView(page, wanted) {
    const tabs = viewTabs(page);
    equal(await tabs.evaluateAll((all) => all.map((a) => a.firstChild.textContent)), wanted, 'views');
    for (const name of wanted) {
        await tabs.filter({ hasText: name }).first().click();
        await drawn(page);
        for (const one of both(page)) {
            const body = one.locator('main.panel');
            check((await body.innerText()).trim() !== '' || (await body.locator('canvas').count()) > 0, `${name} is empty`);
            equal(await one.locator('.notice.is-error').count(), 0, `errors of ${name}`);
            check(await body.evaluate((el) => el.ownerDocument.documentElement.scrollWidth <= el.ownerDocument.documentElement.clientWidth), `${name} fits`);
        }
        check(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name} fits the page`);
    }
}

const VIEWS = {
    imports: [imports, ['Imports', 'Packages', 'Who imports', 'Make lazy', 'Ledger']],
    cProfile: [bookshop, ['Functions', 'Call tree', 'Call graph', 'Files', 'Lines', 'Ledger']],
    trace: [training, ['Timeline', 'Overview', 'Critical path', 'Operators', 'Kernels', 'Roofline', 'Summaries', 'Memory', 'Modules', 'Flame', 'Ledger']],
};
for (const [kind, [pair, views]] of Object.entries(VIEWS)) {
    (kind === 'trace' ? test : longTest)(`side: every view of ${kind} opens twice`, async ({ pages, demo }) => {
        const page = await openSide(pages, demo, ...pair(demo));
        await everyView(page, views);
    });
}

longTest('side: every view of stacks opens twice', ({ pages }) =>
    withTexts(STACKS, async (shelf, base, fresh) => {
        const page = await openSide(pages, shelf, base, fresh);
        await everyView(page, ['Left heavy', 'Functions', 'Sandwich', 'File order', 'Ledger']);
    }));

const GOLDEN = join(ROOT, 'tests', 'golden');
const OTHERS = [
    ['key_averages', 'ok_cpu.txt', 'ok_cuda.txt'],
    ['lightning', 'ok_simple.txt', 'ok_both.txt'],
    ['lprof', 'ok_v40.lprof', 'ok_v42_recursion.lprof'],
    ['hyperfine', 'ok_hyperfine_v2.json', '../pytest_benchmark/ok_pytest_v5.json'],
    ['time', 'ok_time_v.txt', 'ok_time_bash.txt'],
    ['top', 'ok_top.txt', 'ok_top_one.txt'],
    ['memory_text', 'ok_basic.txt', 'ok_old.txt'],
    ['memory_timeline', 'ok_raw.json', 'ok_sums.json'],
    ['mprof', 'ok_children.dat', 'ok_functions.dat'],
    ['nsys', 'ok_full.sqlite', 'ok_old.sqlite'],
    ['pstats_text', 'ok_cprofile.txt', 'ok_several.txt'],
    ['scalene', 'ok_v1516.json', 'ok_v1554.json'],
    ['speedscope', 'ok_evented.json', 'ok_sampled.json'],
    ['torch_memory', 'ok_history.pickle', 'ok_many.pickle'],
];
for (const [folder, ...samples] of OTHERS) {
    longTest(`side: every view of ${folder}, ${samples.join(' and ')}, opens twice`, async ({ pages }) => {
        const shelf = await Shelf.start();
        try {
            const ids = samples.map((name) => shelf.add(join(GOLDEN, folder, name)).id);
            const page = await openSide(pages, shelf, ...ids);
            const views = await viewTabs(page).evaluateAll((all) => all.map((a) => a.firstChild.textContent));
            check(views.length > 1 && views.at(-1) === 'Ledger', `views: ${views}`);
            await everyView(page, views);
        } finally {
            await shelf.stop();
        }
    });
}

test('side: search, sort and filters are one', async ({ pages, demo }) => {
    const page = await openSide(pages, demo, ...bookshop(demo), 'functions');
    const [base, fresh] = both(page);
    await base.getByRole('button', { name: /^ncalls/ }).click();
    await until(() => queryOf(page).has('sort'), 'the sort in the URL');
    await fresh.getByPlaceholder(/Filter/).fill('render');
    await until(async () => (await base.getByPlaceholder(/Filter/).inputValue()) === 'render', 'the same search');
    await quiet(page);
    for (const one of both(page)) {
        const names = (await rowTexts(one, 'Functions')).map((cells) => cells.join(' '));
        check(names.length > 1 && names.every((name) => /render/i.test(name)), names.join());
    }
    await page.reload();
    await drawn(page);
    for (const one of both(page)) {
        equal(await one.getByPlaceholder(/Filter/).inputValue(), 'render', 'after a reload');
        check(/ncalls/.test(await one.locator('[aria-sort=descending]').innerText()), 'sorted as before');
    }
});

const chosen = (one, label) => grid(one, label).locator('.grid-row.is-selected').innerText();

test('side: a function chosen in one is chosen in the other, and Back undoes both', async ({ pages, demo }) => {
    const page = await openSide(pages, demo, ...bookshop(demo), 'functions');
    const [base, fresh] = both(page);
    await grid(base, 'Functions').getByText('render_template_string', { exact: true }).click();
    await until(() => queryOf(page).get('new.fn'), 'its twin in the URL');
    await until(async () => /render_template_string/.test(await chosen(fresh, 'Functions')), 'chosen there');
    const query = queryOf(page); // before, the twin of what was chosen by itself may stand there
    check(query.get('base.fn') !== query.get('new.fn'), 'ids differ');
    await page.reload();
    await drawn(page);
    check(/render_template_string/.test(await chosen(fresh, 'Functions')), 'chosen after a reload');
    await page.getByRole('link', { name: 'Call tree' }).click();
    await drawn(page);
    await page.goBack();
    await drawn(page);
    check(/render_template_string/.test(await chosen(base, 'Functions')), 'Back restores both panels');
    await page.keyboard.press('x');
    await drawn(page);
    await until(() => queryOf(page).get('base.fn') === query.get('new.fn'), 'swapped with its group');
    await until(async () => /render_template_string/.test(await chosen(base, 'Functions')), 'chosen on the other side');
});

test('side: what the other run lacks is said', async ({ pages, demo }) => {
    const page = await openSide(pages, demo, ...bookshop(demo), 'functions', '&q=author_of');
    const [base] = both(page);
    await grid(base, 'Functions').locator('.grid-row').first().click();
    await page.getByRole('status').filter({ hasText: /author_of.* is not in this run/ }).waitFor();
    check(queryOf(page).get('new.fn') !== null, 'what was chosen there before still is');
});

test('side: an icicle zooms and selects in both, by the names above a frame', ({ pages }) =>
    withTexts(STACKS, async (shelf, base, fresh) => {
        const page = await openSide(pages, shelf, base, fresh, 'flame');
        const [left, right] = both(page);
        const at = async (one, key) => (await one.locator('.frame-scroll').getAttribute('aria-label')).includes(key);
        await left.locator('.frame-scroll').click({ position: { x: 40, y: 27 } });
        await page.keyboard.press('ArrowDown');
        await until(() => at(left, 'at run'), 'the widest below main in base');
        await until(() => at(right, 'at run'), 'the same in new, where it is not the widest');
        await page.keyboard.press('Enter');
        await until(() => queryOf(page).get('new.flame_zoom'), 'zoomed');
        for (const one of [left, right]) await one.locator('.frame-crumb').filter({ hasText: 'run' }).waitFor();
        await left.locator('.frame-scroll').hover({ position: { x: 300, y: 60 } });
        await zoomWheel(page, -200);
        await until(async () => /~.*~/.test(decodeURIComponent(page.url())), 'the same stretch in both');
        await page.keyboard.press('Enter');
        await until(() => !page.url().includes('~'), 'back at the frame');
        await page.reload();
        await drawn(page);
        for (const one of [left, right]) await one.locator('.frame-crumb').filter({ hasText: 'run' }).waitFor();
        await page.keyboard.press('0');
        await until(() => !/flame_zoom/.test(page.url()), 'zoomed out in both');
    }));

test('side: a row under the pointer is marked in both, and tables scroll together', async ({ pages, demo }) => {
    const page = await openSide(pages, demo, ...imports(demo), 'imports');
    const [base, fresh] = both(page);
    const names = async (one) => (await rowTexts(one, 'Modules')).map(([name]) => name);
    const beside = await names(fresh);
    const name = (await names(base)).slice(0, 12).find((one) => beside.includes(one));
    await grid(base, 'Modules').getByText(name, { exact: true }).hover();
    const marked = fresh.locator('.grid-row.is-beside');
    await until(async () => (await marked.count()) === 1 && (await marked.innerText()).includes(name), 'the same row');
    await page.mouse.move(700, 20);
    await until(async () => (await marked.count()) === 0, 'no row');
    await grid(base, 'Modules').hover();
    await page.mouse.wheel(0, 480);
    const top = (one) => grid(one, 'Modules').evaluate((el) => el.scrollTop);
    await until(async () => (await top(base)) > 200 && (await top(base)) === (await top(fresh)), 'the same place');
});

test('side: a line is met by its text where the source moved', ({ pages }) =>
    withTexts(
        [
            lineReport(3, [[1000, 'read()'], [2000, 'parse()'], [500, 'gone()']]),
            lineReport(9, [[1000, 'check()'], [1000, 'read()'], [4000, 'parse()']]),
        ],
        async (shelf, base, fresh) => {
            const page = await openSide(pages, shelf, base, fresh, 'lines');
            const [left] = both(page);
            await left.locator('.source-row').filter({ hasText: 'read()' }).click();
            await until(() => queryOf(page).get('new.line'), 'the line of the same text');
            equal([queryOf(page).get('base.line'), queryOf(page).get('new.line')], ['4', '11'], 'lines');
            await left.locator('.source-row').filter({ hasText: 'gone()' }).click();
            await page.getByRole('status').filter({ hasText: 'gone() is not in this run' }).waitFor();
        },
    ));

test('side: another run of a group is shown, links lead out of a panel, 800 px stack them', async ({ pages, demo }) => {
    const [slow, joined] = bookshop(demo);
    const cached = demo.demo.get('bookshop-cached.prof').id;
    const page = await openSide(pages, demo, slow, `${joined},${cached}`, 'functions');
    await page.getByRole('button', { name: 'which run of new' }).click();
    await page.getByRole('menuitem', { name: /pages cached/ }).click();
    await until(() => queryOf(page).get('new.run') === cached, 'picked');
    await drawn(page);
    await until(() => queryOf(page).get('new.fn'), 'what is chosen in base is looked for in it');
    await page.locator('.side-panel.is-new .side-name').filter({ hasText: 'pages cached' }).waitFor();
    await page.setViewportSize({ width: 800, height: 900 });
    const boxes = await page.locator('.side-panel').evaluateAll((all) => all.map((el) => el.getBoundingClientRect().toJSON()));
    check(boxes[1].top >= boxes[0].bottom - 1, 'one below the other');
    await page.locator('.side-panel.is-new .side-name').click();
    await until(() => page.url().includes(`#/run/${cached}`), 'the report itself');
    await settle(page);
});

test('side: what the base shows first is shown in both', ({ pages }) =>
    withTexts(STACKS, async (shelf, base, fresh) => {
        const page = await openSide(pages, shelf, base, fresh, 'sandwich');
        for (const one of both(page)) {
            await until(async () => /parse/.test(await chosen(one, 'Functions')), 'the costliest of base, though read is that of new');
        }
        await grid(panel(page, 'new'), 'Functions').getByText('read', { exact: true }).click();
        await until(async () => /read/.test(await chosen(panel(page, 'base'), 'Functions')), 'chosen in both');
    }));

test('side: call graphs choose and show the same function', async ({ pages, demo }) => {
    const page = await openSide(pages, demo, ...bookshop(demo), 'callgraph');
    const [base, fresh] = both(page);
    const boxOf = (one, name) => one.locator('.graph-node').filter({ has: one.locator(`text.graph-name:text-is("${name}")`) }).first();
    await boxOf(base, '_request_from_builder_args').click();
    await until(() => queryOf(page).get('new.fn'), 'its twin');
    await until(async () => /is-selected/.test(await boxOf(fresh, '_request_from_builder_args').getAttribute('class')), 'outlined in both');
    await until(async () => /is-beside/.test(await boxOf(fresh, '_request_from_builder_args').getAttribute('class')), 'under the pointer in both');
    await zoomWheel(page, -300);
    const scale = (one) => one.locator('.call-graph > g').evaluate((el) => /scale\((\S+)\)/.exec(el.getAttribute('transform'))[1]);
    await until(async () => Math.abs((await scale(base)) - (await scale(fresh))) < 0.01 && queryOf(page).has('new.view'), 'the same scale');
});

test('side: curves have one pointer and one stretch of time', async ({ pages }) => {
    const shelf = await Shelf.start();
    try {
        const ids = ['ok_children.dat', 'ok_functions.dat'].map((name) => shelf.add(join(GOLDEN, 'mprof', name)).id);
        const page = await openSide(pages, shelf, ...ids, 'memory');
        const [base, fresh] = both(page);
        await base.locator('.memory-chart').hover({ position: { x: 90, y: 200 } });
        await fresh.locator('.beside-line').waitFor();
        await zoomWheel(page, -300);
        await until(() => queryOf(page).has('to'), 'zoomed');
        await quiet(page);
        await page.keyboard.press('0');
        await until(() => !queryOf(page).has('to'), 'the whole time in both');
    } finally {
        await shelf.stop();
    }
});

test('side: files dropped on a panel are for the shelf', async ({ pages, demo }) => {
    const page = await openSide(pages, demo, ...imports(demo));
    await dropFiles(page, [join(ROOT, 'demo', 'profiles', 'stdlib.log')], { release: false });
    await page.locator('.drop-overlay').waitFor();
});

for (const [theme, width] of [['light', 1440], ['dark', 800]]) {
    (width === 800 ? test : longTest)(`side: names, texts and structure, ${theme}, ${width} px`, async ({ pages, demo }) => {
        const [base, fresh] = bookshop(demo);
        const page = await pages.open(`${demo.url}#/compare/side/functions?base=${base}&new=${fresh}`, { theme, width });
        await drawn(page);
        for (const frame of page.frames()) {
            const faults = await frame.evaluate(faultsOfPage);
            check(!faults.length, `${frame.url()}: ${faults.join('\n')}`);
        }
        await page.screenshot({ path: join(ROOT, 'tests', 'browser', 'shots', `compare-side-${theme}-${width}.png`) });
    });
}
