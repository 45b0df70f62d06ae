/* SPDX-License-Identifier: MIT
 *
 * The tabs of a trace beside its timeline: their numbers are those of a trace made here, a range is
 * one for all of them, and a reload shows the same.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { faultsOfPage } from './access.mjs';
import { check, DEMO, equal, grid, quiet, rowTexts, Shelf, test, until } from './lib.mjs';

const STEPS = 4;
const STEP_US = 10_000;
const HOST = { ph: 'X', pid: 100, tid: 100 };
const SHAPES = [[[32, 64], [64, 10]], [[8, 64], [64, 10]]];

/* An operator of 1 ms that launches a kernel of 2 ms, and a module around it. */
function operator(events, t, step, { name, module, kernel, at }) {
    const id = 10 * step + at;
    const ts = t + 2000 + at * 2500;
    events.push(
        { ...HOST, cat: 'python_function', name: `nn.Module: ${module}`, ts: ts - 10, dur: 1020, args: { 'Python module id': at, 'Python id': id, 'Python parent id': 1000 + step } },
        { ...HOST, cat: 'cpu_op', name, ts, dur: 1000, args: { 'External id': id, 'Input Dims': SHAPES[step % 2] } },
        { ...HOST, cat: 'cuda_runtime', name: 'cudaLaunchKernel', ts: ts + 100, dur: 20, args: { correlation: id, 'External id': id } },
        {
            ph: 'X', cat: 'kernel', pid: 0, tid: 7, name: kernel, ts: ts + 200, dur: 2000,
            args: { device: 0, stream: 7, correlation: id, 'External id': id, grid: [98, 8, 1], block: [8, 32, 1], 'registers per thread': 64, 'shared memory': 6400, 'blocks per SM': 9.8, 'est. achieved occupancy %': 50 },
        },
    );
}

function memory(events, ts, bytes, address, total) {
    events.push({
        ph: 'i', cat: 'cpu_instant_event', s: 't', name: '[memory]', pid: 100, tid: 100, ts,
        args: { 'Device Type': 1, 'Device Id': 0, Addr: address, Bytes: bytes, 'Total Allocated': total, 'Total Reserved': 8 << 20 },
    });
}

/* Four steps of 10 ms: 2 ms of waiting for data, two operators one after the other. */
function trace() {
    const events = [];
    for (let step = 0; step < STEPS; step++) {
        const t = step * STEP_US;
        events.push({ ...HOST, cat: 'user_annotation', name: `ProfilerStep#${step}`, ts: t, dur: STEP_US });
        events.push({ ...HOST, cat: 'user_annotation', name: 'enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__', ts: t, dur: 2000 });
        events.push({ ...HOST, cat: 'python_function', name: 'nn.Module: Net_0', ts: t + 2001, dur: 7900, args: { 'Python module id': 9, 'Python id': 1000 + step } });
        operator(events, t, step, { name: 'aten::mm', module: 'Linear_0', kernel: `sgemm_${'x'.repeat(300)}`, at: 1 });
        operator(events, t, step, { name: 'aten::relu', module: 'ReLU_0', kernel: 'void relu_kernel<float>(int)', at: 2 });
        memory(events, t + 4600, 4 << 20, 64, 4 << 20);
        if (step < STEPS - 1) memory(events, t + 9000, -(4 << 20), 64, 0);
    }
    const device = { id: 0, name: 'Test GPU', totalGlobalMem: 17179869184, numSms: 80, computeMajor: 7, computeMinor: 5 };
    return { schemaVersion: 1, deviceProperties: [device], traceEvents: events };
}

async function withRun(name, content, work) {
    const shelf = await Shelf.start();
    try {
        const file = join(shelf.folder, name);
        writeFileSync(file, JSON.stringify(content));
        const { id } = shelf.add(file);
        await work(shelf, id, (tab) => `${shelf.url}#/run/${id}/${tab}`);
    } finally {
        await shelf.stop();
    }
}

const withTrace = (work) => withRun('steps.pt.trace.json', trace(), work);

/* Name -> the other cells, once that name is there. */
function rowsWith(page, label, name) {
    return until(async () => {
        const rows = new Map((await rowTexts(page, label)).map(([first, ...rest]) => [first, rest]));
        return rows.has(name) ? rows : null;
    }, `${name} among ${label}`);
}

const query = (page) => new URLSearchParams(new URL(page.url()).hash.split('?')[1] ?? '');
const main = (page) => page.locator('main').innerText();

