/* SPDX-License-Identifier: MIT
 *
 * An export of Nsight Systems: the tabs of what was recorded, its processes, streams and ranges in
 * the timeline, device time of ranges, memory without operators.
 */
import { join } from 'node:path';
import { faultsOfPage } from './access.mjs';
import { check, equal, ROOT, rowTexts, Shelf, test, until } from './lib.mjs';

const SAMPLES = join(ROOT, 'tests', 'golden', 'nsys');

async function withExport(name, work) {
    const shelf = await Shelf.start();
    try {
        const { id } = shelf.add(join(SAMPLES, name));
        await work((tab) => `${shelf.url}#/run/${id}/${tab}`);
    } finally {
        await shelf.stop();
    }
}

const tabs = (page) => page.locator('.tabs a').allInnerTexts();
const words = (texts) => texts.map((text) => text.replace(/\s*\d+$/, '').trim());

async function rowOf(page, label, name) {
    return until(async () => (await rowTexts(page, label)).find(([first]) => first === name), `${name} among ${label}`);
}

test('nsys: the tabs of what was recorded', async ({ pages }) => {
    await withExport('ok_full.sqlite', async (at) => {
        const page = await pages.open(at('timeline'));
        await page.locator('.tabs a', { hasText: 'Flame' }).waitFor();
        equal(words(await tabs(page)).slice(0, 8), ['Timeline', 'Overview', 'Kernels', 'Summaries', 'Slices by name', 'Memory', 'Flame', 'Ledger'], 'all of them');
        const body = () => page.locator('body').innerText();
        await until(async () => (await body()).includes('stream 7, process 71'), 'a stream of another process');
        for (const word of ['python 70', 'python 71', 'NVIDIA H200', 'loader', 'NVTX start/end ranges', 'device waits']) {
            check((await body()).includes(word), `${word} is in the timeline`);
        }
        equal(await page.evaluate(faultsOfPage), [], 'reachable');
    });
    await withExport('ok_empty.sqlite', async (at) => {
        const page = await pages.open(at('ledger'));
        await page.locator('.tabs a', { hasText: 'Ledger' }).waitFor();
        check(!words(await tabs(page)).includes('Kernels'), 'nothing of a device where there was none');
    });
});

test('nsys: each time of the whole says what it is', async ({ pages }) => {
    await withExport('ok_full.sqlite', async (at) => {
        const page = await pages.open(at('overview'));
        const head = page.locator('.overview-section h2').first();
        await until(async () => /^Whole trace\s*Σ .*, from the first to the last operator or call$/.test((await head.innerText()).replace(/\s+/g, ' ')), 'what the parts add up to');
        check(/% of trace/.test(await page.locator('.facts').innerText()), 'the base of GPU busy');
    });
});

test('nsys: ranges have the device time of what they launched', async ({ pages }) => {
    await withExport('ok_full.sqlite', async (at) => {
        const page = await pages.open(at('operators'));
        const registered = await rowOf(page, 'Operators', 'registered');
        check(registered.includes('0.001'), 'its device time');
        await page.goto(at('summaries'));
        const kernel = await rowOf(page, 'Kernels', 'void gemm<float>(int)');
        equal(kernel.slice(2, 4), ['900', '2'], 'of both processes');
        await page.goto(at('memory'));
        await page.getByRole('button', { name: 'Never freed' }).waitFor();
        equal(await page.getByRole('button', { name: 'By operator' }).count(), 0, 'no operators are known');
    });
});
