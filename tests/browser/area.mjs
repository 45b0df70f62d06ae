/* SPDX-License-Identifier: MIT
 *
 * Areas of the timeline: tracks by time are selected with the pointer and by keys, the pane and the
 * tables show their statistics, and the address restores them.
 */
import { join } from 'node:path';
import { check, DEMO, equal, longTest, quiet, rowTexts, Shelf, test, until } from './lib.mjs';

const hash = (page) => new URL(page.url()).hash;
const query = (page) => new URLSearchParams(hash(page).split('?')[1] ?? '');
const pane = (page) => page.locator('.timeline-side');
const AT = { from: 26e6, to: 46.2e6 };

async function withTraining(pages, more, work) {
    const shelf = await Shelf.start();
    try {
        const { id } = shelf.add(join(DEMO, 'training-waits.pt.trace.json.gz'));
        const page = await pages.open(`${shelf.url}#/run/${id}/timeline?at=${AT.from}~${AT.to}&dock=kernels${more}`);
        await until(async () => (await page.locator('.status-line').innerText()).includes('drawn from'), 'a picture');
        await quiet(page);
        await work(page, async (path) => (await fetch(`${shelf.url}api/v1/runs/${id}/${path}`)).json());
    } finally {
        await shelf.stop();
    }
}

/* Where on the screen a moment (ns) is, at a share of the height of a lane. */
async function placeOf(page, ns, lane, share = 0.5) {
    const canvas = await page.locator('.timeline-canvas').boundingBox();
    const label = await page.locator(`[data-lane=${lane}]`).boundingBox();
    return [canvas.x + ((ns - AT.from) / (AT.to - AT.from)) * canvas.width, label.y + share * label.height];
}

async function drag(page, from, to, shift) {
    if (shift) await page.keyboard.down('Shift');
    await page.mouse.move(...from);
    await page.mouse.down();
    await page.mouse.move((from[0] + to[0]) / 2, (from[1] + to[1]) / 2, { steps: 4 });
    await page.mouse.move(...to, { steps: 4 });
    await page.mouse.up();
    if (shift) await page.keyboard.up('Shift');
}

function areaOf(page) {
    const match = /^(\d+)-(\d+)@(.+)$/.exec(query(page).get('area') ?? '');
    return match && { from: Number(match[1]), to: Number(match[2]), lanes: match[3] };
}

const marked = (page) => page.locator('.timeline-label.is-in-area[data-lane]').evaluateAll((labels) => labels.map(({ dataset }) => dataset.lane));

test('area: Shift and drag selects tracks by time, the pane and the tables tell of it', async ({ pages }) => {
    await withTraining(pages, '', async (page, ask) => {
        await drag(page, await placeOf(page, 31e6, 't1', 0.3), await placeOf(page, 34e6, 't2'), true);
        await until(() => areaOf(page)?.lanes === '1,2', `two streams in the address, not ${query(page).get('area')}`);
        const { from, to } = areaOf(page);
        check(Math.abs(from - 31e6) < 1e5 && Math.abs(to - 34e6) < 1e5, `the dragged time, not ${from} to ${to}`);
        equal(await marked(page), ['t1', 't2'], 'labels with a bar');
        const area = await ask(`area?from_ns=${from}&to_ns=${to}&tracks=1,2`);
        const whole = async () => (await pane(page).innerText()).replaceAll(/\s+/g, ' ');
        const [device] = area.devices;
        await until(async () => (await whole()).includes(`${((100 * device.busy_ns) / (to - from)).toFixed(1)} %`), 'how busy the GPU is');
        const text = await whole();
        for (const part of ['2 tracks', 'GPU 0 busy', 'Both at once', `Slices that start inside ${area.slices}`, 'Device time by family', 'busy %']) {
            check(text.includes(part), `no ${part} in ${text}`);
        }
        const family = area.device_families.toSorted((a, b) => b.total_ns - a.total_ns)[0];
        check(text.includes(`${family.count} ${(family.total_ns / 1e6).toFixed(3)}`), `count and time of the first family in ${text}`);

        // The tables count the same slices.
        const kernels = await ask(`kernels?from_ns=${from}&to_ns=${to}&tracks=1,2`);
        await until(async () => (await rowTexts(page, 'Kernels')).length === kernels.total, 'the kernels of the area');
        check((await page.locator('.timeline-dock .pane-head').innerText()).includes('slices that start inside, 2 tracks'), 'the rule');
        await page.getByRole('tab', { name: 'Slices' }).click();
        await until(async () => (await rowTexts(page, 'Slices')).length > 0, 'slices');
        equal((await rowTexts(page, 'Slices')).reduce((sum, [, calls]) => sum + Number(calls), 0), area.slices, 'slices in the table');

        const before = [hash(page), await pane(page).innerText()];
        await page.reload();
        await until(async () => (await pane(page).innerText()) === before[1], 'the same after a reload');
        equal(hash(page), before[0], 'address');
        await page.keyboard.press('Escape');
        await until(() => !query(page).get('area'), 'Esc clears the area');
        equal(await marked(page), [], 'no label with a bar');
    });
});