test('trace tabs: operators by name and shape, selected, found, the same after a reload', async ({ pages }) => {
    await withTrace(async (shelf, id, at) => {
        const page = await pages.open(at('operators'));
        const rows = await rowsWith(page, 'Operators', 'aten::mm');
        equal(rows.get('aten::mm').slice(0, 2), ['4', '3.920'], 'calls and self CPU of aten::mm');
        check(rows.get('aten::mm').includes('8.000'), `device time of aten::mm: ${rows.get('aten::mm')}`);
        check(rows.get('aten::mm').includes('50.0'), `half of the device time: ${rows.get('aten::mm')}`);
        check(!rows.has('void relu_kernel<float>(int)'), 'no kernel among the operators of the host');

        await page.getByText('By input shape').click();
        await until(async () => (await main(page)).includes('[[32, 64], [64, 10]]'), 'input shapes');
        await page.getByText('By name', { exact: true }).click();
        // The column of shapes goes before the rows do.
        const named = async () => (await rowTexts(page, 'Operators')).filter(([name]) => name === 'aten::mm').length;
        await until(async () => (await named()) === 1, 'one row for aten::mm');
        await grid(page, 'Operators').getByText('aten::mm', { exact: true }).click();
        const pane = page.locator('.selection-pane');
        await until(async () => (await pane.innerText()).includes('4 in trace'), 'all with this name');
        const link = await pane.getByText('Show in timeline').getAttribute('href');
        check(link.includes('q=%5Eaten%3A%3Amm%24&regex=1'), `a link that finds it: ${link}`);
        for (const part of [/Self\s+3\.920\s+ms/, /Heaviest stack/, /Callers/]) await until(async () => part.test(await pane.innerText()), `${part} in the pane`);
        equal(query(page).get('sel'), 'aten::mm', 'the name in the URL');
        await page.getByRole('link', { name: 'Flame', exact: true }).click();
        await until(async () => (await pane.locator('header').innerText()).startsWith('aten::mm'), 'selected in the flame graph');
        await page.getByRole('link', { name: /^Operators/ }).click();
        await until(async () => (await pane.innerText()).includes('4 in trace'), 'selected in the table again');
        await page.reload();
        await until(async () => (await pane.innerText()).includes('4 in trace'), 'and after a reload');

        await quiet(page); // the key is bound
        await page.keyboard.press('/');
        await page.keyboard.type('relu');
        await until(() => query(page).get('q') === 'relu', 'the search in the URL');
        const only = async () => (await rowTexts(page, 'Operators')).map(([name]) => name).join() === 'aten::relu';
        await until(only, 'one row');
        await page.reload();
        await until(only, 'one row after the reload');
    });
});

test('trace tabs: a range is one for all of them', async ({ pages }) => {
    await withTrace(async (shelf, id, at) => {
        const range = `from_ns=${STEP_US * 1000}&to_ns=${3 * STEP_US * 1000}`;
        const page = await pages.open(`${at('operators')}?${range}`);
        const rows = await rowsWith(page, 'Operators', 'aten::mm');
        equal(rows.get('aten::mm')[0], '2', 'calls in the range');
        equal(await page.locator('.range-notice').innerText(), 'range\n10.000–30.000\u202fms\nwhole run', 'the notice');
        await page.getByRole('link', { name: 'Kernels' }).click();
        const kernels = await rowsWith(page, 'Kernels', 'void relu_kernel<float>(int)');
        equal(kernels.get('void relu_kernel<float>(int)')[1], '2', 'launches in the range');
        equal(query(page).get('to_ns'), String(3 * STEP_US * 1000), 'the range goes along');
        await quiet(page);
        await page.keyboard.press('0');
        await until(() => query(page).get('to_ns') === null, 'the range is let go');
        await until(async () => {
            const all = await rowsWith(page, 'Kernels', 'void relu_kernel<float>(int)');
            return all.get('void relu_kernel<float>(int)')[1] === '4';
        }, 'launches of the whole run');
        await page.getByText('By launch').click();
        await until(async () => (await main(page)).includes('98, 8, 1'), 'the grid of the launches');
    });
});

test('trace tabs: the overview splits the steps by three definitions', async ({ pages }) => {
    await withTrace(async (shelf, id, at) => {
        const page = await pages.open(at('overview'));
        await until(async () => (await page.locator('.step-row').count()) === STEPS, 'a row a step');
        check((await main(page)).includes('Test GPU'), 'the device');
        for (const title of ['TensorBoard', 'HTA', 'TraceLens']) {
            const choice = page.getByRole('button', { name: title, exact: true });
            await choice.click();
            await until(async () => (await choice.getAttribute('aria-pressed')) === 'true', `${title} is chosen`);
            await quiet(page);
            const shares = await page.locator('.part-legend b').allInnerTexts();
            const sum = shares.reduce((total, share) => total + parseFloat(share), 0);
            check(Math.abs(sum - 100) < 0.5, `${title} sums to ${sum} %`);
            const widths = await page.locator('.overview-section').first().locator('.stacked-part')
                .evaluateAll((parts) => parts.reduce((total, part) => total + parseFloat(part.style.width), 0));
            check(Math.abs(widths - 100) < 0.01, `the bar of ${title} is ${widths} % wide`);
        }
        equal(query(page).get('parts'), 'tracelens', 'the definition in the URL');
        await page.locator('.step-row').nth(1).click();
        await until(() => query(page).get('from_ns') !== null, 'the step as the range of the timeline');
        check(page.url().includes('/timeline?'), page.url());
        await until(async () => (await page.locator('.status-line').innerText()).includes('drawn from'), 'the timeline');
    });
});

