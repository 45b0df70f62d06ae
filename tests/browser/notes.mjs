/* SPDX-License-Identifier: MIT
 *
 * Notes on the timeline: written at the pointer and on an area, moved, changed, deleted; texts are
 * shown as text, whatever they contain.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { check, DEMO, equal, longTest, quiet, Shelf, test, until } from './lib.mjs';

const hash = (page) => new URL(page.url()).hash;
const query = (page) => new URLSearchParams(hash(page).split('?')[1] ?? '');
const flags = (page) => page.locator('.timeline-note-flag');
const card = (page) => page.locator('.timeline-note-card');
const AT = { from: 26e6, to: 46.2e6 };

async function withTraining(pages, more, work) {
    const shelf = await Shelf.start();
    try {
        const { id } = shelf.add(join(DEMO, 'training-waits.pt.trace.json.gz'));
        const api = `${shelf.url}api/v1/runs/${id}/timeline_notes`;
        const notes = async () => (await (await fetch(api)).json()).rows;
        const add = async (t_ns, text) => (await (await fetch(api, { method: 'POST', body: JSON.stringify({ t_ns, text }) })).json()).id;
        const open = async (rest, options) => {
            const page = await pages.open(`${shelf.url}#/run/${id}/timeline?at=${AT.from}~${AT.to}${rest}`, options);
            await until(async () => (await page.locator('.status-line').innerText()).includes('drawn from'), 'a picture');
            await quiet(page);
            return page;
        };
        await work({ page: more === null ? null : await open(more), open, notes, add });
    } finally {
        await shelf.stop();
    }
}

async function placeOf(page, ns) {
    const canvas = await page.locator('.timeline-canvas').boundingBox();
    return [canvas.x + ((ns - AT.from) / (AT.to - AT.from)) * canvas.width, canvas.y + canvas.height - 40];
}

test('notes: n writes one at the pointer; its link, a change, a drag and Delete', async ({ pages }) => {
    await withTraining(pages, '', async ({ page, notes }) => {
        await page.mouse.move(...(await placeOf(page, 36.1e6)));
        await page.keyboard.press('n');
        await card(page).locator('textarea').fill('Workers start late\nEvery step begins with this wait.');
        await page.keyboard.press('Control+Enter');
        await until(() => query(page).get('note'), 'its id in the address');
        await until(async () => (await notes()).length === 1, 'stored');
        const [note] = await notes();
        equal(note.id, query(page).get('note'), 'id');
        check(Math.abs(note.t_ns - 36.1e6) < 1e5, `at the pointer, not ${note.t_ns}`);
        await until(async () => (await card(page).locator('b').innerText()) === 'Workers start late', 'its first line');
        check((await card(page).innerText()).includes('Every step begins with this wait.'), 'the others');
        await page.reload();
        await until(async () => (await card(page).count()) === 1, 'the note of the link');

        await card(page).getByRole('button', { name: 'Edit' }).click();
        await card(page).locator('textarea').fill('Workers start too late');
        await card(page).getByRole('button', { name: 'Save' }).click();
        await until(async () => (await notes())[0].text === 'Workers start too late', 'changed');
        await until(async () => (await card(page).locator('b').innerText()) === 'Workers start too late', 'shown');

        const box = await flags(page).boundingBox();
        await page.mouse.move(box.x + 5, box.y + 4);
        await page.mouse.down();
        await page.mouse.move(box.x + 60, box.y + 4, { steps: 5 });
        await page.mouse.move(box.x + 105, box.y + 4, { steps: 5 });
        await page.mouse.up();
        await until(async () => (await notes())[0].t_ns > note.t_ns, 'moved');
        const px = (AT.to - AT.from) / (await page.locator('.timeline-canvas').boundingBox()).width;
        const by = (await notes())[0].t_ns - note.t_ns;
        check(Math.abs(by - 100 * px) < 2 * px, `by 100 px, not ${by / px}`);

        await flags(page).focus();
        await page.keyboard.press('Delete');
        await until(async () => (await notes()).length === 0, 'deleted');
        await until(async () => (await flags(page).count()) === 0, 'no flag');
        equal(query(page).get('note'), null, 'address');
    });
});

test('notes: one on an area restores the area; Esc cancels and clears', async ({ pages }) => {
    await withTraining(pages, '&area=31000000-34000000@1,2', async ({ page, notes }) => {
        await page.locator('.area-actions').getByRole('button', { name: 'Note' }).click();
        await card(page).locator('textarea').press('Escape');
        await until(async () => (await card(page).count()) === 0, 'cancelled');
        await page.keyboard.press('n');
        await card(page).locator('textarea').fill('overlap');
        await card(page).getByRole('button', { name: 'Save' }).click();
        await until(async () => (await notes()).length === 1, 'stored');
        equal([(await notes())[0].t_ns, (await notes())[0].area], [31e6, '31000000-34000000@1,2'], 'place');
        await until(() => query(page).get('note'), 'selected');
        await page.keyboard.press('Escape');
        await until(() => !query(page).get('note') && query(page).get('area'), 'no note, still an area');
        await page.keyboard.press('Escape');
        await until(() => !query(page).get('area'), 'no area');
        await page.locator('.timeline-note-row').click();
        await until(() => query(page).get('area') === '31000000-34000000@1,2', 'the area again');
    });
});

for (const [width, theme] of [[1440, 'light'], [800, 'dark'], [390, 'light']]) {
    (width === 390 ? test : longTest)(`notes: the list selects and exports, ${width} px`, async ({ pages }) => {
        await withTraining(pages, null, async ({ open, notes, add }) => {
            await add(36.1e6, 'Workers start late');
            await add(40e6, 'Second');
            const page = await open('', { width, theme });
            if (width < 1000) await page.getByRole('tab', { name: 'Notes' }).click();
            const list = page.locator('.timeline-notes-list');
            const [saved] = await Promise.all([page.waitForEvent('download'), list.getByRole('link', { name: 'Export' }).click()]);
            equal(JSON.parse(readFileSync(await saved.path(), 'utf8')).rows, await notes(), 'exported');
            await list.getByRole('button', { name: /Second/ }).click();
            await until(async () => (await card(page).locator('b').innerText()) === 'Second', 'its card');
            check(await card(page).getByRole('button', { name: 'Copy link' }).isVisible(), 'a link to copy');
            check((await page.evaluate(() => document.documentElement.scrollWidth)) <= width, 'nothing sticks out');
        });
    });
}

test('notes: close ones stack, then are one group; markup is text', async ({ pages }) => {
    await withTraining(pages, null, async ({ open, add }) => {
        const hostile = '<img src=x onerror="document.title=`hacked`"><script>document.title="hacked"</script>';
        await add(30e6, 'first');
        await add(30.05e6, 'second');
        const id = await add(36e6, `${hostile}\n${hostile}`);
        for (const t of [41e6, 41.05e6, 41.1e6]) await add(t, 'close');
        const page = await open(`&note=${id}`);
        await until(async () => (await flags(page).count()) === 3, 'three flags');
        const tops = await flags(page).evaluateAll((all) => all.map((flag) => flag.style.top));
        equal(new Set(tops).size, 2, 'two rows of flags');
        equal(await page.locator('.timeline-note-group').innerText(), '3 notes', 'the others');
        check((await card(page).innerText()).includes('<img src=x onerror='), 'markup as text');
        equal(await page.locator('.timeline-notes :is(img, script)').count(), 0, 'elements of the note');
        check(!(await page.title()).includes('hacked'), 'nothing ran');
        await page.locator('.timeline-note-group').click();
        await until(async () => (await flags(page).count()) === 3 && (await page.locator('.timeline-note-group').count()) === 0, 'zoomed to three flags');
    });
});
