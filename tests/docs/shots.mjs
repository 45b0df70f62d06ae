/* SPDX-License-Identifier: MIT
 *
 * Draws the pictures of README.md and docs/: node tests/docs/shots.mjs [NAME...] writes
 * docs/images/NAME-light.webp and NAME-dark.webp, from a shelf with the demo profiles. A picture
 * whose page looks as before keeps its file, so that the history has no pictures without a change.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { launch, Pages, quiet, ROOT, Shelf } from '../browser/lib.mjs';

const FOLDER = join(ROOT, 'docs', 'images');
const WIDTH = 1280;
const QUALITY = 0.86;
const FIRST_RUN_MS = Date.UTC(2026, 0, 15, 10);
const BLOCK = 8;
const NOISE = 6; // edges of text differ by up to 4 in runs of one page; another digit in a small text by 8.6 or more

const run = (file, tab) => (demo) => `#/run/${demo.get(file).id}/${tab}`;
const pair = (base, fresh) => (demo) => `base=${demo.get(base).id}&new=${demo.get(fresh).id}`;
const bookshop = pair('bookshop-slow.prof', 'bookshop-joined.prof');

/* name -> [address behind #, height, how far the page scrolls by itself]. The last, where there is one, depends on when the layout ends. */
const SHOTS = {
    shelf: [() => '', 620],
    imports: [run('awscli.log', 'imports'), 760],
    lazy: [run('stdlib.log', 'lazy'), 620],
    functions: [run('bookshop-slow.prof', 'functions'), 760],
    calltree: [run('bookshop-slow.prof', 'calltree'), 760],
    lines: [run('events.lprof', 'lines'), 720, 252],
    memory: [run('events-memory.txt', 'lines'), 640],
    training: [run('training-waits.pt.trace.json.gz', ''), 820],
    snapshot: [run('out-of-memory.pickle.gz', 'snapshot'), 700],
    timeline: [run('gpt-h200.pt.trace.json.gz', 'timeline'), 760],
    compare: [(demo) => `#/compare?${bookshop(demo)}`, 720],
    'compare-side': [(demo) => `#/compare/side?${bookshop(demo)}`, 720],
    trend: [() => '#/trend?runs=series:bookshop', 620],
    sql: [run('bookshop-slow.prof', 'sql'), 620],
};

/* The bytes of a PNG as WebP: a third of its size. Also how much the picture `old` differs from it: the greatest mean difference,
 * 0 to 255, of a square of BLOCK pixels; Infinity if its size differs or there is none. */
async function webp(browser, png, old) {
    const page = await browser.newPage();
    const { url, difference } = await page.evaluate(
        async ([data, before, quality, block]) => {
            const draw = async (source) => {
                const image = new Image();
                image.src = source;
                await image.decode();
                const canvas = document.createElement('canvas');
                [canvas.width, canvas.height] = [image.width, image.height];
                canvas.getContext('2d').drawImage(image, 0, 0);
                return canvas;
            };
            const pixels = (canvas) => canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
            const greatest = (one, other) => {
                const [a, b] = [pixels(one), pixels(other)];
                let most = 0;
                for (let top = 0; top < one.height; top += block)
                    for (let left = 0; left < one.width; left += block) {
                        let sum = 0;
                        const bottom = Math.min(top + block, one.height);
                        const right = Math.min(left + block, one.width);
                        for (let y = top; y < bottom; y++)
                            for (let i = 4 * (y * one.width + left); i < 4 * (y * one.width + right); i++) sum += Math.abs(a[i] - b[i]);
                        most = Math.max(most, sum / ((bottom - top) * (right - left) * 3));
                    }
                return most;
            };
            const url = (await draw(`data:image/png;base64,${data}`)).toDataURL('image/webp', quality);
            // Both pictures have the losses of the codec.
            const [fresh, kept] = [await draw(url), before && (await draw(`data:image/webp;base64,${before}`))];
            const same = kept && kept.width === fresh.width && kept.height === fresh.height;
            return { url, difference: same ? greatest(fresh, kept) : Infinity };
        },
        [png.toString('base64'), old && old.toString('base64'), QUALITY, BLOCK],
    );
    await page.close();
    if (!url.startsWith('data:image/webp')) throw new Error('this Chromium writes no WebP');
    return { bytes: Buffer.from(url.slice(url.indexOf(',') + 1), 'base64'), difference };
}

/* Answers with the same times and the same address in each run of this script: they are in the pictures. Runs are a minute apart. */
async function fixAnswers(page, shelf, times) {
    await page.clock.setFixedTime(new Date(FIRST_RUN_MS + 3_600_000));
    await page.route('**/api/**', async (route) => {
        if (route.request().headers().accept?.includes('event-stream')) return route.continue();
        const response = await route.fetch();
        if (!/json/.test(response.headers()['content-type'] ?? '')) return route.fulfill({ response });
        let text = (await response.text()).replaceAll(new URL(shelf.url).host, '127.0.0.1:7700');
        for (const [real, fixed] of times) text = text.replaceAll(real, fixed);
        return route.fulfill({ response, body: text });
    });
}

async function fixedTimes(shelf) {
    const { rows } = await (await fetch(`${shelf.url}api/v1/runs?sort=created_at&desc=0&limit=100`)).json();
    return rows.map((row, i) => [row.created_at, new Date(FIRST_RUN_MS + i * 60_000).toISOString()]);
}

async function settle(page) {
    await page.locator('main').waitFor();
    await quiet(page);
}

async function scroll(page, top) {
    const found = await page.evaluate((top) => {
        const scrolled = [...document.querySelectorAll('main *')].filter((element) => element.scrollTop > 0);
        for (const element of scrolled) element.scrollTop = top;
        return scrolled.length;
    }, top);
    if (found !== 1) throw new Error(`${found} parts of the page are scrolled; one was expected`);
    await quiet(page);
}

const names = process.argv.slice(2);
for (const name of names)
    if (!SHOTS[name]) throw new Error(`no picture is called ${name}; there are ${Object.keys(SHOTS).join(', ')}`);
mkdirSync(FOLDER, { recursive: true });
const browser = await launch();
const shelf = (await Shelf.start()).addDemo("--source-root", join(ROOT, "demo", "workloads"));
const times = await fixedTimes(shelf);
const pages = new Pages(browser);
for (const name of names.length ? names : Object.keys(SHOTS)) {
    const [address, height, scrolled] = SHOTS[name];
    for (const theme of ['light', 'dark']) {
        // As a reader sees the page who has closed the hints of the first visit.
        const before = async (opened) => {
            await fixAnswers(opened, shelf, times);
            await opened.addInitScript(() => localStorage.setItem('perfshelf.hint.gestures', 'closed'));
        };
        const page = await pages.open(shelf.url + address(shelf.demo), { theme, width: WIDTH, height, before });
        await settle(page);
        if (scrolled) await scroll(page, scrolled);
        const path = join(FOLDER, `${name}-${theme}.webp`);
        const { bytes, difference } = await webp(browser, await page.screenshot(), existsSync(path) && readFileSync(path));
        if (difference > NOISE) writeFileSync(path, bytes);
        console.log(`docs/images/${name}-${theme}.webp  ${difference > NOISE ? `${Math.ceil(bytes.length / 1024)} KiB` : 'unchanged'}`);
        await page.unrouteAll({ behavior: 'ignoreErrors' });
        await page.context().close();
    }
}
await pages.close();
await browser.close();
await shelf.stop();
for (const fault of pages.faults) console.error(fault);
process.exit(pages.faults.length ? 1 : 0);
