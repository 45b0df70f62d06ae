/* SPDX-License-Identifier: MIT
 *
 * Selecting something: the context menu, the pane of the selection, the keys of its actions, and what
 * Back undoes.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { faultsOfPage } from './access.mjs';
import { check, equal, quiet, Shelf, test, until, zoomWheel } from './lib.mjs';

const STACKS = [
    'main (app.py:3);load (app.py:20);parse (json/decoder.py:5) 6',
    'main (app.py:3);load (app.py:20) 2',
    'main (app.py:4);render (app.py:40);load (app.py:20);parse (json/decoder.py:5) 3',
    'main (app.py:4);render (app.py:40) 1',
].join('\n');
const ROW = 18;

async function withFlame(pages, work, options) {
    const shelf = await Shelf.start();
    try {
        const file = join(shelf.folder, 'stacks.txt');
        writeFileSync(file, STACKS);
        const { id } = shelf.add(file);
        const page = await pages.open(`${shelf.url}#/run/${id}/flame`, options);
        const picture = page.getByRole('img', { name: /^Flame graph, 7 frames/ });
        await picture.waitFor();
        const box = await picture.boundingBox();
        /* the point of a frame, by its row and the share of the width */
        const at = (row, share) => ({ x: box.x + share * box.width, y: box.y + (row + 0.5) * ROW });
        await work({ page, at, shelf, id });
    } finally {
        await shelf.stop();
    }
}

const query = (page) => new URLSearchParams(new URL(page.url()).hash.split('?')[1] ?? '');
const copied = (page) => page.evaluate(() => navigator.clipboard.readText());
const menu = (page) => page.getByRole('menu');
const pause = (page) => page.waitForTimeout(1100); // longer than a run of changes in one history entry

test('selection: a right click opens the actions of a frame, and Escape closes them first', async ({ pages }) => {
    await withFlame(pages, async ({ page, at }) => {
        const load = at(2, 0.2);
        await page.mouse.click(load.x, load.y, { button: 'right' });
        await menu(page).waitFor();
        equal(await menu(page).getAttribute('aria-label'), 'load', 'the head of the menu');
        check(query(page).has('flame_frame'), 'the frame is selected');
        check((await menu(page).innerText()).includes('Find in other runs'), 'other runs');
        equal(await page.evaluate(faultsOfPage), [], 'accessible');
        await page.keyboard.press('Escape');
        await menu(page).waitFor({ state: 'detached' });
        check(query(page).has('flame_frame'), 'the frame stays selected');
        await page.keyboard.press('y');
        await until(async () => (await copied(page)) === 'main (app.py)\nload (app.py)', 'the copied stack');
        await page.getByRole('status').getByText('Stack copied').waitFor();
        await page.keyboard.press('Shift+F10');
        await menu(page).waitFor();
        await page.keyboard.press('ArrowUp');
        equal(await page.evaluate(() => document.activeElement.textContent), 'Set the editor…', 'the last entry');
        await page.keyboard.press('Shift+Y');
        await until(async () => (await copied(page)) === 'load (app.py)', 'the copied name');
        check(!(await menu(page).isVisible()), 'the menu is closed');
    });
});

test('selection: the menu stays inside the window', async ({ pages }) => {
    await withFlame(pages, async ({ page, at }) => {
        const edge = at(1, 0.999);
        await page.mouse.click(edge.x, edge.y, { button: 'right' });
        await menu(page).waitFor();
        const { x, width } = await menu(page).boundingBox();
        check(x >= 0 && x + width <= 390, `from ${x} to ${x + width}`);
    }, { width: 390, height: 844 });
});

test('selection: Back undoes zoom and selection', async ({ pages }) => {
    await withFlame(pages, async ({ page, at }) => {
        const [load, parse] = [at(2, 0.2), at(3, 0.2)];
        await page.mouse.click(load.x, load.y);
        await until(() => query(page).has('flame_frame'), 'load is selected');
        const first = query(page).get('flame_frame');
        await pause(page);
        await page.mouse.click(parse.x, parse.y);
        await until(() => query(page).get('flame_frame') !== first, 'parse is selected');
        await pause(page);
        await page.keyboard.press('Enter');
        await until(() => query(page).has('flame_zoom'), 'zoomed');
        await page.goBack();
        await until(() => !query(page).has('flame_zoom'), 'Back undoes the zoom');
        await page.goBack();
        await until(() => query(page).get('flame_frame') === first, 'Back selects load again');
        await page.goBack();
        await until(() => !query(page).has('flame_frame'), 'Back clears the selection');
        await quiet(page);
    });
});

