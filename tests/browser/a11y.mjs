/* SPDX-License-Identifier: MIT
 *
 * What people with weak eyes or without a mouse need, on every tab of the demo runs in both themes:
 * texts that stand out from what is behind them, and a visible ring around the focused control.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { check, equal, longTest, quiet, settle, test } from './lib.mjs';

/* WCAG 2.1 AA: 4.5 : 1, and 3 : 1 for large text. */
const MIN_RATIO = 4.5;
const MIN_LARGE_RATIO = 3;

/* Texts with too little contrast, a sentence each. Runs in the page. */
function contrastFaults([minRatio, minLargeRatio]) {
    const faults = new Map();
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('* { pointer-events: auto !important; transition: none !important; }');
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    const parse = (text) => {
        const color = /color\(srgb ([\d.]+) ([\d.]+) ([\d.]+)(?: \/ ([\d.]+))?/.exec(text);
        if (color) return [color[1] * 255, color[2] * 255, color[3] * 255, Number(color[4] ?? 1)];
        const [r, g, b, a = 1] = (text.match(/[\d.]+/g) ?? [0, 0, 0, 0]).map(Number);
        return [r, g, b, a];
    };
    const blend = (top, below) => top.slice(0, 3).map((value, i) => value * top[3] + below[i] * (1 - top[3]));
    const luminance = (rgb) => {
        const [r, g, b] = rgb.map((value) => value / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ratioOf = (a, b) => {
        const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
        return (high + 0.05) / (low + 0.05);
    };
    const opacityOf = (element) => {
        let opacity = 1;
        for (let box = element; box; box = box.parentElement) opacity *= Number(getComputedStyle(box).opacity);
        return opacity;
    };
    /* Colour behind a text of `parent` at a point; null if something else is in front of the text. */
    const groundAt = (parent, x, y) => {
        const stack = document.elementsFromPoint(x, y);
        const from = stack.indexOf(parent);
        if (from < 0 || stack.slice(0, from).some((element) => !parent.contains(element))) return null;
        const layers = [];
        for (const element of stack.slice(from)) {
            if (element.matches('canvas, svg, svg *, img')) return null;
            const color = parse(getComputedStyle(element).backgroundColor);
            color[3] *= opacityOf(element);
            if (color[3] > 0) layers.push(color);
            if (color[3] >= 1) break;
        }
        return layers.reverse().reduce((below, top) => blend(top, below), [255, 255, 255]);
    };
    const nameOf = (element) => `${element.tagName.toLowerCase()}.${[...element.classList].join('.')}`;
    const texts = document.createTreeWalker(document.getElementById('app'), NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
        const parent = node.parentElement;
        if (!node.data.trim() || !parent.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
        if (parent.closest(':disabled, [aria-disabled=true], .sr-only, svg')) continue;
        const range = document.createRange();
        range.selectNodeContents(node);
        const style = getComputedStyle(parent);
        const size = parseFloat(style.fontSize);
        const least = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? minLargeRatio : minRatio;
        const color = parse(style.color);
        color[3] *= opacityOf(parent);
        for (const { left, right, top, bottom } of range.getClientRects()) {
            for (const x of [left + 1, (left + right) / 2, right - 1]) {
                const ground = groundAt(parent, x, (top + bottom) / 2);
                if (!ground) continue;
                const ratio = ratioOf(blend(color, ground), ground);
                if (ratio >= least) continue;
                const place = nameOf(parent.classList.length ? parent : parent.parentElement);
                const key = `${place} rgb(${ground.map(Math.round)})`;
                if (!faults.has(key)) faults.set(key, `${ratio.toFixed(2)} for "${node.data.trim().slice(0, 30)}" in ${place} on rgb(${ground.map(Math.round)})`);
            }
        }
    }
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== sheet);
    return [...faults.values()];
}

const FILES = ['bookshop-slow.prof', 'training.pt.trace.json.gz', 'awscli.log', 'events.lprof', 'events-memory.txt', 'gpt-h200.pt.trace.json.gz'];

async function tabsOf(page) {
    return page.locator('.tabs nav a').evaluateAll((tabs) => tabs.map((tab) => tab.getAttribute('href')));
}

/* Visits each address once, and looks at it in both themes. */
async function checkContrast(page, url, hashes) {
    const faults = [];
    for (const hash of hashes) {
        await page.goto(url + hash);
        await settle(page);
        for (const colorScheme of ['dark', 'light']) {
            await page.emulateMedia({ colorScheme });
            await quiet(page);
            const found = await page.evaluate(contrastFaults, [MIN_RATIO, MIN_LARGE_RATIO]);
            faults.push(...found.map((fault) => `${hash.split('/').pop()}, ${colorScheme}: ${fault}`));
        }
    }
    equal(faults, [], 'texts with little contrast');
}

for (const [i, file] of FILES.entries()) {
    (i < 2 ? test : longTest)(`a11y: texts on every tab of ${file} have contrast`, async ({ pages, demo }) => {
        const page = await pages.open(`${demo.url}#/run/${demo.demo.get(file).id}`);
        await checkContrast(page, demo.url, await tabsOf(page));
    });
}

/* Colours that fill a part of the frames of a picture, with too little contrast to the ink on them. Runs in the page. */
function fillFaults(minRatio) {
    const canvas = document.querySelector('.frame-canvas');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const counts = new Map();
    let frames = 0;
    const hex = (text) => [1, 3, 5].map((at) => parseInt(text.trim().slice(at, at + 2), 16));
    for (let i = 0; i < data.length; i += 4) {
        if (data[i + 3] < 255) continue;
        frames++;
        const key = (data[i] << 16) | (data[i + 1] << 8) | data[i + 2];
        counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    const luminance = (rgb) => {
        const [r, g, b] = rgb.map((value) => value / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ink = luminance(hex(getComputedStyle(canvas).getPropertyValue('--ink')));
    const fills = [...counts].filter(([, n]) => n > frames / 250).map(([key]) => [key >> 16, (key >> 8) & 255, key & 255]);
    const ratio = (fill) => (Math.max(ink, luminance(fill)) + 0.05) / (Math.min(ink, luminance(fill)) + 0.05);
    return { n: fills.length, faults: fills.filter((fill) => ratio(fill) < minRatio).map((fill) => `rgb(${fill}) ${ratio(fill).toFixed(2)}`) };
}

test('a11y: names stand out from the colours of frames by origin, package and none', async ({ pages, demo }) => {
    const file = join(demo.folder, 'packages.txt');
    writeFileSync(file, Array.from({ length: 40 }, (_, i) => `main (app.py:1);work_${i} (/v/lib/python3.12/site-packages/package_${i}/core.py:3) 1`).join('\n'));
    const { id } = demo.add(file);
    for (const theme of ['light', 'dark']) {
        const page = await pages.open(demo.url, { theme });
        for (const [color, least] of [['origin', 2], ['package', 15], ['plain', 1]]) {
            await page.goto(`${demo.url}#/run/${id}/flame?color=${color}`);
            await settle(page);
            await page.getByRole('img', { name: 'Flame graph, 42 frames' }).waitFor();
            const { n, faults } = await page.evaluate(fillFaults, MIN_RATIO);
            check(n >= least, `${n} colours by ${color}`);
            equal(faults, [], `${color}, ${theme}`);
        }
        await pages.close();
    }
});

test('a11y: texts of the shelf and of a comparison have contrast', async ({ pages, demo }) => {
    const [base, fresh] = ['bookshop-slow.prof', 'bookshop-joined.prof'].map((file) => demo.demo.get(file).id);
    await checkContrast(await pages.open(demo.url), demo.url, ['', `#/compare?base=${base}&new=${fresh}`, '#/trend?runs=series:bookshop']);
});

/* What is wrong with the focused element; null if it is visible and has a ring. Runs in the page. */
function focusFault() {
    const element = document.activeElement;
    if (!element || element === document.body) return null;
    document.getAnimations().forEach((animation) => animation.finish());
    const name = `${element.tagName.toLowerCase()}.${[...element.classList].join('.')} "${(element.ariaLabel ?? element.textContent).trim().slice(0, 30)}"`;
    const { width, height } = element.getBoundingClientRect();
    const isShown = element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
    if (!isShown || width < 1 || height < 1) return `${name} is not visible`;
    // A table with a cursor shows the ring at the row of the cursor; a check box at its frame.
    const cursor = element.matches('.has-cursor') ? element.querySelector('.is-cursor') : null;
    const boxes = [element, cursor, element.parentElement].filter(Boolean);
    const hasRing = boxes.some((box) => {
        const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(box);
        return (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1.5) || (box === element.parentElement && /inset|0px 0px 0px [12]/.test(boxShadow));
    });
    return hasRing ? null : `${name} shows no focus`;
}

const MAX_STOPS = 150;

async function focusFaults(page) {
    const faults = new Set();
    await page.evaluate(() => document.activeElement?.blur());
    for (let stop = 0; stop < MAX_STOPS; stop++) {
        await page.keyboard.press('Tab');
        const fault = await page.evaluate(focusFault);
        if (fault) faults.add(fault);
        if (await page.evaluate(() => document.activeElement === document.body)) break;
    }
    return [...faults];
}

const FOCUS_PAGES = [
    ['bookshop-slow.prof', ['functions', 'calltree']],
    ['awscli.log', ['imports', 'lazy']],
    ['events.lprof', ['lines']],
    ['training.pt.trace.json.gz', ['overview', 'path', 'timeline', 'operators']],
];
for (const [i, [file, tabs]] of FOCUS_PAGES.entries()) {
    (i ? longTest : test)(`a11y: each control of ${file} shows that it has the focus`, async ({ pages, demo }) => {
        for (const tab of tabs) {
            const page = await pages.open(`${demo.url}#/run/${demo.demo.get(file).id}/${tab}`);
            equal(await focusFaults(page), [], tab);
            await pages.close();
        }
    });
}

test('a11y: each control of the shelf shows that it has the focus', async ({ pages, demo }) => {
    const page = await pages.open(demo.url);
    check((await page.locator('button:visible').count()) > 5, 'the shelf has no buttons');
    equal(await focusFaults(page), [], 'the shelf');
});