test('trace tabs: memory, what was never freed, a range dragged over the curve', async ({ pages }) => {
    await withTrace(async (shelf, id, at) => {
        const page = await pages.open(at('memory'));
        await until(async () => (await main(page)).includes('4.00\u202fMiB'), 'the peak');
        await page.getByText('Never freed', { exact: true }).click();
        await until(async () => (await rowTexts(page, 'Allocations')).length === 1, 'one that was kept');
        await page.getByText('Allocations', { exact: true }).click();
        await until(async () => (await rowTexts(page, 'Allocations')).length === STEPS, 'all of them');
        await quiet(page);
        const chart = await page.locator('.time-chart').boundingBox();
        await page.mouse.move(chart.x + chart.width * 0.3, chart.y + 60);
        await page.mouse.down();
        await page.mouse.move(chart.x + chart.width * 0.6, chart.y + 60, { steps: 4 });
        await page.mouse.up();
        await until(() => query(page).get('from_ns') !== null, 'a range in the URL');
        await until(async () => (await rowTexts(page, 'Allocations')).length === 1, 'the one in the range');
    });
});

test('trace tabs: modules as a tree, the flame graph of the device, checks', async ({ pages }) => {
    await withTrace(async (shelf, id, at) => {
        const page = await pages.open(at('modules'));
        await rowsWith(page, 'Modules', 'Net_0');
        await quiet(page);
        await page.keyboard.press('Shift+C');
        await until(async () => (await rowTexts(page, 'Modules')).length === 1, 'closed');
        await page.keyboard.press('x');
        const rows = await rowsWith(page, 'Modules', 'Linear_0');
        check(rows.get('Linear_0').includes('8.000'), `device time of Linear_0: ${rows.get('Linear_0')}`);

        await page.goto(`${at('flame')}?flame_on=device`);
        const flame = await (await fetch(`${shelf.url}api/v1/runs/${id}/flame?on=device`)).json();
        const kernels = await (await fetch(`${shelf.url}api/v1/runs/${id}/kernels?limit=0`)).json();
        equal(flame.sum, kernels.sums.total_us * 1000, 'Σ of the flame graph and of the kernels');
        await until(async () => (await page.locator('.frame-scroll').getAttribute('aria-label'))?.includes('frames'), 'frames');
        await quiet(page);
        const picture = await page.locator('.frame-scroll').boundingBox();
        await page.mouse.click(picture.x + 20, picture.y + 27); // the operator below the whole, which has kernels below it
        const pane = page.getByRole('complementary', { name: 'Selection' });
        await pane.getByText('This instance').waitFor();
        check(!/Slices\s+0\b/.test(await pane.innerText()), 'an operator without slices of the device');
        await page.mouse.move(picture.x + 40, picture.y + 27);
        check(!(await page.locator('.tooltip-foot').innerText()).includes('0 slices'), 'its tooltip');

        await page.goto(at('findings'));
        const finding = page.locator('.finding', { hasText: 'data' }).first();
        check((await finding.innerText()).includes('x faster if removed entirely'), 'a finding says its bound');
        equal(await page.locator('.tabs [aria-current=page]').innerText(), 'Overview', 'old links to the findings lead to the overview');
        await finding.getByText('Show rows').click();
        await until(() => page.url().includes('/operators?'), 'the rows of the finding');
        await rowsWith(page, 'Operators', 'enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__');
    });
});

const frameCount = (page) => page.locator('.frame-scroll').getAttribute('aria-label');

