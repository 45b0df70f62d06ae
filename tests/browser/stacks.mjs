/* SPDX-License-Identifier: MIT
 *
 * Profiles of stacks: the flame graph, the functions, the sandwich, the order of the file, all in the
 * unit of the file.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { faultsOfPage } from './access.mjs';
import { check, equal, quiet, rowTexts, Shelf, test, until } from './lib.mjs';

const PYSPY = [
    'process 7:"python app.py";thread (0x7F01): main;main (app.py:3);work (app.py:9) 5',
    'process 7:"python app.py";thread (0x7F01): main;main (app.py:3);work (app.py:9);memcpy (libc.so.6) 3',
    'process 7:"python app.py";thread (0x7F02): other;run (threading.py:10);work (app.py:9) 2',
    'process 7:"python app.py";thread (0x7F01): main;main (app.py:3);main (app.py:3) 1',
].join('\n');

async function withStacks(work) {
    const shelf = await Shelf.start();
    try {
        const file = join(shelf.folder, 'stacks.txt');
        writeFileSync(file, PYSPY);
        const { id } = shelf.add(file);
        await work((tab) => `${shelf.url}#/run/${id}/${tab}`);
    } finally {
        await shelf.stop();
    }
}

const query = (page) => new URLSearchParams(new URL(page.url()).hash.split('?')[1] ?? '');
const main = (page) => page.locator('main').innerText();

function rowsWith(page, name) {
    return until(async () => {
        const rows = new Map((await rowTexts(page, 'Functions')).map(([first, ...rest]) => [first, rest]));
        return rows.has(name) ? rows : null;
    }, `${name} among the functions`);
}

test('stacks: functions count a stack once, in samples and estimated seconds', async ({ pages }) => {
    await withStacks(async (at) => {
        const page = await pages.open(at('functions'));
        const rows = await rowsWith(page, 'main (app.py)');
        equal(rows.get('main (app.py)').slice(0, 3), ['1', '9', '0.090'], 'self, total, seconds of main');
        equal(rows.get('work (app.py)').slice(0, 3), ['7', '10', '0.100'], 'self, total, seconds of work');
        await page.getByLabel('a sample ≈').fill('1');
        await page.keyboard.press('Enter');
        await until(async () => (await rowsWith(page, 'work (app.py)')).get('work (app.py)')[2] === '0.010', '1 ms a sample');
        await page.getByLabel('thread').selectOption({ label: 'thread 0x7F02 (other)' });
        await until(async () => (await rowTexts(page, 'Functions')).length === 2, 'the functions of one thread');
        await until(async () => (await rowsWith(page, 'work (app.py)')).get('work (app.py)')[1] === '2', 'work on that thread');
        equal(await page.evaluate(faultsOfPage), [], 'accessible');
    });
});

const sandwichRow = async (page) => (await page.locator('.sandwich-row').innerText()).replace(/\s+/g, ' ').trim();
const sandwichOf = (page, text) => until(async () => (await page.locator('.sandwich-row').count()) && (await sandwichRow(page)).startsWith(text), `the sandwich of ${text}`);

test('stacks: a sandwich of the function that costs most, then of another', async ({ pages }) => {
    await withStacks(async (at) => {
        const page = await pages.open(at('sandwich'));
        await rowsWith(page, 'work (app.py)');
        await sandwichOf(page, 'work total 10 samples');
        check((await sandwichRow(page)).includes('90.9 % of 11 samples · self 7 samples'), await sandwichRow(page));
        await page.getByRole('img', { name: /^Callers, 2 frames/ }).waitFor();
        await page.getByRole('img', { name: /^Callees, 1 frames/ }).waitFor();
        check((await main(page)).includes('2 callers, 1 callee'), 'callers and callees');
        await quiet(page); // the table stands still before it is clicked
        await page.getByText('memcpy (libc.so.6)', { exact: true }).click();
        await sandwichOf(page, 'memcpy total 3 samples');
        check((await main(page)).includes('Calls nothing: its total is its self.'), 'no callees');
        check(/^\d+$/.test(query(page).get('fn')), 'the function in the URL');
        await page.reload();
        await sandwichOf(page, 'memcpy total 3 samples');
        equal(await page.evaluate(faultsOfPage), [], 'accessible');
    });
});

test('stacks: on phones the functions leave room for the sandwich', async ({ pages }) => {
    const shelf = await Shelf.start();
    try {
        const file = join(shelf.folder, 'many.txt');
        writeFileSync(file, Array.from({ length: 40 }, (_, i) => `main (app.py:1);work_${i} (app.py:${i + 3}) ${i + 1}`).join('\n'));
        const { id } = shelf.add(file);
        const page = await pages.open(`${shelf.url}#/run/${id}/sandwich`, { width: 390, height: 844 });
        await page.locator('.sandwich-row').waitFor();
        const { height } = await page.locator('.pane-sandwich-list').boundingBox();
        check(height < 300, `a list of ${height} px`);
    } finally {
        await shelf.stop();
    }
});

test('stacks: the selected frame of a sandwich is in the URL, and the row selects the function', async ({ pages }) => {
    await withStacks(async (at) => {
        const page = await pages.open(at('sandwich'));
        await sandwichOf(page, 'work');
        const pane = page.getByRole('complementary', { name: 'Selection' });
        const head = async () => (await pane.locator('header').innerText()).replace(/\s+/g, ' ');
        await page.locator('.sandwich-row').click();
        await until(async () => (await head()).startsWith('work'), 'the function in the pane');
        const { x, y, width, height } = await page.getByRole('img', { name: /^Callers/ }).boundingBox();
        await page.mouse.click(x + width / 2, y + height - 12);
        await until(async () => (await head()).startsWith('main'), 'its caller');
        await page.reload();
        await until(async () => (await head()).startsWith('main'), 'after a reload');
        await page.keyboard.press('Escape');
        await pane.waitFor({ state: 'detached' });
        await quiet(page);
    });
});

test('stacks: arrows walk the functions, Enter and a double click open a frame, Backspace returns', async ({ pages }) => {
    await withStacks(async (at) => {
        const page = await pages.open(at('sandwich'));
        await rowsWith(page, 'work (app.py)');
        await sandwichOf(page, 'work');
        for (const name of ['work', 'memcpy', 'main']) {
            await page.keyboard.press('ArrowDown');
            await sandwichOf(page, name);
        }
        await page.keyboard.press('ArrowUp');
        await sandwichOf(page, 'memcpy');
        await quiet(page);
        // the nearest caller is just above the row
        const nearest = async () => {
            const { x, y, width, height } = await page.getByRole('img', { name: /^Callers/ }).boundingBox();
            return [x + width / 2, y + height - 12];
        };
        await page.mouse.click(...(await nearest()));
        const pane = page.getByRole('complementary', { name: 'Selection' });
        await pane.waitFor();
        const text = (await pane.innerText()).replace(/\s+/g, ' ');
        check(text.startsWith('work') && text.includes('% of 3 samples in memcpy') && text.includes('Total 3 samples 100.0'), text);
        await page.keyboard.press('Enter');
        await sandwichOf(page, 'work');
        await quiet(page);
        await page.mouse.dblclick(...(await nearest()));
        await sandwichOf(page, 'main');
        await page.keyboard.press('Backspace');
        await sandwichOf(page, 'work');
        await page.keyboard.press('Backspace');
        await sandwichOf(page, 'memcpy');
        await page.mouse.click(...(await nearest()), { button: 'right' });
        equal(await page.getByRole('menu').getAttribute('aria-label'), 'work', 'the menu of the caller');
        check(await page.getByRole('menuitem', { name: /^Focus on this frame/ }).isDisabled(), 'a frame of a sandwich has no path from the root');
        await page.getByRole('menuitem', { name: /^Drop samples with it/ }).click();
        await until(() => /^drop:\d+$/.test(query(page).get('tf') ?? ''), 'dropped');
    });
});

test('stacks: left heavy and the order of the file say samples, not times', async ({ pages }) => {
    await withStacks(async (at) => {
        const page = await pages.open(at('flame'));
        await page.getByRole('img', { name: 'Flame graph, 7 frames' }).waitFor();
        await page.getByRole('link', { name: 'File order' }).click();
        await until(async () => (await main(page)).includes('9\u202fsamples'), 'the length of the longest thread');
        check(!/\d\s*(ns|µs|ms)\b/.test(await page.locator('.timeline-main').innerText()), 'no times');
        equal(await page.evaluate(faultsOfPage), [], 'accessible');
        await page.goto('about:blank'); // nothing is on its way when the server goes
    });
});

test('stacks: a speedscope file of two threads says times', async ({ pages }) => {
    const frames = [{ name: 'main', file: 'app.py', line: 3 }, { name: 'work', file: 'app.py', line: 9 }];
    const profile = (name, samples) => ({ type: 'sampled', name, unit: 'seconds', startValue: 0, endValue: 1, samples, weights: samples.map(() => 0.25) });
    const content = {
        $schema: 'https://www.speedscope.app/file-format-schema.json',
        shared: { frames },
        profiles: [profile('Thread 1', [[0, 1], [0, 1], [0], [0, 1]]), profile('Thread 2', [[1]])],
    };
    const shelf = await Shelf.start();
    try {
        const file = join(shelf.folder, 'scope.json');
        writeFileSync(file, JSON.stringify(content));
        const { id } = shelf.add(file);
        const page = await pages.open(`${shelf.url}#/run/${id}/functions`);
        const rows = await rowsWith(page, 'work (app.py)');
        equal(rows.get('work (app.py)').slice(0, 2), ['1,000.000', '1,000.000'], 'self and total of work in ms');
        await page.getByRole('link', { name: 'Time order' }).click();
        await until(async () => (await main(page)).includes('1.000\u202fs'), 'the length of the axis');
        await page.goto('about:blank'); // nothing is on its way when the server goes
    } finally {
        await shelf.stop();
    }
});

const ROW = 18;

const SYNAPSE = [
    'main (app.py:3);filter_state (app.py:35);dumps (orjson/api.py:2) 5',
    'main (app.py:3);filter_state (app.py:35) 3',
    'main (app.py:4);filter_state (app.py:37) 6',
    'main (app.py:4);filter_state (app.py:37);memcpy (libc.so.6) 2',
].join('\n');

async function withLines(work) {
    const shelf = await Shelf.start();
    try {
        const file = join(shelf.folder, 'lines.txt');
        writeFileSync(file, SYNAPSE);
        const { id } = shelf.add(file);
        await work((tab) => `${shelf.url}#/run/${id}/${tab}`);
    } finally {
        await shelf.stop();
    }
}

test('stacks: lines of a function are one row, and rows of their own on demand', async ({ pages }) => {
    await withLines(async (at) => {
        const page = await pages.open(at('functions'));
        const rows = await rowsWith(page, 'filter_state (app.py)');
        equal(rows.get('filter_state (app.py)').slice(0, 2), ['9', '16'], 'self and total of both lines');
        await page.getByRole('button', { name: 'Line', exact: true }).click();
        const lines = await rowsWith(page, 'filter_state (app.py:37)');
        equal(lines.get('filter_state (app.py:37)').slice(0, 2), ['6', '8'], 'self and total of line 37');
        equal(query(page).get('mode'), 'line', 'the mode in the URL');
        for (const tab of ['Left heavy', 'Sandwich']) {
            await page.getByRole('link', { name: tab }).click();
            await until(() => query(page).get('mode') === 'line', `${tab} keeps the mode`);
        }
        await page.reload();
        await rowsWith(page, 'filter_state (app.py:37)');
        await page.getByRole('button', { name: 'Function', exact: true }).click();
        await rowsWith(page, 'filter_state (app.py)');
        equal(query(page).get('mode'), null, 'functions need no parameter');
        equal(await page.evaluate(faultsOfPage), [], 'accessible');
    });
});

test('stacks: rows of the table offer the transforms of frames', async ({ pages }) => {
    await withLines(async (at) => {
        const page = await pages.open(at('functions'));
        await rowsWith(page, 'dumps (orjson/api.py)');
        await quiet(page);
        await page.getByText('dumps (orjson/api.py)', { exact: true }).click({ button: 'right' });
        const items = page.getByRole('menu').getByRole('menuitem');
        await items.first().waitFor();
        const texts = await page.getByRole('menu').locator('.context-text').allInnerTexts();
        for (const text of ['Show in sandwich', 'Show in flame graph', 'Focus on function', 'Merge function into caller', 'Collapse package', 'Collapse recursion', 'Drop samples with it', 'Hide its callees', 'Copy name'])
            check(texts.includes(text), `no ${text} among ${texts}`);
        await page.keyboard.press('x');
        await until(async () => (await chips(page)).join() === 'Drop dumps 5 samples ×', 'dropped by its key');
        const rows = await rowsWith(page, 'filter_state (app.py)');
        check(!rows.has('dumps (orjson/api.py)'), 'the dropped function');
        equal(await page.evaluate(faultsOfPage), [], 'accessible');
        // keys apply to the selected row
        await page.getByText('memcpy (libc.so.6)', { exact: true }).click();
        await page.keyboard.press('s');
        await sandwichOf(page, 'memcpy total 2 samples');
    });
});

test('stacks: a comparison is by function or by line', async ({ pages }) => {
    const shelf = await Shelf.start();
    try {
        const ids = [SYNAPSE, SYNAPSE.replace(' 6\n', ' 9\n')].map((text, i) => {
            const file = join(shelf.folder, `${i}.txt`);
            writeFileSync(file, text);
            return shelf.add(file).id;
        });
        const page = await pages.open(`${shelf.url}#/compare/functions?base=${ids[0]}&new=${ids[1]}`);
        const names = () => page.locator('.grid-row').allInnerTexts().then((all) => all.join('\n'));
        await until(async () => (await names()).includes('filter_state'), 'rows by function');
        check(!(await names()).includes(':37'), 'no lines');
        await page.getByRole('button', { name: 'Line', exact: true }).click();
        await until(async () => /filter_state[^]*37/.test(await names()), 'rows by line');
        equal(query(page).get('mode'), 'line', 'the mode in the URL');
        await page.reload();
        await until(async () => /filter_state[^]*37/.test(await names()), 'after a reload');
        equal(await page.evaluate(faultsOfPage), [], 'accessible');
    } finally {
        await shelf.stop();
    }
});

test('stacks: the threads and the functions of a sandwich have the width that was chosen', async ({ pages }) => {
    await withThreads(async (at) => {
        const page = await pages.open(at('flame'), { width: 1440, height: 900 });
        const widen = async (label, pane) => {
            const splitter = page.getByRole('separator', { name: label });
            await splitter.waitFor();
            const widthOf = () => page.locator(pane).evaluate((element) => element.getBoundingClientRect().width);
            const before = await widthOf();
            await splitter.focus();
            await page.keyboard.press('ArrowRight');
            await until(async () => (await widthOf()) === before + 24, `${label} of ${before} grows by 24 px`);
            await page.reload();
            await until(async () => (await widthOf()) === before + 24, 'remembered');
        };
        await widen('width of the threads', '.threads-column');
        await page.goto(at('sandwich'));
        await widen('width of the functions', '.pane-sandwich-list');
    });
});

test('stacks: the flame graph names origins and lines', async ({ pages }) => {
    await withLines(async (at) => {
        const page = await pages.open(at('flame'));
        const picture = page.getByRole('img', { name: 'Flame graph, 5 frames' });
        await picture.waitFor();
        const legend = page.getByRole('group', { name: 'shares by origin' });
        equal((await legend.innerText()).replace(/\s+/g, ' ').trim(), 'own 56.2 % third-party 31.2 % native 12.5 % of samples', 'shares');
        const box = await picture.boundingBox();
        await page.mouse.move(box.x + 40, box.y + 18 * 2.5);
        const tip = page.locator('.tooltip');
        await tip.waitFor();
        const text = (await tip.innerText()).replace(/\s+/g, ' ');
        check(text.includes('filter_state (app.py)'), 'the function');
        for (const line of ['line 35 8 samples 50.0 % of this frame', 'line 37 8 samples 50.0 % of this frame']) check(text.includes(line), `${line} in ${text}`);
        equal(await page.evaluate(faultsOfPage), [], 'accessible');
    });
});

/* The colour of the picture at a row and a share of the width, away from texts: at the lower edge of the frame. */
const fillAt = (page, row, share) => page.locator('.frame-canvas').evaluate((canvas, [y, x]) => {
    const ratio = canvas.height / canvas.clientHeight;
    return [...canvas.getContext('2d').getImageData(Math.round(x * canvas.width), Math.round(y * ratio), 1, 1).data].slice(0, 3).join();
}, [row * ROW + 15, share]);
const legendText = async (page, by) => (await page.getByRole('group', { name: `shares by ${by}` }).innerText()).replace(/\s+/g, ' ').trim();

