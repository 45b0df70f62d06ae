/* SPDX-License-Identifier: MIT
 *
 * Two memory snapshots compared: the rows are those of the server and add up to the difference of the peaks, a selection applies to
 * the flame graph, the table and the pane, events are chosen by clicks on the curves, and a shared page shows the same.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { check, equal, grid, quiet, rowTexts, Shelf, test, until } from './lib.mjs';

const MIB = 1024 * 1024;
const plain = (text) => text.replaceAll('\u202f', ' ').replaceAll('\u2212', '-');

const frame = (name, line, filename = 'model.py') => ({ filename, line, name });
const LIBRARY = '/usr/lib/python3/dist-packages/library/ops.py';

/* A GPU that allocates [function, line, MiB] one after the other, then frees the last one. */
function makeSnapshot(allocations, script) {
    const start = 0x7f0000000000;
    const stack = (name, line) => [frame('matmul', 7, LIBRARY), frame(name, line), frame('<module>', script, 'train.py')];
    const slots = allocations.map(([name, line, mib], i) => ({ addr: start + i * 64 * MIB, size: mib * MIB, frames: stack(name, line) }));
    const event = (action, more) => ({ action, stream: 0, frames: [], ...more });
    const last = slots.at(-1);
    const trace = [
        event('segment_alloc', { addr: start, size: slots.length * 64 * MIB }),
        ...slots.map((slot) => event('alloc', slot)),
        ...['free_requested', 'free_completed'].map((action) => event(action, { ...last, frames: [] })),
    ];
    const blocks = slots.flatMap(({ addr, size, frames }) => [
        { address: addr, size, requested_size: size, state: addr === last.addr ? 'inactive' : 'active_allocated', frames },
        { address: addr + size, size: 64 * MIB - size, requested_size: 0, state: 'inactive', frames: [] },
    ]);
    const segment = {
        device: 0, address: start, total_size: slots.length * 64 * MIB, allocated_size: 0, active_size: 0, requested_size: 0, stream: 0,
        segment_type: 'large', segment_pool_id: [0, 0], is_expandable: false, frames: [], blocks,
    };
    return { segments: [segment], device_traces: [trace] };
}

const BASE = [['attention', 11, 20], ['mlp', 22, 10], ['loss', 33, 4]];
const NEW = [['attention', 11, 12], ['mlp', 22, 13], ['cache', 44, 6], ['loss', 33, 4]];

async function withPair(pages, work, { query = '', tab = '' } = {}) {
    const shelf = await Shelf.start();
    try {
        const ids = [['base', makeSnapshot(BASE, 5)], ['new', makeSnapshot(NEW, 9)]].map(([name, data]) => {
            const file = join(shelf.folder, `${name}.json`);
            writeFileSync(file, JSON.stringify(data));
            return shelf.add(file).id;
        });
        const groups = `base=${ids[0]}&new=${ids[1]}`;
        const page = await pages.open(`${shelf.url}#/compare${tab}?${groups}${query}`);
        await until(async () => (await page.locator('.compare-snapshot').count()) === 1, 'the comparison');
        await quiet(page);
        const ask = async (more) => {
            const answer = await fetch(`${shelf.url}api/v1/compare/snapshot?${groups}&frames=own${more}`);
            if (!answer.ok) throw new Error(await answer.text());
            return answer.json();
        };
        await work({ page, ask, shelf, ids });
    } finally {
        await shelf.stop();
    }
}

const TABLE = 'Stacks';
const queryOf = (page) => new URLSearchParams(page.url().split('?')[1] ?? '');
const cells = async (page) => (await rowTexts(page, TABLE)).map((row) => row.map(plain));
const sentence = async (page) => plain(await page.locator('.compare-conclusion').innerText());

/* Allocated in, base, new and Δ as the answer has them. */
const wanted = ({ rows }) =>
    rows.map(({ base, new: fresh, change, base_count, new_count }) => [
        base_count ? (base / MIB).toFixed(1) : '–',
        new_count ? (fresh / MIB).toFixed(1) : '–',
        `${change > 0 ? '+' : change < 0 ? '-' : ''}${(Math.abs(change) / MIB).toFixed(1)}`,
    ]);

async function checkRows(page, answer) {
    await until(async () => {
        const have = (await cells(page)).map((row) => row.slice(2, 5));
        return JSON.stringify(have) === JSON.stringify(wanted(answer));
    }, `${JSON.stringify(wanted(answer))}, not ${JSON.stringify(await cells(page))}`);
}

