/* SPDX-License-Identifier: MIT
 *
 * The tracks of the timeline: pinned, folded, reordered, resized and filtered; the row of steps; the
 * gestures; the places of search hits; the context menus. What a person changes is in the URL.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { check, equal, quiet, Shelf, test, until } from './lib.mjs';
import { drawn, placeOf, query, withTrace } from './timeline.mjs';

const labels = (page, part = '') => page.locator(`${part} .timeline-track`).allInnerTexts();
const pinned = (page) => labels(page, '.timeline-pinned-labels');
const others = (page) => labels(page, '.timeline-labels:not(.timeline-pinned-labels)');
const tracks = (page) => page.getByRole('toolbar', { name: 'tracks' });
const width = (page) => {
    const [from, to] = (query(page).get('at') ?? '0~100000000').split('~').map(Number);
    return to - from;
};

test('tracks: streams are pinned at first; pins, folds, order and height are in the URL', async ({ pages }) => {
    await withTrace(async (shelf, { id }) => {
        const page = await pages.open(`${shelf.url}#/run/${id}/timeline`, { height: 1200 });
        await drawn(page);
        equal(await pinned(page), ['stream 7'], 'pinned at first');
        equal(await others(page), ['thread 100', 'GPU 0 memory'], 'the other tracks');
        await page.getByRole('button', { name: 'pin GPU 0 memory' }).click();
        await until(async () => (await pinned(page)).length === 2, 'the memory is pinned too');
        equal(query(page).get('pin'), 't1,m1:0', 'pins in the URL');
        const [x, y] = await placeOf(page, 50, 0);
        await page.mouse.move(x, y);
        await page.keyboard.press('p');
        await until(async () => (await pinned(page)).join() === 'GPU 0 memory', 'P unpins the track at the pointer');
        await page.keyboard.press('Shift+Z');
        await until(async () => (await page.locator('.timeline-label.is-folded').count()) === 3, 'all folded');
        equal(query(page).get('fold'), '*', 'all folds in the URL');
        check((await tracks(page).innerText()).includes('3 tracks, 3 folded'), 'folded tracks are counted');
        await page.keyboard.press('Shift+Z');
        await until(async () => (await page.locator('.timeline-label.is-folded').count()) === 0, 'none folded');

        const drag = async (from, to, by = 0) => {
            const [a, b] = [await from.boundingBox(), await to.boundingBox()];
            await page.mouse.move(a.x + 20, a.y + a.height / 2);
            await page.mouse.down();
            await page.mouse.move(b.x + 20, b.y + b.height / 2 + by / 2, { steps: 4 });
            await page.mouse.move(b.x + 20, b.y + b.height / 2 + by, { steps: 2 });
            await page.mouse.up();
        };
        const track = (name) => page.locator('.timeline-track', { hasText: name });
        equal((await others(page)).join(), 'thread 100,stream 7', 'the order of the file');
        await drag(track('stream 7'), track('thread 100'));
        await until(async () => (await others(page)).join() === 'stream 7,thread 100', 'the stream is dragged up');
        equal(query(page).get('order'), 't1.t2', 'the order in the URL');

        const edge = page.getByRole('separator', { name: 'height of GPU 0 memory' });
        await drag(edge, edge, 60);
        await until(() => query(page).get('high') === 'm1:0.148', `the height in the URL: ${query(page).get('high')}`);
        const before = [await pinned(page), await others(page)];
        await page.reload();
        await drawn(page);
        equal([await pinned(page), await others(page)], before, 'the same after a reload');
        await edge.dblclick();
        await until(() => !query(page).get('high'), 'its own height again');
    });
});

test('tracks: the filter shows and hides, counts, and says when nothing matches', async ({ pages }) => {
    await withTrace(async (shelf, { id }) => {
        const page = await pages.open(`${shelf.url}#/run/${id}/timeline?pin=none`);
        await drawn(page);
        check((await tracks(page).innerText()).includes('3 tracks'), 'all tracks are counted');
        await page.keyboard.press('Shift+T');
        await page.keyboard.type('kind:stream');
        await until(async () => (await others(page)).join() === 'stream 7', 'only the stream');
        check((await tracks(page).innerText()).includes('1 of 3 tracks'), 'the count');
        await until(() => query(page).get('tracks') === 'kind:stream', 'the filter in the URL');
        await page.keyboard.press('Control+A');
        await page.keyboard.type('-stream:7');
        await until(async () => (await others(page)).join() === 'thread 100,GPU 0 memory', 'hidden by -');
        await page.keyboard.press('Control+A');
        await page.keyboard.type('nothing');
        await until(async () => (await tracks(page).innerText()).includes('No track matches.'), 'the sentence');
        await tracks(page).getByRole('button', { name: 'Clear' }).click();
        await until(async () => (await others(page)).length === 3, 'all again');
    });
});

test('tracks: of very many the busiest are drawn, and the filter has the focus', async ({ pages }) => {
    const shelf = await Shelf.start();
    try {
        const file = join(shelf.folder, 'many.json');
        const events = [];
        for (let tid = 1; tid <= 1000; tid++) {
            for (let i = 0; i < 1 + (tid % 100); i++) events.push({ ph: 'X', pid: 1, tid, name: `work ${tid % 7}`, ts: i * 10, dur: 5 });
        }
        writeFileSync(file, JSON.stringify(events));
        const { id } = shelf.add(file);
        const page = await pages.open(`${shelf.url}#/run/${id}/timeline`);
        await drawn(page);
        const words = await tracks(page).innerText();
        check(words.includes('50 of 1,000 tracks'), words);
        check(await page.evaluate(() => document.activeElement?.getAttribute('aria-label')?.startsWith('filter tracks')), 'the filter has the focus');
        await tracks(page).getByRole('button', { name: 'Show 950 more' }).click();
        await until(async () => (await tracks(page).innerText()).includes('1,000 tracks'), 'all are shown');
        await page.goBack({ timeout: 1000 }).catch(() => null);
    } finally {
        await shelf.stop();
    }
});

test('tracks: a click selects a step, brackets walk, a double click fits', async ({ pages }) => {
    await withTrace(async (shelf, { id }) => {
        const page = await pages.open(`${shelf.url}#/run/${id}/timeline`);
        await drawn(page);
        equal((await page.locator('.timeline-steps-label').innerText()).split(/\s+/), ['Steps', '10'], 'the label');
        const canvas = await page.locator('.timeline-canvas').boundingBox();
        const row = (await page.locator('.timeline-steps-label').boundingBox()).y + 10;
        const at = (ms) => canvas.x + (ms / 100) * canvas.width;
        const range = () => [query(page).get('from_ns'), query(page).get('to_ns')];
        await quiet(page);
        const colours = await page.locator('.timeline-canvas').evaluate((element) => {
            const { data } = element.getContext('2d').getImageData(0, 30 + 22 + 26, element.width, 1);
            const seen = new Set();
            for (let i = 0; i < data.length; i += 4) seen.add(`${data[i]} ${data[i + 1]} ${data[i + 2]}`);
            return [...seen];
        });
        check(colours.includes('235 125 55'), `the wait for data has its colour: ${colours}`);
        check(colours.includes('118 164 247'), `kernels have their colour: ${colours}`);
        await page.mouse.click(at(35), row);
        await until(() => range()[0] === '30000000', `step 3, not ${range()}`);
        await page.keyboard.press(']');
        await until(() => range()[0] === '40000000', 'the next step');
        await page.keyboard.press('[');
        await until(() => range()[0] === '30000000', 'the previous step');
        await page.mouse.dblclick(at(55), row);
        await until(() => width(page) < 15e6, 'the step fits');
        const [from, to] = query(page).get('at').split('~').map(Number);
        check(from < 50e6 && to > 59e6, `step 5, not ${from} to ${to}`);
        await page.goBack();
        await until(() => width(page) === 1e8, 'Back undoes the zoom');
    });
});

test('tracks: a run without steps says how to mark them, until that is closed', async ({ pages }) => {
    const shelf = await Shelf.start();
    try {
        const file = join(shelf.folder, 'none.pt.trace.json');
        writeFileSync(file, JSON.stringify({ schemaVersion: 1, deviceProperties: [], traceEvents: [{ ph: 'X', cat: 'cpu_op', name: 'aten::mm', pid: 1, tid: 1, ts: 0, dur: 90, args: {} }] }));
        const { id } = shelf.add(file);
        const page = await pages.open(`${shelf.url}#/run/${id}/timeline`);
        await drawn(page);
        const hint = page.locator('.timeline-line.is-steps');
        check((await hint.innerText()).includes('profiler.step()'), 'the hint');
        equal(await page.locator('.timeline-steps-label').count(), 0, 'rows of steps');
        await hint.getByRole('button').click();
        await page.reload();
        await drawn(page);
        equal(await hint.count(), 0, 'hints after it was closed');
    } finally {
        await shelf.stop();
    }
});

test('tracks: the wheel scrolls, with Ctrl zooms at the pointer, with Shift pans', async ({ pages }) => {
    await withTrace(async (shelf, { id }) => {
        const page = await pages.open(`${shelf.url}#/run/${id}/timeline`, { height: 560 });
        await drawn(page);
        const canvas = await page.locator('.timeline-canvas').boundingBox();
        const [x, y] = [canvas.x + canvas.width * 0.25, canvas.y + canvas.height - 20];
        await page.mouse.move(x, y);
        await page.mouse.wheel(0, 60);
        const top = () => page.locator('.timeline-scroll').evaluate((box) => box.scrollTop);
        await until(async () => (await top()) > 0, 'the wheel scrolls');
        equal(query(page).get('at'), null, 'no zoom by the wheel');
        await page.keyboard.down('Control');
        await page.mouse.wheel(0, -400);
        await page.keyboard.up('Control');
        await until(() => width(page) < 6e7, 'Ctrl and the wheel zoom');
        const [from, to] = query(page).get('at').split('~').map(Number);
        check(Math.abs((25e6 - from) / (to - from) - 0.25) < 0.02, 'the time at the pointer stays');
        await page.keyboard.down('Shift');
        await page.mouse.wheel(0, 200);
        await page.keyboard.up('Shift');
        await until(() => Number(query(page).get('at').split('~')[0]) > from, 'Shift and the wheel pan');
    });
});

test('tracks: hits have a place in the trace, ticks, and are readable', async ({ pages }) => {
    await withTrace(async (shelf, { id }) => {
        const page = await pages.open(`${shelf.url}#/run/${id}/timeline`);
        await drawn(page);
        await page.keyboard.press('/');
        await page.keyboard.type('aten::add');
        const count = () => page.locator('.search-count').innerText();
        await until(async () => (await count()) === '9,000', 'hits counted');
        await page.keyboard.press('Enter');
        await until(async () => (await count()) === '1 of 9,000', `the first hit, not ${await count()}`);
        await page.keyboard.press('Enter');
        await until(async () => (await count()) === '2 of 9,000', 'the second hit');
        await until(() => width(page) < 50e3, 'the view shows a slice of 1.5 µs with its name');
        await page.keyboard.press('Shift+Enter');
        await until(async () => (await count()) === '1 of 9,000', 'the first hit again');
        await page.keyboard.press('Shift+Enter');
        await until(async () => (await count()) === '9,000 of 9,000', 'before the first hit is the last');
        const ticks = (top) =>
            page.locator('.timeline-canvas').evaluate((element, y) => {
                const { data } = element.getContext('2d').getImageData(0, y, element.width, 1);
                let n = 0;
                for (let i = 0; i < data.length; i += 4) n += data[i] === 0xb0 && data[i + 1] === 0x7d && data[i + 2] === 0;
                return n;
            }, top);
        await quiet(page);
        check((await ticks(4)) >= 10, 'ticks of all hits in the overview');
        check((await ticks(48)) >= 1, 'ticks on the ruler');
        await page.goBack();
        await until(async () => (await count()) !== '9,000 of 9,000', 'Back undoes the selection');
    });
});

test('tracks: the menus of a slice and of a label', async ({ pages }) => {
    await withTrace(async (shelf, { id }) => {
        const page = await pages.open(`${shelf.url}#/run/${id}/timeline`);
        await drawn(page);
        const [x, y] = await placeOf(page, 34, 2, 1);
        await page.mouse.click(x, y, { button: 'right' });
        const menu = page.getByRole('menu');
        await until(async () => (await menu.innerText()).includes('aten::conv2d'), 'the name of the slice');
        await menu.getByRole('menuitem', { name: 'Copy stack' }).click();
        const copied = () => page.evaluate(() => navigator.clipboard.readText());
        await until(async () => (await copied()) === 'ProfilerStep#3\naten::conv2d', `the stack, not ${await copied()}`);
        await page.mouse.click(x, y, { button: 'right' });
        await menu.getByRole('menuitem', { name: 'Zoom to the slice' }).click();
        await until(() => width(page) < 2e6, 'zoomed');
        await page.goBack();
        await until(() => width(page) === 1e8, 'Back undoes it');
        await quiet(page);
        await page.mouse.click(x, y, { button: 'right' });
        await menu.getByRole('menuitem', { name: 'Open in Operators' }).click();
        await until(() => page.url().includes('/operators?op='), 'the table of operators');
        await page.goBack();
        await drawn(page);
        await page.locator('.timeline-track', { hasText: 'thread 100' }).click({ button: 'right' });
        await menu.getByRole('menuitem', { name: 'Hide the track' }).click();
        await until(async () => !(await others(page)).includes('thread 100'), 'the thread is hidden');
        equal(query(page).get('tracks'), '-thread:100', 'the filter');
    });
});