test('selection: a search steps through its hits, and the view follows', async ({ pages }) => {
    await withFlame(pages, async ({ page, at }) => {
        await page.keyboard.press('/');
        await page.keyboard.type('parse');
        const count = page.locator('.search-count');
        await until(async () => (await count.textContent()) === '2', 'two hits');
        await page.locator('.frame-ticks').waitFor();
        for (const want of ['1 of 2', '2 of 2', '1 of 2']) {
            await page.keyboard.press('Enter');
            await until(async () => (await count.textContent()) === want, want);
        }
        await page.keyboard.press('Shift+Enter');
        await until(async () => (await count.textContent()) === '2 of 2', 'Shift+Enter steps back');
        equal(query(page).get('hit'), '2', 'the hit in the URL');
        await page.getByRole('button', { name: 'next hit' }).click();
        await until(async () => (await count.textContent()) === '1 of 2', 'the button steps too');
        equal(await page.evaluate(faultsOfPage), [], 'accessible');
        // Far away from the hit, the next step moves the view to it.
        await page.keyboard.press('Escape');
        equal(query(page).get('q'), 'parse', 'Escape leaves the field and keeps the search');
        const right = at(1, 0.98);
        await page.mouse.move(right.x, right.y);
        for (let i = 0; i < 4; i++) await zoomWheel(page, -400);
        const view = () => (query(page).get('flame_zoom') ?? '0~1').split('~').map(Number);
        await until(() => view()[0] > 0.5, 'zoomed');
        await page.getByRole('button', { name: 'previous hit' }).click();
        await page.getByRole('button', { name: 'previous hit' }).click();
        await until(() => view()[0] <= 0.25 && view()[1] >= 0.25, 'the first hit is in the view');
        await page.keyboard.press('Escape');
        await until(() => !query(page).has('q'), 'Escape clears the search first');
        check(query(page).has('flame_zoom'), 'and keeps the zoom');
    });
});

test('selection: words of the file and the line restrict a search', async ({ pages }) => {
    await withFlame(pages, async ({ page }) => {
        const field = page.getByPlaceholder('Search names');
        const count = page.locator('.search-count');
        for (const [text, hits] of [['file:app', '4'], ['-file:app', '2'], ['file:app -main', '3'], ['nothing', '0']]) {
            await field.fill(text);
            await until(async () => (await count.textContent()) === hits, `${hits} hits of ${text}`);
        }
    });
});

test('selection: the wheel scrolls, with Shift it pans, and a hint says how to zoom', async ({ pages }) => {
    await withFlame(pages, async ({ page, at }) => {
        const { x, y } = at(1, 0.5);
        await page.mouse.move(x, y);
        await page.mouse.wheel(0, 120);
        await page.getByRole('status').getByText('Ctrl + wheel zooms').waitFor();
        check(!query(page).has('flame_zoom'), 'not zoomed');
        await zoomWheel(page, -400);
        await until(() => query(page).has('flame_zoom'), 'zoomed');
        const [from] = query(page).get('flame_zoom').split('~').map(Number);
        await page.keyboard.down('Shift');
        await page.mouse.wheel(0, 200);
        await page.keyboard.up('Shift');
        await until(() => Number(query(page).get('flame_zoom').split('~')[0]) > from, 'panned');
    });
});

const pane = (page) => page.getByRole('complementary', { name: 'Selection' });
const words = async (locator) => (await locator.innerText()).replace(/\s+/g, ' ').trim();
const section = (page, title) => pane(page).locator('section').filter({ has: page.locator('h3', { hasText: title }) });

test('selection: the pane has this instance, all instances, the heaviest stack, callers and callees', async ({ pages }) => {
    await withFlame(pages, async ({ page, at }) => {
        const load = at(2, 0.2);
        await page.mouse.click(load.x, load.y);
        await pane(page).waitFor();
        check((await words(section(page, 'This instance'))).includes('Total 8 samples 66.7 Self 2 samples 16.7'), await words(pane(page)));
        check((await words(section(page, 'This instance'))).includes('% of 12 samples shown'), 'the base is written once');
        const all = await words(section(page, 'All 2 instances'));
        check(all.includes('1 of 2') && all.includes('Total 11 samples 91.7'), all);
        check((await words(section(page, 'Heaviest stack'))).includes('3 frames'), 'main, load, parse');
        equal(await words(section(page, 'Callers')), 'Callers 2, all instances main app.py 8 samples 66.7 render app.py 3 samples 25.0', 'callers');
        equal(await words(section(page, 'Callees')), 'Callees 1, all instances parse decoder.py 9 samples 75.0', 'callees');
        await page.keyboard.press('.');
        await until(async () => (await words(section(page, 'All 2 instances'))).includes('2 of 2'), 'the next instance');
        check((await words(section(page, 'This instance'))).includes('Total 3 samples'), 'it is the other one');
        await section(page, 'Callers').getByRole('button', { name: 'render' }).click();
        await until(async () => (await words(pane(page).locator('header'))).startsWith('render'), 'a click selects the caller');
        equal(await page.evaluate(faultsOfPage), [], 'accessible');
        await page.keyboard.press('Escape');
        await pane(page).waitFor({ state: 'detached' });
    });
});

