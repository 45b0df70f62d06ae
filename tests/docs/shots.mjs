/* SPDX-License-Identifier: MIT
 *
 * Draws the pictures of README.md and docs/: node tests/docs/shots.mjs [NAME...] writes
 * docs/images/NAME-light.webp and NAME-dark.webp, from a shelf with the demo profiles.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { launch, Pages, quiet, ROOT, Shelf } from '../browser/lib.mjs';

const FOLDER = join(ROOT, 'docs', 'images');
const WIDTH = 1280;
const QUALITY = 0.86;

const run = (file, tab) => (demo) => `#/run/${demo.get(file).id}/${tab}`;
const pair = (base, fresh) => (demo) => `base=${demo.get(base).id}&new=${demo.get(fresh).id}`;
const bookshop = pair('bookshop-slow.prof', 'bookshop-joined.prof');

/* name -> [address behind #, height, what a person would click first] */
const SHOTS = {
    shelf: [() => '', 620],
    imports: [run('awscli.log', 'imports'), 760],
    lazy: [run('stdlib.log', 'lazy'), 620],
    functions: [run('bookshop-slow.prof', 'functions'), 760],
    calltree: [run('bookshop-slow.prof', 'calltree'), 760],
    lines: [run('events.lprof', 'lines'), 720],
    memory: [run('events-memory.txt', 'lines'), 640],
    training: [run('training-waits.pt.trace.json.gz', ''), 820],
    snapshot: [run('out-of-memory.pickle.gz', 'snapshot'), 700],
    timeline: [run('gpt-h200.pt.trace.json.gz', 'timeline'), 760],
    compare: [(demo) => `#/compare?${bookshop(demo)}`, 720],
    'compare-side': [(demo) => `#/compare/side?${bookshop(demo)}`, 720],
    trend: [() => '#/trend?runs=series:bookshop', 620],
    sql: [run('bookshop-slow.prof', 'sql'), 620],
};

/* The bytes of a PNG as WebP: a third of its size. */
async function webp(browser, png) {
    const page = await browser.newPage();
    const url = await page.evaluate(
        async ([data, quality]) => {
            const image = new Image();
            image.src = `data:image/png;base64,${data}`;
            await image.decode();
            const canvas = document.createElement('canvas');
            [canvas.width, canvas.height] = [image.width, image.height];
            canvas.getContext('2d').drawImage(image, 0, 0);
            return canvas.toDataURL('image/webp', quality);
        },
        [png.toString('base64'), QUALITY],
    );
    await page.close();
    if (!url.startsWith('data:image/webp')) throw new Error('this Chromium writes no WebP');
    return Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
}

async function settle(page) {
    await page.locator('main').waitFor();
    await quiet(page);
}

const names = process.argv.slice(2);
for (const name of names)
    if (!SHOTS[name]) throw new Error(`no picture is called ${name}; there are ${Object.keys(SHOTS).join(', ')}`);
mkdirSync(FOLDER, { recursive: true });
const browser = await launch();
const shelf = (await Shelf.start()).addDemo("--source-root", join(ROOT, "demo", "workloads"));
const pages = new Pages(browser);
for (const name of names.length ? names : Object.keys(SHOTS)) {
    const [address, height] = SHOTS[name];
    for (const theme of ['light', 'dark']) {
        // As a reader sees the page who has closed the hints of the first visit.
        const before = (opened) => void opened.addInitScript(() => localStorage.setItem('perfshelf.hint.gestures', 'closed'));
        const page = await pages.open(shelf.url + address(shelf.demo), { theme, width: WIDTH, height, before });
        await settle(page);
        const bytes = await webp(browser, await page.screenshot());
        writeFileSync(join(FOLDER, `${name}-${theme}.webp`), bytes);
        console.log(`docs/images/${name}-${theme}.webp  ${Math.ceil(bytes.length / 1024)} KiB`);
        await page.context().close();
    }
}
await pages.close();
await browser.close();
await shelf.stop();
for (const fault of pages.faults) console.error(fault);
process.exit(pages.faults.length ? 1 : 0);
