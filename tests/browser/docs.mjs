/* SPDX-License-Identifier: MIT
 *
 * The documentation that the program serves at /docs: pages, links, search, theme.
 */
import assert from 'node:assert/strict';
import { test } from './lib.mjs';

test('docs: every page of the contents opens, with its pictures', async ({ pages, demo }) => {
    const page = await pages.open(`${demo.url}docs/`);
    const links = await page.locator('nav a').evaluateAll((all) => all.map((a) => a.href));
    assert.ok(links.length > 15);
    for (const link of links) {
        await page.goto(link);
        assert.equal(await page.locator('h1').count(), 1, link);
        assert.equal(await page.locator('nav [aria-current=page]').count(), 1, link);
        for (const source of await page.locator('main img').evaluateAll((all) => all.map((i) => i.src)))
            assert.equal((await page.request.get(source)).status(), 200, source);
    }
    assert.equal((await page.request.get(`${demo.url}docs/no-such-page`)).status(), 404);
});

test('docs: the search finds a section, by keyboard', async ({ pages, demo }) => {
    const page = await pages.open(`${demo.url}docs/getting-started`);
    await page.keyboard.press('/');
    await page.keyboard.type('whitney rank sum');
    const first = page.locator('#found [role=option]').first();
    await first.waitFor();
    assert.match(await first.textContent(), /rank sum/);
    assert.ok((await first.locator('mark').count()) > 0);
    await page.keyboard.press('ArrowDown');
    assert.equal(await first.getAttribute('aria-selected'), 'true');
    await page.keyboard.press('Enter');
    await page.waitForURL(/docs\/\w+/);
    await page.fill('#search', 'zzzyyyxxx');
    await page.getByText('No page has').waitFor();
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('#found').isVisible(), false);
});

test('docs: the theme of the reader decides which picture is shown', async ({ pages, demo }) => {
    const page = await pages.open(`${demo.url}docs/imports`);
    const visible = () => page.locator('main img').evaluateAll((all) => all.filter((i) => i.offsetParent).map((i) => i.className));
    assert.deepEqual([...new Set(await visible())], ['light']);
    await page.locator('#theme').click();
    assert.deepEqual([...new Set(await visible())], ['dark']);
});

test('docs: a narrow window shows everything without scrolling sideways', async ({ pages, demo }) => {
    const page = await pages.open(`${demo.url}docs/formats`, { width: 390, height: 844 });
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
    await page.fill('#search', 'import');
    await page.locator('#found [role=option]').first().waitFor();
    const box = await page.locator('#found').boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= 390);
});
