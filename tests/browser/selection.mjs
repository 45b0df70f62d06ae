/* SPDX-License-Identifier: MIT
 *
 * Selecting something: the context menu, the pane of the selection, the keys of its actions, and what
 * Back undoes.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { faultsOfPage } from './access.mjs';
import { check, equal, quiet, Shelf, test, until } from './lib.mjs';

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
        equal(await menu(page).getAttribute('aria-label'), 'load (app.py)', 'the head of the menu');
        check(query(page).has('flame_frame'), 'the frame is selected');
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
        equal(await page.evaluate(() => document.activeElement.textContent), 'Copy name⇧Y', 'the last entry');
        await page.keyboard.press('Enter');
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
