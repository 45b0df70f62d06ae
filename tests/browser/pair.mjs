/* SPDX-License-Identifier: MIT
 *
 * A trace and a memory snapshot of one program: the timeline has the memory of the snapshot, aligned by the clock, and an allocation
 * links to its operator and module.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { check, equal, quiet, ROOT, Shelf, test, until } from './lib.mjs';

const MIB = 1024 * 1024;
const plain = (text) => text.replaceAll('\u202f', ' ').replaceAll('\u2212', '-');

async function withPair(work, { snapshot = true } = {}) {
    const shelf = await Shelf.start();
    const folder = mkdtempSync(join(tmpdir(), 'perfshelf-pair-'));
    try {
        execFileSync('python3', [join(ROOT, 'tests', 'made_pair.py'), folder], { env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' } });
        const trace = shelf.add(join(folder, 'trace.pt.trace.json'), '--name', 'made trace', '--series', 'made');
        const memory = snapshot ? shelf.add(join(folder, 'memory.json'), '--name', 'made memory', '--series', 'made') : null;
        await work({ shelf, trace: trace.id, memory: memory?.id });
    } finally {
        rmSync(folder, { recursive: true });
        await shelf.stop();
    }
}

const laneNames = async (page) => plain((await page.locator('.timeline-label').allInnerTexts()).join('|'));

async function openTimeline(pages, shelf, trace, query = '') {
    const page = await pages.open(`${shelf.url}#/run/${trace}/timeline${query}`, { height: 1300 });
    await until(async () => (await laneNames(page)).includes('GPU 0 memory'), 'the lanes');
    await quiet(page);
    return page;
}

test('pair: the timeline of a trace has the memory of the snapshot', ({ pages }) =>
    withPair(async ({ shelf, trace, memory }) => {
        const asked = [];
        const page = await openTimeline(pages, shelf, trace);
        page.on('request', (request) => asked.push(request.url()));
        await until(async () => (await laneNames(page)).includes('GPU 0 snapshot'), 'the lane of the snapshot');
        // aligned: at the end of step 3, 4 MiB are kept, and 8 MiB more are in use until 700 us
        await page.goto(`${shelf.url}#/run/${trace}/timeline?at=3600000~3800000`);
        await until(() => asked.some((url) => url.includes(`/runs/${memory}/snapshot/curve?`)), 'the curve of the window');
        await quiet(page);
        const label = await page.locator('.timeline-label', { hasText: 'GPU 0 snapshot' }).boundingBox();
        const canvas = await page.locator('.timeline-canvas').boundingBox();
        const tip = async (share) => {
            await page.mouse.move(canvas.x + canvas.width * share, label.y + label.height / 2);
            await until(async () => (await page.locator('.timeline-tip').count()) === 1, 'the tooltip');
            return plain(await page.locator('.timeline-tip').innerText());
        };
        check((await tip(0.2)).includes('12.0 MiB'), `before the free: ${await tip(0.2)}`);
        check((await tip(0.8)).includes('4.00 MiB'), `after the free: ${await tip(0.8)}`);
        check((await tip(0.8)).includes('made memory, overlaps 5.700 ms of 5.700 ms, same series by the clock'), await tip(0.8));
    }));

test('pair: an allocation names its operator and module', ({ pages }) =>
    withPair(async ({ shelf, trace, memory }) => {
        const { allocations } = await (await fetch(`${shelf.url}api/v1/runs/${memory}/snapshot/lifetimes`)).json();
        const big = allocations.filter(({ bytes }) => bytes === 8 * MIB).sort((a, b) => a.start - b.start)[2];
        const page = await pages.open(`${shelf.url}#/run/${memory}/snapshot?a=${big.id}`);
        const section = page.locator('.selection-pane section', { hasText: 'This allocation' });
        await until(async () => plain(await section.innerText()).includes('aten::addmm'), 'the operator');
        const text = plain(await section.innerText());
        check(text.includes('Linear_0'), text);
        check(text.includes('By its address in the trace made trace, which overlaps 5.700 ms of 5.900 ms, same series.'), text);
        await section.getByRole('link', { name: 'aten::addmm' }).click();
        await until(async () => page.url().includes(`/run/${trace}/timeline`), 'the timeline');
        await until(async () => plain(await page.locator('.timeline-side, .selection-pane').first().innerText()).includes('aten::addmm'), 'the slice');
    }));

test('pair: a trace alone has no such track', ({ pages }) =>
    withPair(
        async ({ shelf, trace }) => {
            const page = await openTimeline(pages, shelf, trace);
            equal((await laneNames(page)).includes('snapshot'), false, 'a lane of a snapshot');
        },
        { snapshot: false },
    ));
