/* SPDX-License-Identifier: MIT
 *
 * One group as a report: from the shelf to its medians, a row in each of its runs, the same after a
 * reload.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { faultsOfPage } from './access.mjs';
import { withGroups } from './compare.mjs';
import { check, equal, grid, longTest, rowTexts, settle, Shelf, test, until } from './lib.mjs';

const plain = (text) => text.replaceAll('\u202f', ' ').replaceAll('−', '-');
const rows = async (page) => (await rowTexts(page, 'Modules')).map((cells) => cells.map(plain));
/* A shelf with these texts, by name. */
async function withLogs(texts, work) {
    const shelf = await Shelf.start();
    const folder = mkdtempSync(join(tmpdir(), 'perfshelf-compare-'));
    try {
        const ids = Object.fromEntries(
            Object.entries(texts).map(([name, text]) => {
                writeFileSync(join(folder, name), text);
                return [name, shelf.add(join(folder, name), '--name', name, '--series', 'made').id];
            }),
        );
        await work({ shelf, ids });
    } finally {
        rmSync(folder, { recursive: true });
        await shelf.stop();
    }
}

const ready = (page) => until(async () => (await rows(page)).length > 0, 'rows');

test('compare: checked runs become the report of their group', ({ pages }) =>
    withGroups(async ({ shelf, base, fresh }) => {
        const page = await pages.open(shelf.url);
        await page.getByRole('checkbox', { name: 'all shown' }).click();
        await page.getByRole('button', { name: /Group report/ }).click();
        await ready(page);
        for (const id of [...base, ...fresh]) check(page.url().includes(id), `${id} in ${page.url()}`);
        check(!page.url().includes('base='), 'no base');
        const head = plain(await page.locator('.compare-head').innerText());
        check(/import, median of 10; spread ±[\d.]+ [mµ]s, range/.test(head), head);
        equal(await page.locator('.compare-head .strip-dot').count(), 10, 'a dot for each run');
        equal(await page.getByRole('button', { name: /Swap/ }).count(), 0, 'there is nothing to swap');
        // The medians of ten lie between those of five and five.
        const seen = Object.fromEntries((await rows(page)).map((cells) => [cells[0], cells.slice(1)]));
        equal(seen.slow[0], '11.509', 'slow');
        equal(seen.gone.at(-1), '5 of 10', 'gone');
    }));

test('compare: a group keeps sort, search and row in the URL', ({ pages }) =>
    withGroups(async ({ shelf, base }) => {
        const page = await pages.open(`${shelf.url}#/compare/imports?new=${base}`);
        await ready(page);
        const [slow] = await rows(page);
        equal(slow, ['slow', '9.008', '0.003', '9.000', '9.017', '30.9', '5 of 5'], 'the largest');
        await grid(page, 'Modules').getByText('gone', { exact: true }).click();
        const pane = page.getByRole('region', { name: 'The selected module' });
        await until(async () => /before 3/.test(await pane.innerText()), 'runs of the row');
        check(/median self time\s+4\.008 ms/.test(plain(await pane.innerText())), await pane.innerText());
        check((await pane.getByRole('link', { name: 'before 3' }).getAttribute('href')).includes(base[2]), 'link to the run');
        await page.getByPlaceholder('Search modules').fill('quiet_0');
        await grid(page, 'Modules').getByRole('button', { name: /^Max/ }).click();
        await until(async () => (await rows(page)).length === 10 && page.url().includes('sort=max'), 'ten, by the largest');
        await page.reload();
        await settle(page);
        await until(async () => (await rows(page)).length === 10, 'the same after a reload');
        check(/4\.008 ms/.test(plain(await pane.innerText())), 'the row is still open');
        await page.keyboard.press('2');
        await until(async () => (await rowTexts(page, 'Packages')).length === 10, 'packages');
    }));

for (const [theme, width] of [['dark', 1440], ['light', 800]]) {
    (width === 800 ? test : longTest)(`compare: names, texts and structure of a group, ${theme}, ${width} px`, ({ pages }) =>
        withGroups(async ({ shelf, base }) => {
            const page = await pages.open(`${shelf.url}#/compare/imports?new=${base}&row=2`, { theme, width });
            await ready(page);
            const faults = await page.evaluate(faultsOfPage);
            check(!faults.length, faults.join('\n'));
            const wide = await page.evaluate(() => document.documentElement.scrollWidth);
            check(wide <= width, `${wide} pixels wide`);
        }));
}

test('compare: calls of two dumps are drawn with their bounds', async ({ pages, demo }) => {
    const ids = (...files) => files.map((file) => demo.demo.get(file).id);
    const [plain, joined] = ids('bookshop-slow.prof', 'bookshop-joined.prof');
    const page = await pages.open(`${demo.url}#/compare/functions?base=${plain}&new=${joined}`);
    const picture = page.getByRole('region', { name: 'Difference' });
    await picture.waitFor();
    await until(async () => /bounded\s*:?\s*\[min–max\]/.test(await picture.innerText()), 'what is sure');
    const tree = await page.evaluate((path) => fetch(path).then((got) => got.json()), `/api/v1/compare/tree?base=${plain}&new=${joined}`);
    check(tree.certainty.includes(0) && tree.certainty.includes(1), 'exact and bounded calls');
    check(tree.new.low.every((low, i) => low <= tree.new.total[i]), 'bounds in order');
    // The legend has no room in a narrow window; neither has its line.
    await page.setViewportSize({ width: 800, height: 900 });
    await page.goto(`${demo.url}#/compare/functions?new=${plain},${joined}`);
    const region = page.getByRole('region', { name: 'Means of the runs' });
    await region.locator('canvas').first().waitFor();
    await settle(page);
    const [box, canvas] = [await region.boundingBox(), await region.locator('canvas').first().boundingBox()];
    check(canvas.y - box.y < 20, `${canvas.y - box.y} px above the picture`);
});

