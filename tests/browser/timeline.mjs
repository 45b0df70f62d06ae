/* SPDX-License-Identifier: MIT
 *
 * The timeline of a trace: what is drawn answers to pointer and keys, a range recomputes the tables,
 * and a reload shows the same. The trace is made here, so every place on the screen is known.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { check, equal, quiet, rowTexts, Shelf, test, until } from './lib.mjs';

const STEP_US = 10_000;
const STEPS = 10;

/* One operator with its launch; its kernel begins 50 µs after the launch. */
function operator(events, name, ts, dur, id) {
    const host = { ph: 'X', pid: 100, tid: 100 };
    const launch = ts + dur / 2;
    events.push(
        { ...host, cat: 'cpu_op', name, ts, dur, args: { 'External id': id, Sequence: id } },
        { ...host, cat: 'cuda_runtime', name: 'cudaLaunchKernel', ts: launch, dur: 20, args: { correlation: id, 'External id': id } },
        {
            ph: 'X', cat: 'kernel', pid: 0, tid: 7, name: `void ${name.replace('aten::', '')}_kernel<float>(int)`,
            ts: launch + 50, dur: dur * 1.5, args: { device: 0, stream: 7, correlation: id, 'External id': id, grid: [98, 8, 1], block: [128, 1, 1], 'registers per thread': 64, 'shared memory': 6400, 'est. achieved occupancy %': 50 },
        },
        { ph: 'f', id, pid: 0, tid: 7, ts: launch + 50, cat: 'ac2g', name: 'ac2g', bp: 'e' },
        { ph: 's', id, pid: 100, tid: 100, ts: launch, cat: 'ac2g', name: 'ac2g' },
    );
}

/* Ten steps of 10 ms: a wait for data, two operators, and 900 short ones in each. */
function trace() {
    const events = [
        { ph: 'M', pid: 100, name: 'process_name', args: { name: 'python' } },
        { ph: 'M', pid: 100, name: 'process_labels', args: { labels: 'CPU' } },
        { ph: 'M', pid: 0, name: 'process_name', args: { name: 'python' } },
        { ph: 'M', pid: 0, name: 'process_labels', args: { labels: 'GPU 0' } },
        { ph: 'M', pid: 100, tid: 100, name: 'thread_name', args: { name: 'thread 100 (python)' } },
        { ph: 'M', pid: 0, tid: 7, name: 'thread_name', args: { name: 'stream 7' } },
    ];
    const host = { ph: 'X', pid: 100, tid: 100 };
    for (let step = 0; step < STEPS; step++) {
        const t = step * STEP_US;
        events.push({ ...host, cat: 'user_annotation', name: `ProfilerStep#${step}`, ts: t, dur: STEP_US - 10 });
        events.push({ ...host, cat: 'user_annotation', name: 'enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__', ts: t, dur: 3000 });
        operator(events, 'aten::conv2d', t + 3500, 1000, 10 * step + 1);
        operator(events, 'aten::relu', t + 6000, 600, 10 * step + 2);
        for (let i = 0; i < 900; i++) {
            events.push({ ...host, cat: 'cpu_op', name: 'aten::add', ts: t + 7000 + i * 2, dur: 1.5, args: {} });
        }
        for (const [at, bytes, total] of [[3600, 4 << 20, 4 << 20], [9000, -(4 << 20), 0]]) {
            events.push({ ph: 'i', cat: 'cpu_instant_event', s: 't', name: '[memory]', pid: 100, tid: 100, ts: t + at, args: { 'Device Type': 1, 'Device Id': 0, Addr: 64, Bytes: bytes, 'Total Allocated': total, 'Total Reserved': 8 << 20 } });
        }
    }
    return { schemaVersion: 1, deviceProperties: [{ id: 0, name: 'Test GPU', totalGlobalMem: 16e9, numSms: 80, computeMajor: 8, computeMinor: 0 }], traceEvents: events };
}

export async function withTrace(work) {
    const shelf = await Shelf.start();
    try {
        const file = join(shelf.folder, 'steps.pt.trace.json');
        writeFileSync(file, JSON.stringify(trace()));
        const run = shelf.add(file);
        await work(shelf, run);
    } finally {
        await shelf.stop();
    }
}

/* The picture, the tables below it and the keys. */
export async function drawn(page) {
    await until(async () => (await page.locator('.status-line').innerText()).includes('drawn from'), 'a picture');
    await quiet(page);
}

const hash = (page) => new URL(page.url()).hash;
export const query = (page) => new URLSearchParams(hash(page).split('?')[1] ?? '');

/* Place of the thread among the labels: below the pinned stream and its busy share. */
const THREAD = 2;

