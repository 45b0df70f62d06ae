/* SPDX-License-Identifier: MIT
 *
 * first_page.mjs URL RUN: clicks the run on the shelf, again and again, and prints as JSON how long
 * it took from the click until rows of the report were painted.
 */
import { launch } from './lib.mjs';

const [url, id] = process.argv.slice(2);
const TIMES = 7;

const browser = await launch();
const samples = [];
for (let i = 0; i < TIMES; i++) {
    const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
    await page.goto(url);
    const row = page.locator('.grid-scroll[aria-label=runs] .grid-row').first();
    await row.waitFor();
    await page.waitForTimeout(700); // people look before they click; the page fetches its other parts meanwhile
    samples.push(
        await page.evaluate(async (run) => {
            const target = document.querySelector('.grid-scroll[aria-label=runs] .grid-row .name, .grid-scroll[aria-label=runs] .grid-row [role=gridcell]:nth-child(3)');
            const began = performance.now();
            target.click();
            for (;;) {
                await new Promise((resolve) => requestAnimationFrame(resolve));
                const there = location.hash.includes(run) &&
                    document.querySelectorAll('main.report .grid-row > [role=gridcell]').length > 20;
                if (there) break;
                if (performance.now() - began > 20_000) throw new Error('no rows');
            }
            // That frame still has to reach the screen.
            await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
            return performance.now() - began;
        }, id),
    );
    await page.context().close();
}
await browser.close();
samples.sort((a, b) => a - b);
console.log(JSON.stringify({ median_ms: samples[TIMES >> 1], max_ms: samples[TIMES - 1], samples }));
