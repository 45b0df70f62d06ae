/* SPDX-License-Identifier: MIT
 *
 * Every tab in windows of 1280, 800 and 390 px: nothing is outside of the window, titles of columns do not
 * overlap, names have room, no number is cut, controls of toolbars are whole or have a title, rows have a
 * cell for each title, and code is marked up. Texts are drawn letter by letter.
 */
import { join } from 'node:path';
import { check, equal, longTest, quiet, ROOT, settle, Shelf, SHORT, test } from './lib.mjs';

const WIDTHS = [1280, 800, 390];
/* Where most sticks out. One report is looked at in all widths even when time is short. */
const SHORT_WIDTHS = SHORT ? [390] : WIDTHS;
const NAME_MIN = 120;

/* What is wrong with the layout of the page, a sentence each. Runs in the page. */
function layoutFaults(nameMin) {
    const faults = new Set();
    const NUMBER = /^[\s\d.,:%+−±×~<>≤≥(/)–-]*\d[\s\d.,:%+−±×()/–-]*([nµm]?s|min|h|[KMGT]?i?B|[kKMGT]|[GT]?FLOPs?(\/s)?|samples)?[\s%)]*$/;
    /* Code, and names that contain numbers, may be cut. */
    const CODE = '.source-text, .source-band, .sql-editor, .timeline-names, .nav-name, .call-graph';
    const isShown = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
    const nameOf = (element) => `${element.tagName.toLowerCase()}.${[...element.classList].join('.')}`;
    const boxOf = (node) => {
        const range = document.createRange();
        range.selectNodeContents(node);
        return range.getBoundingClientRect();
    };
    /* Sides between which an element is drawn; null inside of a part that scrolls sideways. */
    const clipOf = (element) => {
        const clip = { left: -Infinity, right: Infinity };
        for (let box = element; box && box !== document.body; box = box.parentElement) {
            const { overflowX, position } = getComputedStyle(box);
            const { left, right } = box.getBoundingClientRect();
            if (/auto|scroll/.test(overflowX)) return { ...clip, scrolls: true };
            if (overflowX !== 'visible') {
                clip.left = Math.max(clip.left, left);
                clip.right = Math.min(clip.right, right);
            }
            if (position === 'fixed') break;
        }
        return clip;
    };
    for (const head of document.querySelectorAll('.grid-head, .list-head')) {
        if (!isShown(head)) continue;
        let before = null;
        for (const cell of head.children) {
            const title = cell.textContent.trim();
            const box = boxOf(cell);
            if (!title || !isShown(cell)) continue;
            if (before && box.left < before.right - 1 && box.top < before.bottom) faults.add(`"${before.title}" overlaps "${title}"`);
            if (cell.scrollWidth > cell.clientWidth + 1) faults.add(`the title "${title}" is cut`);
            before = { title, right: box.right, bottom: box.bottom };
        }
    }
    for (const cell of document.querySelectorAll('.is-named > .grid-scroll > .grid-head > .grid-cell:first-child')) {
        const { width } = cell.getBoundingClientRect();
        if (isShown(cell) && width < nameMin) faults.add(`names have ${width} px below "${cell.textContent}"`);
    }
    for (const toolbar of document.querySelectorAll('.toolbar')) {
        if (!isShown(toolbar)) continue;
        if (toolbar.scrollWidth > toolbar.clientWidth + 1) faults.add(`the toolbar "${toolbar.ariaLabel}" is ${toolbar.scrollWidth} px wide, and shows ${toolbar.clientWidth}`);
        for (const part of toolbar.querySelectorAll('*')) {
            const { overflowX } = getComputedStyle(part);
            const isCut = isShown(part) && /hidden|clip/.test(overflowX) && part.scrollWidth > part.clientWidth + 1;
            if (isCut && !part.closest('.sr-only, select, input') && !part.closest('[title]')) faults.add(`${nameOf(part)} is cut in a toolbar, without a title: ${part.textContent}`);
        }
    }
    for (const table of document.querySelectorAll('table:has(thead)')) {
        const titles = table.tHead.rows[0].cells.length;
        const cells = table.tBodies[0]?.rows[0]?.cells.length ?? titles;
        if (cells !== titles) faults.add(`${nameOf(table)} has ${titles} titles above ${cells} cells`);
    }
    const texts = document.createTreeWalker(document.getElementById('app'), NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
        const parent = node.parentElement;
        if (node.data.includes('`') && isShown(parent) && !parent.closest(`${CODE}, code, pre, .mono`)) faults.add(`backquotes in ${nameOf(parent)}: ${node.data}`);
        if (!NUMBER.test(node.data) || !isShown(parent) || parent.closest(CODE)) continue;
        const { left, right } = boxOf(node);
        const clip = clipOf(parent);
        if (left < clip.left - 1 || right > clip.right + 1) faults.add(`the number ${node.data} is cut in ${nameOf(parent)}`);
    }
    for (const element of document.querySelectorAll('#app *')) {
        const { left, right, width, height } = element.getBoundingClientRect();
        if (!width || !height || !isShown(element) || element.closest('.sr-only')) continue;
        const clip = clipOf(element.parentElement);
        if (clip.scrolls) continue;
        const outside = Math.min(right, clip.right) > innerWidth + 1 || Math.max(left, clip.left) < -1;
        if (outside) faults.add(`${nameOf(element)} is outside of the window: ${left} to ${right}`);
    }
    return [...faults];
}

