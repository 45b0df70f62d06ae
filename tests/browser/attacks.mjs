/* SPDX-License-Identifier: MIT
 *
 * A shelf whose every name is markup: each tab of each kind of report shows it as text. Pages fail
 * their test by themselves when a policy is violated, or anything is thrown or logged as an error.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { check, equal, ROOT, settle, Shelf, test } from './lib.mjs';

const SCRIPT = '<img src=x onerror=alert(1)>"\'';

function addHostile(shelf) {
    const folder = join(shelf.folder, 'hostile');
    mkdirSync(folder);
    execFileSync('python3', [join(ROOT, 'tests', 'http', 'hostile.py'), folder], { env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' } });
    return readdirSync(folder).map((kind) => {
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

for (const part of [0, 1, 2]) {
    test(`attacks: markup in every name is text in every tab, part ${part + 1}`, async ({ pages }) => {
        const shelf = await Shelf.start();
        const runs = addHostile(shelf);
        const page = await openHostile(pages, shelf.url);
        await harmless(page, 'the shelf');
        check((await page.content()).includes('&lt;img src=x'), 'the names stand on the shelf');
        for (const { id, kind } of runs.filter((_, i) => i % 3 === part)) {
            await page.goto(`${shelf.url}#/run/${id}`);
            await harmless(page, kind);
            await eachTab(page, kind);
            await page.goto(`${shelf.url}#/compare?base=${id}&new=${id}`);
            await harmless(page, `the comparison of ${kind}`);
        }
        check(await shelf.stop(), 'serve ends');
    });
}
