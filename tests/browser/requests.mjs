/* SPDX-License-Identifier: MIT
 *
 * Requests: three clicks from p99 to an operator, the chain of causes, tracks by pointer and keys, the table, and files
 * without requests. The load test is small and made (tests/made_load_test.py).
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { check, equal, ROOT, rowTexts, settle, Shelf, test, until } from './lib.mjs';

const plain = (text) => text.replaceAll('\u202f', ' ').replace(/\s+/g, ' ');

async function withRequests(work, count = '12') {
    const shelf = await Shelf.start();
    const folder = mkdtempSync(join(tmpdir(), 'perfshelf-requests-'));
    try {
        execFileSync('python3', [join(ROOT, 'tests', 'made_load_test.py'), join(folder, 'load'), count]);
        const { id } = shelf.add(join(folder, 'load'));
        await work({ shelf, id, folder });
    } finally {
        rmSync(folder, { recursive: true });
        await shelf.stop();
    }
}

const picture = (page) => page.locator('.request-picture');
const label = async (page) => plain(await picture(page).getAttribute('aria-label'));
const paneText = async (page) => plain(await page.locator('.selection-pane').innerText());

async function open(pages, shelf, id, query = '', options = {}) {
    const page = await pages.open(`${shelf.url}#/run/${id}/requests${query}`, options);
    await until(async () => (await picture(page).count()) > 0, 'the picture');
    await settle(page);
    return page;
}

test('requests: three clicks lead from p99 to the operators of the step that it waited for', async ({ pages }) => {
    await withRequests(async ({ shelf, id }) => {
        const page = await open(pages, shelf, id);
        equal(await label(page), '12 requests over 79 steps of the scheduler.');
        const row = page.getByRole('row', { name: /^Time to first token/ });
        await row.getByRole('link').nth(3).click();
        await until(async () => (await page.locator('.request-chain').count()) > 0, 'the chain of causes');
        const pane = await paneText(page);
        check(/Request 7 /.test(pane) && /Step in progress/.test(pane) && /prefilled there: request 6 \(4,000 tokens\)/.test(pane), pane);
        check(/largest operators of these steps: aten::_scaled_dot_product_flash_attention_for_cpu 50.0 %/.test(pane), pane);
        await page.locator('.request-chain').getByRole('link', { name: /^step / }).first().click();
        await until(async () => /^Step \d+, prefill and decode/.test(await paneText(page)), 'the step');
        const step = await paneText(page);
        check(/Tokens of prompts 4,000/.test(step) && /Waited for it to end 1 requests 7/.test(step), step);
        await page.locator('.selection-actions').getByRole('link', { name: 'Operators' }).click();
        await until(async () => page.url().includes('/operators?') && page.url().includes('from_ns='), 'the operators of the step');
        const operators = page.locator('.grid-row', { hasText: '_scaled_dot_product_flash_attention' });
        await until(async () => (await operators.count()) > 0, 'the operators in the time of the step');
    });
});

test('requests: the parts of a chain add up to the time to the first token', async ({ pages }) => {
    await withRequests(async ({ shelf, id }) => {
        const page = await open(pages, shelf, id, '?request=7');
        await until(async () => (await page.locator('.request-chain > li').count()) > 3, 'the chain');
        const parts = await page.locator('.request-part > .is-right:nth-child(3)').allInnerTexts();
        const toMs = (text) => {
            const [value, unit] = plain(text).split(' ');
            return Number(value) * { s: 1000, ms: 1, 'µs': 0.001, ns: 1e-6 }[unit];
        };
        const sum = parts.reduce((all, text) => all + toMs(text), 0);
        const whole = toMs(/Time to first token ([\d.]+ \S+)/.exec(await paneText(page))[1]);
        check(Math.abs(sum - whole) < 0.5, `${parts} are ${sum}, not ${whole}`);
    });
});

test('requests: pointer and keys select tracks and steps, Esc goes back, and the wheel zooms', async ({ pages }) => {
    await withRequests(async ({ shelf, id }) => {
        const page = await open(pages, shelf, id);
        await page.keyboard.press('j');
        await page.keyboard.press('j');
        await until(async () => (await label(page)).endsWith('Selected: request 2.'), 'request 2 by keys');
        const tracks = await page.locator('.request-tracks').boundingBox();
        await page.mouse.click(tracks.x + 400, tracks.y + 9 + 6 * 18);
        await until(async () => (await label(page)).endsWith('Selected: request 7.'), 'request 7 by a click');
        await page.locator('.request-chain').getByRole('link', { name: /^step / }).first().click();
        await until(async () => /^Step /.test(await paneText(page)), 'the step');
        await page.keyboard.press('Escape');
        await until(async () => /^Request 7 /.test(await paneText(page)), 'back to the request');
        await page.keyboard.press('Escape');
        await until(async () => (await page.locator('.selection-pane').count()) === 0, 'nothing is selected');
        await page.keyboard.press('w');
        await until(async () => /[?&]at=\d+%7E\d+/.test(page.url()), 'a smaller range in the address');
        await page.keyboard.press('0');
        await until(async () => !page.url().includes('at='), 'all of the run');
    });
});

test('requests: the table sorts, shows late requests alone, and selects', async ({ pages }) => {
    await withRequests(async ({ shelf, id }) => {
        const page = await open(pages, shelf, id, '?sort=ttft_ns&desc=1');
        const rows = () => rowTexts(page, 'Requests');
        await until(async () => (await rows()).length > 3, 'rows');
        check(String((await rows())[0]).startsWith('7'), String((await rows())[0]));
        await page.getByRole('button', { name: /^late / }).click();
        await until(async () => (await rows()).length === 2, 'two late requests');
        await page.locator('.grid-row').first().click();
        await until(async () => page.url().includes('request=7'), 'the request of the row');
    });
});

test('requests: a result without requests says what to record, and shows its metrics', async ({ pages }) => {
    await withRequests(async ({ shelf, folder }) => {
        const file = join(folder, 'printed.json');
        const metric = (avg) => ({ unit: 'ms', avg, p99: 3 * avg });
        writeFileSync(file, JSON.stringify({ request_latency: metric(400), time_to_first_token: metric(20), request_throughput: { unit: 'requests/sec', avg: 7 } }));
        const { id } = shelf.add(file);
        const page = await pages.open(`${shelf.url}#/run/${id}/requests`);
        await until(async () => (await page.locator('.request-results').count()) > 0, 'the metrics');
        const text = plain(await page.locator('.requests').innerText());
        check(text.includes('The result has metrics, but no requests') && text.includes('--save-detailed'), text);
        check(/time to first token, p99 60.00 ms/.test(text), text);
    });
});
