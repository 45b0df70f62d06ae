/* SPDX-License-Identifier: MIT
 *
 * Columns of tables: resized at their edge and by keyboard, hidden, moved, remembered and reset. No
 * number is cut, however narrow a column is made.
 */
import { check, equal, grid, longTest, quiet, test, until } from './lib.mjs';

const LABEL = 'Functions';

const openFunctions = (pages, demo, options) =>
    pages.open(`${demo.url}#/run/${demo.demo.get('bookshop-slow.prof').id}/functions`, options);

const heads = (page) => grid(page, LABEL).getByRole('columnheader');
const titles = async (page) => (await heads(page).allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim());
const widths = (page) => heads(page).evaluateAll((all) => all.map((head) => head.offsetWidth));
const indexOf = async (page, title) => (await titles(page)).findIndex((text) => text.startsWith(title));

async function dragEdge(page, index, by) {
    const { x, y, width, height } = await heads(page).nth(index).locator('.grid-edge').boundingBox();
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width / 2 + by, y + height / 2, { steps: 4 });
    await page.mouse.up();
    await quiet(page);
}

/* Cells of numbers whose text does not fit. */
const cutNumbers = (page) =>
    grid(page, LABEL).locator('.grid-row .grid-cell.is-right').evaluateAll((cells) =>
        cells.filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.textContent));

const openList = async (page) => {
    await grid(page, LABEL).getByRole('button', { name: 'Columns', exact: true }).click();
    return page.getByRole('menu', { name: 'Columns' });
};

test('columns: an edge is dragged, and the width is remembered', async ({ pages, demo }) => {
    const page = await openFunctions(pages, demo);
    const index = await indexOf(page, 'function');
    const before = (await widths(page))[index];
    await dragEdge(page, index, 90);
    equal((await widths(page))[index], before + 90, 'width');
    await page.reload();
    await grid(page, LABEL).locator('.grid-row').first().waitFor();
    await quiet(page);
    equal((await widths(page))[index], before + 90, 'width after a reload');
    await heads(page).nth(index).locator('.grid-edge').dblclick();
    await quiet(page);
    const cut = await grid(page, LABEL).locator('.grid-row').evaluateAll((rows, at) =>
        rows.filter((row) => row.children[at]?.scrollWidth > row.children[at]?.clientWidth).length, index);
    equal(cut, 0, 'names that are cut after a double click');
});

test('columns: the button beside the last title does not cover it', async ({ pages, demo }) => {
    const page = await openFunctions(pages, demo);
    const [right, left] = await heads(page).last().evaluate((head) => {
        const range = document.createRange();
        range.setStart(head, 0);
        range.setEndBefore(head.lastChild);
        return [range.getBoundingClientRect().right, head.parentElement.querySelector('.grid-columns').getBoundingClientRect().left];
    });
    check(right <= left, `the title ends at ${right}, the button begins at ${left}`);
});

test('columns: numbers are not cut in columns made as narrow as possible', async ({ pages, demo }) => {
    const page = await openFunctions(pages, demo);
    for (let index = 0; index < 5; index++) await dragEdge(page, index, -300);
    equal(await cutNumbers(page), [], 'numbers');
    const clipped = await heads(page).evaluateAll((all) =>
        all.filter((head) => head.scrollWidth > head.clientWidth + 1).map((head) => head.textContent));
    equal(clipped, [], 'titles');
});