/* Where on the screen a moment and a row of a lane are. */
export async function placeOf(page, ms, lane, depth = 0) {
    const canvas = await page.locator('.timeline-canvas').boundingBox();
    const label = await page.locator('.timeline-label').nth(lane).boundingBox();
    const [from, to] = (query(page).get('at') ?? `0~${STEPS * STEP_US * 1000}`).split('~').map(Number);
    const x = canvas.x + ((ms * 1e6 - from) / (to - from)) * canvas.width;
    return [x, label.y + 3 + 17 * depth + 8];
}

async function clickAt(page, ms, lane, depth) {
    await page.mouse.click(...(await placeOf(page, ms, lane, depth)));
}

const detail = (page) => page.locator('.timeline-side');
const name = (page) => page.locator('.selection-name b').innerText();

/* Colours of the picture's pixels along a row, as a set. */
const colours = (page) =>
    page.locator('.timeline-canvas').evaluate((canvas) => {
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        const seen = new Set();
        for (let i = 0; i < data.length; i += 4) seen.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
        return seen.size;
    });

test('timeline: tracks are drawn, a click tells all of a slice, keys walk', async ({ pages }) => {
    await withTrace(async (shelf, { id }) => {
        const page = await pages.open(`${shelf.url}#/run/${id}/timeline`);
        await drawn(page);
        check((await colours(page)) > 8, 'the picture has colours');
        const labels = await page.locator('.timeline-names-column').innerText();
        for (const word of ['CPU', 'thread 100', 'main', 'GPU 0', 'stream 7', 'busy']) {
            check(labels.includes(word), `no ${word} among the labels: ${labels}`);
        }
        await clickAt(page, 34, THREAD, 1);
        await until(() => query(page).get('slice'), 'a slice in the URL');
        await until(async () => (await detail(page).innerText()).includes('All 10 instances'), 'all of its name');
        for (const word of ['aten::conv2d', '33.500', '1.000', 'ProfilerStep#3', 'cudaLaunchKernel']) {
            await until(async () => (await detail(page).innerText()).includes(word), `${word} in the detail`);
        }
        await page.keyboard.press('>');
        await until(async () => (await name(page)) === 'aten::relu', 'the next slice of the row');
        await page.keyboard.press('<');
        await until(async () => (await name(page)) === 'aten::conv2d', 'back again');
        await detail(page).locator('.selection-frames button', { hasText: 'conv2d_kernel' }).first().click();
        await until(async () => (await detail(page).innerText()).includes('98 × 8 × 1'), 'its kernel');
        await until(async () => (await detail(page).innerText()).includes('aten::conv2d'), 'what it lies in');
        for (const word of ['7, GPU 0', '64 per thread', 'Launch to start', '50.00', 'aten::conv2d']) {
            await until(async () => (await detail(page).innerText()).includes(word), `${word} in the kernel`);
        }
    });
});

test('timeline: the pane of a slice walks its instances, widest first, and has its actions', async ({ pages }) => {
    await withTrace(async (shelf, { id }) => {
        const api = async (path) => (await fetch(`${shelf.url}api/v1/runs/${id}/${path}`)).json();
        // Of 9,000 slices of 1.5 µs the order is that of their ids.
        const { hit } = await api('find?q=aten::add&from_ns=0');
        const page = await pages.open(`${shelf.url}#/run/${id}/timeline?slice=${hit.id}`);
        await drawn(page);
        const rank = async () => /All [\d,]+ instances ([\d,]+ of [\d,]+)/.exec((await detail(page).innerText()).replaceAll(/\s+/g, ' '))?.[1];
        await until(async () => (await rank()) === '1 of 9,000', 'its rank');
        await page.keyboard.press('.');
        await until(async () => (await rank()) === '2 of 9,000', 'the next instance');
        equal(Number(query(page).get('slice')), hit.id + 1, 'the next id');
        await page.keyboard.press(',');
        await until(async () => (await rank()) === '1 of 9,000', 'the one before');
        await detail(page).getByRole('button', { name: 'previous instance' }).click();
        await until(async () => (await rank()) === '9,000 of 9,000', 'the last one precedes the first');
        await detail(page).getByRole('button', { name: 'Open in Operators' }).click();
        await page.waitForURL(/\/operators\?.*op=/);
        await page.goBack();
        await drawn(page);
        await page.keyboard.press('Shift+F');
        await until(() => query(page).get('q') === '^aten::add$', 'a search of all with this name');
    });
});

