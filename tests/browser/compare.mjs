/* SPDX-License-Identifier: MIT
 *
 * Comparisons: from the shelf to the page, its order and filters, the same after a reload, base and
 * new swapped, and what cannot be compared.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { faultsOfPage } from './access.mjs';
import { check, equal, grid, longTest, rowTexts, settle, Shelf, test, until } from './lib.mjs';

const plain = (text) => text.replaceAll('\u202f', ' ').replaceAll('−', '-');

/* Import logs of one program: in the new ones `slow` takes longer, `gone` is no more, `fresh` is. */
function logOf(slow, wobble, more) {
    const rows = [
        ['base_module', 1000 + wobble, 2],
        ['slow', slow + wobble, 1],
        ...more,
    ];
    for (let i = 0; i < 30; i++) rows.push([`quiet_${String(i).padStart(2, '0')}`, 500 + ((wobble * (i + 3)) % 7), 1]);
    const line = ([name, us]) => `import time: ${String(us).padStart(9)} | ${String(us).padStart(10)} | ${name}`;
    return ['import time: self [us] | cumulative | imported package', ...rows.map(line), ''].join('\n');
}

export async function withGroups(work) {
    const shelf = await Shelf.start();
    const folder = mkdtempSync(join(tmpdir(), 'perfshelf-compare-'));
    const add = (name, text, state) => {
        const file = join(folder, `${name}.log`);
        writeFileSync(file, text);
        return shelf.add(file, '--name', name, '--series', 'made', '--tag', `state=${state}`).id;
    };
    try {
        const wobbles = [0, 11, 5, 17, 8];
        const base = wobbles.map((w, i) => add(`before ${i + 1}`, logOf(9000, w, [['gone', 4000 + w, 1]]), 'before'));
        const fresh = wobbles.map((w, i) => add(`after ${i + 1}`, logOf(14000, w + 1, [['fresh', 2500 + w, 1]]), 'after'));
        await work({ shelf, base, fresh, hash: `#/compare/imports?base=${base}&new=${fresh}` });
    } finally {
        rmSync(folder, { recursive: true });
        await shelf.stop();
    }
}

const rows = (page) => rowTexts(page, 'Modules');
const names = async (page) => (await rows(page)).map(([name]) => name);
const ready = (page) => until(async () => (await rows(page)).length > 0, 'rows');

test('compare: two checked runs lead from the shelf to their difference', async ({ pages, demo }) => {
    const page = await pages.open(demo.url);
    for (const name of ['300 requests, author by author', '300 requests, one join']) {
        await page.getByRole('checkbox', { name, exact: true }).click();
    }
    const bar = page.getByRole('region', { name: 'checked runs' });
    check(/base .*author by author → new .*one join/.test(await bar.innerText()), 'base is the older');
    await page.keyboard.press('c');
    await page.locator('.compare-head').waitFor();
    check(page.url().includes('#/compare?base='), page.url());
    const head = plain(await page.locator('.compare-head').innerText());
    check(/one run each/.test(head), `no verdict of two runs: ${head}`);
    equal(await page.getByRole('columnheader', { name: /Noise/ }).count(), 0, 'no column of noise');
    await until(async () => (await rowTexts(page, 'Functions')).length > 10, 'functions');
});

test('compare: repeats are grouped on the shelf, and the bar says the verdict', ({ pages }) =>
    withGroups(async ({ shelf, base, fresh }) => {
        const page = await pages.open(shelf.url);
        await page.getByRole('checkbox', { name: 'all shown' }).click();
        const bar = page.getByRole('region', { name: 'checked runs' });
        check(await bar.getByRole('button', { name: /Compare/ }).isDisabled(), 'ten runs are no pair');
        await bar.getByRole('button', { name: /Group as repeats/ }).click();
        await until(async () => /before × 5 → new after × 5/.test(await bar.innerText()), 'two groups');
        await until(async () => /▲.*slower/.test(plain(await bar.innerText())), 'the verdict');
        await bar.getByRole('button', { name: /Compare/ }).click();
        await page.locator('.compare-head').waitFor();
        for (const id of [...base, ...fresh]) check(page.url().includes(id), `${id} in ${page.url()}`);
    }));

