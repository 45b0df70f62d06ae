/* SPDX-License-Identifier: MIT
 *
 * Roofline: the sentence, the table and the picture linked both ways, given peaks, a phone.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { check, DEMO, equal, rowTexts, settle, Shelf, test, until } from './lib.mjs';

const plain = (text) => text.replaceAll('\u202f', ' ').replaceAll('\n', ' ');
/* The H200 of the sample is not among the devices with peaks. */
const PEAKS = 'peak=matrix_bf16:989,matrix_fp32:495,vector_fp32:67,vector_bf16:67,bandwidth:4800';
const LABEL = 'operators and their limits';

async function withTrace(pages, query, work, options = {}) {
    const shelf = await Shelf.start();
    try {
        const { id } = shelf.add(join(DEMO, 'gpt-h200.pt.trace.json.gz'), '--name', 'gpt');
        const page = await pages.open(`${shelf.url}#/run/${id}/roofline${query}`, options);
        await until(async () => (await rowTexts(page, LABEL)).length > 3, 'the operators');
        await settle(page);
        await work(page);
    } finally {
        await shelf.stop();
    }
}

const chart = async (page) => plain(await page.locator('.roofline-chart').getAttribute('aria-label'));

test('roofline: the sentence has the time at the limits', async ({ pages }) => {
    await withTrace(pages, `?${PEAKS}`, async (page) => {
        const text = plain(await page.locator('.says').innerText());
        check(/At their limits, the operators with a model would take [\d.]+ ms instead of [\d.]+ ms\./.test(text), text);
        check(/MFU [\d.]+ %, MBU [\d.]+ %/.test(text), text);
        check(plain(await page.locator('.toolbar').first().innerText()).includes('given'), 'the source of the peaks');
    });
});

test('roofline: a row selects its circle, and given peaks change its share', async ({ pages }) => {
    await withTrace(pages, `?${PEAKS}`, async (page) => {
        const row = page.locator(`[aria-label="${LABEL}"] .grid-row`).first();
        await row.click();
        await until(async () => (await chart(page)).includes('Selected:'), 'the circle');
        const before = Number(/([\d.]+) % of its limit/.exec(await chart(page))?.[1]);
        check(before > 0, await chart(page));
        check((await page.locator('.roofline-detail').innerText()).includes('If at its limit'), 'the detail');
        for (const field of await page.locator('.roofline-peaks input').all()) {
            await field.fill(String(2 * Number(await field.inputValue())));
            await field.press('Enter');
        }
        await until(async () => {
            const now = Number(/([\d.]+) % of its limit/.exec(await chart(page))?.[1]);
            return Math.abs(now - before / 2) < 0.2;
        }, 'half of the share');
        check(page.url().includes('peak='), page.url());
        await page.locator('.says').click(); // out of the field
        await page.keyboard.press('Escape');
        await until(async () => !(await chart(page)).includes('Selected:'), 'no selection');
        const given = /peak=[^&]*/.exec(page.url())[0];
        await page.goto(page.url().replace(given, 'by=operator'));
        await until(async () => page.url().includes(given), 'the peaks of this device, kept by the browser');
    });
});

test('roofline: a circle shows its operator, and a click selects it', async ({ pages }) => {
    await withTrace(pages, `?${PEAKS}`, async (page) => {
        const { x, y, width, height } = await page.locator('.roofline-chart').boundingBox();
        const tip = page.locator('.tooltip');
        const found = [];
        for (let across = 0.25; across < 1 && !found.length; across += 0.02) {
            for (let down = 0.4; down < 0.8 && !found.length; down += 0.02) {
                await page.mouse.move(x + across * width, y + down * height);
                if (await tip.isVisible()) found.push(x + across * width, y + down * height);
            }
        }
        check(found.length, 'a circle under the pointer');
        const name = plain(await tip.innerText());
        await page.mouse.click(...found);
        await until(async () => (await chart(page)).includes(`Selected: ${name}.`), `the selected operator: ${name}`);
        await page.mouse.click(x + width - 30, y + height - 60); // below all circles
        await until(async () => !(await chart(page)).includes('Selected:'), 'no selection');
    });
});

test('roofline: a device without known peaks has rates, and fields to give them', async ({ pages }) => {
    await withTrace(pages, '', async (page) => {
        const text = plain(await page.locator('.says').innerText());
        check(text.includes('The peaks of NVIDIA H200 are not known, so there are rates and no percentages.'), text);
        check((await page.locator('.roofline-peaks input').count()) > 1, 'fields');
    });
});

