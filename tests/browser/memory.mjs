/* SPDX-License-Identifier: MIT
 *
 * Memory over time: the tooltip describes a sample and interpolates nothing, a time without samples is
 * drawn as a gap, and a tooltip is hidden when the picture moves below the pointer.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { check, equal, quiet, ROOT, Shelf, test, until, zoomWheel } from './lib.mjs';

const plain = (text) => text.replaceAll('\u202f', ' ');

/* 5 s of samples, 10 a second, nothing for 20 s, and again 5 s: 10 to 59 MiB, then 500 to 549. */
const TIMES = Array.from({ length: 100 }, (_, i) => (i < 50 ? i / 10 : 20 + i / 10));
const MIB = TIMES.map((_, i) => (i < 50 ? 10 + i : 450 + i));

/* Adds the samples, times `factor`, to the shelf; the address of their tab. */
function addRecording(shelf, factor = 1) {
    const file = join(shelf.folder, 'gap.dat');
    const samples = TIMES.map((t, i) => `MEM ${(factor * MIB[i]).toFixed(6)} ${(1700000000 + t).toFixed(4)}`);
    writeFileSync(file, ['CMDLINE python app.py', ...samples, ''].join('\n'));
    return `${shelf.url}#/run/${shelf.add(file).id}/memory`;
}

async function withRecording(pages, work) {
    const shelf = await Shelf.start();
    try {
        const page = await pages.open(addRecording(shelf));
        await page.locator('.peak-dot').waitFor();
        await quiet(page);
        const gap = page.locator('.sample-gap');
        const { width } = await gap.boundingBox();
        /* px of a time on the axis: the gap lasts from 4.9 to 25 s */
        const xOf = async (t) => (await gap.boundingBox()).x + ((t - 4.9) / 20.1) * width;
        const { y, height } = await page.locator('.memory-chart').boundingBox();
        const hover = async (t) => page.mouse.move(await xOf(t), y + height / 2);
        await work({ page, gap, hover, tip: async () => plain(await page.locator('.tooltip').innerText()) });
    } finally {
        await shelf.stop();
    }
}

test('memory: the tooltip has the nearest sample, and a gap is labelled', ({ pages }) =>
    withRecording(pages, async ({ page, gap, hover, tip }) => {
        equal(plain(await gap.innerText()), 'No samples for 20 s', 'label of the gap');
        await hover(2.52);
        await until(async () => /Sample at 2\.50 s\s+main process\s+35\.000\s+MiB/.test(await tip()), 'the sample at 2.5 s');
        await hover(15);
        await until(async () => /No samples for 20 s\s+from 4\.90 to 25\.00 s/.test(await tip()), 'nothing inside of the gap');
        check(!(await tip()).includes('MiB'), await tip());
        const drawn = await page.locator('.memory-chart canvas').evaluate((canvas) => {
            const { width, height } = canvas;
            const column = (x) => canvas.getContext('2d').getImageData(Math.round(x * width), 0, 1, height).data;
            const blue = (data) => data.some((_, i) => i % 4 === 2 && data[i + 1] > 200 && data[i] > data[i - 2] + 60);
            return [0.3, 0.4, 0.5, 0.6].map((x) => blue(column(x)));
        });
        equal(drawn, [false, false, false, false], 'no line in the gap');
    }));

test('memory: the tooltip is hidden by keys, the wheel and drags', ({ pages }) =>
    withRecording(pages, async ({ page, hover }) => {
        const shown = () => page.locator('.tooltip').count();
        for (const act of [
            () => page.keyboard.press('w'),
            () => zoomWheel(page, -100),
            async () => {
                await page.mouse.down();
                await page.mouse.move(700, 500, { steps: 4 });
                await page.mouse.up();
            },
        ]) {
            await page.mouse.move(640, 480);
            await page.mouse.move(650, 480);
            await until(async () => (await shown()) === 1, 'a tooltip at the pointer');
            await act();
            await quiet(page);
            equal(await shown(), 0, `tooltips after ${act}`);
            await page.keyboard.press('0');
            await quiet(page);
        }
    }));

test('memory: a peak of the run that no sample shows is named beside the highest sample', async ({ pages }) => {
    const shelf = await Shelf.start();
    try {
        const { id } = shelf.add(join(ROOT, 'tests', 'golden', 'scalene', 'ok_v1554.json'));
        const page = await pages.open(`${shelf.url}#/run/${id}/memory`);
        const line = page.locator('.memory-words');
        await until(async () => /Highest sample 96\.604 MiB at .* · peak of the run 142\.1 MiB/.test(plain(await line.innerText())), 'both, each with its name');
        check(/Peak memory\s+142\.1/.test(plain(await page.locator('.facts').innerText())), 'the peak of the run in the header');
    } finally {
        await shelf.stop();
    }
});

test('memory: numbers of the axis are whole, however large', async ({ pages }) => {
    const shelf = await Shelf.start();
    try {
        const page = await pages.open(addRecording(shelf, 100_000));
        await page.locator('.peak-dot').waitFor();
        await quiet(page);
        const isClear = await page.locator('.memory-chart canvas').evaluate((canvas) =>
            canvas.getContext('2d').getImageData(0, 0, 2, canvas.height).data.every((value) => value === 0));
        check(isClear, 'a number of the axis is cut at the left edge');
    } finally {
        await shelf.stop();
    }
});