test('stacks: colours show the origin, the package or nothing, and the choice is remembered', async ({ pages }) => {
    await withLines(async (at) => {
        const page = await pages.open(at('flame'));
        await page.getByRole('img', { name: 'Flame graph, 5 frames' }).waitFor();
        // row 1 is main, row 3 is dumps and memcpy, both of another package
        const fills = async () => Promise.all([[1, 0.5], [2, 0.5], [3, 0.1], [3, 0.38]].map(([row, share]) => fillAt(page, row, share)));
        const colours = async (name) => {
            await page.getByRole('button', { name, exact: true }).click();
            await quiet(page);
            const [main, filter, dumps, memcpy] = await fills();
            return [new Set([main, filter, dumps, memcpy]).size, main === filter];
        };
        equal(await colours('Package'), [3, true], 'one colour for each package, the same for one file');
        equal(query(page).get('color'), 'package', 'the choice in the URL');
        equal(await legendText(page, 'package'), 'app.py 56.2 % orjson 31.2 % libc.so.6 12.5 % of samples', 'shares of packages');
        equal(await page.evaluate(faultsOfPage), [], 'accessible');
        await page.goto(at('sandwich'));
        await page.locator('.sandwich-row').waitFor();
        equal(await page.getByRole('button', { name: 'Package', exact: true }).getAttribute('aria-pressed'), 'true', 'remembered by the browser');
        check((await legendText(page, 'package')).startsWith('app.py '), 'the packages that the function calls');
        await page.goto(at('flame'));
        await page.getByRole('img', { name: 'Flame graph, 5 frames' }).waitFor();
        equal(await colours('Plain'), [1, true], 'one colour');
        equal(await page.locator('.stack-legend').count(), 0, 'legends of one colour');
        await colours('Origin');
        equal(query(page).get('color'), null, 'the default needs no parameter');
    });
});