test('roofline: by operator, and on a phone', async ({ pages }) => {
    await withTrace(pages, '', async (page) => {
        const shapes = (await rowTexts(page, LABEL)).length;
        await page.getByRole('button', { name: 'by operator', exact: true }).click();
        await until(async () => (await rowTexts(page, LABEL)).length < shapes, 'fewer rows');
        await page.getByRole('button', { name: 'by kernel', exact: true }).click();
        await until(async () => (await rowTexts(page, LABEL)).some(([name]) => name.includes('layer_norm_kernel')), 'kernels');
        await page.locator(`[aria-label="${LABEL}"] .grid-row`).first().click();
        await until(async () => (await page.locator('.roofline-detail').innerText()).includes('Operators'), 'its operators');
        await page.getByRole('button', { name: 'by operator and shape', exact: true }).click();
        await page.locator(`[aria-label="${LABEL}"] .grid-row`).first().click();
        await until(async () => (await page.locator('.roofline-detail').innerText()).includes('Kernels'), 'its kernels');
    });
    await withTrace(
        pages,
        '',
        async (page) => equal(await page.evaluate(() => document.documentElement.scrollWidth <= 390), true),
        { width: 390, height: 844 },
    );
});

/* The sample as if another device had recorded it, with kernels that take `share` of the time. */
function sampleOf(folder, device, share) {
    const text = gunzipSync(readFileSync(join(DEMO, 'gpt-h200.pt.trace.json.gz'))).toString();
    const trace = JSON.parse(text.replaceAll('NVIDIA H200', device));
    for (const event of trace.traceEvents) if (event.cat === 'kernel') event.dur *= share;
    const file = join(folder, `${share}.pt.trace.json`);
    writeFileSync(file, JSON.stringify(trace));
    return file;
}

async function withTwo(pages, devices, query, work, options = {}) {
    const shelf = await Shelf.start();
    try {
        const [base, fresh] = devices.map((device, i) =>
            shelf.add(sampleOf(shelf.folder, device, i ? 0.5 : 1), '--name', `run ${i}`));
        const page = await pages.open(`${shelf.url}#/compare/roofline?base=${base.id}&new=${fresh.id}${query}`, options);
        await until(async () => (await rowTexts(page, BOTH)).length > 3, 'the operators of both');
        await settle(page);
        await work(page, { base, fresh });
    } finally {
        await shelf.stop();
    }
}

const BOTH = 'operators of both runs and their limits';
const H100 = 'NVIDIA H100 80GB HBM3';

test('roofline: two runs are compared at equal shapes, by their distance to the limits', async ({ pages }) => {
    await withTwo(pages, [H100, 'AMD Instinct MI300X'], '', async (page, { base, fresh }) => {
        const says = plain(await page.locator('.says').innerText());
        check(/rows with equal shapes differ by −[\d.]+ ms, the others by 0\.000 ms\. Above their limits: [\d.]+ ms of [\d.]+ in base, [\d.]+ ms of [\d.]+ in new\./.test(says), says);
        const tools = plain(await page.locator('.toolbar').first().innerText());
        check(tools.includes('Peaks H100 SXM against MI300X'), tools);
        const row = page.locator(`[aria-label="${BOTH}"] .grid-row`).first();
        check(plain(await row.innerText()).includes('−50.0'), await row.innerText());
        await row.click();
        const pane = page.getByRole('region', { name: 'The selected operator' });
        await until(async () => (await pane.count()) === 1, 'the pane');
        check((await pane.innerText()).includes('Above limit'), await pane.innerText());
        const href = await pane.getByRole('link', { name: 'Show in base run' }).getAttribute('href');
        check(href.includes(`/run/${base.id}/roofline?op=`), href);
        await page.keyboard.press('Escape');
        await until(async () => (await pane.count()) === 0, 'no pane');
        await row.dblclick();
        await until(async () => page.url().includes(`/run/${fresh.id}/roofline?op=`), 'the report of new');
        await until(async () => (await chart(page)).includes('Selected:'), 'its circle');
    });
});

test('roofline: a comparison by operator, per call, searched, on a phone', async ({ pages }) => {
    await withTwo(pages, [H100, H100], '', async (page) => {
        const shapes = (await rowTexts(page, BOTH)).length;
        await page.getByRole('button', { name: 'by operator', exact: true }).click();
        await until(async () => (await rowTexts(page, BOTH)).length < shapes, 'fewer rows');
        await page.getByRole('button', { name: 'Per call', exact: true }).click();
        await until(async () => plain(await page.locator('.grid-head').first().innerText()).includes('ms a call'), 'the unit');
        await page.keyboard.press('/');
        await page.keyboard.type('addmm');
        await until(async () => (await rowTexts(page, BOTH)).every((one) => String(one).includes('addmm')), 'the search');
    });
    await withTwo(
        pages,
        [H100, H100],
        '',
        async (page) => equal(await page.evaluate(() => document.documentElement.scrollWidth <= 390), true),
        { width: 390, height: 844 },
    );
});

test('roofline: a comparison without known peaks has no limits', async ({ pages }) => {
    await withTwo(pages, ['NVIDIA H200', 'NVIDIA H200'], '', async (page) => {
        const says = plain(await page.locator('.says').innerText());
        check(says.includes('The peaks of NVIDIA H200 are not known, so there are no limits and no percentages.'), says);
        equal(plain(await page.locator('.grid-head').first().innerText()).includes('limit'), false);
    });
});