test('timeline: the gestures are explained until that is closed', async ({ pages }) => {
    await withTrace(async (shelf, { id }) => {
        const page = await pages.open(`${shelf.url}#/run/${id}/timeline`);
        await drawn(page);
        const hint = page.locator('.timeline-line.is-gestures');
        equal(await hint.innerText(), 'The wheel scrolls, Ctrl + wheel zooms, Shift + wheel pans, ? lists the keys.\n×', 'the gestures');
        await hint.getByRole('button', { name: 'close' }).click();
        equal(await hint.count(), 0, 'closed');
        await page.reload();
        await drawn(page);
        equal(await hint.count(), 0, 'remembered');
    });
});

test('timeline: a range recomputes the tables, a reload shows the same', async ({ pages }) => {
    await withTrace(async (shelf, { id }) => {
        const page = await pages.open(`${shelf.url}#/run/${id}/timeline`);
        await drawn(page);
        const calls = async () => (await rowTexts(page, 'Operators')).find(([name]) => name === 'aten::conv2d')?.[1];
        await until(async () => (await calls()) === '10', 'ten calls in the whole run');
        const canvas = await page.locator('.timeline-canvas').boundingBox();
        const x = (share) => canvas.x + share * canvas.width;
        await page.mouse.move(x(0.2), canvas.y + 40);
        await page.mouse.down();
        await page.mouse.move(x(0.3), canvas.y + 41, { steps: 4 });
        await page.mouse.move(x(0.4), canvas.y + 41, { steps: 4 });
        await page.mouse.up();
        await until(() => query(page).get('from_ns'), 'a range in the URL');
        await until(async () => (await calls()) === '2', 'two calls in the range');
        const length = Number(query(page).get('to_ns')) - Number(query(page).get('from_ns'));
        check(Math.abs(length - 2e7) < 2e6, `a fifth of the run, not ${length} ns`);

        await page.keyboard.press('f');
        await until(() => query(page).get('at'), 'the window fits the range');
        await quiet(page);
        await clickAt(page, 34, THREAD, 1);
        await until(() => query(page).get('slice'), 'a slice');
        await until(async () => (await detail(page).innerText()).includes('All 10 instances'), 'detail');
        await quiet(page);
        const now = async () => JSON.stringify([hash(page), await detail(page).innerText(), await calls()]);
        const before = await now();
        await page.reload();
        await drawn(page);
        await until(async () => (await now()) === before, `the same after a reload: ${before}`);

        // Esc lets go of one thing after the other.
        await page.keyboard.press('Escape');
        await until(() => !query(page).get('slice') && query(page).get('from_ns'), 'no slice, still a range');
        await page.keyboard.press('Escape');
        await until(() => !query(page).get('from_ns'), 'no range');
        await until(async () => (await calls()) === '10', 'the whole run again');
        await page.keyboard.press('Escape');
        await until(() => !query(page).get('at'), 'the whole run in sight');
    });
});

test('timeline: search walks, keys zoom and pan, labels fold', async ({ pages }) => {
    await withTrace(async (shelf, { id }) => {
        const page = await pages.open(`${shelf.url}#/run/${id}/timeline`);
        await drawn(page);
        await page.keyboard.press('/');
        await page.keyboard.type('relu');
        await until(async () => (await page.locator('.search-count').innerText()) === '20', 'hits counted');
        await page.keyboard.press('Enter');
        await until(() => query(page).get('slice'), 'the first hit');
        const first = query(page).get('slice');
        await until(async () => (await detail(page).innerText()).includes('relu'), 'its detail');
        await page.keyboard.press('Enter');
        await until(() => query(page).get('slice') !== first, 'the next hit');
        await until(async () => (await name(page)).includes('relu_kernel'), 'its kernel is next');
        await page.keyboard.press('Shift+Enter');
        await until(() => query(page).get('slice') === first, 'back at the first');

        await page.locator('.search-field input').last().blur();
        await until(async () => (await name(page)) === 'aten::relu', 'the details of the first');
        await until(() => query(page).get('at'), 'the hit is readable');
        await quiet(page);
        await page.keyboard.press('0');
        await until(() => !query(page).get('at'), 'the whole run');
        await quiet(page);
        await page.mouse.move(...(await placeOf(page, 50, THREAD, 0)));
        for (let i = 0; i < 6; i++) await page.keyboard.press('w');
        await until(() => query(page).get('at'), 'a window');
        await quiet(page);
        const zoomed = query(page).get('at');
        const [from, to] = zoomed.split('~').map(Number);
        check(from < 5e7 && to > 5e7 && to - from < 4e7, `zoomed at the pointer, not ${zoomed}`);
        await page.keyboard.press('d');
        await until(() => Number(query(page).get('at')?.split('~')[0]) > from, 'panned to the right');
        const canvas = page.locator('.timeline-canvas');
        await canvas.hover();
        await page.keyboard.down('Control');
        await page.mouse.wheel(0, -300);
        await page.keyboard.up('Control');
        const width = () => { const [a, b] = query(page).get('at').split('~').map(Number); return b - a; };
        await until(() => width() < (to - from) * 0.8, 'the wheel zooms with Ctrl');

        const tall = () => page.locator('.timeline-label').nth(THREAD).evaluate((label) => label.offsetHeight);
        const before = await tall();
        await page.getByRole('button', { name: 'fold thread 100' }).click();
        await until(async () => (await tall()) === 30, 'the track is folded');
        await until(() => query(page).get('fold'), 'what is folded is in the URL');
        await page.getByRole('button', { name: 'unfold thread 100' }).click();
        await until(async () => (await tall()) === before, 'and unfolded');
    });
});