test('selection: the function stays selected in the other tabs', async ({ pages }) => {
    await withFlame(pages, async ({ page, at }) => {
        const parse = at(3, 0.2);
        await page.mouse.click(parse.x, parse.y);
        await pane(page).waitFor();
        await page.getByRole('link', { name: /^Functions/ }).click();
        await until(async () => (await page.locator('.grid-row.is-selected').innerText()).includes('parse'), 'selected in the table');
        await page.getByText('render (app.py)', { exact: true }).click();
        await page.getByRole('link', { name: 'Sandwich' }).click();
        await until(async () => (await page.locator('.sandwich-row').allInnerTexts()).join().replace(/\s+/g, ' ').startsWith('render total 4 samples'), 'the sandwich of render');
        await page.getByRole('link', { name: 'Left heavy' }).click();
        await until(async () => (await words(pane(page).locator('header'))).startsWith('render'), 'render in the flame graph');
        await page.getByRole('button', { name: 'Line', exact: true }).click();
        await until(async () => (await words(pane(page).locator('header'))).startsWith('render app.py:40'), 'its line');
        await page.reload();
        await until(async () => (await words(pane(page).locator('header'))).startsWith('render app.py:40'), 'after a reload');
    });
});

test('selection: a template opens the place in an editor', async ({ pages }) => {
    await withFlame(pages, async ({ page, at }) => {
        const load = at(2, 0.2);
        await page.mouse.click(load.x, load.y);
        await pane(page).waitFor();
        await page.keyboard.press('e');
        await until(async () => (await copied(page)) === 'app.py:20', 'without a template the place is copied');
        await page.mouse.click(load.x, load.y, { button: 'right' });
        await menu(page).getByRole('menuitem', { name: 'Set the editor' }).click();
        const field = page.getByLabel('URI template');
        await field.fill('javascript:alert(1)//{file}');
        check(await page.getByRole('button', { name: 'Save' }).isDisabled(), 'a template that runs code is refused');
        await field.fill('vscode://file/{file}:{line}');
        equal(await page.evaluate(faultsOfPage), [], 'accessible');
        await page.getByRole('button', { name: 'Save' }).click();
        const link = pane(page).getByRole('link', { name: 'Open in editor' });
        await until(async () => (await link.getAttribute('href')) === 'vscode://file/app.py:20', 'the link of the editor');
    });
});

test('selection: the place of the pane says what to click', async ({ pages }) => {
    await withFlame(pages, async ({ page }) => {
        await page.getByText('Click a frame: what it costs').waitFor();
    });
});

test('selection: other runs that have the function hot are listed and open it', async ({ pages }) => {
    await withFlame(pages, async ({ page, at, shelf }) => {
        const other = join(shelf.folder, 'other.txt');
        writeFileSync(other, 'main (app.py:3);load (app.py:20);parse (json/decoder.py:5) 1\nmain (app.py:3) 3\n');
        const { id } = shelf.add(other, '--name', 'other run');
        const load = at(2, 0.2);
        await page.mouse.click(load.x, load.y);
        const link = page.locator('.selection-pane').getByRole('link', { name: /^other run/ });
        await link.waitFor();
        equal((await link.textContent()).replaceAll(/\s/g, ''), 'otherrun25.0%', 'total of the run');
        await link.click();
        await until(() => page.url().includes(`/run/${id}/functions`), 'the other run is open');
        equal(query(page).get('q'), 'load (app.py)', 'the function is searched');
        await quiet(page);
    });
});