test('columns: hidden, shown and reset, by mouse and keyboard', async ({ pages, demo }) => {
    const page = await openFunctions(pages, demo);
    const all = await titles(page);
    let menu = await openList(page);
    await menu.getByRole('menuitemcheckbox', { name: 'tottime' }).click();
    equal((await titles(page)).some((title) => title.startsWith('tottime')), false, 'tottime is shown');
    equal(await menu.getByRole('menuitemcheckbox', { name: 'tottime' }).getAttribute('aria-checked'), 'false', 'mark');
    const first = menu.getByRole('menuitemcheckbox').first();
    equal(await first.getAttribute('aria-disabled'), 'true', 'the first column can be hidden');
    await page.keyboard.press('Escape');
    await page.reload();
    await grid(page, LABEL).locator('.grid-row').first().waitFor();
    equal((await titles(page)).length, all.length - 1, 'columns after a reload');

    await heads(page).first().click({ button: 'right' });
    menu = page.getByRole('menu', { name: 'Columns' });
    await until(() => menu.evaluate((box) => box.contains(document.activeElement)), 'the focus in the list');
    const before = await widths(page);
    await page.keyboard.press('ArrowRight');
    equal((await widths(page))[0], before[0] + 16, 'width by key');
    await page.keyboard.press('Alt+ArrowDown');
    await page.keyboard.press('Alt+ArrowDown');
    equal((await titles(page))[0] === all[0], false, 'the first column is still first');
    await menu.getByRole('menuitem', { name: 'Reset columns' }).click();
    equal(await titles(page), all, 'columns after the reset');
    equal(await page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes('columns'))), [], 'stored');
    await page.keyboard.press('Escape');
    equal(await menu.count(), 0, 'open lists');
    check(await page.evaluate(() => document.activeElement.matches('.grid-columns')), 'the button has no focus');
});

test('columns: a title is dragged to another place, and a click still sorts', async ({ pages, demo }) => {
    const page = await openFunctions(pages, demo);
    const all = await titles(page);
    const from = await heads(page).nth(await indexOf(page, 'cumtime')).boundingBox();
    const to = await heads(page).first().boundingBox();
    await page.mouse.move(from.x + from.width / 2, from.y + 12);
    await page.mouse.down();
    await page.mouse.move(to.x + 10, to.y + 12, { steps: 6 });
    await page.mouse.up();
    await quiet(page);
    const moved = await titles(page);
    equal(moved[0].startsWith('cumtime'), true, `first of ${moved}`);
    equal([...moved].sort(), [...all].sort(), 'columns');
    check(!page.url().includes('sort='), `the drag sorted: ${page.url()}`);
    await grid(page, LABEL).getByRole('button', { name: /^ncalls/ }).click();
    await until(() => page.url().includes('sort='), 'an order by calls');
    const first = await grid(page, LABEL).locator('.grid-row[data-index="0"]').evaluate((row) => row.children[0].textContent);
    check(/^\d/.test(first), `the first cell is ${first}`);
});

test('columns: at 390 px the list is inside of the window', async ({ pages, demo }) => {
    const page = await openFunctions(pages, demo, { width: 390, height: 844 });
    const menu = await openList(page);
    const { x, y, width, height } = await menu.boundingBox();
    check(x >= 0 && y >= 0 && x + width <= 390 && y + height <= 844, `${x}, ${y}, ${width}, ${height}`);
});

const SPLITTERS = [
    ['bookshop-slow.prof', 'functions', 'width of the selection pane', '.selection-place', 'width', 'ArrowLeft'],
    ['bookshop-slow.prof', 'functions', 'height of the call tree', '.pane-tree', 'height', 'ArrowUp'],
    ['bookshop-slow.prof', 'sql', 'width of the views', '.pane-sql-docs', 'width', 'ArrowLeft'],
    ['bookshop-slow.prof', 'sql', 'height of the statement', '.sql-editor', 'height', 'ArrowDown'],
    ['events.lprof', 'lines', 'width of the files and functions', '.lines-nav', 'width', 'ArrowRight'],
];
for (const [i, [file, tab, label, pane, side, key]] of SPLITTERS.entries()) {
    (i < 2 ? test : longTest)(`columns: the ${label} is changed by key and remembered`, async ({ pages, demo }) => {
        const page = await pages.open(`${demo.url}#/run/${demo.demo.get(file).id}/${tab}`);
        const sizeOf = async () => Math.round((await page.locator(pane).boundingBox())[side]);
        const splitter = page.getByRole('separator', { name: label });
        await splitter.waitFor();
        await quiet(page);
        const before = await sizeOf();
        await splitter.focus();
        await page.keyboard.press(key);
        equal(await sizeOf(), before + 24, 'size');
        await page.reload();
        await splitter.waitFor();
        await quiet(page);
        equal(await sizeOf(), before + 24, 'size after a reload');
        await splitter.dblclick();
        equal(await sizeOf(), before, 'default size');
    });
}