for (const width of [1440, 390]) {
    (width === 1440 ? test : longTest)(`area: Memory draws the curves inside it, ${width} px`, async ({ pages }) => {
        await withTraining(pages, '&area=31000000-34000000@1,2', async (page, ask) => {
            await page.setViewportSize({ width, height: 900 });
            await page.getByRole('tab', { name: 'Memory' }).click();
            const { memory, counters } = await ask('timeline');
            const charts = page.locator('.area-curves canvas');
            await until(async () => (await charts.count()) === memory.length + counters.length, 'a chart for each curve');
            const values = (await ask(`curves?from_ns=31000000&to_ns=34000000&px=1000&memory=1:0`)).memory[0].allocated.filter((bytes) => bytes !== null);
            const caption = (await page.locator('.area-curves figcaption').allInnerTexts()).find((text) => text.startsWith('GPU 0 memory'));
            const sizes = [...caption.matchAll(/([\d.]+)\s([KMG]?)i?B/g)].map(([, number, unit]) => Number(number) * 1024 ** ' KMG'.indexOf(unit || ' '));
            equal(sizes.length, 2, caption);
            for (const [i, bytes] of [Math.min(...values), Math.max(...values)].entries()) {
                check(Math.abs(sizes[i] - bytes) <= 0.01 * bytes, `${bytes} in ${caption}`);
            }
            check(await page.getByRole('grid', { name: /Memory by operator|Allocations/ }).count(), 'the table beside them');
            check((await page.evaluate(() => document.documentElement.scrollWidth)) <= width, 'nothing sticks out');
        });
    });
}

test('area: handles, labels and keys change it', async ({ pages }) => {
    await withTraining(pages, '&area=31000000-34000000@1', async (page) => {
        equal(await marked(page), ['t1'], 'the track of the address');
        await drag(page, await placeOf(page, 34e6, 't1', 0.3), await placeOf(page, 36e6, 't1', 0.3), false);
        await until(() => Math.abs(areaOf(page).to - 36e6) < 1e5, `the right edge moved, not ${query(page).get('area')}`);
        equal([areaOf(page).from, areaOf(page).lanes], [31e6, '1'], 'the rest stays');

        await page.locator('[data-lane=t2] .timeline-track').click({ modifiers: ['Shift'] });
        await until(() => areaOf(page).lanes === '1,2', 'a track more');
        await page.locator('[data-lane=t1] .timeline-track').click({ modifiers: ['Shift'] });
        await until(() => areaOf(page).lanes === '2', 'a track less');

        // Arrows move it by pixels, which are whole nanoseconds.
        const canvas = await page.locator('.timeline-canvas').boundingBox();
        const px = (AT.to - AT.from) / canvas.width;
        const start = areaOf(page);
        await page.keyboard.press('ArrowRight');
        await until(() => areaOf(page).from > start.from, 'moved');
        check(Math.abs(areaOf(page).from - start.from - px) <= 1, 'by a pixel');
        await page.keyboard.press('Shift+ArrowLeft');
        await until(() => areaOf(page).from < start.from, 'moved back');
        check(Math.abs(areaOf(page).from - start.from + 9 * px) <= 2, 'by ten pixels');
        equal(areaOf(page).to - areaOf(page).from, start.to - start.from, 'its length');

        await page.getByRole('button', { name: 'Zoom to area' }).click();
        await until(() => Number(query(page).get('at').split('~')[0]) > 29e6, 'the view shows the area');
        await page.locator('.timeline-close').click();
        await until(() => !query(page).get('area'), 'closed');
    });
});

test('area: the ruler selects all tracks, m the selected slice', async ({ pages }) => {
    await withTraining(pages, '', async (page, ask) => {
        const canvas = await page.locator('.timeline-canvas').boundingBox();
        const [x] = await placeOf(page, 31e6, 't1');
        const [end] = await placeOf(page, 34e6, 't1');
        await drag(page, [x, canvas.y + 40], [end, canvas.y + 41], false);
        await until(() => query(page).get('from_ns'), 'a range');
        await until(async () => (await pane(page).innerText()).includes('all tracks'), 'its pane');
        equal(query(page).get('area'), null, 'an area of all tracks is the range of all tabs');
        await page.keyboard.press('Escape');
        await until(() => !query(page).get('from_ns'), 'cleared');

        const { hit } = await ask('find?q=allreduce&from_ns=26000000');
        await page.evaluate((id) => (location.hash += `&slice=${id}`), hit.id);
        await until(async () => (await pane(page).innerText()).includes('Launch to start'), 'the slice');
        await page.keyboard.press('m');
        await until(() => areaOf(page)?.lanes === String(hit.track), 'an area of its track');
        equal([areaOf(page).from, areaOf(page).to], [hit.start_ns, hit.start_ns + hit.duration_ns], 'its time');
        await until(async () => (await pane(page).innerText()).includes('Communicating'), 'the pane of the area');
    });
});

test('area: an invalid address selects nothing', async ({ pages }) => {
    await withTraining(pages, '&area=5-1@1', async (page) => {
        equal(await page.locator('.area-actions').count(), 0, 'no pane');
    });
});
