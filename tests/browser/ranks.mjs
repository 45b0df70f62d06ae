/* SPDX-License-Identifier: MIT
 *
 * Ranks of made jobs: the sentence, the heat map by pointer and keys, who came last, ranks aligned on
 * a collective, both timelines side by side, missing ranks.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { check, equal, ROOT, rowTexts, settle, Shelf, test, until } from './lib.mjs';

const plain = (text) => text.replaceAll('\u202f', ' ').replaceAll('−', '-');

/* A made job of 8 ranks: rank 5 computes 20 % longer. */
async function withJob(options, work) {
    const shelf = await Shelf.start();
    const folder = mkdtempSync(join(tmpdir(), 'perfshelf-ranks-'));
    try {
        const job = join(folder, 'job');
        execFileSync('python3', [join(ROOT, 'tests', 'made_job.py'), job, ...options]);
        // Files are merged by name: a folder with two files of one rank is two recordings.
        const files = readdirSync(job).map((name) => join(job, name));
        const { id } = shelf.add(files[0], ...files.slice(1), '--merge', '--name', 'job');
        await work({ shelf, id });
    } finally {
        rmSync(folder, { recursive: true });
        await shelf.stop();
    }
}

const heat = (page) => page.locator('.rank-heat');
const cell = async (page) => plain(await heat(page).getAttribute('aria-label'));
const says = async (page) => plain(await page.locator('.rank-says').innerText());

async function open(pages, shelf, id, query = '') {
    const page = await pages.open(`${shelf.url}#/run/${id}/ranks${query}`);
    await until(async () => (await heat(page).count()) > 0, 'the heat map');
    await settle(page);
    return page;
}

/* The rows of both collectives of the made job. */
const collectivesOf = (page) =>
    until(async () => {
        const all = await rowTexts(page, 'Who came last');
        return all.length === 2 ? all : null;
    }, 'two collectives');

test('ranks: the sentence names the late rank, what the others wait, and why', async ({ pages }) => {
    await withJob([], async ({ shelf, id }) => {
        const page = await open(pages, shelf, id);
        const text = await says(page);
        check(/Rank 5 causes \d+\.\d % of the waiting in collectives; the other 7 wait 2\.\d+ ms a step/.test(text), text);
        check(/Its compute takes 3\.\d+ ms a step longer than that of the median rank, \+19\.\d %/.test(text), text);
        check(/clocks agree to 0\.0\d\d ms/.test(text), text);
        check((await cell(page)).includes('rank 5, ProfilerStep#3'), await cell(page));
    });
});

test('ranks: nothing is drawn at the right edge of the heat map', async ({ pages }) => {
    await withJob([], async ({ shelf, id }) => {
        const page = await open(pages, shelf, id);
        const drawn = await page.locator('.rank-heat canvas').evaluate((canvas) => {
            const edge = Math.round((12 * canvas.width) / canvas.clientWidth);
            const { data } = canvas.getContext('2d').getImageData(canvas.width - edge, 0, edge, canvas.height);
            return data.some((value, i) => i % 4 === 3 && value > 0);
        });
        check(!drawn, 'the names and numbers right of the cells reach the edge');
    });
});

test('ranks: keys move through ranks and steps, and the address has the place', async ({ pages }) => {
    await withJob([], async ({ shelf, id }) => {
        const page = await open(pages, shelf, id, '?rank=1&step=2');
        check((await cell(page)).includes('rank 1, ProfilerStep#2'), await cell(page));
        await heat(page).focus();
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('ArrowRight');
        await until(async () => (await cell(page)).includes('rank 2, ProfilerStep#3'), 'the next cell');
        check(page.url().includes('rank=2') && page.url().includes('step=3'), page.url());
        await page.keyboard.press('s');
        await until(() => page.url().includes('sort=slowest'), 'the order');
        await page.getByRole('button', { name: 'waiting' }).click();
        await until(() => page.url().includes('m=wait'), 'the metric');
        await page.getByRole('button', { name: 'ms', exact: true }).click();
        await until(() => page.url().includes('rel=0'), 'absolute colours');
        check(/absolute/.test(await page.locator('.heat-legend').innerText()), 'the legend');
    });
});

test('ranks: a step of one\'s own is named, and its choice ends by a click', async ({ pages }) => {
    await withJob(['--ranks', '2', '--steps', '3'], async ({ shelf, id }) => {
        const page = await open(pages, shelf, id);
        const name = 'enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__';
        await page.evaluate(([key, text]) => localStorage.setItem(key, text), [`perfshelf.step.${id}`, name]);
        await page.setViewportSize({ width: 390, height: 844 });
        await page.reload();
        const button = page.getByRole('button', { name: `Step: ${name} ×` });
        await button.waitFor();
        const { x, width } = await button.boundingBox();
        check(x >= 0 && x + width <= 390, `the button reaches from ${x} to ${x + width}`);
        await button.click();
        await until(async () => (await button.count()) === 0, 'the steps of the files');
    });
});

