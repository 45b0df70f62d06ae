/* SPDX-License-Identifier: MIT
 *
 * Memory snapshots: what is on the screen equals the answers of the server, the cursor moves by keys, mouse and touch, the zoom is
 * in the address, a selection applies to all parts, and files without history, frames or memory say so.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { check, equal, grid, quiet, rowTexts, Shelf, test, until } from './lib.mjs';

const MIB = 1024 * 1024;
const plain = (text) => text.replaceAll('\u202f', ' ').replaceAll('\u2212', '-');

const frame = (name, line, filename = 'model.py') => ({ filename, line, name });
const DEEP = Array.from({ length: 6 }, (_, i) => frame(`level_${i}`, 10 + i, 'train.py'));
const TORCH = '/site-packages/torch/nn/modules/module.py';
const stackOf = (name, line) => [frame(name, line), frame('_call_impl', 1568, TORCH), ...DEEP];
const STACKS = [stackOf('attention', 11), stackOf('forward', 22), stackOf('dropout', 33)];
const BASE = 0x7f0000000000;
const SLOT = 8 * MIB;

/* A GPU with `steps` rounds: each allocates from three stacks and frees what the round before allocated from two of them. */
function makeGpu(device, steps, { times = true, oom = false } = {}) {
    const slots = Math.max(1, 3 * steps);
    const trace = [];
    const add = (action, more) =>
        trace.push({ action, stream: 0, frames: [], ...(times && { time_us: 1_700_000_000_000_000 + trace.length * 100 }), ...more });
    const blocks = new Map();
    const alloc = (slot, mib, frames) => {
        add('alloc', { addr: BASE + slot * SLOT, size: mib * MIB, frames });
        blocks.set(slot, { mib, frames });
    };
    const free = (slot) => {
        const { mib, frames } = blocks.get(slot);
        for (const action of ['free_requested', 'free_completed']) add(action, { addr: BASE + slot * SLOT, size: mib * MIB, frames });
        blocks.delete(slot);
    };
    add('segment_alloc', { addr: BASE, size: slots * SLOT });
    for (let step = 0; step < steps; step++) {
        STACKS.forEach((frames, i) => alloc(3 * step + i, 4 + 2 * i, frames));
        if (step > 0) for (const i of [1, 2]) free(3 * (step - 1) + i);
    }
    if (oom) add('oom', { device_free: 3 * MIB, size: 512 * MIB, frames: STACKS[1] });
    add('snapshot', { addr: 0, size: 0 });
    const list = [];
    for (let slot = 0; slot < slots; slot++) {
        const used = blocks.get(slot);
        const address = BASE + slot * SLOT;
        const size = used ? used.mib * MIB : 0;
        if (used) list.push({ address, size, requested_size: size, state: 'active_allocated', frames: used.frames });
        if (size < SLOT) list.push({ address: address + size, size: SLOT - size, requested_size: 0, state: 'inactive', frames: [] });
    }
    const total = slots * SLOT;
    const segment = {
        device, address: BASE, total_size: total, allocated_size: 0, active_size: 0, requested_size: 0, stream: 0, segment_type: 'large',
        segment_pool_id: [0, 0], is_expandable: false, frames: [], blocks: list,
    };
    return { trace, segment };
}

function makeSnapshot(gpus) {
    return { segments: gpus.map(({ segment }) => segment), device_traces: gpus.map(({ trace }) => trace) };
}

const oneGpu = (options) => makeSnapshot([makeGpu(0, 8, options)]);

const renamed = (data, from, to) => JSON.parse(JSON.stringify(data).replaceAll(`"${from}"`, `"${to}"`));

/* A shelf with this snapshot, its page, and a function that asks the server. */
async function withSnapshot(pages, data, work, { query = '', ...options } = {}) {
    const shelf = await Shelf.start();
    try {
        const file = join(shelf.folder, 'snapshot.json');
        writeFileSync(file, JSON.stringify(data));
        const { id } = shelf.add(file);
        const page = await pages.open(`${shelf.url}#/run/${id}${query}`, options);
        await until(async () => (await page.locator('.snapshot-panes, .snapshot .grid-empty, .leak-verdict').count()) === 1, 'the tab');
        await quiet(page);
        const ask = async (view, params = {}) => {
            const answer = await fetch(`${shelf.url}api/v1/runs/${id}/snapshot${view}?${new URLSearchParams(params)}`);
            if (!answer.ok) throw new Error(`${view}: ${await answer.text()}`);
            return answer.json();
        };
        await work({ page, ask, shelf, id });
    } finally {
        await shelf.stop();
    }
}