test('stacks: a click on an origin merges its frames into their callers', async ({ pages }) => {
    await withLines(async (at) => {
        const page = await pages.open(at('flame'));
        await page.getByRole('img', { name: 'Flame graph, 5 frames' }).waitFor();
        const native = page.getByRole('button', { name: 'native 12.5' });
        equal(await native.getAttribute('aria-pressed'), 'true', 'native code is shown');
        await native.click();
        await page.getByRole('img', { name: 'Flame graph, 4 frames' }).waitFor();
        await until(async () => (await legendText(page, 'origin')) === 'own 68.8 % third-party 31.2 % native of samples', 'its time counts for the callers');
        equal(await chips(page), ['Merge native ×'], 'the chip');
        await page.getByRole('button', { name: 'builtin native' }).click();
        await page.getByRole('img', { name: 'Flame graph, 5 frames' }).waitFor();
        equal(query(page).get('tf'), null, 'shown again');
    });
});

/* A right click on the frame at a row and a share of the width opens its menu. */
async function openMenu(page, row, share) {
    await quiet(page);
    const box = await page.getByRole('img', { name: /^Flame graph/ }).boundingBox();
    await page.mouse.click(box.x + share * box.width, box.y + (row + 0.5) * ROW, { button: 'right' });
    await page.getByRole('menu').waitFor();
}

