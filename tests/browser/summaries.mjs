/* SPDX-License-Identifier: MIT
 *
 * The summaries of a trace: one report at a time, its figures those of a trace made here, the same
 * after a reload, of a range that was selected.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { faultsOfPage } from './access.mjs';
import { check, equal, grid, rowTexts, Shelf, test, until } from './lib.mjs';

const HOST = { ph: 'X', pid: 100, tid: 100 };
const DEVICE = { ph: 'X', pid: 0, tid: 7 };
const COPIES = ['Memcpy HtoD (Pinned -> Device)', 'Memcpy HtoD (Pageable -> Device)'];

/* Ranges of 100 us; each launches a kernel of 10, 20, 30, 40 us and a copy of 1, 2, 3, 4 MB. */
function trace() {
    const events = [];
    for (let i = 0; i < 4; i++) {
        const ts = 1000 * i;
        const launch = (correlation, at) => ({ ...HOST, cat: 'cuda_runtime', name: 'cudaLaunchKernel', ts: ts + at, dur: 5, args: { correlation } });
        const of = (correlation) => ({ device: 0, stream: 7, correlation });
        events.push(
            { ...HOST, cat: 'user_annotation', name: 'batch', ts, dur: 100 },
            launch(2 * i + 1, 10),
            launch(2 * i + 2, 20),
            { ...DEVICE, cat: 'kernel', name: 'void scale<float>(int)', ts: ts + 200, dur: 10 * (i + 1), args: of(2 * i + 1) },
            { ...DEVICE, cat: 'gpu_memcpy', name: COPIES[i % 2], ts: ts + 300, dur: 50, args: { ...of(2 * i + 2), bytes: (i + 1) * 1e6 } },
        );
    }
    return { schemaVersion: 1, deviceProperties: [{ id: 0, name: 'Test GPU', numSms: 80 }], traceEvents: events };
}

async function withTrace(work) {
    const shelf = await Shelf.start();
    try {
        const file = join(shelf.folder, 'batches.pt.trace.json');
        writeFileSync(file, JSON.stringify(trace()));
        const { id } = shelf.add(file);
        await work((tab) => `${shelf.url}#/run/${id}/${tab}`);
    } finally {
        await shelf.stop();
    }
}

function rowsWith(page, label, name) {
    return until(async () => {
        const rows = new Map((await rowTexts(page, label)).map(([first, ...rest]) => [first, rest]));
        return rows.has(name) ? rows : null;
    }, `${name} among ${label}`);
}

const query = (page) => new URLSearchParams(new URL(page.url()).hash.split('?')[1] ?? '');

test('summaries: the reports of nsys stats, one at a time', async ({ pages }) => {
    await withTrace(async (at) => {
        const page = await pages.open(at('kernels'));
        await page.getByRole('link', { name: 'Summaries' }).click();
        const kernels = await rowsWith(page, 'Kernels', 'void scale<float>(int)');
        equal(kernels.get('void scale<float>(int)'), ['100.0', '100,000', '4', '25,000.0', '25,000.0', '10,000', '40,000', '12,909.9'], 'the kernel');
        equal(await page.locator('.segmented button').allInnerTexts(), ['Kernels', 'CUDA API', 'Copies, time', 'Copies, size', 'Ranges', 'Ranges on the GPU'], 'no OS runtime in this trace');

        await page.getByText('Copies, size').click();
        const sizes = await rowsWith(page, 'Copies, size', 'Memcpy HtoD');
        equal(sizes.get('Memcpy HtoD'), ['10.000', '4', '2.500', '2.500', '1.000', '4.000', '1.291'], 'what was copied, MB');
        equal(query(page).get('report'), 'cuda_gpu_mem_size_sum', 'the report in the URL');
        await grid(page, 'Copies, size').getByText('Memcpy HtoD', { exact: true }).click();
        const pane = page.locator('.selection-pane');
        await until(async () => (await pane.innerText()).includes('4 in trace'), 'copies of both kinds');
        check((await pane.innerText()).includes('10.000 MB'), 'what they moved');
        const link = new URLSearchParams((await pane.getByText('Show in timeline').getAttribute('href')).split('?')[1]);
        check(COPIES.every((name) => new RegExp(link.get('q')).test(name)) && link.get('regex') === '1', `a link that finds both: ${link}`);
        await page.keyboard.press('Escape');
        await until(async () => (await pane.count()) === 0, 'let go');

        await page.getByText('Ranges on the GPU').click();
        const ranges = await rowsWith(page, 'Ranges on the GPU', 'batch');
        equal(ranges.get('batch'), ['600,000', '400,000', '4', '150,000.0', '150,000.0', '150,000', '150,000', '0.0', '8', '2.0'], 'from kernel to copy');
        equal(await page.evaluate(faultsOfPage), [], 'accessible');
    });
});

test('summaries: of a range, searched, narrow, the same after a reload', async ({ pages }) => {
    await withTrace(async (at) => {
        const page = await pages.open(at('summaries?report=cuda_gpu_kern_sum&from_ns=1000000&to_ns=3000000'));
        const of = async () => (await rowsWith(page, 'Kernels', 'void scale<float>(int)')).get('void scale<float>(int)').slice(0, 5);
        equal(await of(), ['100.0', '50,000', '2', '25,000.0', '25,000.0'], 'two kernels start in it');
        await page.keyboard.press('/');
        await page.keyboard.type('nothing');
        await until(async () => (await page.locator('main').innerText()).includes('No row matches'), 'searched');
        await page.getByPlaceholder('Search kernels').fill('scale');
        await until(() => query(page).get('q') === 'scale', 'the search in the URL');
        await page.setViewportSize({ width: 800, height: 700 });
        await page.reload();
        equal((await of()).slice(0, 4), ['100.0', '50,000', '2', '25,000.0'], 'in a narrow window, after a reload');
        await page.getByRole('button', { name: 'report' }).click();
        await page.getByText('Ranges', { exact: true }).click();
        await until(() => query(page).get('report') === 'nvtx_sum', 'another report');
        equal(await page.evaluate(faultsOfPage), [], 'accessible');
    });
});