test('selection: the head of the pane shortens a long name from the left', async ({ pages }) => {
    const shelf = await Shelf.start();
    try {
        const file = join(shelf.folder, 'stacks.txt');
        const name = `${'outer_scope.'.repeat(20)}innermost`;
        writeFileSync(file, `main (app.py:3);${name} (${'deep/'.repeat(30)}app.py:12345) 6\n`);
        const { id } = shelf.add(file);
        const page = await pages.open(`${shelf.url}#/run/${id}/flame?mode=line&flame_frame=1`);
        const head = pane(page).locator('.selection-name');
        await head.waitFor();
        await until(async () => /^….*innermost ….*app.py:12345$/.test(await words(head)), await words(head));
        const { scroll, client } = await head.evaluate((element) => ({ scroll: element.scrollHeight, client: element.clientHeight }));
        check(scroll <= client && client <= 40, `two lines: ${scroll} px of ${client}: ${await words(head)}`);
        check((await head.getAttribute('title')).startsWith(name), 'the full name in the tooltip');
        await head.click();
        await until(async () => (await words(head)).startsWith(name), 'the full name after a click');
    } finally {
        await shelf.stop();
    }
});

/* 45 lines, of which those of `load` can be told apart. */
const CODE = Array.from({ length: 45 }, (_, i) => (i === 19 ? '    return parse(read(path))' : `    step_${i + 1}()`)).join('\n');

async function attach(shelf, run, path, text) {
    const answer = await fetch(`${shelf.url}api/v1/runs/${run}/sources?path=${encodeURIComponent(path)}`, { method: 'PUT', body: text });
    equal(answer.status, 200, await answer.text());
}

test('selection: the source of a frame, attached in the pane', async ({ pages }) => {
    await withFlame(pages, async ({ page, at, shelf }) => {
        const load = at(2, 0.2);
        await page.mouse.click(load.x, load.y);
        const source = section(page, 'Source');
        await source.getByText('Source not attached.').waitFor();
        const [chooser] = await Promise.all([page.waitForEvent('filechooser'), source.getByRole('button', { name: 'Add' }).click()]);
        const file = join(shelf.folder, 'app.py');
        writeFileSync(file, CODE);
        await chooser.setFiles(file);
        const rows = source.locator('.selection-code');
        await until(async () => (await rows.count()) === 5, 'five lines');
        equal((await source.locator('.selection-code > .soft').allInnerTexts()).map(Number), [18, 19, 20, 21, 22], 'around the costliest line');
        const current = source.locator('.is-current');
        equal(await words(current), '20 8 samples return parse(read(path))', 'the costliest line and its total');
        check((await current.getAttribute('class')).includes('is-tinted-5'), 'with the heat of 100 %');
        check((await words(source)).includes('attached'), 'the state');
        equal(await page.evaluate(faultsOfPage), [], 'accessible');
        await quiet(page);
    });
});

test('selection: the source of a function of cProfile, and a line profile of its file', async ({ pages }) => {
    const shelf = await Shelf.start();
    try {
        const { id } = shelf.add('demo/profiles/bookshop-slow.prof');
        const page = await pages.open(`${shelf.url}#/run/${id}/functions?q=author_of`);
        await page.getByRole('grid', { name: 'Functions', exact: true }).locator('.grid-row').first().click();
        const source = section(page, 'Source');
        await source.getByText('Source not attached.').waitFor();
        const path = await source.locator('h3 .mono').getAttribute('title');
        await attach(shelf, id, path, Array.from({ length: 200 }, (_, i) => `line_${i + 1}()`).join('\n'));
        const report = join(shelf.folder, 'report.txt');
        writeFileSync(report, `Timer unit: 1e-06 s

Total time: 0.5 s
File: ${path}
Function: author_of at line 29

Line #      Hits         Time  Per Hit   % Time  Line Contents
==============================================================
    30         1     500000.0 500000.0    100.0      a()
`);
        const profile = shelf.add(report, '--name', 'line by line');
        await page.reload();
        const current = source.locator('.selection-code.is-current');
        await current.waitFor();
        check(/^(\d+) line_\1\(\)$/.test(await words(current)), await words(current));
        await source.getByRole('link', { name: 'line by line' }).click();
        await until(() => page.url().includes(`/run/${profile.id}/lines`), 'the line profile is open');
        await quiet(page);
    } finally {
        await shelf.stop();
    }
});