test('compare: what became lazy, what is new and who imports it now, in words', async ({ pages }) => {
    const log = (...rows) => ['import time: self [us] | cumulative | imported package', ...rows.map(([depth, name, self, total]) => `import time: ${String(self).padStart(9)} | ${String(total).padStart(10)} | ${'  '.repeat(depth)}${name}`), ''].join('\n');
    const base = log([2, 'shared', 700, 700], [1, 'first', 100, 800], [1, 'lazy', 5000, 5000], [1, 'second', 90, 90]);
    const fresh = log([1, 'first', 100, 100], [2, 'shared', 700, 700], [2, 'extra', 40, 40], [1, 'second', 90, 830]);
    await withLogs({ base, fresh }, async ({ shelf, ids }) => {
        const page = await pages.open(`${shelf.url}#/compare/imports?base=${ids.base}&new=${ids.fresh}`);
        await ready(page);
        const said = Object.fromEntries((await rows(page)).map((cells) => [cells[0].split('\n')[0], cells]));
        equal(said.lazy.at(-1), '- no longer imported', 'lazy');
        equal(said.extra.at(-1), '+ newly imported', 'extra');
        const moved = Object.keys(said).find((name) => name.startsWith('shared'));
        check(/now first imported by second/.test(moved), moved);
        await grid(page, 'Modules').getByText('shared', { exact: true }).click();
        const pane = page.getByRole('region', { name: 'The selected module' });
        await until(async () => /Now first imported by second, in the base by first/.test(await pane.innerText()), 'the mover');
        await grid(page, 'Modules').getByText('lazy', { exact: true }).click();
        await until(async () => /No longer imported: it is lazy now/.test(await pane.innerText()), 'in words');
        check(/made/.test(await page.getByRole('navigation').first().innerText()), 'the series of both');
    });
});

test('compare: a frame selects its row, far down too, and a row its frame', ({ pages }) =>
    withGroups(async ({ shelf, hash, base }) => {
        const page = await pages.open(`${shelf.url}${hash}&sort=new&desc=1`);
        await ready(page);
        const shown = async () => (await rows(page)).map(([name]) => name);
        check(!(await shown()).includes('gone'), 'what is gone stands last, out of sight');
        const frame = () => new URLSearchParams(page.url().split('?').pop()).get('frame'); // the path of the frame
        await page.getByRole('button', { name: 'Width: base' }).click();
        const canvas = page.getByRole('region', { name: 'Difference' }).locator('canvas');
        await canvas.click({ position: { x: 8, y: 30 } });
        await until(() => frame()?.startsWith('p') && /row=\d/.test(page.url()), 'the widest frame');
        const widest = frame();
        const pane = page.getByRole('region', { name: 'The selected module' });
        await until(async () => /slow/.test(await pane.innerText()), 'its row');
        await grid(page, 'Modules').getByText('base_module', { exact: true }).click();
        await until(async () => frame() !== widest && /base_module/.test(await pane.innerText()), 'the frame of a row');
        check(frame().startsWith('p'), `the path of the frame of a row: ${frame()}`);
        const gone = await page.evaluate((path) => fetch(path).then((got) => got.json()), `/api/v1/compare/imports?${hash.split('?')[1]}&name=gone`);
        await page.goto(`${shelf.url}${hash}&sort=new&desc=1&row=${gone.rows[0][0]}`);
        await page.reload();
        await until(async () => (await shown()).includes('gone'), 'the table goes to the row');
        await page.goto(`${shelf.url}#/compare/imports?new=${base}`);
        await page.getByRole('region', { name: 'Means of the runs' }).locator('canvas').click({ position: { x: 8, y: 30 } });
        await until(async () => /slow/.test(await pane.innerText()), 'its row in the report of a group');
    }));

test('compare: the call graph is coloured by what changed, of either side', async ({ pages, demo }) => {
    const [slow, joined] = ['bookshop-slow.prof', 'bookshop-joined.prof'].map((file) => demo.demo.get(file).id);
    const page = await pages.open(`${demo.url}#/compare?base=${slow}&new=${joined}`);
    await page.getByRole('link', { name: 'Call graph', exact: true }).click();
    const nodes = page.locator('.graph-node');
    await until(async () => (await nodes.count()) > 5, 'functions');
    const fills = async () => nodes.locator('rect:first-child').evaluateAll((all) => all.map((rect) => rect.getAttribute('fill')));
    const steps = (await fills()).map((fill) => Number(/^var\(--diff-(\d)\)$/.exec(fill)?.[1]));
    check(steps.every((step) => step >= 1 && step <= 7) && steps.some((step) => step <= 2), `faster ones among ${steps}`);
    const said = plain(await nodes.first().textContent());
    check(/[+-][\d.]+ m?s · [\d.]+ m?s/.test(said.replace(/\s+/g, ' ')), said);
    await page.getByRole('button', { name: 'Calls: base' }).click();
    await until(async () => /bookshop|author by author/.test(await page.getByRole('toolbar', { name: 'view options' }).innerText()), 'the base run');
    await nodes.nth(2).dblclick();
    await page.getByRole('button', { name: 'Whole graph' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Whole graph' }).waitFor();
    await until(async () => (await nodes.count()) > 1, 'the same after a reload');
    const faults = await page.evaluate(faultsOfPage);
    check(!faults.length, faults.join('\n'));
});
