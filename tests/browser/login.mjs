/* SPDX-License-Identifier: MIT
 *
 * A shelf that wants to know who asks: logging in and out, what a role shows, who did what.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { check, DEMO, dropFiles, equal, quiet, settle, Shelf, test } from './lib.mjs';

const PROFILE = join(DEMO, readdirSync(DEMO).find((name) => name.endsWith('.prof')));

async function logIn(page, token) {
    await page.getByLabel('Token').fill(token);
    await page.getByRole('button', { name: 'Log in' }).click();
}

test('login: a wrong token is refused, a right one opens the shelf until one logs out', async ({ pages }) => {
    const shelf = await Shelf.start('--tokens');
    const [admin, viewer] = ['admin', 'viewer'].map((role) => shelf.run('token', 'add', `m ${role}`, '--role', role).trim());
    shelf.add(PROFILE, '--name', 'secret run');
    pages.expect(/401/);
    const page = await pages.open(shelf.url);
    equal(await page.title(), 'Log in · perfshelf');
    check(!(await page.content()).includes('secret run'), 'the shelf is not shown to a stranger');
    equal(await page.getByRole('button', { name: 'keys' }).count(), 0, 'keys for a stranger');
    await logIn(page, 'psf_nonsense');
    await page.getByText('Token not accepted').waitFor();
    await logIn(page, viewer);
    await page.getByText('secret run').waitFor();
    await settle(page);
    equal(await page.getByRole('button', { name: 'Add profiles' }).count(), 0, 'Add profiles for a viewer');
    await page.getByText('secret run').click();
    await page.getByRole('button', { name: 'Copy link' }).waitFor();
    for (const name of ['More', 'Download original']) {
        equal(await page.locator('main').getByText(name, { exact: true }).count(), 0, `${name} for a viewer`);
    }
    let picks = 0;
    page.on('filechooser', () => picks++);
    for (const key of ['e', 'o']) await page.keyboard.press(key);
    await quiet(page);
    const address = page.url();
    await dropFiles(page, [PROFILE]);
    await quiet(page);
    equal(picks, 0, 'files to add for a viewer');
    equal(page.url(), address, 'the page after a drop on it');
    equal(await page.getByRole('dialog').count(), 0, 'a dialog for a viewer');
    await page.keyboard.press('u');
    await page.getByText('secret run').waitFor();
    await page.reload();
    await page.getByText('secret run').waitFor();
    await page.getByRole('button', { name: 'm viewer, viewer' }).click();
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    await page.getByLabel('Token').waitFor();
    await logIn(page, admin);
    await page.getByText('secret run').waitFor();
    await settle(page);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Delete');
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('link', { name: 'secret run' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'm admin, admin' }).click();
    await page.getByRole('menuitem', { name: 'Activity' }).click();
    const removed = page.getByRole('row', { name: /m admin removed secret run/ });
    await removed.waitFor();
    await page.keyboard.press('Escape');
    await quiet(page);
    check(await shelf.stop(), 'serve ends');
});
