/* SPDX-License-Identifier: MIT
 *
 * The conclusion at the head of reports: its sentence, the links of its numbers, its causes.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { check, equal, rowTexts, settle, Shelf, SHORT, test, until } from './lib.mjs';

const sentenceOf = async (page) => {
    await page.locator('.conclusion-sentence').waitFor();
    const text = await page.locator('.conclusion-sentence').innerText();
    return text.replaceAll(/\s+/g, ' ');
};

test('conclusion: a report opens with its cause, and numbers lead to their rows', async ({ pages, demo }) => {
    const run = demo.demo.get('bookshop-slow.prof');
    const page = await pages.open(`${demo.url}#/run/${run.id}`);
    const sentence = await sentenceOf(page);
    check(/author_of \(bookshop\.py:29\) takes 41\.0 % of the time.* Up to 39\.3 % could be saved\./.test(sentence), sentence);
    equal(await page.locator('.causes tbody tr').count(), 4, 'rows with the parts of the first cause');
    await page.locator('.conclusion-sentence a', { hasText: 'author_of' }).click();
    await until(async () => /[?&]fn=\d+/.test(page.url()), 'the function is selected');
    await page.locator('.pane-head, .pane', { hasText: 'author_of' }).first().waitFor();
});

test('conclusion: it is one line on other tabs, i opens and closes it', async ({ pages, demo }) => {
    const run = demo.demo.get('gpt-h200.pt.trace.json.gz');
    const page = await pages.open(`${demo.url}#/run/${run.id}/operators`);
    const sentence = await sentenceOf(page);
    check(/^▸ ?The host is too slow for the GPU\. The GPU waits 13\.74 ms of the 14\.53 ms/.test(sentence), sentence);
    equal(await page.locator('.causes').count(), 0, 'causes on another tab');
    await page.keyboard.press('i');
    await page.locator('.causes').waitFor();
    await page.keyboard.press('i');
    await until(async () => (await page.locator('.causes').count()) === 0, 'i hides the causes');
    await page.goto(`${demo.url}#/run/${run.id}/timeline`);
    await page.locator('.causes').waitFor();
    await page.keyboard.press('i');
    await until(async () => (await page.locator('.causes').count()) === 0, 'hidden on the first tab too');
    await page.reload();
    await sentenceOf(page);
    equal(await page.locator('.causes').count(), 0, 'the choice is kept');
});

test('conclusion: the open cause is in the URL', async ({ pages, demo }) => {
    const run = demo.demo.get('gpt-h200.pt.trace.json.gz');
    const page = await pages.open(`${demo.url}#/run/${run.id}/timeline?why=2`);
    await page.locator('.causes tr.is-part').first().waitFor();
    const first = await page.locator('.causes tr.is-part').first().innerText();
    check(!/Operators on the CPU/.test(first), first);
    await page.locator('.causes button').first().click();
    await until(async () => /why=1/.test(page.url()), 'the URL follows');
    await page.getByText('Operators on the CPU').waitFor();
});

test('conclusion: beside the causes stands what the whole is made of', async ({ pages, demo }) => {
    const open = async (name) => {
        const page = await pages.open(`${demo.url}#/run/${demo.demo.get(name).id}`);
        await page.locator('.composition').waitFor();
        const rows = await page.locator('.composition-legend li').allInnerTexts();
        return { page, rows: rows.map((row) => row.replaceAll(/\s+/g, ' ').trim()) };
    };
    const trace = await open('gpt-h200.pt.trace.json.gz');
    equal(trace.rows.join('; '), 'GPU kernel 775.8 µs 5.3 %; memset 14.29 µs 0.1 %; runtime 1.433 ms 9.9 %; CPU 7.265 ms 50.0 %; other 5.042 ms 34.7 %', 'parts of a step');
    equal(await trace.page.locator('.composition-head').innerText().then((text) => text.replaceAll(/\s+/g, ' ')), 'Mean of 2 steps of step 14.53 ms', 'the whole');
    const { x, width } = await trace.page.locator('.composition').boundingBox();
    equal([x, width].map(Math.round).join(), [trace.page.viewportSize().width - 416, 400].join(), 'it is at the right');
    check((await trace.page.locator('.conclusion').boundingBox()).height <= 160, 'the conclusion leaves room for the picture');
    const colours = await trace.page.locator('.composition .stacked-part').evaluateAll((parts) => parts.map((part) => getComputedStyle(part).backgroundColor));
    await trace.page.locator('.composition-legend a', { hasText: 'GPU kernel' }).click();
    await until(async () => /\/kernels/.test(trace.page.url()), 'a part leads to its view');
    await trace.page.getByRole('link', { name: 'Overview' }).click();
    const below = trace.page.locator('.stacked-bar').first().locator('.stacked-part');
    await below.first().waitFor();
    const coloursBelow = await below.evaluateAll((parts) => parts.map((part) => getComputedStyle(part).backgroundColor));
    equal(colours.join(), coloursBelow.join(), 'the colours of the view below');
    const shop = await open('bookshop-slow.prof');
    check(shop.rows[0] === 'built-in 925.8 ms 57.9 %' && shop.rows[1] === 'third-party 597.2 ms 37.3 %', shop.rows.join('; '));
    await shop.page.locator('.composition-legend a', { hasText: /^own/ }).click();
    await until(async () => /[?&]off=third-party,stdlib,builtin,unknown/.test(decodeURIComponent(shop.page.url())), 'only own functions are shown');
    equal(await shop.page.locator('.composition').count(), 1, 'the conclusion stays open');
    await shop.page.setViewportSize({ width: 800, height: 900 });
    const [bar, table] = [await shop.page.locator('.composition').boundingBox(), await shop.page.locator('.causes').boundingBox()];
    check(bar.y + bar.height <= table.y && bar.width > 760, 'above the causes in a narrow window');
});

test('conclusion: every demo run says what was found', async ({ pages, demo }) => {
    const page = await pages.open(demo.url);
    const kinds = new Set();
    for (const [name, run] of demo.demo) {
        if (SHORT && kinds.has(run.kind)) continue;
        kinds.add(run.kind);
        await page.goto(`${demo.url}#/run/${run.id}`);
        await page.locator('.run-name', { hasText: run.name }).waitFor();
        await settle(page);
        const sentence = await sentenceOf(page);
        check(sentence.length > 20 && !/NaN|undefined|null/.test(sentence), `${name}: ${sentence}`);
    }
});

test('conclusion: a range that repeats can be chosen as the step, for all runs of the series', async ({ pages }) => {
    const shelf = await Shelf.start();
    try {
        const runs = [0, 1].map((n) => {
            const traceEvents = [{ ph: 'M', name: 'process_name', pid: 1, args: { name: 'python' } }];
            for (let i = 0; i < 8; i++) {
                const at = { ph: 'X', pid: 1, tid: 1 };
                traceEvents.push({ ...at, cat: 'user_annotation', name: `epoch ${i}`, ts: 1000 + i * 10_000, dur: 9500 });
                traceEvents.push({ ...at, cat: 'cpu_op', name: 'aten::mm', ts: 1100 + i * 10_000, dur: 8000 + n, args: { 'External id': i } });
            }
            const file = join(shelf.folder, `epochs-${n}.pt.trace.json`);
            writeFileSync(file, JSON.stringify({ schemaVersion: 1, traceEvents }));
            return shelf.add(file, '--series', 'epochs').id;
        });
        const page = await pages.open(`${shelf.url}#/run/${runs[0]}`);
        check((await sentenceOf(page)).includes('of the trace'), 'no steps are marked');
        await page.locator('.conclusion').getByLabel('Step:').selectOption('epoch');
        await until(async () => (await sentenceOf(page)).includes('of each step'), 'the shares are of a step');
        await page.goto(`${shelf.url}#/run/${runs[1]}`);
        await until(async () => (await sentenceOf(page)).includes('of each step'), 'another run of the series has the same step');
        await page.goto(`${shelf.url}#/run/${runs[1]}/overview`);
        await until(async () => (await page.locator('.step-row').count()) === 8, 'the chosen steps are listed');
        equal((await page.locator('.step-row .step-name').first().innerText()).trim(), 'epoch 0', 'the name of a step');
        await page.getByRole('button', { name: 'compare with another run' }).click();
        await page.getByRole('menuitem', { name: /^Previous: epochs-0/ }).click();
        await until(async () => page.url().includes('step=epoch'), 'a comparison from the report has the chosen step');
        await page.goto(`${shelf.url}#/compare/operators?base=${runs[0]}&new=${runs[1]}&step=epoch`);
        await page.getByRole('button', { name: 'Step: epoch ×' }).click();
        await until(async () => !page.url().includes('step='), 'the comparison takes the steps of the files');
        equal(await page.getByRole('button', { name: 'Step: epoch ×' }).count(), 0, 'no step is chosen');
        await page.goto(`${shelf.url}#/run/${runs[0]}`);
        await until(async () => (await sentenceOf(page)).includes('of the trace'), 'the choice has ended for the runs of the series');
        pages.expect(/status of 400/);
        await page.goto(`${shelf.url}#/compare?base=${runs[0]}&new=${runs[1]}&step=round`);
        await page.getByText('has no annotation or NVTX range with the name round').waitFor();
        await page.getByRole('button', { name: 'Use the steps of the files' }).click();
        await page.getByRole('link', { name: 'Operators' }).first().waitFor();
        await page.goto(`${shelf.url}#/run/${runs[1]}`);
        await page.locator('.conclusion').getByLabel('Step:').selectOption('epoch');
        await until(async () => (await sentenceOf(page)).includes('of each step'), 'a step is chosen again');
        await page.locator('.trend-link').click();
        await until(async () => page.url().includes('step=epoch'), 'the trend has the chosen step');
        await page.goto(`${page.url()}&of=operators`);
        await until(async () => (await rowTexts(page, 'rows by change')).some((row) => row.join(' ').includes('aten::mm')), 'rows of the mean step');
        await page.getByRole('button', { name: 'Step: epoch ×' }).click();
        await until(async () => !page.url().includes('step='), 'the trend is of the whole runs');
        await page.goto(`${shelf.url}#/run/${runs[1]}`);
        await until(async () => (await sentenceOf(page)).includes('of the trace'), 'as marked in the file');
    } finally {
        await shelf.stop();
    }
});