test('trace tabs: device time by Python, by class and by module', async ({ pages }) => {
    const shelf = await Shelf.start();
    try {
        const { id } = shelf.add(join(DEMO, 'gpt-h200.pt.trace.json.gz'));
        const api = (path) => fetch(`${shelf.url}api/v1/runs/${id}/${path}`).then((answer) => answer.json());
        const page = await pages.open(`${shelf.url}#/run/${id}/flame`);
        await page.getByRole('button', { name: 'Device by Python' }).click();
        const merged = await api('flame?on=python');
        await until(async () => (await frameCount(page))?.includes(`${merged.n + 1} frames`), 'the merged frames');
        check((await page.locator('.flame-attribution').innerText()).includes('100.0\u202f% of 1.580\u202fms attributed'), 'what is attributed');
        equal(await page.evaluate(faultsOfPage), [], 'accessible');

        await page.getByRole('button', { name: 'All frames' }).click();
        const all = await api('flame?on=python&plumbing=1');
        check(all.n > merged.n, 'plumbing is hidden at first');
        await until(async () => (await frameCount(page))?.includes(`${all.n + 1} frames`), 'all frames');
        await page.getByRole('button', { name: 'Own path' }).click();
        await until(() => !query(page).has('plumbing'), 'without plumbing');

        await page.getByRole('button', { name: 'classes whose modules are shown one by one' }).click();
        await page.getByRole('menuitem', { name: /^Block/ }).click();
        await until(() => query(page).get('expand') === 'Block', 'Block is expanded');
        const expanded = await api('flame?on=python&expand=Block');
        await until(async () => (await frameCount(page))?.includes(`${expanded.n + 1} frames`), 'the modules');

        const single = expanded.frame.findIndex((row) => expanded.frames.name[row] === 'Block_1');
        await page.goto(`${shelf.url}#/run/${id}/flame?flame_on=python&expand=Block&flame_frame=${single}`);
        await quiet(page);
        await page.locator('.frame-scroll').focus();
        await page.keyboard.press('e');
        await until(() => !query(page).has('expand') && !query(page).has('flame_frame'), 'merged again by its key');

        const { hit } = await api('find?q=Block_1');
        const { kernels_ns } = await api(`slices/${hit.id}`);
        check(kernels_ns > 0, 'the module launched work');
        await page.goto(`${shelf.url}#/run/${id}/timeline?slice=${hit.id}`);
        const facts = page.locator('.selection-section').first();
        await until(async () => (await facts.innerText()).includes('Device time'), 'the device time of a Python slice');
        check((await facts.innerText()).includes(`${(kernels_ns / 1000).toFixed(2)}\u202fµs`), await facts.innerText());
    } finally {
        await shelf.stop();
    }
});

test('trace tabs: device time by Python says why nothing is attributed', async ({ pages }) => {
    const kernel = { ph: 'X', cat: 'kernel', name: 'gemm', pid: 0, tid: 7, ts: 1, dur: 5, args: { device: 0, stream: 7, correlation: 1 } };
    const host = { ph: 'X', cat: 'cpu_op', name: 'aten::mm', pid: 1, tid: 1, ts: 0, dur: 1 };
    await withRun('kernels.json', { schemaVersion: 1, traceEvents: [host, kernel] }, async (shelf, id) => {
        const page = await pages.open(`${shelf.url}#/run/${id}/flame?flame_on=python`, { width: 390 });
        await page.getByText('No device time by Python').waitFor();
        check((await page.locator('main').innerText()).includes('(correlation)'), 'the reason');
        equal(await page.evaluate(faultsOfPage), [], 'accessible');
        check((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390, 'fits');
    });
});

test('trace tabs: names, texts and structure of each, nothing sticks out at 800 pixels', async ({ pages }) => {
    await withTrace(async (shelf, id, at) => {
        const tabs = ['overview', 'operators', 'operators?by=shape', 'kernels?by=launch', 'memory?rows=allocations', 'modules', 'flame'];
        for (const width of [1440, 800]) {
            const page = await pages.open(at(tabs[0]), { width });
            for (const tab of tabs) {
                await page.goto(at(tab));
                await quiet(page);
                const faults = await page.evaluate(faultsOfPage);
                check(!faults.length, `${tab}: ${faults.join('\n')}`);
                const wide = await page.evaluate(() => document.documentElement.scrollWidth);
                check(wide <= width, `${tab} is ${wide} pixels wide`);
            }
        }
    });
});

test('trace tabs: a trace without torch in it has slices by name', async ({ pages }) => {
    const events = [0, 1, 2].map((i) => ({ ph: 'X', name: i ? 'inner' : 'outer', pid: 1, tid: 1, ts: i * 10, dur: i ? 5 : 100 }));
    await withRun('plain.json', events, async (shelf, id, at) => {
        const page = await pages.open(at('operators'));
        const rows = await rowsWith(page, 'Operators', 'inner');
        equal(rows.get('inner').slice(0, 2), ['2', '0.010'], 'calls and self time');
        equal(rows.get('outer').slice(0, 2), ['1', '0.090'], 'calls and self time around them');
        const tabs = await page.getByRole('navigation', { name: 'views of this run' }).innerText();
        for (const gone of ['Kernels', 'Memory', 'Findings']) check(!tabs.includes(gone), `${gone} in ${tabs}`);
    });
});