const chips = (page) => page.locator('.transform-chip:not(.is-off)').allInnerTexts().then((all) => all.map((text) => text.replace(/\s+/g, ' ').trim()));

test('stacks: transforms are chips that say what they take away, and can be undone', async ({ pages }) => {
    await withLines(async (at) => {
        const page = await pages.open(at('flame'));
        await page.getByRole('img', { name: 'Flame graph, 5 frames' }).waitFor();
        equal(await page.locator('.transform-row').count(), 0, 'rows without transforms');
        // filter_state takes the whole width, dumps is its widest child
        await openMenu(page, 3, 0.1);
        equal(await page.getByRole('menu').getAttribute('aria-label'), 'dumps', 'the frame');
        await page.getByRole('menuitem', { name: /^Drop samples with it/ }).click();
        await until(async () => (await chips(page)).join() === 'Drop dumps 5 samples ×', 'the chip and what it takes away');
        check((await page.locator('.transform-row').innerText()).includes('11\u202fsamples of 16\u202fsamples shown, 68.8\u202f%'), 'how much is left');
        await page.keyboard.press('v');
        await until(async () => (await chips(page)).at(-1) === 'Invert ×', 'inverted');
        await page.getByRole('img', { name: /^Flame graph, 6 frames/ }).waitFor();
        check(/^drop:\d+,invert$/.test(query(page).get('tf')), 'both in the URL');
        equal(await page.evaluate(faultsOfPage), [], 'accessible');
        // other tabs have the same stacks
        await page.getByRole('link', { name: 'Functions' }).click();
        const rows = await rowsWith(page, 'memcpy (libc.so.6)');
        check(!rows.has('dumps (orjson/api.py)'), 'no dropped function');
        equal(rows.get('filter_state (app.py)').slice(0, 2), ['9', '11'], 'self and total of what is left');
        equal((await chips(page)).length, 2, 'chips among the functions');
        await page.getByRole('button', { name: 'remove Drop dumps' }).click();
        await until(async () => (await rowsWith(page, 'filter_state (app.py)')).has('dumps (orjson/api.py)'), 'the function is back');
        await page.keyboard.press('Control+z');
        await until(async () => (await chips(page)).length === 2, 'undone');
        await page.getByRole('button', { name: 'Clear all' }).click();
        await until(async () => (await page.locator('.transform-row').count()) === 0, 'no transforms');
        equal(query(page).get('tf'), null, 'the URL without transforms');
    });
});

