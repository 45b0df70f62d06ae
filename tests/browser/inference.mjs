/* SPDX-License-Identifier: MIT
 *
 * Inference: the sentence, steps by keys and phase, parts of a step, the pane of a step, axes.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { check, DEMO, equal, ROOT, rowTexts, settle, Shelf, test, until } from './lib.mjs';

const plain = (text) => text.replaceAll('\u202f', ' ').replaceAll('\n', ' ');

async function withServing(work, made = '64') {
    const shelf = await Shelf.start();
    const folder = mkdtempSync(join(tmpdir(), 'perfshelf-inference-'));
    try {
        const file = join(folder, 'serving.json.gz');
        execFileSync('python3', [join(ROOT, 'tests', 'made_serving.py'), file, made]);
        const { id } = shelf.add(file, '--name', 'serving');
        await work({ shelf, id, folder });
    } finally {
        rmSync(folder, { recursive: true });
        await shelf.stop();
    }
}

const chart = (page) => page.locator('.inference-chart');
const label = async (page) => plain(await chart(page).getAttribute('aria-label'));
const parts = (page) => rowTexts(page, 'parts of a step by phase');

async function open(pages, shelf, id, query = '', options = {}) {
    const page = await pages.open(`${shelf.url}#/run/${id}/inference${query}`, options);
    await until(async () => (await chart(page).count()) > 0, 'the steps');
    await until(async () => (await parts(page)).length === 3, 'the parts');
    await settle(page);
    return page;
}

test('inference: the sentence and the parts are those of the median steps', async ({ pages }) => {
    await withServing(async ({ shelf, id }) => {
        const page = await open(pages, shelf, id);
        const text = plain(await page.locator('.inference .says').innerText());
        check(/A decode step spends 7\d\.\d % of its 0\.6\d\d ms on the GPU in conv and matmul for \d+ tokens\./.test(text), text);
        equal(await label(page), '64 steps of the serving engine.');
        const rows = (await parts(page)).map((row) => plain(String(row)));
        check(rows[0].includes('Cijk_Alik') && rows[1].includes('paged_attention'), rows.join('\n'));
    });
});

test('inference: keys move through steps, filter phases, and the address has both', async ({ pages }) => {
    await withServing(async ({ shelf, id }) => {
        const page = await open(pages, shelf, id);
        await page.keyboard.press('1');
        await until(async () => (await label(page)).startsWith('3 steps'), 'only prefill steps');
        await page.keyboard.press('ArrowRight');
        await page.keyboard.press('ArrowRight');
        await until(async () => page.url().includes('step=30'), 'the second prefill step in the address');
        check((await label(page)).includes('step 30, prefill'), await label(page));
        const pane = plain(await page.locator('.inference-step').innerText());
        check(pane.includes('Step 30') && pane.includes('4 requests') && pane.includes('execute_2432_context_4('), pane);
        await page.keyboard.press('Escape');
        await until(async () => (await page.locator('.inference-step').count()) === 0, 'no pane');
        equal(new URL(page.url().replace('#', '')).searchParams.get('ph'), 'prefill');
    });
});

test('inference: without a GPU, steps have the times of the host and lead to their operators', async ({ pages }) => {
    await withServing(async ({ shelf, id }) => {
        const page = await pages.open(`${shelf.url}#/run/${id}/inference?step=8`);
        await until(async () => (await parts(page)).length === 4, 'the parts');
        const says = plain(await page.locator('.inference .says').innerText());
        check(says.includes('Step 8 takes 800.000 ms on the CPU to prefill 4,215 tokens, 96.0 % of the time of all steps'), says);
        check(says.includes('A mixed step spends 50.0 % of its 800.000 ms on the CPU in attention.'), says);
        check(plain(await page.locator('.inference').innerText()).includes('CPU time'), 'the times are said to be of the CPU');
        const rows = (await parts(page)).map((row) => plain(String(row)));
        check(rows[0].includes('flash_attention') && rows[1].includes('outside operators'), rows.join('\n'));
        const pane = plain(await page.locator('.inference-step').innerText());
        check(/Host time\s+800.000 ms/.test(pane) && /conv and matmul\s+160.000 ms 20.0 %/.test(pane), pane);
        await page.getByRole('link', { name: 'Operators in this time' }).click();
        await until(async () => page.url().includes('/operators') && page.url().includes('from_ns='), 'the operators');
        await until(async () => (await page.locator('.grid-row').count()) >= 3, 'operators of the step');
        await page.goBack();
        await page.getByRole('link', { name: 'Show in the timeline' }).click();
        await until(async () => page.url().includes('/timeline') && page.url().includes('from_ns='), 'the timeline with a range');
    }, 'cpu');
});

test('inference: a click selects a step, and Enter opens it in the timeline', async ({ pages }) => {
    await withServing(async ({ shelf, id }) => {
        const page = await open(pages, shelf, id);
        const { x, y, width } = await chart(page).boundingBox();
        await page.mouse.click(x + 152 + ((width - 168) * 12.5) / 64, y + 100);
        await until(async () => page.url().includes('step=12'), 'step 12');
        const box = await page.locator('.inference-selected').boundingBox();
        check(Math.abs(box.x - x - 152 - ((width - 168) * 12) / 64) <= 2, `the outline of step 12 is at ${box.x}`);
        equal((await page.locator('.inference-phase').allInnerTexts()).filter((name) => name === 'decode × 8').length, 5);
        await page.keyboard.press('Enter');
        await until(async () => page.url().includes('/timeline') && page.url().includes('from_ns='), 'the timeline with a range');
    });
});

test('inference: other axes, operators, 3,000 steps, a phone', async ({ pages }) => {
    await withServing(async ({ shelf, id }) => {
        const page = await open(pages, shelf, id, '?x=context');
        await page.getByRole('button', { name: 'by batch' }).click();
        await until(async () => page.url().includes('x=batch'), 'the batch axis');
        await until(async () => (await page.locator('.inference-scatter canvas').count()) > 0, 'the dots');
        await settle(page);
        const { x, y, width, height } = await page.locator('.inference-scatter').boundingBox();
        for (let across = 0; across < width && !/[?&]step=/.test(page.url()); across += 16) {
            for (let down = 0; down < height && !/[?&]step=/.test(page.url()); down += 16) {
                await page.mouse.move(x + across, y + down);
                if (await page.locator('.tooltip').isVisible()) await page.mouse.click(x + across, y + down);
            }
        }
        check((await label(page)).includes('Selected: step '), await label(page));
        await page.getByRole('button', { name: 'operators' }).click();
        await until(async () => (await parts(page)).some((row) => String(row).includes('no operator known')), 'operators');
        const phone = await open(pages, shelf, id, '?step=30', { width: 390, height: 844 });
        check((await phone.evaluate(() => document.documentElement.scrollWidth)) <= 390, 'wider than the phone');
    }, '3000');
});

test('inference: two engines are compared phase by phase, with what replaced a kernel', async ({ pages }) => {
    await withServing(async ({ shelf, id, folder }) => {
        const file = join(folder, 'other.json.gz');
        execFileSync('python3', [join(ROOT, 'tests', 'made_serving.py'), file, '64', 'other']);
        const other = shelf.add(file, '--name', 'other');
        const page = await pages.open(`${shelf.url}#/compare?base=${id}&new=${other.id}`);
        const label = 'parts of the median step in both runs';
        const rows = () => rowTexts(page, label).then((all) => all.map((row) => plain(String(row))));
        await until(async () => (await rows()).length === 7, 'the parts of both');
        const [head, gone, fresh] = await rows();
        check(head.includes('attention') && gone.includes('paged_attention') && gone.includes('gone'), `${head}\n${gone}`);
        check(fresh.includes('flash_fwd_splitkv') && fresh.includes('new'), fresh);
        const text = plain(await page.locator('.says').innerText());
        check(/A decode step takes 0\.6\d\d ms → 0\.5\d\d ms of the GPU, −9\.\d %\. Most of it is attention/.test(text), text);
        await page.getByRole('button', { name: 'prefill' }).click();
        await page.getByRole('button', { name: 'per token' }).click();
        await until(async () => page.url().includes('each=token') && page.url().includes('ph=prefill'), 'the address');
        await until(async () => plain(await page.locator('.says').innerText()).includes('A prefill step'), 'prefill');
    });
});

test('inference: steps of generate() on the CPU have the operators between two calls of the model', async ({ pages }) => {
    const shelf = await Shelf.start();
    try {
        const { id } = shelf.add(join(ROOT, 'tests', 'fuzz', 'generate.trace.json.gz'), '--name', 'generate');
        const page = await pages.open(`${shelf.url}#/run/${id}/inference?step=3`);
        const table = page.getByRole('grid', { name: 'parts of a step by phase' });
        await until(async () => (await table.count()) > 0, 'the parts');
        await until(async () => plain(await table.innerText()).includes('outside operators'), 'the parts');
        equal((await table.getByRole('columnheader').allInnerTexts())[0], 'Operator');
        check((await label(page)).startsWith('7 steps of the serving engine. Selected: step 3, decode: 0.165 ms on the host'), await label(page));
    } finally {
        await shelf.stop();
    }
});

test('inference: a training has no such tab', async ({ pages }) => {
    const shelf = await Shelf.start();
    try {
        const { id } = shelf.add(join(DEMO, 'training-waits.pt.trace.json.gz'), '--name', 'training');
        const page = await pages.open(`${shelf.url}#/run/${id}/overview`);
        await until(async () => (await page.getByRole('link', { name: 'Overview' }).count()) + (await page.getByRole('tab', { name: 'Overview' }).count()) > 0, 'the tabs');
        equal(await page.getByText('Inference', { exact: true }).count(), 0);
    } finally {
        await shelf.stop();
    }
});
