/* SPDX-License-Identifier: MIT
 *
 * A table of 20,000 functions, and one of 200,000, scrolls: rows are drawn as they come into view, and no others. The
 * pace of the frames is printed for people: on a busy machine it says nothing of the page.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { check, grid, longTest, quiet, ROOT, rowTexts, Shelf, test, until } from './lib.mjs';

async function framesWhile(page, act) {
    await page.evaluate(() => {
        window.frames_ = [];
        let last = performance.now();
        const step = (now) => {
            window.frames_.push(now - last);
            last = now;
            window.framesOn = requestAnimationFrame(step);
        };
        window.framesOn = requestAnimationFrame(step);
    });
    await act();
    const deltas = await page.evaluate(() => {
        cancelAnimationFrame(window.framesOn);
        return window.frames_.slice(2);
    });
    const sorted = [...deltas].sort((a, b) => a - b);
    const at = (share) => sorted[Math.floor(share * (sorted.length - 1))];
    return { n: deltas.length, p50: at(0.5), p99: at(0.99), max: at(1), dropped: deltas.filter((d) => d > 25).length };
}

async function scrollTable(pages, count) {
    const shelf = await Shelf.start();
    try {
        const file = join(shelf.folder, 'big.prof');
        execFileSync('python3', [join(ROOT, 'tests', 'bench', 'make_pstats.py'), String(count), file]);
        const { id } = shelf.add(file);
        const page = await pages.open(`${shelf.url}#/run/${id}/functions`);
        const label = 'Functions';
        await until(async () => (await rowTexts(page, label)).length > 10, 'the first rows', 30_000);
        const box = await grid(page, label).boundingBox();
        await page.mouse.move(box.x + 200, box.y + 200);
        await quiet(page);
        const wheel = await framesWhile(page, async () => {
            for (let i = 0; i < 120; i++) {
                await page.mouse.wheel(0, 240);
                await page.waitForTimeout(16);
            }
        });
        console.log(`      wheel: ${wheel.n} frames, p50 ${wheel.p50.toFixed(1)} ms, p99 ${wheel.p99.toFixed(1)} ms, ` +
            `longest ${wheel.max.toFixed(1)} ms, ${wheel.dropped} over 25 ms`);
        const first = () => grid(page, label).locator('.grid-row').evaluateAll((all) =>
            Math.min(...all.map((row) => Number(row.dataset.index))));
        await until(async () => (await first()) > 500, 'rows far down, drawn where the wheel led');
        await until(async () => (await rowTexts(page, label)).length > 10, 'their cells');

        const drawn = await grid(page, label).locator('.grid-row').count();
        check(drawn < 150, `${drawn} rows are in the page`);

        await grid(page, label).focus();
        await page.keyboard.press('End');
        const lastRow = () => grid(page, label).locator('.grid-row').evaluateAll((all) =>
            Math.max(...all.map((row) => Number(row.dataset.index))));
        await until(async () => (await lastRow()) === count - 1, 'the last row');
        await until(async () => (await rowTexts(page, label)).length > 5, 'the cells of the last rows');
    } finally {
        await pages.close();
        check(await shelf.stop(), 'serve did not end on SIGTERM');
    }
}

test('scroll: 20,000 functions', ({ pages }) => scrollTable(pages, 20_000));
longTest('scroll: 200,000 functions', ({ pages }) => scrollTable(pages, 200_000));