/* Tables of the demo runs whose rows name something, and the actions that only they have. */
const TABLES = [
    ['bookshop-slow.prof', 'functions', 'Functions', ['Show in call tree', 'Show in call graph', 'Find in other runs', 'Show in compare', 'Copy place', 'Open in editor']],
    ['bookshop-slow.prof', 'functions?group=file', 'Functions by file', ['Open in editor']],
    ['bookshop-slow.prof', 'files', 'Files', ['Show its functions', 'Open in editor']],
    ['ipython-cold.log', 'imports', 'Modules', ['Who imports it', 'Make it lazy', 'Find in other runs']],
    ['ipython-cold.log', 'imports?table=tree', 'Modules as a tree', ['Who imports it']],
    ['ipython-cold.log', 'packages', 'Packages', ['Show its modules', 'Find in other runs']],
    ['ipython-cold.log', 'who-imports', /^All imports of /, ['Show in icicle']],
    ['training.pt.trace.json.gz', 'operators', 'Operators', ['Show in timeline', 'Show in flame graph', 'Find in other runs']],
    ['training.pt.trace.json.gz', 'kernels', 'Kernels', ['Show in timeline', 'Show in flame graph', 'Find in other runs']],
    ['training.pt.trace.json.gz', 'summaries', 'Kernels', ['Show in timeline', 'Find in other runs']],
    ['gpt-h200.pt.trace.json.gz', 'modules', 'Modules', ['Show in timeline', 'Find in other runs']],
    ['training.pt.trace.json.gz', 'memory', 'Memory by operator', ['Show in timeline']],
    ['events.lprof', 'functions', 'Functions', ['Show its lines', 'Copy place', 'Open in editor']],
    ['events.lprof', 'files', 'Files', ['Show its lines', 'Open in editor']],
    ['events.lprof', 'lines', 'Files and functions', ['Open in editor']],
];

test('selection: a right click on a row of a table opens its actions', async ({ pages, demo }) => {
    const page = await pages.open(demo.url);
    demo.run('baseline', demo.demo.get('bookshop-joined.prof').id);
    for (const [file, tab, label, actions] of TABLES) {
        await page.goto(`${demo.url}#/run/${demo.demo.get(file).id}/${tab}`);
        const rows = page.getByRole('grid', { name: label, exact: true }).locator('.grid-row');
        await rows.first().waitFor();
        await quiet(page);
        await rows.nth((await rows.count()) > 1 ? 1 : 0).click({ button: 'right' });
        await menu(page).waitFor();
        const texts = await menu(page).locator('.context-text').allInnerTexts();
        for (const text of [...actions, 'Copy name'])
            check(texts.includes(text), `${file} ${tab} ${label}: no ${text} among ${texts}`);
        await page.keyboard.press('Escape');
    }
});

test('selection: the menu of a row by keyboard and by its button', async ({ pages, demo }) => {
    const page = await pages.open(`${demo.url}#/run/${demo.demo.get('bookshop-slow.prof').id}/functions`);
    const grid = page.getByRole('grid', { name: 'Functions', exact: true });
    await grid.locator('.grid-row').nth(3).waitFor();
    await quiet(page);
    await grid.focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    const name = await grid.locator('.is-cursor .mono').first().innerText();
    await page.keyboard.press('Shift+F10');
    await menu(page).waitFor();
    equal(await menu(page).getAttribute('aria-label'), name, 'the head of the menu');
    equal(await page.evaluate(faultsOfPage), [], 'accessible');
    await page.keyboard.press('Shift+Y');
    await until(async () => (await copied(page)) === name, 'the copied name');
    check(await grid.evaluate((element) => element === document.activeElement), 'the table has the focus again');
    await grid.locator('.is-cursor').getByRole('button', { name: 'Actions' }).click();
    await menu(page).waitFor();
    await menu(page).getByRole('menuitem', { name: 'Show in call tree' }).click();
    await page.waitForURL(/calltree\?fn=\d+/);
    await quiet(page);
});

test('selection: a report opened from a comparison leads back to the row', async ({ pages, demo }) => {
    const [base, fresh] = ['bookshop-slow.prof', 'bookshop-cached.prof'].map((file) => demo.demo.get(file).id);
    const page = await pages.open(`${demo.url}#/compare/functions?base=${base}&new=${fresh}`);
    await quiet(page);
    await page.goto(`${demo.url}#/run/${fresh}/functions?q=execute`);
    const row = page.getByRole('grid', { name: 'Functions', exact: true }).locator('.grid-row').first();
    await row.getByText('execute').waitFor();
    await quiet(page);
    await row.click({ button: 'right' });
    await menu(page).getByRole('menuitem', { name: 'Show in compare' }).click();
    await until(() => query(page).has('row'), 'a row of the comparison');
    equal([query(page).get('base'), query(page).get('new')], [base, fresh], 'the same comparison');
    await until(async () => (await page.locator('.grid-row.is-selected').innerText()).includes('execute'), 'the row is selected');
    await quiet(page);
});