test('ranks: a collective aligns all ranks on it, and opens both timelines', async ({ pages }) => {
    await withJob([], async ({ shelf, id }) => {
        const page = await open(pages, shelf, id);
        const rows = await collectivesOf(page);
        check(rows[0].join(' ').includes('allreduce') && plain(rows[0].join(' ')).includes('rank 5'), rows[0].join(' '));
        await page.locator('.rank-arrivals .mono', { hasText: 'allreduce' }).click();
        await until(() => page.url().includes('call='), 'the call in the address');
        await until(async () => (await page.locator('.rank-aligned').innerText()).includes('aligned on the selected call'), 'the aligned call');
        const texts = plain(await page.locator('.aligned-rows').innerText());
        check(texts.includes('is waited for') && /waits \d\.\d+ ms/.test(texts), texts);
        await page.getByRole('button', { name: 'Whole step', exact: true }).click();
        await until(() => !page.url().includes('call='), 'the whole step');
        await heat(page).focus();
        await page.keyboard.press('Enter');
        await until(() => page.url().includes('compare/side/timeline'), 'side by side');
        check(page.url().includes('align=event'), page.url());
        check(decodeURIComponent(page.url()).includes('base.tracks=rank:5'), page.url());
        await until(async () => {
            const frame = page.frameLocator('.side-panel.is-base iframe');
            const text = await frame.locator('.timeline-names-column').innerText().catch(() => '');
            return text.includes('rank 5') && !text.includes('rank 1');
        }, 'only the tracks of rank 5');
    });
});

test('ranks: missing ranks are counted, and their absence is drawn', async ({ pages }) => {
    await withJob(['--missing', '3', '--no-metadata'], async ({ shelf, id }) => {
        const page = await open(pages, shelf, id, '?rank=2');
        const text = await says(page);
        check(text.includes('1 rank of 8 is missing') && text.includes('42 calls could not be matched'), text);
        check((await page.locator('.status-line').innerText()).includes('by order, verified at their ends'), 'the status');
        await heat(page).focus();
        await page.keyboard.press('ArrowDown');
        await until(async () => (await cell(page)).includes('rank 4,'), 'the rank below the missing one');
        equal(await page.locator('.rank-says .warn').count(), 0, 'warnings of clocks');
    });
});

test('ranks: the table has sizes of messages and their bandwidth', async ({ pages }) => {
    await withJob([], async ({ shelf, id }) => {
        const page = await open(pages, shelf, id);
        const rows = await collectivesOf(page);
        const [reduce, gather] = rows.map((row) => plain(row.join(' | ')));
        /* 25 MiB in 0.30 ms are 87 GB/s, times 2 * 7 / 8; 10 MiB in 0.08 ms 130 GB/s, times 3 / 4 */
        check(/25\.0 MiB/.test(reduce) && /\b15[0-3]\.\d\b/.test(reduce), reduce);
        check(/10\.0 MiB/.test(gather) && /\b9[0-9]\.\d\b/.test(gather), gather);
    });
});

test('ranks: what a job lacks is said', async ({ pages }) => {
    await withJob(['--twice', '3'], async ({ shelf, id }) => {
        const page = await open(pages, shelf, id);
        const text = await says(page);
        check(text.includes('Rank 3 is in two files, so collectives are not compared'), text);
        check((await page.locator('.status-line').innerText()).includes('two files state rank 3'), 'the status');
        check((await page.locator('.rank-arrivals').innerText()).includes('No collective'), 'the table');
        check((await cell(page)).includes('worker 0, ProfilerStep#3'), await cell(page));
        check(!/rank \d/.test(await page.locator('.aligned-rows').innerText()), 'numbers of workers are not ranks');
    });
    await withJob(['--short', '3', '--no-sequence'], async ({ shelf, id }) => {
        const page = await open(pages, shelf, id, '?rank=3&step=1');
        check((await says(page)).includes('1 rank recorded fewer than 6 steps'), await says(page));
        check((await cell(page)).includes('rank 3, ProfilerStep#1: no such step'), await cell(page));
    });
});

test('ranks: clocks that drift are a warning', async ({ pages }) => {
    await withJob(['--drift-us', '3000', '--steps', '20'], async ({ shelf, id }) => {
        const page = await open(pages, shelf, id);
        const warning = await page.locator('.rank-says .warn').innerText();
        check(warning.includes('orders within it are unknown'), warning);
    });
});

/* The share of the pixels of the heat map that are coloured. */
const colouredShare = (page) =>
    heat(page)
        .locator('canvas')
        .evaluate((canvas) => {
            const { width, height } = canvas;
            const { data } = canvas.getContext('2d').getImageData(0, 0, width, height);
            let coloured = 0;
            for (let at = 0; at < data.length; at += 4) if (data[at + 3] > 0 && data[at] > data[at + 2] + 8) coloured++;
            return coloured / (width * height);
        });

test('ranks: hosts of a large job have no colour by chance, and the slow one has', async ({ pages }) => {
    const size = ['--ranks', '264', '--hosts', '33', '--steps', '6'];
    await withJob([...size, '--late', '-1'], async ({ shelf, id }) => {
        const page = await open(pages, shelf, id);
        check(/No rank stands out/.test(await says(page)), await says(page));
        const share = await colouredShare(page);
        check(share < 0.002, `${share} of the map is coloured`);
        const formula = plain(await page.locator('.heat-formula').innerText());
        check(formula.includes('slowest rank of the median host'), formula);
    });
    await withJob([...size, '--late', '21'], async ({ shelf, id }) => {
        const page = await open(pages, shelf, id);
        const text = await cell(page);
        check(/node3, rank 21, slowest of 8, .*\+1\d\.\d % against the slowest rank of the median host/.test(text), text);
        const share = await colouredShare(page);
        check(share > 0.008 && share < 0.02, `${share} of the map is coloured`);
    });
});

test('ranks: nothing is cut at 390 px', async ({ pages }) => {
    await withJob([], async ({ shelf, id }) => {
        const page = await pages.open(`${shelf.url}#/run/${id}/ranks`, { width: 390, height: 844 });
        await until(async () => (await heat(page).count()) > 0, 'the heat map');
        await settle(page);
        equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, 'the width of the page');
    });
});