test('stacks: keys transform the selected frame', async ({ pages }) => {
    await withLines(async (at) => {
        const page = await pages.open(at('flame'));
        const picture = page.getByRole('img', { name: /^Flame graph/ });
        await picture.waitFor();
        const box = await picture.boundingBox();
        const press = async (key, pattern) => {
            await page.mouse.click(box.x + 20, box.y + (await rowsAbove(page)) + 2.5 * ROW);
            await until(() => query(page).has('flame_frame'), 'a selected frame');
            await page.keyboard.press(key);
            await until(() => pattern.test(query(page).get('tf') ?? ''), `${key} of ${query(page).get('tf')}`);
            await page.getByRole('button', { name: 'Clear all' }).click();
            await page.locator('.transform-row').waitFor({ state: 'detached' });
            await page.getByRole('img', { name: 'Flame graph, 5 frames' }).waitFor();
            await quiet(page); // the frames are those of all samples again, at their place
        };
        const rowsAbove = async () => (await picture.boundingBox()).y - box.y;
        for (const [key, pattern] of [['f', /^focus:\d+$/], ['Shift+F', /^focus-path:\d+\.\d+$/], ['m', /^merge:\d+$/], ['Shift+M', /^merge-path:\d+\.\d+$/],
            ['c', /^collapse:file:\d+$/], ['r', /^recursion:\d+$/], ['h', /^leaf:\d+$/]]) {
            await press(key, pattern);
        }
        await page.mouse.click(box.x + 20, box.y + 2.5 * ROW);
        await page.keyboard.press('x');
        await page.getByText('All samples are dropped by these transforms.').waitFor();
        await page.locator('.frame-empty').getByRole('button', { name: 'Undo' }).click();
        await page.getByRole('img', { name: 'Flame graph, 5 frames' }).waitFor();
    });
});