const TABLE = 'live memory by stack';
const chart = (page) => page.locator('.snapshot-chart canvas');
const chartText = async (page) => plain(await chart(page).getAttribute('aria-label'));
const cursorText = async (page) => plain(await page.locator('.snapshot-cursor').innerText());
const queryOf = (page) => new URLSearchParams(page.url().split('?')[1] ?? '');
const flameText = (page) => page.locator('.frame-scroll[aria-label^="Live memory"]').getAttribute('aria-label');

/* Moves the mouse to a share of the width and the height of the areas. */
async function pointAt(page, x, y) {
    const box = await chart(page).boundingBox();
    await page.mouse.move(box.x + 64 + (box.width - 80) * x, box.y + 24 + (box.height - 42) * y);
}

const pressed = async (page, key, times = 1) => {
    for (let i = 0; i < times; i++) await page.keyboard.press(key);
    await quiet(page);
};

/* The rows of the table are those that the server answers for the event. */
async function checkTable(page, ask, at) {
    const { rows, live } = await ask('/live', { at });
    const want = rows.map(({ bytes, count }) => [(bytes / MIB).toFixed(1), ((100 * bytes) / live).toFixed(1), String(count)]);
    await until(async () => {
        const have = await rowTexts(page, TABLE);
        return JSON.stringify(have.map((cells) => cells.slice(2, 5))) === JSON.stringify(want);
    }, `rows of event ${at}: ${JSON.stringify(want)}, not ${JSON.stringify(await rowTexts(page, TABLE))}`);
    check((await chartText(page)).includes(`cursor at event ${at}, `), await chartText(page));
}

test('snapshot: the first tab shows the peak with the numbers of the server', ({ pages }) =>
    withSnapshot(pages, oneGpu(), async ({ page, ask }) => {
        equal(await page.locator('.tabs [aria-selected=true], .tabs .is-current, .tabs [aria-current]').first().innerText(), 'Snapshot', 'tab');
        const { devices: [gpu] } = await ask('');
        equal(await cursorText(page), `Cursor event ${gpu.peak_event}, the peak`, 'cursor');
        check((await chartText(page)).startsWith(`live memory of GPU 0 over ${gpu.events} events, peak ${gpu.peak_live / MIB}.0 MiB at event ${gpu.peak_event}`), await chartText(page));
        await checkTable(page, ask, gpu.peak_event);
        const names = (await rowTexts(page, TABLE)).map(([name]) => name);
        check(names.some((name) => /^attention ?model\.py:11$/.test(name)), `a function and its place: ${names}`);
        check(names.some((name) => /^model\.py:22 ?forward$/.test(name)), `a place instead of forward: ${names}`);
        const painted = await chart(page).evaluate((canvas) => {
            const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
            const colours = new Set();
            for (let i = 0; i < data.length; i += 4) if (data[i + 3] === 255) colours.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
            return ['#76a4f7', '#e2c35c', '#e3c6f8'].filter((colour) => colours.has(parseInt(colour.slice(1), 16)));
        });
        equal(painted.length, 3, 'colours of the three stacks');
    }, { query: '/snapshot?v=stacks' }));

test('snapshot: areas by stream, with a legend', ({ pages }) => {
    const data = oneGpu();
    for (const event of data.device_traces[0]) if (event.frames[0]?.name === 'forward') event.stream = 5;
    return withSnapshot(pages, data, async ({ page, ask }) => {
        await page.getByRole('button', { name: 'what the areas are of' }).click();
        await page.getByRole('menuitem', { name: 'stream' }).or(page.getByRole('menuitemcheckbox', { name: 'stream' })).or(page.getByRole('menuitemradio', { name: 'stream' })).first().click();
        await until(async () => queryOf(page).get('c') === 'stream', 'stream in the address');
        await quiet(page);
        const { names, parts } = await ask('/timeline', { by: 'stream' });
        const used = names.filter((_, i) => parts[i].some((bytes) => bytes > 0));
        equal(used.toSorted(), ['stream 0', 'stream 1'], 'streams, numbered as they appear');
        equal((await page.locator('.snapshot-parts > span').allInnerTexts()).map((text) => text.trim()), used, 'legend');
        await pointAt(page, 0.5, 0.9);
        await until(async () => /stream [01]/.test(await page.locator('.tooltip').innerText()), 'the stream below the pointer');
        await page.mouse.down();
        await page.mouse.up();
        await quiet(page);
        equal(queryOf(page).get('s'), null, 'an area that is not a stack selects none');
    }, { query: '/snapshot?v=stacks' });
});

