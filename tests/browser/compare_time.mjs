/* SPDX-License-Identifier: MIT
 *
 * Comparisons over time: memory curves of two runs in one chart, steps of two traces as paired bars.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { faultsOfPage } from './access.mjs';
import { check, equal, quiet, settle, Shelf, test, until } from './lib.mjs';

const plain = (text) => text.replaceAll('\u202f', ' ').replaceAll('−', '-');
const TRACES = ['training.pt.trace.json.gz', 'training-waits.pt.trace.json.gz'];

const pairOf = (demo) => {
    const [base, fresh] = TRACES.map((file) => demo.demo.get(file).id);
    return `base=${base}&new=${fresh}`;
};

/* A recording of mprof: MiB, one sample a tenth of a second. */
const recordingOf = (mib) => ['CMDLINE python app.py', ...mib.map((v, i) => `MEM ${v.toFixed(6)} ${(1700000000 + i / 10).toFixed(4)}`), ''].join('\n');

async function withRecordings(work) {
    const shelf = await Shelf.start();
    const folder = mkdtempSync(join(tmpdir(), 'perfshelf-curves-'));
    const add = (name, mib) => {
        const file = join(folder, name);
        writeFileSync(file, recordingOf(mib));
        return shelf.add(file, '--name', name).id;
    };
    try {
        const base = add('before', [10, 20, 40, 20, 10]);
        const fresh = add('after', [10, 20, 64, 64, 64]);
        await work({ shelf, hash: `#/compare/processes?base=${base}&new=${fresh}` });
    } finally {
        rmSync(folder, { recursive: true });
        await shelf.stop();
    }
}

const curves = (page) => page.getByRole('region', { name: 'Memory over time' });

test('compare over time: memory of two runs in one chart, with the difference at the pointer', ({ pages }) =>
    withRecordings(async ({ shelf, hash }) => {
        const page = await pages.open(shelf.url + hash);
        await until(async () => (await curves(page).count()) > 0, 'the curves');
        const head = plain(await curves(page).innerText());
        check(/Peak 40\.0 MiB → 64\.0 MiB, \+24\.0 MiB \(\+60\.0 %\)/.test(head), head);
        check(/Mean over time 22\.5 MiB → 46\.3 MiB, \+23\.8 MiB/.test(head), `${head}: a mean of joined samples`);
        const box = await curves(page).locator('canvas').boundingBox();
        await page.mouse.move(box.x + box.width - 20, box.y + box.height / 2);
        const tip = page.locator('.tooltip');
        await until(async () => /base\s*20\.0 MiB\s*new\s*64\.0 MiB\s*Δ\s*\+44\.0 MiB/.test(plain(await tip.innerText())), 'both values and Δ');
        await page.mouse.move(box.x + box.width * 0.3, box.y + 40);
        await page.mouse.down();
        await page.mouse.move(box.x + box.width * 0.6, box.y + 40, { steps: 4 });
        await page.mouse.up();
        await until(() => page.url().includes('span='), 'a range in the URL');
        await page.reload();
        await settle(page);
        await curves(page).getByRole('button', { name: 'whole time' }).click();
        await until(() => !page.url().includes('span='), 'the whole time again');
    }));

test('compare over time: steps part by part and step by step', async ({ pages, demo }) => {
    const page = await pages.open(`${demo.url}#/compare/step_parts?${pairOf(demo)}`);
    const steps = page.getByRole('region', { name: 'Steps' });
    await until(async () => (await steps.locator('.step-pair').count()) === 12, 'twelve pairs of steps');
    const parts = plain(await steps.getByRole('table').innerText());
    check(/DataLoader\s+80\.29 µs → 4\.085 ms\s+\+4\.005 ms/.test(parts), parts);
    equal(await steps.locator('.step-pair .step-name').first().innerText(), 'ProfilerStep#3', 'namesakes stand together');
    await steps.getByRole('button', { name: 'later' }).click();
    await until(() => page.url().includes('by=1'), 'the shift in the URL');
    await page.reload();
    await settle(page);
    await until(async () => (await steps.locator('.step-pair').count()) === 13, 'one step of each stands alone');
    equal(await steps.locator('.step-pair .step-name').nth(1).innerText(), 'ProfilerStep#3 ↔ ProfilerStep#4', 'shifted by one');
    await steps.getByRole('radio', { name: 'HTA' }).or(steps.getByRole('button', { name: 'HTA' })).first().click();
    await until(async () => /idle/.test(await steps.getByRole('table').innerText()), "HTA's parts");
});

for (const [theme, width] of [['light', 1440], ['dark', 800]]) {
    test(`compare over time: device memory and structure, ${theme}, ${width} px`, async ({ pages, demo }) => {
        const page = await pages.open(`${demo.url}#/compare/memory?${pairOf(demo)}`, { theme, width });
        await until(async () => /Peak 2\.12 GiB → 2\.12 GiB/.test(plain(await curves(page).innerText())), 'the peaks');
        for (const tab of ['memory', 'step_parts']) {
            await page.goto(`${demo.url}#/compare/${tab}?${pairOf(demo)}`);
            await quiet(page);
            const faults = await page.evaluate(faultsOfPage);
            check(!faults.length, faults.join('\n'));
            const wide = await page.evaluate(() => document.documentElement.scrollWidth);
            check(wide <= width, `${wide} pixels wide`);
        }
    });
}
