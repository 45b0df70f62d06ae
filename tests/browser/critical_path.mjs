/* SPDX-License-Identifier: MIT
 *
 * The critical path: the sentence, parts by keys and pointer, operators, steps, the address, the way to
 * the timeline, runs without a path.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { check, DEMO, equal, longTest, rowTexts, settle, Shelf, test, until } from './lib.mjs';

const plain = (text) => text.replaceAll('\u202f', ' ').replaceAll('\u2212', '-').replaceAll('\n', ' ');
const TRACE = join(DEMO, 'training-waits.pt.trace.json.gz');

async function withRun(file, work) {
    const shelf = await Shelf.start();
    try {
        const { id } = shelf.add(file, '--name', 'training');
        await work({ shelf, id });
    } finally {
        await shelf.stop();
    }
}

const picture = (page) => page.locator('.path-picture');
const parts = (page) => rowTexts(page, 'parts of the path');
const pane = async (page) => plain(await page.locator('.path-pane').innerText());

async function open(pages, shelf, id, query = '', options = {}) {
    const page = await pages.open(`${shelf.url}#/run/${id}/path${query}`, options);
    await until(async () => (await picture(page).count()) > 0, 'the picture');
    await until(async () => (await page.locator('.path-panes .grid-row').count()) > 0, 'the table');
    await settle(page);
    return page;
}

test('critical path: the sentence, and parts that sum to the step', async ({ pages }) => {
    await withRun(TRACE, async ({ shelf, id }) => {
        const page = await open(pages, shelf, id);
        const says = plain(await page.locator('.critical-path .says').innerText());
        check(/The path runs on the CPU for \d\d\.\d % of the step.*loads data\./.test(says), says);
        check(/Data loading twice as fast makes the step \d\.\d{3} ms shorter/.test(says), says);
        const label = plain(await picture(page).getAttribute('aria-label'));
        const [total, ...each] = [...label.matchAll(/(\d+\.\d{3}) ms/g)].map(([, ms]) => Math.round(Number(ms) * 1000));
        check(Math.abs(each.reduce((a, b) => a + b, 0) - total) <= each.length, label);
        const rows = (await parts(page)).map((cells) => plain(cells.join(' ')));
        check(rows[0].startsWith('data loading'), rows.join('\n'));
        check(rows.some((row) => /^communication 0\.000.*off the path/.test(row)), rows.join('\n'));
    });
});

test('critical path: keys select parts, and the pane says what would follow', async ({ pages }) => {
    await withRun(TRACE, async ({ shelf, id }) => {
        const page = await open(pages, shelf, id);
        await page.keyboard.press('.');
        await until(() => page.url().includes('part=data_loading'), 'the first part');
        const text = await pane(page);
        check(/If data loading were faster/.test(text) && /num_workers/.test(text), text);
        const times = Object.fromEntries(
            [...text.matchAll(/(as now|2× faster|4× faster|at no cost|GPU busy) (\d+\.\d{3}) ms/g)].map(([, label, ms]) => [label, Number(ms)]),
        );
        check(times['as now'] > times['2× faster'] && times['2× faster'] > times['4× faster'] && times['4× faster'] > times['at no cost'], text);
        await page.keyboard.press('.');
        await until(() => !page.url().includes('part=data_loading') && page.url().includes('part='), 'the next part');
        await page.keyboard.press(',');
        await until(() => page.url().includes('part=data_loading'), 'the part before');
        await page.keyboard.press('Escape');
        await until(() => !page.url().includes('part='), 'no part');
    });
});

test('critical path: a click in the strip selects, a double click opens the slice', async ({ pages }) => {
    await withRun(TRACE, async ({ shelf, id }) => {
        const page = await open(pages, shelf, id);
        const box = await picture(page).boundingBox();
        const at = { position: { x: 200, y: 42 } };
        await picture(page).locator('canvas').click(at);
        await until(() => page.url().includes('part=data_loading'), 'the part');
        check(box.width > 400, String(box.width));
        await picture(page).locator('canvas').dblclick(at);
        await until(() => /\/timeline\?.*slice=\d+/.test(page.url()), 'the slice on the timeline');
    });
});

test('critical path: zoom, fading, operators and steps are in the address', async ({ pages }) => {
    await withRun(TRACE, async ({ shelf, id }) => {
        const page = await open(pages, shelf, id);
        await page.keyboard.press('w');
        await until(() => /view=\d+-\d+/.test(page.url()), 'the view');
        const view = page.url();
        await page.keyboard.press('d');
        await until(() => page.url() !== view && page.url().includes('view='), 'another view');
        await page.keyboard.press('f');
        await until(() => !page.url().includes('view='), 'the whole step');
        await page.getByLabel('fade what is off the path').click();
        await until(() => page.url().includes('fade=0'), 'no fading');
        await page.getByRole('button', { name: /^operators/ }).click();
        await until(() => page.url().includes('by=operator'), 'operators');
        const rows = await until(async () => {
            const all = await rowTexts(page, 'operators of the path');
            return all.length > 3 ? all : null;
        }, 'rows');
        check(rows[0].join(' ').includes('DataLoader'), rows[0].join(' '));
        await page.getByRole('button', { name: 'slowest' }).click();
        await until(() => page.url().includes('step=slowest'), 'the slowest step');
        const names = await page.getByLabel('step by name').locator('option').allInnerTexts();
        check(names.length > 2, names.join());
        await page.getByLabel('step by name').selectOption(names[1]);
        await until(() => /step=\d+/.test(page.url()), 'a step');
        await until(async () => (await page.getByLabel('step by name').inputValue()) === /step=(\d+)/.exec(page.url())[1], 'its path');
        equal(await page.getByRole('button', { name: 'slowest' }).getAttribute('aria-pressed'), 'false', 'slowest');
    });
});

test('critical path: no launch correlations give a reason', async ({ pages }) => {
    const folder = mkdtempSync(join(tmpdir(), 'perfshelf-path-'));
    try {
        const file = join(folder, 'none.json');
        const traceEvents = [
            { ph: 'X', cat: 'cpu_op', name: 'aten::mm', pid: 1, tid: 1, ts: 0, dur: 20, args: {} },
            { ph: 'X', cat: 'kernel', name: 'gemm', pid: 0, tid: 7, ts: 10, dur: 50, args: { device: 0, stream: 7 } },
        ];
        writeFileSync(file, JSON.stringify({ schemaVersion: 1, deviceProperties: [{ id: 0, name: 'GPU' }], traceEvents }));
        await withRun(file, async ({ shelf, id }) => {
            const page = await pages.open(`${shelf.url}#/run/${id}/path`);
            await page.getByText('This run has no critical path').waitFor();
            check((await page.locator('.critical-path').innerText()).includes('correlation'), 'the reason');
        });
    } finally {
        rmSync(folder, { recursive: true });
    }
});

test('critical path: Enter draws the path on the timeline, the switch there removes it', async ({ pages }) => {
    await withRun(TRACE, async ({ shelf, id }) => {
        const page = await open(pages, shelf, id, '?part=backward');
        await page.keyboard.press('Enter');
        await until(() => /\/timeline\?.*path=\d+/.test(page.url()), 'the timeline');
        const box = page.getByLabel('critical path', { exact: true });
        await box.waitFor();
        check(await box.isChecked(), 'the switch is on');
        const picture = () => page.locator('.timeline-stage canvas').first().evaluate((canvas) => canvas.toDataURL());
        await settle(page);
        const drawn = await picture();
        await box.click();
        await until(() => !page.url().includes('path='), 'no path');
        await settle(page);
        const without = await picture();
        check(drawn !== without, 'the line is drawn');
        await box.click();
        await until(() => /path=\d+/.test(page.url()), 'the step in the middle of the view');
        await settle(page);
        equal(await picture(), drawn, 'the picture');
    });
});

for (const [width, height] of [[1440, 900], [800, 900], [390, 844]])
    (width === 390 ? test : longTest)(`critical path: nothing is wider than the page at ${width} px`, async ({ pages }) => {
        await withRun(TRACE, async ({ shelf, id }) => {
            const page = await open(pages, shelf, id, '?part=data_loading', { width, height });
            const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
            check(over <= 0, `${over} px`);
            const box = await picture(page).locator('canvas').boundingBox();
            check(box.width <= width && box.height > 100, JSON.stringify(box));
        });
    });