test('snapshot: keys move the cursor, and the address has its event', ({ pages }) =>
    withSnapshot(pages, oneGpu({ oom: true }), async ({ page, ask }) => {
        const { devices: [gpu], marks } = await ask('');
        const oom = marks.find(({ kind }) => kind === 'oom').event;
        equal(await cursorText(page), `Cursor event ${oom}, out of memory`, 'starts at the failed allocation');
        const facts = await page.locator('.run-head .facts > div').evaluateAll((all) => all.map((fact) => [...fact.children].map((part) => part.textContent.replace(/\s/g, ' ')).join(': ')));
        const share = ((100 * (gpu.reserved_at_peak - gpu.peak_live)) / gpu.reserved_at_peak).toFixed(1);
        equal(facts, [`Peak allocated: ${gpu.peak_live / MIB}.0 MiB`, `Reserved at peak: ${gpu.reserved_at_peak / MIB} MiB`, `Unused at peak: ${share} %of reserved`,
            `At the end: ${gpu.live_end / MIB}.0 MiB`, 'Failed allocations: 1', `Events: ${gpu.events}`], 'values of the head');
        await pressed(page, 'ArrowLeft', 3);
        equal(queryOf(page).get('at'), String(oom - 3), 'event in the address');
        await checkTable(page, ask, oom - 3);
        await pressed(page, 'p');
        equal(await cursorText(page), `Cursor event ${gpu.peak_event}, the peak`, 'peak');
        await pressed(page, ']');
        equal(queryOf(page).get('at'), null, 'the mark after the peak is where it starts');
        await pressed(page, ']');
        equal(await cursorText(page), `Cursor event ${oom + 1}, snapshot taken`, 'next mark');
        await pressed(page, '[', 2);
        equal(queryOf(page).get('at'), String(gpu.peak_event), 'two marks back');
        await page.keyboard.press('g');
        await page.keyboard.type('7');
        await pressed(page, 'Enter');
        await checkTable(page, ask, 7);
        await page.reload();
        await quiet(page);
        await checkTable(page, ask, 7);
        await pressed(page, 'ArrowLeft', 9);
        equal(await cursorText(page), 'Cursor before the first event', 'before the first event');
    }, { query: '/snapshot?v=stacks' }));

test('snapshot: a drag moves the cursor; what was there stays until the answer', ({ pages }) =>
    withSnapshot(pages, oneGpu(), async ({ page, ask }) => {
        const { devices: [gpu] } = await ask('');
        let running = 0;
        let most = 0;
        page.on('request', (request) => request.url().includes('/snapshot/live') && (most = Math.max(most, ++running)));
        for (const event of ['requestfinished', 'requestfailed'])
            page.on(event, (request) => request.url().includes('/snapshot/live') && running--);
        await page.route('**/snapshot/live**', async (route) => {
            await new Promise((resolve) => setTimeout(resolve, 120));
            await route.continue();
        });
        await pointAt(page, 0.9, 0.8);
        await page.mouse.down();
        let empty = 0;
        for (let i = 0; i < 40; i++) {
            await pointAt(page, 0.9 - 0.02 * i, 0.8);
            if ((await grid(page, TABLE).locator('.grid-row').count()) === 0) empty++;
        }
        await page.mouse.up();
        await quiet(page);
        equal(empty, 0, 'times without rows while dragging');
        equal(most, 1, 'requests of the table at once');
        const at = Number(queryOf(page).get('at'));
        check(Math.abs(at - 0.12 * gpu.events) <= 2, `event ${at} of ${gpu.events}`);
        await checkTable(page, ask, at);
    }, { query: '/snapshot?v=stacks' }));