/* Two threads over 10 s: one works all the time, one works in the first half and then waits for a lock; a third one only waits. */
async function withThreads(work) {
    const frames = [{ name: 'work', file: 'app.py', line: 3 }, { name: 'early', file: 'app.py', line: 9 }, { name: 'wait', file: 'threading.py', line: 331 }];
    const profile = (name, samples) => ({ type: 'sampled', name, unit: 'seconds', startValue: 0, endValue: 10, samples, weights: samples.map(() => 1) });
    const times = (n, stack) => Array.from({ length: n }, () => stack);
    const profiles = [profile('Thread 1 "main"', times(10, [0])), profile('Thread 2 "half"', [...times(5, [1]), ...times(5, [2])]), profile('Thread 3 "idle"', times(10, [2]))];
    const shelf = await Shelf.start();
    try {
        const file = join(shelf.folder, 'threads.json');
        writeFileSync(file, JSON.stringify({ $schema: 'https://www.speedscope.app/file-format-schema.json', shared: { frames }, profiles }));
        const { id } = shelf.add(file);
        await work((tab) => `${shelf.url}#/run/${id}/${tab}`);
    } finally {
        await shelf.stop();
    }
}

const sum = (page) => page.evaluate(async () => {
    const [path, query] = location.hash.slice(1).split('?');
    const params = new URLSearchParams(query);
    const wanted = new URLSearchParams([...params].filter(([key]) => ['threads', 'from_ns', 'to_ns', 'tf'].includes(key)));
    return (await (await fetch(`/api/v1/runs/${path.split('/')[2]}/stack_flame?${wanted}`)).json()).sum / 1e9;
});