test('timeline: a narrow window has the slice in the dock; the dock is resized', async ({ pages }) => {
    await withTrace(async (shelf, { id }) => {
        const page = await pages.open(`${shelf.url}#/run/${id}/timeline`, { width: 800, theme: 'dark' });
        await drawn(page);
        equal(await detail(page).count(), 0, 'panes beside the tracks');
        await clickAt(page, 34, THREAD, 1);
        await page.locator('.timeline-dock-tabs button', { hasText: /^Slice$/ }).click();
        const dock = page.locator('.timeline-dock');
        await until(async () => (await dock.innerText()).includes('aten::conv2d'), 'the slice in the dock');
        const high = async () => (await dock.boundingBox()).height;
        const before = await high();
        const edge = page.getByRole('separator', { name: 'height of the tables' });
        await edge.focus();
        await page.keyboard.press('ArrowUp');
        await until(async () => (await high()) === before + 24, 'the dock grows');
        await page.reload();
        await drawn(page);
        await until(async () => (await high()) === before + 24, 'the height is kept');
        await edge.focus();
        await page.keyboard.press('Home');
        await until(async () => (await high()) === 128, 'head, header and three rows');
        await edge.dblclick();
        await until(async () => (await high()) === before, 'the default again');
        await page.keyboard.press('Shift+D');
        await until(async () => (await high()) === 28, 'closed to its head');
        await page.keyboard.press('Shift+D');
        await until(async () => (await high()) === before, 'open again');
    });
});

test('timeline: a trace of another tool has counters, arrows and a table of its slices', async ({ pages }) => {
    const shelf = await Shelf.start();
    try {
        const host = { pid: 1, tid: 1 };
        const file = join(shelf.folder, 'other.json');
        writeFileSync(file, JSON.stringify([
            { ...host, ph: 'X', name: 'parse', ts: 0, dur: 400 },
            { ...host, ph: 'X', name: 'tokenize', ts: 50, dur: 100 },
            { pid: 1, tid: 2, ph: 'X', name: 'work', ts: 500, dur: 400 },
            { ...host, ph: 's', id: 1, cat: 'queue', name: 'queue', ts: 300 },
            { pid: 1, tid: 2, ph: 'f', bp: 'e', id: 1, cat: 'queue', name: 'queue', ts: 600 },
            ...[0, 200, 700].map((ts, i) => ({ pid: 1, ph: 'C', name: 'waiting', ts, args: { items: 3 - i } })),
        ]));
        const { id, kind } = shelf.add(file);
        equal(kind, 'trace', 'kind');
        const page = await pages.open(`${shelf.url}#/run/${id}/timeline`);
        await drawn(page);
        equal(await page.locator('.timeline-steps-label').count(), 0, 'rows of steps');
        const labels = await page.locator('.timeline-names-column').innerText();
        check(labels.includes('waiting') && labels.includes('0 – 3'), `no counter among ${labels}`);
        const rows = await until(async () => {
            const all = await rowTexts(page, 'Operators');
            return all.length === 3 ? all : null;
        }, 'three names');
        equal(rows.map(([name]) => name).sort(), ['parse', 'tokenize', 'work'], 'names');
        const canvas = await page.locator('.timeline-canvas').boundingBox();
        const first = await page.locator('.timeline-label').first().boundingBox();
        await page.mouse.click(canvas.x + canvas.width * 0.3, first.y + 11);
        await until(async () => (await detail(page).innerText()).includes('queue to'), 'the flow in words');
        await detail(page).locator('.selection-frames button', { hasText: 'work' }).click();
        await until(async () => (await detail(page).innerText()).includes('queue from'), 'and from the other end');
    } finally {
        await shelf.stop();
    }
});