test('compare: verdict, order, filters and the URL', ({ pages }) =>
    withGroups(async ({ shelf, hash }) => {
        const page = await pages.open(shelf.url + hash);
        await ready(page);
        const head = plain(await page.locator('.compare-head').innerText());
        check(/slower, above the noise.*Mann–Whitney p = 0\.008, n = 5 \+ 5/.test(head), head);
        equal((await names(page)).slice(0, 3), ['slow', 'gone', 'fresh'], 'by size');
        const [slow, gone, fresh] = (await rows(page)).map((cells) => cells.map(plain));
        equal([slow[1], slow[2], slow[3], slow.at(-1)], ['9.008', '14.009', '+5.001', '▲ slower'], 'slow');
        equal([gone[2], gone.at(-1)], ['–', '- no longer imported'], 'gone');
        equal([fresh[1], fresh.at(-1)], ['–', '+ newly imported'], 'fresh');
        const falls = page.locator('.fall-step');
        equal(plain(await falls.nth(1).innerText()).split(/\s+/), ['slow', '+5.001'], 'first step');
        await grid(page, 'Modules').getByRole('button', { name: /^Base/ }).click();
        await until(async () => (await names(page))[0] === 'slow' && page.url().includes('sort=base'), 'by base');
        await page.getByPlaceholder('Search modules').fill('quiet_0');
        await until(async () => (await names(page)).length === 10, 'only quiet_0*');
        await page.reload();
        await settle(page);
        await until(async () => (await names(page)).length === 10, 'the same after a reload');
        await page.getByPlaceholder('Search modules').fill('');
        await page.getByRole('button', { name: /^verdict/ }).click();
        await page.getByRole('menuitem', { name: 'slower', exact: true }).click();
        await until(async () => (await names(page)).join() === 'slow,fresh', 'only slower');
        await page.getByRole('link', { name: /Added and removed/ }).click();
        await until(async () => (await names(page)).sort().join() === 'fresh,gone', 'added and removed');
    }));

test('compare: a report compares its run with the previous one, the baseline or another', ({ pages }) =>
    withGroups(async ({ shelf, base, fresh }) => {
        shelf.run('baseline', base[1]);
        const page = await pages.open(`${shelf.url}#/run/${fresh[2]}`);
        await page.getByRole('button', { name: 'compare with another run' }).waitFor();
        await page.keyboard.press('c');
        const items = page.getByRole('menuitem');
        await until(async () => (await items.count()) === 11, 'previous, baseline and nine others');
        const texts = (await items.allInnerTexts()).map((words) => words.trim().split('\n')[0]);
        equal(texts.slice(0, 2), ['Previous: after 2', 'Baseline: before 2'], 'the first two');
        await page.getByLabel('filter the list').fill('baseline');
        await page.getByRole('menuitem', { name: /Baseline: before 2/ }).click();
        await page.locator('.compare-head').waitFor();
        check(page.url().endsWith(`#/compare?base=${base[1]}&new=${fresh[2]}`), page.url());
    }));

test('compare: names of two groups stay readable at each width', ({ pages }) =>
    withGroups(async ({ shelf, base, fresh, hash }) => {
        const page = await pages.open(shelf.url + hash);
        for (const width of [1440, 1280, 1100, 1024, 390]) {
            await page.setViewportSize({ width, height: 900 });
            await page.goto(shelf.url + hash);
            await until(async () => !/too few runs/.test(await page.locator('.compare-head').innerText()), 'the head of all runs');
            await ready(page);
            const names = grid(page, 'Modules').locator('.compare-row-name');
            const narrowest = async () => Math.min(...(await names.evaluateAll((all) => all.map((name) => name.getBoundingClientRect().width))));
            await until(async () => (await narrowest()) >= 120, `names of 120 px at ${width} px`); // a new table has its widths a frame later
            for (const name of await page.locator('.compare-head .compare-name').all()) {
                check(await name.evaluate((box) => box.scrollWidth <= box.clientWidth), `at ${width} px ${await name.innerText()} is cut`);
            }
            // Three runs a side: no test, but the sign of what is larger than the noise.
            await page.goto(`${shelf.url}#/compare/imports?base=${base.slice(0, 3)}&new=${fresh.slice(0, 3)}`);
            await until(async () => /too few runs/.test(await page.locator('.compare-head').innerText()), 'the head of three and three');
            await ready(page);
            // The rows of the comparison before may still stand below the new head.
            if (width > 390) await until(async () => plain((await rows(page))[0].at(-1)) === '▲ too few runs', `verdict of slow at ${width} px`);
        }
    }));