test('snapshot: zoom is in the address, and Escape or f goes back', ({ pages }) =>
    withSnapshot(pages, oneGpu(), async ({ page, ask }) => {
        const { devices: [gpu] } = await ask('');
        await pressed(page, 'w', 3);
        const [from, to] = (await until(async () => queryOf(page).get('z'), 'a zoom in the address')).split(',').map(Number);
        check(from >= 0 && to <= gpu.events && to - from < 0.6 * gpu.events, `${from} to ${to} of ${gpu.events}`);
        await pressed(page, 'a', 20);
        await until(async () => queryOf(page).get('z')?.startsWith('0,'), 'panned to the start');
        await page.reload();
        await quiet(page);
        check(queryOf(page).get('z').startsWith('0,'), 'the zoom survives a reload');
        await pressed(page, 'f');
        await until(async () => queryOf(page).get('z') === null, 'no zoom');
        await page.keyboard.down('Shift');
        await pointAt(page, 0.25, 0.5);
        await page.mouse.down();
        await pointAt(page, 0.5, 0.5);
        await page.mouse.up();
        await page.keyboard.up('Shift');
        const dragged = (await until(async () => queryOf(page).get('z'), 'a range that was dragged')).split(',').map(Number);
        check(Math.abs(dragged[0] - 0.25 * gpu.events) <= 2 && Math.abs(dragged[1] - 0.5 * gpu.events) <= 2, String(dragged));
        await pressed(page, 'Escape');
        await until(async () => queryOf(page).get('z') === null, 'Escape shows all events');
    }, { query: '/snapshot?v=stacks' }));

test('snapshot: a selection in one part selects in all', ({ pages }) =>
    withSnapshot(pages, oneGpu(), async ({ page, ask }) => {
        const { rows } = await ask('/live');
        const forward = rows.find(({ name }) => name === 'forward');
        await grid(page, TABLE).locator('.grid-row', { hasText: 'model.py:22' }).click();
        await quiet(page);
        equal(queryOf(page).get('s'), String(forward.stack), 'stack in the address');
        check((await flameText(page)).endsWith('at model.py:22 forward'), await flameText(page));
        await pressed(page, 'Escape');
        equal(queryOf(page).get('s'), null, 'Escape clears the selection');
        const { groups } = await ask('');
        // The lowest area belongs to the first group.
        await pointAt(page, 0.9, 0.98);
        await page.mouse.down();
        await page.mouse.up();
        await quiet(page);
        const first = groups.find(({ group }) => group === 1);
        equal(queryOf(page).get('s'), String(first.stack), 'a click on an area selects its stack');
        const selected = grid(page, TABLE).locator('.grid-row[aria-selected=true]');
        check((await selected.innerText()).includes(`model.py:${first.line}`), await selected.innerText());
        await page.keyboard.press('/');
        await page.keyboard.type('dropout');
        await until(async () => (await rowTexts(page, TABLE)).length === 1, 'rows that match the search');
    }, { query: '/snapshot?v=stacks' }));

const segmentsText = async (page) => plain(await page.locator('.snapshot-line').innerText());

/* Clicks the middle of the first piece of the strip for which `fits` is true, found by hovering over the upper row. */
async function clickPiece(page, fits) {
    const box = await page.locator('.snapshot-strip canvas').boundingBox();
    for (let x = box.x + 66; x < box.x + box.width - 18; x += 6) {
        await page.mouse.move(x, box.y + 8);
        const text = plain(await page.locator('.tooltip').innerText({ timeout: 2000 }).catch(() => ''));
        if (!fits(text)) continue;
        await page.mouse.click(x, box.y + 8);
        await quiet(page);
        return text;
    }
    throw new Error('no such piece');
}