test('compare snapshots: at the peaks, with the numbers of the server', ({ pages }) =>
    withPair(pages, async ({ page, ask }) => {
        const answer = await ask('&of=peak');
        equal(answer.rows.map(({ name, change }) => [name, change / MIB]), [['attention', -8], ['cache', 6], ['mlp', 3], ['loss', 0]], 'changes');
        equal(answer.rows.reduce((sum, { change }) => sum + change, 0), answer.new.peak_live - answer.base.peak_live, 'sum of the changes');
        await checkRows(page, answer);
        equal(await sentence(page), 'The peak is higher. +9.00 MiB in 2 stacks, -8.00 MiB in 1 stack. Largest change: attention model.py:11 -8.00 MiB.', 'sentence');
        equal(await page.locator('.tabs [aria-selected=true], .tabs [aria-current]').first().innerText(), 'At the peaks', 'tab');
        equal(await page.locator('.fall-step').count(), 5, 'steps: base, three changes, new');
        check((await page.locator('.status-line').innerText()).includes('one run each'), 'the status says that noise is unknown');
    }));

test('compare snapshots: a selection applies to all parts, and keys move it', ({ pages }) =>
    withPair(pages, async ({ page, ask }) => {
        const { rows } = await ask('&of=peak');
        const key = ({ base_stack, new_stack }) => `${base_stack ?? ''}-${new_stack ?? ''}`;
        await page.keyboard.press('n');
        await quiet(page);
        equal(queryOf(page).get('s'), key(rows[0]), 'first change');
        equal(await page.locator('.fall-step.is-selected').count(), 1, 'its step');
        await page.keyboard.press('n');
        await quiet(page);
        equal(queryOf(page).get('s'), key(rows[1]), 'next change');
        const pane = plain(await page.locator('.pane-compare').innerText());
        check(pane.includes('cache') && pane.includes('6.00 MiB in 1') && pane.includes('Show in new') && !pane.includes('Show in base'), pane);
        await page.keyboard.press('Shift+N');
        await quiet(page);
        equal(queryOf(page).get('s'), key(rows[0]), 'previous change');
        const canvas = page.locator('.compare-picture canvas').first();
        const box = await canvas.boundingBox();
        await canvas.click({ position: { x: 20, y: 18 * 2 + 9 } }); // the widest function, below the root and the script
        await quiet(page);
        check(queryOf(page).get('s') === key(rows[0]), `frame at ${JSON.stringify(box)}: ${queryOf(page).get('s')}`);
        await page.keyboard.press('Escape');
        await quiet(page);
        equal(queryOf(page).get('s'), null, 'nothing selected');
        await page.getByRole('link', { name: 'Show in new' }).or(grid(page, TABLE).locator('.grid-row').first()).first().click();
        await page.getByRole('link', { name: 'Show in base' }).click();
        await until(async () => page.url().includes('/snapshot?'), 'the snapshot of the base');
        equal(queryOf(page).get('s'), String(rows[0].base_stack), 'stack in the base');
    }));

test('compare snapshots: other moments, added and removed, swapped', ({ pages }) =>
    withPair(pages, async ({ page, ask }) => {
        await page.keyboard.press('2');
        await quiet(page);
        await checkRows(page, await ask('&of=end'));
        const curves = page.locator('.snapshot-curves');
        const box = await curves.boundingBox();
        await page.mouse.click(box.x + 64 + (box.width - 168) * 0.5, box.y + 8);
        await until(async () => page.url().includes('/compare/snapshot-events'), 'chosen events');
        await quiet(page);
        const at = ['base', 'new'].map((side) => queryOf(page).get(`${side}.at`));
        await checkRows(page, await ask(`&base_at=${at[0]}&new_at=${at[1]}`));
        await page.keyboard.press('x');
        await quiet(page);
        equal(['base', 'new'].map((side) => queryOf(page).get(`${side}.at`)), [at[1], at[0]], 'events are swapped');
        await page.keyboard.press('x');
        await page.getByRole('link', { name: /^Added and removed/ }).or(page.getByRole('tab', { name: /^Added and removed/ })).first().click();
        await quiet(page);
        equal((await cells(page)).map((row) => row[0].replace(/model.*/, '').trim()), ['cache'], 'stacks of one run only');
    }));

test('compare snapshots: all frames, and a search', ({ pages }) =>
    withPair(pages, async ({ page }) => {
        await page.getByRole('button', { name: 'All frames' }).or(page.getByRole('radio', { name: 'All frames' })).first().click();
        await until(async () => (await cells(page)).every(([name]) => name.startsWith('matmul')), 'frames of the library');
        await page.getByRole('button', { name: 'Own code' }).or(page.getByRole('radio', { name: 'Own code' })).first().click();
        await page.keyboard.press('/');
        await page.keyboard.type('cache');
        await until(async () => (await cells(page)).length === 1, 'one row');
        await page.reload();
        await until(async () => (await cells(page)).length === 1, 'one row after a reload');
    }));
