/* SPDX-License-Identifier: MIT
 *
 * What everybody needs of a page: contrast, names for controls, a focus one can see, no traps.
 */
import { check, grid, longTest, quiet, settle, test } from './lib.mjs';

/* sRGB contrast of two CSS colours, after WCAG 2. */
function luminance(hex) {
    const [r, g, b] = [1, 3, 5].map((i) => {
        const v = parseInt(hex.slice(i, i + 2), 16) / 255;
        return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a, b) {
    const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
}

const SURFACES = ['bg', 'panel', 'inset', 'hover', 'selected'];
const PAIRS = [
    ...['text-1', 'text-2', 'text-3'].flatMap((text) => SURFACES.map((surface) => [text, surface])),
    ['on-accent', 'accent'],
    ['accent', 'bg'],
    ['slower', 'bg'],
    ['faster', 'bg'],
    ['warn', 'warn-bg'],
    ['text-1', 'mark'],
    ...['own', 'third-party', 'stdlib', 'builtin'].map((origin) => ['ink', `origin-${origin}`]),
    ...[1, 2, 3, 4, 5].map((step) => ['ink', `heat-${step}`]),
    ...[1, 2, 3, 4, 5, 6, 7].map((step) => ['ink', `diff-${step}`]),
    ...['slower', 'faster'].flatMap((text) => ['selected', 'hover'].map((surface) => [text, surface])),
    ...['matmul', 'norm', 'elementwise', 'memory', 'data', 'communication', 'runtime', 'annotation', 'python']
        .map((family) => ['ink', `family-${family}`]),
];

for (const theme of ['light', 'dark']) {
    test(`access: contrast of the ${theme} colours`, async ({ pages, demo }) => {
        const page = await pages.open(demo.url, { theme });
        const tokens = await page.evaluate((names) => {
            const style = getComputedStyle(document.documentElement);
            return Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
        }, [...new Set(PAIRS.flat())]);
        const low = PAIRS.map(([text, surface]) => [text, surface, contrast(tokens[text], tokens[surface])])
            .filter(([, , ratio]) => !(ratio >= 4.5));
        check(!low.length, low.map(([text, surface, ratio]) => `${text} on ${surface} ${ratio.toFixed(2)}`).join('\n'));
    });
}

/* Runs in the page: what a checker of accessibility would say of it. */
export function faultsOfPage() {
    const shown = (element) => element.checkVisibility?.() ?? true;
    const nameOf = (element) =>
        element.getAttribute('aria-label') ||
        (element.getAttribute('aria-labelledby') && 'labelled') ||
        element.closest('label')?.textContent.trim() ||
        (element.id && document.querySelector(`label[for="${element.id}"]`)?.textContent.trim()) ||
        element.textContent.trim() ||
        element.getAttribute('title');
    const faults = [];
    for (const element of document.querySelectorAll('button, a[href], input, select, textarea, [role=button]')) {
        if (shown(element) && !nameOf(element)) faults.push(`no name: ${element.outerHTML.slice(0, 120)}`);
    }
    for (const element of document.querySelectorAll('img, [role=img], svg')) {
        const hidden = element.closest('[aria-hidden=true]');
        if (shown(element) && !hidden && !element.getAttribute('aria-label') && !element.getAttribute('alt')
            && !element.querySelector('title')) faults.push(`no text: ${element.outerHTML.slice(0, 120)}`);
    }
    const ids = [...document.querySelectorAll('[id]')].map((element) => element.id);
    for (const id of ids.filter((id, i) => ids.indexOf(id) !== i)) faults.push(`id twice: ${id}`);
    for (const element of document.querySelectorAll('[tabindex]')) {
        if (element.tabIndex > 0) faults.push(`tabindex ${element.tabIndex}: ${element.outerHTML.slice(0, 80)}`);
    }
    if (!document.documentElement.lang) faults.push('no language');
    if (!document.title) faults.push('no title');
    if (document.querySelectorAll('main').length !== 1) faults.push('not one <main>');
    for (const element of document.querySelectorAll('[role=grid] [role=row]')) {
        if (![...element.children].some((c) => /gridcell|columnheader|rowheader/.test(c.role ?? c.getAttribute('role') ?? ''))
            && element.childElementCount && !element.classList.contains('grid-band')) {
            faults.push(`row without cells: ${element.outerHTML.slice(0, 80)}`);
        }
    }
    return faults;
}

const VIEWS = [
    ['shelf', () => ''],
    ['imports', (demo) => `#/run/${demo.demo.get('stdlib.log').id}/imports`],
    ['packages', (demo) => `#/run/${demo.demo.get('stdlib.log').id}/packages`],
    ['who imports', (demo) => `#/run/${demo.demo.get('stdlib.log').id}/who-imports`],
    ['functions', (demo) => `#/run/${demo.demo.get('expressions.prof').id}/functions`],
    ['ledger', (demo) => `#/run/${demo.demo.get('threads.log').id}/ledger`],
];

for (const [view, hash] of VIEWS) {
    (['shelf', 'functions'].includes(view) ? test : longTest)(`access: names, texts and structure of ${view}`, async ({ pages, demo }) => {
        const page = await pages.open(demo.url + hash(demo));
        await quiet(page);
        const faults = await page.evaluate(faultsOfPage);
        check(!faults.length, faults.join('\n'));
    });
}

test('access: Tab walks through the shelf and the focus is seen', async ({ pages, demo }) => {
    const page = await pages.open(demo.url);
    await grid(page, 'runs').locator('.grid-row').first().waitFor();
    await quiet(page);
    const seen = new Set();
    for (let i = 0; i < 40; i++) {
        await page.keyboard.press('Tab');
        const focus = await page.evaluate(() => {
            const element = document.activeElement;
            const style = getComputedStyle(element);
            const around = getComputedStyle(element.parentElement ?? element);
            const rings = [style, around].some((s) => s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 1);
            return { name: element.outerHTML.slice(0, 100), body: element === document.body,
                ring: rings || style.boxShadow !== 'none' || around.boxShadow !== 'none'
                    || Boolean(element.matches('.grid-scroll') && element.querySelector('.is-cursor')) };
        });
        if (focus.body) break;
        seen.add(focus.name);
        check(focus.ring, `no focus ring on ${focus.name}`);
    }
    check(seen.size >= 5, `only ${seen.size} stops`);
});

test('access: 800 pixels wide, nothing sticks out', async ({ pages, demo }) => {
    const page = await pages.open(demo.url, { width: 800 });
    for (const [, hash] of VIEWS) {
        await page.goto(demo.url + hash(demo));
        await settle(page);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        check(wide <= 800, `${page.url()} is ${wide} pixels wide`);
    }
});