test('snapshot: a row by file, module or size selects in all parts', ({ pages }) =>
    withSnapshot(pages, oneGpu(), async ({ page, ask }) => {
        // Outlines are drawn in the colour of the accent, which nothing else of the strips has.
        const outlined = (selector) =>
            page.locator(selector).evaluate((canvas) => {
                const probe = document.createElement('canvas').getContext('2d');
                probe.fillStyle = getComputedStyle(canvas).getPropertyValue('--accent').trim();
                probe.fillRect(0, 0, 1, 1);
                const want = probe.getImageData(0, 0, 1, 1).data.join();
                const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
                let n = 0;
                for (let i = 0; i < data.length; i += 4) if (data.slice(i, i + 4).join() === want) n++;
                return n;
            });
        const strip = () => outlined('.snapshot-strip canvas');
        equal(await strip(), 0, 'outlines before');
        const before = await outlined('.snapshot-chart canvas');
        for (const by of ['file', 'module', 'size']) {
            await page.getByRole('button', { name: by, exact: true }).click();
            await quiet(page);
            const [first] = (await ask('/live', { by })).rows;
            const rows = grid(page, `live memory by ${by}`);
            await rows.locator('.grid-row').first().click();
            await quiet(page);
            equal(queryOf(page).get('row'), first.name, `the row by ${by}`);
            check((await strip()) > 0, `blocks of the row by ${by} are outlined`);
            if (by !== 'size') check((await outlined('.snapshot-chart canvas')) > before, `areas of the row by ${by} are outlined`);
            equal(await rows.locator('.grid-row[aria-selected=true]').count(), 1, 'selected rows');
        }
        await page.getByRole('button', { name: 'stack', exact: true }).click();
        await quiet(page);
        equal([queryOf(page).get('row'), await strip()], [null, 0], 'other rows clear the selection');
        await page.getByRole('button', { name: 'module', exact: true }).click();
        await quiet(page);
        await grid(page, 'live memory by module').locator('.grid-row').first().click();
        await pressed(page, 'Escape');
        equal([queryOf(page).get('row'), await strip()], [null, 0], 'Escape clears the selection');
    }, { query: '/snapshot?v=stacks' }));

test('snapshot: segments at the cursor, holes and blocks', ({ pages }) =>
    withSnapshot(pages, oneGpu({ oom: true }), async ({ page, ask }) => {
        const { marks } = await ask('');
        const { event } = marks.find(({ kind }) => kind === 'oom');
        const { reserved, unused, largest_hole, segments } = await ask('/segments', { at: event });
        const want = `${segments.length} of ${reserved / MIB} MiB · unused ${unused / MIB} MiB, ${((100 * unused) / reserved).toFixed(1)} % of reserved · largest hole ${(largest_hole / MIB).toPrecision(3)} MiB`;
        check((await segmentsText(page)).replace(/\s+/g, ' ').includes(want), `${await segmentsText(page)}, not ${want}`);
        const hole = await clickPiece(page, (text) => text.startsWith('unused '));
        const said = await segmentsText(page);
        check(/Unused .* MiB at 0x7f[0-9a-f]+: 512 MiB were asked, .* MiB too much/.test(said), `${said} after ${hole}`);
        await clickPiece(page, (text) => /^attention model\.py:11 4\.00 MiB/.test(text));
        const pane = page.locator('.selection-pane');
        check(/4\.00 MiB in attention/.test(plain(await pane.innerText())), await pane.innerText());
        const { rows } = await ask('/live', { at: event });
        equal(queryOf(page).get('s'), String(rows.find(({ name }) => name === 'attention').stack), 'its stack is selected');
        const id = queryOf(page).get('a');
        const allocation = await ask('/allocation', { id });
        check((await pane.innerText()).includes(`event ${allocation.start}`), 'its birth');
        await pane.getByRole('button', { name: 'Go to its birth' }).click();
        await quiet(page);
        equal(queryOf(page).get('at'), String(allocation.start), 'the cursor is at its birth');
        await pressed(page, 'Escape');
        equal(queryOf(page).get('a'), null, 'Escape closes the pane');
    }));

test('snapshot: lifetimes are bands; a click selects the allocation with its stack', ({ pages }) =>
    withSnapshot(pages, oneGpu(), async ({ page, ask }) => {
        equal(await page.getByRole('button', { name: 'lifetimes', exact: true }).getAttribute('aria-pressed'), 'true', 'few allocations open as lifetimes');
        const { devices: [gpu] } = await ask('');
        const { allocations } = await ask('/lifetimes');
        // The lowest band at the end is the oldest allocation that is live.
        const oldest = allocations.filter(({ end }) => end === null).sort((a, b) => a.start - b.start)[0];
        await pointAt(page, 0.98, 0.99);
        await page.mouse.down();
        await page.mouse.up();
        await quiet(page);
        equal(queryOf(page).get('a'), String(oldest.id), 'allocation');
        equal(queryOf(page).get('s'), String(oldest.stack), 'stack');
        const text = plain(await page.locator('.selection-pane').innerText());
        check(text.includes(`${(oldest.bytes / MIB).toFixed(2)} MiB in attention`), text);
        check(text.includes(`event ${oldest.start}`) && text.includes('live at the end'), text);
        check(text.includes(`${gpu.events - oldest.start} events`), text);
        check(text.includes('1 frame of plumbing') && text.includes('level_5'), text);
        await page.getByRole('button', { name: 'clear selection' }).click();
        await pressed(page, 'l');
        equal(queryOf(page).get('v'), 'stacks', 'l switches to stacks');
        await pressed(page, 'l');
        equal(queryOf(page).get('v'), null, 'and back');
    }));

