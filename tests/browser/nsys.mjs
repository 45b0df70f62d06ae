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

test('nsys: ranges and calls of a thread are tracks, which search, areas and folds know', async ({ pages }) => {
    await withExport('ok_full.sqlite', async (at) => {
        const page = await pages.open(at('timeline'), { height: 1300 });
        const names = () => page.locator('.timeline-labels:not(.timeline-pinned-labels) .timeline-track').allInnerTexts();
        await until(async () => (await names()).includes('CUDA API'), 'a track of calls');
        const label = (key) => page.locator(`.timeline-label[data-lane=${key}]`);
        const keys = await page.locator('.timeline-label[data-lane]').evaluateAll((all) => all.map(({ dataset }) => [dataset.lane, dataset.lane.slice(1) % 2 ** 21]));
        const [api, thread] = keys.find(([key]) => Number(key.slice(1)) >= 2 ** 22);
        equal(keys.filter(([, of]) => of === thread)[0][0], `t${thread}`, 'the first layer has the key of the thread');
        const hash = () => page.evaluate(() => decodeURIComponent(location.hash));
        await page.keyboard.press('/');
        await page.keyboard.type('cudaGraphLaunch');
        await until(async () => (await page.locator('.search-count').innerText()) === '1', 'hits counted');
        await page.keyboard.press('Enter');
        await page.locator('.selection-name b', { hasText: 'cudaGraphLaunch' }).waitFor();
        const id = Number(/slice=(\d+)/.exec(await hash())[1]);
        const { slice } = await page.evaluate(async ([run, of]) => (await fetch(`/api/v1/runs/${run}/slices/${of}`)).json(), [/run\/(\w+)/.exec(await hash())[1], id]);
        equal([slice.layer_track, slice.track], [Number(api.slice(1)), thread], 'the call is drawn on the track of calls');
        await page.evaluate(() => document.activeElement.blur());
        await page.keyboard.press('m');
        await until(async () => (await hash()).includes(`@${thread}`), 'an area of the thread');
        const isMarked = async (key) => (await label(key).getAttribute('class')).includes('is-in-area');
        equal([await isMarked(api), await isMarked(`t${thread}`)], [true, true], 'it has the calls and the ranges');
        await page.goto(at(`timeline?fold=${api}&pin=t${thread}`));
        await until(async () => (await label(api).getAttribute('class')).includes('is-folded'), 'the fold of a layer is in the URL');
        check(!(await label(`t${thread}`).getAttribute('class')).includes('is-folded'), 'the thread is not folded');
        equal(await page.evaluate(faultsOfPage), [], 'reachable');
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
