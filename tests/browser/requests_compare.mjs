/* SPDX-License-Identifier: MIT
 *
 * Two serving runs compared request by request: the rows are the pairs of the server, a selection applies to the table and the charts,
 * filters and metrics are in the URL, and the curve of latency against throughput has a point for each load.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { check, equal, quiet, rowTexts, Shelf, test, until } from './lib.mjs';

const plain = (text) => text.replaceAll('\u202f', ' ').replaceAll('\u2212', '-');

/* A result in vLLM's layout, with a time to first token in s for each request. */
function makeResult(ttfts, { rate = 'inf', prompts = ttfts.map((_, i) => 10 + i) } = {}) {
    const n = ttfts.length;
    return {
        date: '20261129-120608', backend: 'openai', endpoint_type: 'openai', model_id: 'm', num_prompts: n, request_rate: rate, duration: n, completed: n, failed: 0,
        total_input_tokens: n, total_output_tokens: 3 * n, request_throughput: 1, output_throughput: rate === 'inf' ? 3 : 3 * rate, total_token_throughput: 4,
        input_lens: prompts, output_lens: ttfts.map(() => 3), ttfts, itls: ttfts.map(() => [0.01, 0.02]), start_times: ttfts.map((_, i) => 100 + i),
        generated_texts: ttfts.map(() => ''), errors: ttfts.map(() => ''), mean_ttft_ms: 1000 * (ttfts.reduce((sum, s) => sum + s, 0) / n), p99_ttft_ms: 1000 * Math.max(...ttfts),
    };
}

async function withPair(pages, [base, fresh], work, { tab = '', query = '' } = {}) {
    const shelf = await Shelf.start();
    try {
        const ids = [['base', base], ['new', fresh]].map(([name, text]) => {
            const file = join(shelf.folder, `${name}.json`);
            writeFileSync(file, text);
            return shelf.add(file).id;
        });
        const page = await pages.open(`${shelf.url}#/compare${tab}?base=${ids[0]}&new=${ids[1]}${query}`);
        await quiet(page);
        await work(page);
    } finally {
        await shelf.stop();
    }
}

const BASE = JSON.stringify(makeResult([0.9, 0.02, 0.03, 0.04]));
const NEW = JSON.stringify(makeResult([0.05, 0.06, 0.03, 0.01]));
const queryOf = (page) => new URLSearchParams(page.url().split('?')[1] ?? '');
const cells = async (page) => (await rowTexts(page, '4 pairs of requests')).map((row) => row.map(plain));
const selectedBar = (page) => page.locator('.request-bars .is-selected').count();

test('requests of two runs are shown in pairs', async ({ pages }) => {
    await withPair(pages, [BASE, NEW], async (page) => {
        await until(async () => (await page.locator('.compare-requests .grid-row').count()) === 4, 'four pairs');
        equal(await cells(page), [['1', '10', '900.0 ms', '50.00 ms', '-850.0 ms'], ['2', '11', '20.00 ms', '60.00 ms', '+40.00 ms'],
            ['4', '13', '40.00 ms', '10.00 ms', '-30.00 ms'], ['3', '12', '30.00 ms', '30.00 ms', '0 s']], 'the pair that changed most comes first');
        const said = plain(await page.locator('.compare-conclusion').innerText());
        check(said.includes('The longest time to first token falls from 900.0 ms (request 1) to 60.00 ms (request 2).'), said);
        await page.locator('.compare-conclusion a', { hasText: 'request 2' }).first().click();
        await until(() => queryOf(page).get('row') === '2', 'the linked pair is selected');
        const first = plain(await page.locator('.request-metrics tbody tr').first().innerText());
        check(/900\.0 ms → 60\.00 ms/.test(first) && /\b2\b.*\b1\b/s.test(first), first);
        equal(await page.locator('.request-chart').count(), 2, 'charts: distributions and pairs');
        check((await page.locator('.request-chart.is-square').getAttribute('aria-label')).includes('2 of 4 became shorter'), 'the chart says what it shows');
        equal(await selectedBar(page), 0);
        equal(await page.locator('.request-bars').count(), 0, 'no engine says what the requests waited for');
        await page.locator('.compare-requests .grid-row').nth(1).click();
        await until(() => queryOf(page).get('row') === '2', 'the selected pair in the URL');
        await page.getByRole('button', { name: 'Later' }).click();
        await until(async () => (await page.locator('.compare-requests .grid-row').count()) === 1, 'one pair is later');
        equal(queryOf(page).get('only'), 'later');
        await page.locator('.goodput input').fill('ttft:45ms');
        await page.keyboard.press('Enter');
        await until(async () => plain(await page.locator('.goodput').innerText()).includes('50.0 % 2 of 4'), 'the goodput of the new run');
        check(plain(await page.locator('.goodput').innerText()).includes('75.0 % 3 of 4'), 'the goodput of the base');
        equal(queryOf(page).get('limits'), 'ttft:45ms');
        await page.getByRole('button', { name: 'Longest gap' }).click();
        await until(async () => (await page.locator('.request-metrics tr.is-selected').innerText()).startsWith('Longest gap'), 'another metric');
        equal(queryOf(page).get('metric'), 'gap_ns');
    });
});

test('requests of another workload are not paired', async ({ pages }) => {
    const other = JSON.stringify(makeResult([0.05, 0.06, 0.03, 0.01], { prompts: [10, 11, 12, 99] }));
    await withPair(pages, [BASE, other], async (page) => {
        await until(async () => (await page.locator('.compare-requests .notice').count()) === 1, 'a note');
        const note = await page.locator('.compare-requests .notice').innerText();
        check(note.includes('request 4 of the base has a prompt of 13 tokens, request 4 of the new run one of 99'), note);
        equal(await page.locator('.request-chart').count(), 1, 'the distributions are still shown');
    });
});

test('latency against throughput has a point for each load', async ({ pages }) => {
    const sweep = (factor) => [1, 2, 4].map((rate) => JSON.stringify(makeResult([factor * rate, factor * rate], { rate }))).join('\n');
    await withPair(pages, [sweep(0.1), sweep(0.05)], async (page) => {
        await until(async () => (await page.locator('.sweep-chart').count()) === 1, 'the chart');
        equal(await page.locator('.compare-sweep tbody tr').count(), 6, 'loads');
        const row = plain(await page.locator('.compare-sweep tbody tr').last().innerText());
        check(/request rate 4\s+(base|new)\s+12\.00 tokens\/s/.test(row), row);
        equal(await page.locator('.compare-sweep select').inputValue(), 'time to first token, p99');
    }, { tab: '/load' });
});