test('snapshot: lifetimes say which allocations have a band', ({ pages }) => {
    const gpu = makeGpu(0, 400);
    return withSnapshot(pages, makeSnapshot([gpu]), async ({ page }) => {
        const text = await until(() => page.locator('.snapshot-picture .snapshot-note').innerText(), 'the note');
        check(text.startsWith('Bands are the 800 largest of 1,200 allocations of this range.'), text);
        await page.getByRole('button', { name: 'stacks', exact: true }).click();
        await quiet(page);
        equal(await page.locator('.snapshot-picture .snapshot-note').count(), 0, 'notes of stacks');
        await page.getByRole('button', { name: 'lifetimes', exact: true }).click();
        await pressed(page, 'w', 6);
        await until(async () => (await page.locator('.snapshot-picture .snapshot-note').count()) === 0 ||
            !(await page.locator('.snapshot-picture .snapshot-note').innerText()).includes('of 1,200 '), 'fewer allocations in a smaller range');
    }, { query: '/snapshot?v=lifetimes' });
});

test('snapshot: leaks are what each step keeps, and a row leads to the snapshot', ({ pages }) =>
    withSnapshot(pages, oneGpu(), async ({ page, ask }) => {
        const { rows, steps } = await ask('/leaks', { steps: 4 });
        equal(steps.length, 4, 'steps');
        const growing = rows.find(({ growth }) => growth !== null);
        const verdict = plain(await page.locator('.leak-verdict').innerText());
        check(verdict.startsWith(`attention model.py:11 keeps ${(growing.growth / MIB).toPrecision(3)} MiB of each step.`), verdict);
        const have = await rowTexts(page, 'kept memory by stack');
        equal(have.map((cells) => cells[4]).sort(), rows.map(({ bytes }) => (bytes / MIB).toFixed(3)).sort(), 'kept MiB');
        await grid(page, 'kept memory by stack').locator('.grid-row').first().dblclick();
        await until(() => page.url().includes('/snapshot?'), 'the snapshot');
        equal(queryOf(page).get('s'), String(growing.stack), 'its stack is selected');
        await page.goBack();
        await quiet(page);
        await page.getByLabel('Steps').fill('');
        await pressed(page, 'Enter');
        equal(queryOf(page).get('steps'), null, 'steps as found');
    }, { query: '/leaks?steps=4' }));

test('snapshot: chains are folded, and plumbing is hidden until it is asked for', ({ pages }) =>
    withSnapshot(pages, oneGpu(), async ({ page, ask }) => {
        const framesOf = async () => Number(/(\d+) frames/.exec(await flameText(page))[1]);
        // The root, the fold, the last frame that all stacks share, and three stacks.
        equal(await framesOf(), 6, 'frames with a folded chain');
        const box = await page.locator('.frame-canvas').boundingBox();
        await page.mouse.click(box.x + 60, box.y + 27);
        await until(async () => (await framesOf()) === 10, 'the chain is open');
        await page.getByRole('checkbox', { name: 'hide plumbing' }).click();
        await until(async () => queryOf(page).get('p') === '1', 'plumbing in the address');
        const { frames } = await ask('/flame', { plumbing: 1 });
        check(frames.name.includes('_call_impl'), 'the server has the plumbing');
        await quiet(page);
        await page.getByRole('textbox', { name: 'search stacks' }).fill('attention');
        await quiet(page);
        equal((await rowTexts(page, TABLE)).length, 1, 'rows that match the search');
    }, { query: '/snapshot?v=stacks' }));