for (const [label, selector, side, key] of [
    ['width of the pane', '.pane-compare', 'width', 'ArrowLeft'],
    ['height of the picture', '.compare-picture', 'height', 'ArrowDown'],
]) {
    longTest(`compare: the ${label} is changed by key and remembered`, ({ pages }) =>
        withGroups(async ({ shelf, hash }) => {
            const page = await pages.open(shelf.url + hash);
            await ready(page);
            const sizeOf = async () => Math.round((await page.locator(selector).boundingBox())[side]);
            const splitter = page.getByRole('separator', { name: label });
            const before = await sizeOf();
            await splitter.focus();
            await page.keyboard.press(key);
            equal(await sizeOf(), before + 24, 'size');
            await page.reload();
            await ready(page);
            equal(await sizeOf(), before + 24, 'size after a reload');
            await splitter.dblclick();
            equal(await sizeOf(), before, 'default size');
        }));
}

test('compare: a row shows each run, swapping turns signs, the picture knows what vanished', ({ pages }) =>
    withGroups(async ({ shelf, hash, fresh }) => {
        const page = await pages.open(shelf.url + hash);
        await ready(page);
        await grid(page, 'Modules').getByText('slow', { exact: true }).click();
        const pane = page.getByRole('region', { name: 'The selected module' });
        await until(async () => /after 3/.test(await pane.innerText()), 'runs of the row');
        equal(await pane.locator('.strip-dot').count(), 10, 'a dot for each run');
        check((await pane.getByRole('link', { name: 'after 3' }).getAttribute('href')).includes(fresh[2]), 'link to the run');
        await page.keyboard.press('Escape');
        await until(() => !page.url().includes('row='), 'closed');
        const picture = page.getByRole('region', { name: 'Difference' });
        check(/1 removed, 4\.008 ms: gone/.test(plain(await picture.innerText())), await picture.innerText());
        await page.keyboard.press('x');
        await until(async () => (await rows(page))[0]?.map(plain)[3] === '-5.001', 'signs turned');
        await until(async () => /faster/.test(await page.locator('.compare-answer').innerText()), 'faster now');
    }));

test('compare: a row and a frame lead to the reports of both runs', async ({ pages, demo }) => {
    const idOf = (file) => demo.demo.get(file).id;
    const [slow, joined] = ['bookshop-slow.prof', 'bookshop-joined.prof'].map(idOf);
    const page = await pages.open(`${demo.url}#/compare/functions?base=${slow}&new=${joined}`);
    await until(async () => (await rowTexts(page, 'Functions')).length > 10, 'functions');
    const item = (name) => page.getByRole('menuitem', { name });
    const gone = "<method 'fetchone' of 'sqlite3.Cursor' objects>";
    await grid(page, 'Functions').getByText(gone, { exact: true }).click({ button: 'right' });
    await item(/Show in new run/).waitFor();
    equal(await item(/Show in new run/).getAttribute('aria-disabled'), 'true', 'the new run lacks it');
    check((await item(/Copy name/).count()) === 1, 'its name is copied');
    await item(/Show in base run/).click();
    await until(() => page.url().includes(`#/run/${slow}/functions`) && /fn=\d+/.test(page.url()), 'the function in the base');
    const pair = ['training-waits.pt.trace.json.gz', 'training.pt.trace.json.gz'].map(idOf);
    await page.goto(`${demo.url}#/compare/steps?base=${pair[0]}&new=${pair[1]}`);
    await until(async () => (await rowTexts(page, 'Operators')).length > 4, 'operators');
    await grid(page, 'Operators').getByText('aten::gelu', { exact: true }).click({ button: 'right' });
    await page.keyboard.press('n');
    await until(() => page.url().includes(`#/run/${pair[1]}/operators`) && /op=\d+/.test(page.url()), 'the operator in the new run');
    await page.goBack();
    const picture = page.getByRole('region', { name: 'Difference' }).locator('canvas').first();
    await picture.waitFor();
    await settle(page);
    const box = await picture.boundingBox();
    await page.mouse.click(box.x + 80, box.y + 46, { button: 'right' });
    await item(/Show in base run/).click();
    await until(() => page.url().includes(`#/run/${pair[0]}/operators`) && /op=\d+/.test(page.url()), 'the frame in the base');
});