test('stacks: threads by activity; a click toggles, Alt+click and t show one alone', async ({ pages }) => {
    await withThreads(async (at) => {
        const page = await pages.open(at('flame'), { width: 1440, height: 900 });
        const rows = page.locator('.thread-row');
        await until(async () => (await rows.count()) === 2, 'the threads that are not idle');
        equal((await rows.allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim()), ['main 100.0 %', 'half 50.0 %'], 'the most active first');
        await page.getByRole('button', { name: '1 idle thread' }).click();
        await until(async () => (await rows.count()) === 3, 'with the idle one');
        await page.getByRole('checkbox', { name: /^idle/ }).click();
        await until(() => query(page).get('threads') === '1,2', 'without the idle thread');
        equal(await sum(page), 20, 'seconds of two threads');
        await page.getByRole('checkbox', { name: /^half/ }).click({ modifiers: ['Alt'] });
        await until(() => query(page).get('threads') === '2', 'one alone');
        await page.getByRole('img', { name: 'Flame graph, 3 frames' }).waitFor();
        await page.keyboard.press('t');
        await until(() => query(page).get('threads') === '3', 'the next one');
        await page.getByRole('button', { name: 'All', exact: true }).click();
        await until(() => !query(page).has('threads'), 'all again');
        equal(await page.evaluate(faultsOfPage), [], 'accessible');
        await page.goto(at('flame?track=2')); // a link of former versions
        await page.getByRole('img', { name: 'Flame graph, 3 frames' }).waitFor();
    });
});

test('stacks: a drag over the strip of time recomputes everything', async ({ pages }) => {
    await withThreads(async (at) => {
        const page = await pages.open(at('flame'), { width: 1440, height: 900 });
        const strip = page.getByRole('slider', { name: 'time range' });
        await strip.waitFor();
        await page.locator('.time-strip path').waitFor({ state: 'attached' });
        const box = await strip.boundingBox();
        const point = (share) => [box.x + share * box.width, box.y + box.height / 2];
        await page.mouse.move(...point(0.6));
        await page.mouse.down();
        await page.mouse.move(...point(0.9), { steps: 4 });
        await page.mouse.up();
        await until(() => query(page).has('from_ns'), 'a range in the URL');
        check(Math.abs(Number(query(page).get('from_ns')) - 6e9) < 2e7 && Math.abs(Number(query(page).get('to_ns')) - 9e9) < 2e7, `of 6 to 9 s: ${page.url()}`);
        await page.getByText('whole run').waitFor();
        await until(async () => (await page.locator('.thread-row').allInnerTexts()).length === 1, 'only main is active in this range');
        check(Math.abs((await sum(page)) - 9) < 0.1, 'three threads of 3 s');
        await page.keyboard.press('Escape');
        await until(() => !query(page).has('from_ns'), 'Escape clears the range');
        await page.keyboard.press('ArrowRight');
        await until(() => query(page).has('to_ns'), 'a range by keys');
        equal(await page.evaluate(faultsOfPage), [], 'accessible');
    });
});