test('snapshot: by time is offered only where events have times', async ({ pages }) => {
    await withSnapshot(pages, oneGpu({ times: false }), async ({ page }) => {
        const time = page.getByRole('button', { name: 'by time' });
        check(await time.isDisabled(), 'by time is disabled');
        equal(await time.getAttribute('title'), 'this file has no times', 'reason');
    }, { query: '/snapshot?v=stacks' });
    await withSnapshot(pages, oneGpu(), async ({ page, ask }) => {
        await page.getByRole('button', { name: 'by time' }).click();
        await quiet(page);
        equal(queryOf(page).get('x'), 'time', 'axis in the address');
        const { devices: [gpu] } = await ask('');
        await pointAt(page, 0.5, 0.5);
        await page.mouse.down();
        await page.mouse.up();
        await quiet(page);
        // Events are 100 µs apart, so the middle of the time is the middle of the events.
        check(Math.abs(Number(queryOf(page).get('at')) - gpu.events / 2) <= 2, queryOf(page).get('at'));
    }, { query: '/snapshot?v=stacks' });
});

test('snapshot: several GPUs are shown one at a time', ({ pages }) =>
    withSnapshot(pages, makeSnapshot([makeGpu(0, 4), makeGpu(1, 12)]), async ({ page, ask }) => {
        check((await chartText(page)).startsWith('live memory of GPU 1 '), 'the GPU with the highest peak is first');
        await page.getByRole('button', { name: 'GPU 0', exact: true }).click();
        await quiet(page);
        equal(queryOf(page).get('d'), '0', 'GPU in the address');
        const { devices } = await ask('');
        check((await chartText(page)).includes(`of GPU 0 over ${devices[0].events} events`), await chartText(page));
    }, { query: '/snapshot?v=stacks' }));

test('snapshot: without a history only the end is shown, with the command that records', ({ pages }) =>
    withSnapshot(pages, oneGpu().segments, async ({ page }) => {
        const text = plain(await page.locator('.snapshot-off').innerText());
        check(text.startsWith('History was off: only what is alive at the end is known.'), text);
        check(text.includes('torch.cuda.memory._record_memory_history()'), text);
        equal(await chart(page).count(), 0, 'charts');
        equal(await page.locator('.snapshot-cursor').count(), 0, 'cursors');
        check((await rowTexts(page, TABLE)).length > 0, 'rows of the end');
        equal(await page.locator('.snapshot .toolbar').count(), 0, 'toolbars of the chart');
        const parts = await page.locator('.snapshot-line b, .snapshot .pane-head').allInnerTexts();
        check(parts.some((text) => text.includes('Segments at the end')) && parts.some((text) => text.includes('Live at the end')), parts);
        check(!parts.some((text) => text.includes('cursor')), `without a cursor: ${parts}`);
        equal(await page.getByRole('columnheader', { name: /^Lifetime/ }).count(), 0, 'columns of lifetimes');
        await page.locator('.tabs a', { hasText: 'Leaks' }).click();
        await until(async () => /^History was off: what was allocated when is not known/.test(await page.locator('.snapshot-off').innerText()),
            'the reason why there are no leaks');
    }));

test('snapshot: an empty snapshot says what to record', ({ pages }) =>
    withSnapshot(pages, { segments: [], device_traces: [[], []] }, async ({ page }) => {
        const text = await page.locator('.snapshot .grid-empty').innerText();
        check(/no memory/.test(text) && /_record_memory_history/.test(text), text);
        await page.locator('.tabs a', { hasText: 'Leaks' }).click();
        equal(await until(() => page.locator('.snapshot .grid-empty').innerText(), 'the same on the tab Leaks'), text, 'both tabs');
    }));

test('snapshot: without a stack, the verdict on leaks begins with a capital', ({ pages }) => {
    const gpu = makeGpu(0, 8);
    for (const event of gpu.trace) event.frames = [];
    for (const block of gpu.segment.blocks) block.frames = [];
    return withSnapshot(pages, makeSnapshot([gpu]), async ({ page }) => {
        const verdict = plain(await page.locator('.leak-verdict').innerText());
        check(/^No Python stack keeps .* MiB of each step\./.test(verdict), verdict);
        equal((await rowTexts(page, 'kept memory by stack')).map(([name]) => name), ['no Python stack'], 'rows');
    }, { query: '/leaks?steps=4' });
});