async function checkTabs(pages, url, hash, widths = SHORT_WIDTHS) {
    for (const width of widths) {
        const page = await pages.open(url + hash, { width, height: width < 600 ? 844 : 900 });
        const hrefs = await page.locator('.tabs nav a').evaluateAll((tabs) => tabs.map((tab) => tab.getAttribute('href')));
        check(hrefs.length > 1, `${hrefs.length} tabs`);
        for (const href of hrefs) {
            await page.goto(url + href);
            await settle(page);
            equal(await page.evaluate(layoutFaults, NAME_MIN), [], `${href} at ${width} px`);
        }
        await pages.close();
    }
}

const DEMO = ['bookshop-slow.prof', 'training.pt.trace.json.gz', 'awscli.log', 'events.lprof', 'events-memory.txt', 'gpt-h200.pt.trace.json.gz'];
for (const [i, file] of DEMO.entries()) {
    (i < 2 ? test : longTest)(`layout: every tab of ${file}`, ({ pages, demo }) => checkTabs(pages, demo.url, `#/run/${demo.demo.get(file).id}`, i ? SHORT_WIDTHS : WIDTHS));
}

const SAMPLES = ['mprof/ok_children.dat', 'scalene/ok_v1554.json', 'hyperfine/ok_hyperfine_v1.json', 'top/ok_top.txt', 'key_averages/ok_cuda.txt'];
for (const [i, file] of SAMPLES.entries()) {
    (i ? longTest : test)(`layout: every tab of ${file}`, async ({ pages }) => {
        const shelf = await Shelf.start();
        try {
            await checkTabs(pages, shelf.url, `#/run/${shelf.add(join(ROOT, 'tests', 'golden', file)).id}`);
        } finally {
            await shelf.stop();
        }
    });
}

const PAIRS = [['bookshop-slow.prof', 'bookshop-joined.prof'], ['training-waits.pt.trace.json.gz', 'training.pt.trace.json.gz']];
for (const [i, pair] of PAIRS.entries()) {
    (i ? longTest : test)(`layout: every tab of a comparison with ${pair[0]}`, ({ pages, demo }) => {
        const [base, fresh] = pair.map((file) => demo.demo.get(file).id);
        return checkTabs(pages, demo.url, `#/compare?base=${base}&new=${fresh}`);
    });
}

test('layout: the shelf, a trend, and operators by input shape', async ({ pages, demo }) => {
    const shapes = `#/run/${demo.demo.get('gpt-h200.pt.trace.json.gz').id}/operators?by=shape`;
    for (const hash of ['', '#/trend?runs=series:bookshop', shapes]) {
        for (const width of SHORT_WIDTHS) {
            const page = await pages.open(demo.url + hash, { width, height: width < 600 ? 844 : 900 });
            equal(await page.evaluate(layoutFaults, NAME_MIN), [], `${hash} at ${width} px`);
        }
    }
});

test('layout: tabs scroll, and fade where there are more', async ({ pages, demo }) => {
    const page = await pages.open(`${demo.url}#/run/${demo.demo.get('training.pt.trace.json.gz').id}/timeline`, { width: 390, height: 844 });
    const bar = page.locator('.tabs nav');
    const sides = async () => (await bar.getAttribute('class')) ?? '';
    equal(await sides(), 'has-more-right', 'at the first tab');
    await bar.evaluate((nav) => nav.scrollTo({ left: 100 }));
    await quiet(page);
    equal(await sides(), 'has-more-left has-more-right', 'in the middle');
    await bar.getByText('SQL').click();
    await quiet(page);
    equal(await sides(), 'has-more-left', 'at the last tab');
});

test('layout: texts have no ligatures, in the page and on a canvas', async ({ pages, demo }) => {
    const page = await pages.open(`${demo.url}#/run/${demo.demo.get('awscli.log').id}/imports`);
    const joined = await page.locator('#app *').evaluateAll((all) =>
        all.filter((element) => getComputedStyle(element).fontVariantLigatures !== 'none').map(({ className }) => className));
    equal(joined, [], 'elements with ligatures');
    /* DejaVu Sans, which the tests have, draws ffi as one letter; Inter draws 10x7 as 10×7. A non-joiner
     * between the letters has no width. */
    const drawn = await page.locator('canvas').first().evaluate((canvas) => {
        const ctx = canvas.getContext('2d');
        const pixelsOf = (text) => {
            ctx.clearRect(0, 0, canvas.width, canvas.height);
            ctx.fillText(text, 4, 60);
            return ctx.getImageData(0, 0, canvas.width, canvas.height).data.join();
        };
        ctx.font = '400 40px "DejaVu Sans"';
        return ['ffi', '0x7f', '10x7', '->'].map((text) => pixelsOf(text) === pixelsOf([...text].join('\u200c')));
    });
    equal(drawn, [true, true, true, true], 'letters drawn one by one');
});