test('stacks: threads are a menu on small screens', async ({ pages }) => {
    await withThreads(async (at) => {
        const page = await pages.open(at('flame?threads=1,2'), { width: 800, height: 900 });
        const select = page.getByLabel('thread', { exact: true });
        await select.waitFor();
        equal(await select.evaluate((box) => box.selectedOptions[0].textContent), '2 of 3 threads', 'several threads');
        equal(await page.locator('.threads-column').count(), 0, 'columns');
        await select.selectOption({ label: 'Thread 2 "half"' });
        await until(() => query(page).get('threads') === '2', 'one thread');
    });
});

const LONG = 'a_function_with_a_name_that_is_much_longer_than_a_tooltip_is_wide';

test('stacks: long names of functions leave the tooltip and the pane of a sandwich whole', async ({ pages }) => {
    const shelf = await Shelf.start();
    try {
        const file = join(shelf.folder, 'long.txt');
        writeFileSync(file, `${Array.from({ length: 12 }, (_, i) => `step_${i} (app.py:${i + 1})`).join(';')};${LONG} (app.py:40);leaf (app.py:50) 5\n`
            + `step_0 (app.py:1);${LONG} (app.py:41) 9`);
        const { id } = shelf.add(file);
        const page = await pages.open(`${shelf.url}#/run/${id}/sandwich`, { width: 800 });
        await sandwichOf(page, LONG);
        const { x, y, width, height } = await page.getByRole('img', { name: /^Callers/ }).boundingBox();
        await page.mouse.click(x + width / 4, y + height - 12);
        await page.locator('.selection-sheet').waitFor();
        await quiet(page);
        const shown = await page.getByRole('img', { name: /^Callers/ }).boundingBox();
        await page.mouse.move(x + width / 4, shown.y + shown.height - 12);
        await page.locator('.tooltip dl').waitFor();
        const outside = await page.evaluate(() => {
            const isIn = (one, all) => one.left >= all.left && one.right <= all.right + 1 && one.bottom <= all.bottom + 1;
            const faultsIn = (selector, parts) => [...document.querySelectorAll(selector)].flatMap((box) =>
                [...box.querySelectorAll(parts)].filter((part) => !isIn(part.getBoundingClientRect(), box.getBoundingClientRect())).map((part) => part.textContent));
            const linesOf = (label) => { const range = document.createRange(); range.selectNodeContents(label); return new Set([...range.getClientRects()].map(({ top }) => top)).size; };
            const labels = [...document.querySelectorAll('.tooltip dt')].filter((label) => linesOf(label) > 1);
            return [...faultsIn('.tooltip', 'dd'), ...faultsIn('.selection-section', 'h3 *'), ...labels.map((label) => label.textContent)];
        });
        equal(outside, [], 'texts outside of the tooltip or the pane, or broken into letters');
        check(/\d stretch/.test(await page.locator('.tooltip-foot').innerText()), 'the number of stretches');
        const overlap = await page.evaluate(() => {
            const [picture, sheet] = ['.pane-main:has(> .sandwich-picture)', '.selection-sheet'].map((one) => document.querySelector(one).getBoundingClientRect());
            const inside = document.querySelector('.sandwich-picture');
            return picture.bottom > sheet.top + 1 || (inside.scrollHeight > inside.clientHeight && getComputedStyle(inside).overflowY !== 'auto');
        });
        check(!overlap, 'the sandwich ends above the pane');
    } finally {
        await shelf.stop();
    }
});