test('snapshot: leaks 390 px wide: names end before the menu of their row', ({ pages }) =>
    withSnapshot(pages, renamed(oneGpu(), 'attention', 'scaled_dot_product_attention'), async ({ page }) => {
        const row = grid(page, 'kept memory by stack').locator('.grid-row').first();
        await row.click();
        const menu = await row.locator('.row-menu').boundingBox();
        for (const part of await row.locator('.named > span').all()) {
            const { x, width } = await part.boundingBox();
            check(x + width <= menu.x + 1, `${await part.innerText()} ends at ${x + width}, the menu begins at ${menu.x}`);
        }
        const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
        check(!wide, 'the page is wider than the window');
    }, { query: '/leaks?steps=4', width: 390, height: 844 }));

test('snapshot: one event, and names of any length', ({ pages }) => {
    const gpu = makeGpu(0, 0);
    const long = 'x'.repeat(5000);
    gpu.trace.splice(0, gpu.trace.length, {
        action: 'alloc', addr: BASE, size: 7 * MIB, stream: 0, frames: [frame(`${long}</script>`, 5, `/srv/${long}.py`), ...DEEP],
    });
    return withSnapshot(pages, makeSnapshot([gpu]), async ({ page, ask }) => {
        await checkTable(page, ask, 0);
        await pressed(page, 'ArrowLeft');
        equal(await cursorText(page), 'Cursor before the first event', 'before the only event');
        await pressed(page, 'w', 3);
        await pressed(page, 'd', 3);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
        check(!wide, 'the page is wider than the window');
    }, { query: '/snapshot?v=stacks' });
});

test('snapshot: a failed request is an error with its reason, and the rest stays', async ({ pages }) => {
    pages.expect(/500/);
    const before = (page) =>
        page.route('**/snapshot/flame**', (route) =>
            route.fulfill({ status: 500, json: { error: { code: 'internal', text: 'the tree is damaged' } } }));
    await withSnapshot(pages, oneGpu(), async ({ page, ask }) => {
        const alert = page.locator('.snapshot-flame [role=alert]');
        check(/could not be read.*tree is damaged/is.test(await alert.innerText()), await alert.innerText());
        const { devices: [gpu] } = await ask('');
        await checkTable(page, ask, gpu.peak_event);
    }, { query: '/snapshot?v=stacks', before });
});

test('snapshot: 390 px wide, by touch', ({ pages }) =>
    withSnapshot(pages, oneGpu(), async ({ page, ask }) => {
        const { devices: [gpu] } = await ask('');
        const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
        check(!wide, 'the page is wider than the window');
        const box = await chart(page).boundingBox();
        const session = await page.context().newCDPSession(page);
        const touch = (type, points) => session.send('Input.dispatchTouchEvent', { type, touchPoints: points });
        const y = box.y + box.height / 2;
        const left = box.x + 56;
        const width = box.width - 72;
        await touch('touchStart', [{ x: left + width * 0.8, y }]);
        for (let i = 1; i <= 10; i++) await touch('touchMove', [{ x: left + width * (0.8 - 0.05 * i), y }]);
        await touch('touchEnd', []);
        await quiet(page);
        const at = Number(queryOf(page).get('at'));
        check(Math.abs(at - 0.3 * gpu.events) <= 3, `event ${at} of ${gpu.events}`);
        await touch('touchStart', [{ x: left + width * 0.4, y, id: 1 }, { x: left + width * 0.6, y, id: 2 }]);
        for (let i = 1; i <= 5; i++) {
            const by = 0.05 * i;
            await touch('touchMove', [{ x: left + width * (0.4 - by), y, id: 1 }, { x: left + width * (0.6 + by), y, id: 2 }]);
        }
        await touch('touchEnd', []);
        const zoom = (await until(async () => queryOf(page).get('z'), 'two fingers zoom')).split(',').map(Number);
        check(zoom[1] - zoom[0] < 0.5 * gpu.events, String(zoom));
        check((await rowTexts(page, TABLE)).length > 0, 'rows');
        await page.getByRole('button', { name: 'Flame', exact: true }).click();
        await until(async () => (await page.locator('.frame-canvas').count()) === 1, 'the flame graph in place of the table');
        equal(await grid(page, TABLE).count(), 0, 'tables');
    }, { query: '/snapshot?v=stacks', width: 390, height: 844 }));
