/* SPDX-License-Identifier: MIT
 *
 * A shelf whose every name is markup: each tab of each kind of report shows it as text. Pages fail
 * their test by themselves when a policy is violated, or anything is thrown or logged as an error.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { check, DEMO, equal, longTest, ROOT, settle, Shelf, test } from './lib.mjs';

/* Markdown that brings elements, addresses that run and images of other servers. */
const MARKDOWN = [
    '# <script>alert(1)</script>',
    '[one](javascript:alert(1)) [two](JaVaScRiPt:alert(1)) [three](data:text/html,x) <javascript:alert(1)> [four](//evil.example)',
    '![five](https://evil.example/x.png) [six](https://good.example/?a=1&b="2" "a title") [seven](#/queries)',
    '<img src=x onerror=alert(1)> <a href="javascript:alert(1)">eight</a> <svg onload=alert(1)>',
    '| <img src=x> |\n| --- |\n| <b onmouseover=alert(1)>nine</b> |',
    '> - `<img src=x onerror=alert(1)>` **<img src=x>**',
].join('\n\n');

const SCRIPT = '<img src=x onerror=alert(1)>"\'';

function addHostile(shelf, part) {
    const folder = join(shelf.folder, 'hostile');
    mkdirSync(folder);
    execFileSync('python3', [join(ROOT, 'tests', 'http', 'hostile.py'), folder], { env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' } });
    return readdirSync(folder).filter((_, i) => i % PARTS === part).map((kind) => {
        const labels = ['--name', `${kind} ${SCRIPT}`, '--series', SCRIPT, '--note', SCRIPT, '--tag', `${SCRIPT.replaceAll('=', '')}=${SCRIPT}`];
        return shelf.add(join(folder, kind), ...labels);
    });
}

/* What no page of ours has: elements and handlers that a name would bring. */
function injected(page) {
    return page.evaluate(() =>
        [...document.querySelectorAll('img[src="x"], script:not([src]), [onerror], [onload]')].map((one) => one.outerHTML),
    );
}

async function harmless(page, where) {
    await settle(page);
    equal(await injected(page), [], `elements of a name in ${where}`);
}

async function openHostile(pages, url) {
    const page = await pages.open(url);
    page.on('dialog', async (dialog) => {
        pages.fault(`a dialog: ${dialog.message()}`);
        await dialog.dismiss();
    });
    return page;
}

async function eachTab(page, kind) {
    const tabs = page.locator('.tabs a');
    const n = await tabs.count();
    check(n > 0, `${kind} has tabs`);
    for (let i = 0; i < n; i++) {
        const name = (await tabs.nth(i).innerText()).trim();
        await tabs.nth(i).click();
        await harmless(page, `${kind}, ${name}`);
    }
}

const PARTS = 12;
for (let part = 0; part < PARTS; part++) {
    (part ? longTest : test)(`attacks: markup in every name is text in every tab, part ${part + 1}`, async ({ pages }) => {
        const shelf = await Shelf.start();
        const runs = addHostile(shelf, part);
        const page = await openHostile(pages, shelf.url);
        await harmless(page, 'the shelf');
        check((await page.content()).includes('&lt;img src=x'), 'the names stand on the shelf');
        for (const { id, kind } of runs) {
            await page.goto(`${shelf.url}#/run/${id}`);
            await harmless(page, kind);
            await eachTab(page, kind);
            await page.goto(`${shelf.url}#/compare?base=${id}&new=${id}`);
            await harmless(page, `the comparison of ${kind}`);
        }
        check(await shelf.stop(), 'serve ends');
    });
}

test('attacks: Markdown of a note brings no element, no image and no address that runs', async ({ pages }) => {
    const shelf = await Shelf.start();
    const { id } = shelf.add(join(DEMO, 'awscli.log'), '--note', MARKDOWN);
    const page = await openHostile(pages, `${shelf.url}#/run/${id}`);
    const note = page.locator('.run-note .markdown');
    await note.locator('table').waitFor();
    await harmless(page, 'the note');
    equal(await note.locator('img, svg, script, b[onmouseover]').count(), 0, 'elements of the note');
    const links = await note.locator('a').evaluateAll((all) => all.map(({ textContent, target, rel, ...link }) => [textContent, target, rel]));
    equal(links, [['five', '_blank', 'noopener noreferrer'], ['six', '_blank', 'noopener noreferrer'], ['seven', '', '']], 'links');
    const addresses = await note.locator('a').evaluateAll((all) => all.map((link) => link.getAttribute('href')));
    check(addresses.every((href) => /^(https:\/\/|#\/)/.test(href)), `addresses ${addresses}`);
    check((await note.innerText()).includes('<script>alert(1)</script>'), 'markup as text');

    // The preview of the editor shows the same.
    await page.keyboard.press('e');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.locator('.note-preview table').waitFor();
    equal(await page.locator('.note-preview').locator('img, svg, script').count(), 0, 'elements of the preview');
    check(await shelf.stop(), 'serve ends');
});

test('attacks: marks that change the direction of text are visible in names', async ({ pages }) => {
    const shelf = await Shelf.start();
    const { id } = shelf.add(join(DEMO, 'awscli.log'), '--name', 'run_\u202egnp.exe');
    const page = await openHostile(pages, shelf.url);
    await page.getByText('run_\\u202egnp.exe').first().waitFor();
    await page.goto(`${shelf.url}#/run/${id}`);
    await page.getByText('run_\\u202egnp.exe').first().waitFor();
    await settle(page);
    const marked = await page.evaluate(() => /[\u202a-\u202e\u2066-\u2069]/.test(document.body.outerHTML));
    equal(marked, false, 'a mark in the page');
    check(await shelf.stop(), 'serve ends');
});