/* A report of pyinstrument, which leaves out calls with less than 1 %. */
function reportOf(small) {
    const frame = (name, time, children = []) => ({ function: name, file_path: '/app.py', line_no: 1, time, children });
    const load = frame('load', 6 + small, [frame('read', 6), ...(small >= 0.1 ? [frame('small', small)] : [])]);
    return JSON.stringify({ start_time: 1, duration: 10, sample_count: 10000, target_description: 'app', cpu_time: 10, root_frame: frame('main', 10, [load, frame('rest', 4 - small)]) });
}

test('compare: calls that a report leaves out are below its threshold, not removed', async ({ pages }) => {
    const shelf = await Shelf.start();
    const folder = mkdtempSync(join(tmpdir(), 'perfshelf-compare-'));
    try {
        const [base, fresh] = [3, 0.05].map((small) => {
            const file = join(folder, `${small}.json`);
            writeFileSync(file, reportOf(small));
            return shelf.add(file).id;
        });
        const page = await pages.open(`${shelf.url}#/compare/functions?base=${base}&new=${fresh}&width=base`);
        await until(async () => (await rowTexts(page, 'Functions')).length > 2, 'functions');
        const row = (await rowTexts(page, 'Functions')).find(([name]) => /small/.test(name));
        equal([row[1], row[2], row.at(-1)], ['3,000.000', '–', '· not listed'], 'the row');
        const picture = page.getByRole('region', { name: 'Difference' });
        await picture.locator('canvas').first().waitFor();
        await settle(page);
        const box = await picture.locator('canvas').first().boundingBox();
        await page.mouse.move(box.x + 0.75 * box.width, box.y + 3.5 * 18);
        const tip = page.locator('.tooltip');
        await until(async () => /small.*\sbase\s+3\.000 s\s+new\s+< 100\.0 ms\s+Δ\s+-3\.000 s to -2\.900 s/s.test(plain(await tip.innerText())), 'both sides');
        check(/below the threshold of a profile, or not called/.test(await tip.innerText()), await tip.innerText());
        check(!/removed/.test(await picture.innerText()), 'nothing is removed');
    } finally {
        rmSync(folder, { recursive: true });
        await shelf.stop();
    }
});

test('compare: what cannot be compared is said', async ({ pages, demo }) => {
    pages.expect(/40[04]/);
    const [a, b] = ['expressions.prof', 'stdlib.log'].map((file) => demo.demo.get(file).id);
    const page = await pages.open(`${demo.url}#/compare?base=${a}&new=${b}`);
    const alert = page.getByRole('alert');
    await alert.waitFor();
    check(/pstats/.test(await alert.innerText()) && /importtime/.test(await alert.innerText()), await alert.innerText());
    await page.goto(`${demo.url}#/compare?base=${a}&new=0123456789abcdef`);
    await until(async () => /0123456789abcdef/.test(await alert.innerText()), 'the run that is gone');
    await page.goto(`${demo.url}#/compare?base=${a}&new=${a}`);
    await until(async () => /^0 s/.test(plain(await page.locator('.compare-answer').innerText())), 'nothing differs');
    await until(async () => (await rowTexts(page, 'Functions'))[0]?.at(-1) === '· the same', 'rows without a verdict');
});

test('compare: a comparison of another kind replaces the first without a failed request', async ({ pages, demo }) => {
    const pair = (files) => files.map((file) => demo.demo.get(file).id);
    const hash = ([base, fresh]) => `#/compare?base=${base}&new=${fresh}`;
    const functions = hash(pair(['bookshop-slow.prof', 'bookshop-cached.prof']));
    const page = await pages.open(demo.url + functions);
    await grid(page, 'Functions').waitFor();
    await page.evaluate((next) => (location.hash = next), hash(pair(['training.pt.trace.json.gz', 'training-waits.pt.trace.json.gz'])));
    await grid(page, 'Parts of a step').waitFor();
    await page.evaluate((next) => (location.hash = next), functions);
    await grid(page, 'Functions').waitFor();
});

for (const [theme, width] of [['light', 1440], ['dark', 800]]) {
    (width === 800 ? test : longTest)(`compare: names, texts and structure, ${theme}, ${width} px`, ({ pages }) =>
        withGroups(async ({ shelf, hash }) => {
            const page = await pages.open(shelf.url + hash, { theme, width });
            await ready(page);
            const faults = await page.evaluate(faultsOfPage);
            check(!faults.length, faults.join('\n'));
            const wide = await page.evaluate(() => document.documentElement.scrollWidth);
            check(wide <= width, `${wide} pixels wide`);
        }));
}
