/* SPDX-License-Identifier: MIT
 *
 * Comparisons over time: memory curves of two runs in one chart, steps of two traces as tables and columns, and
 * their timelines one above the other, which move as one.
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { faultsOfPage } from './access.mjs';
import { check, equal, grid, longTest, quiet, ROOT, rowTexts, settle, Shelf, test, until } from './lib.mjs';

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

/* A trace of n steps: each waits `load` µs for data, then runs aten::mm for 300 µs. A last aten::mm is outside of steps. */
function trainingOf(n, load) {
    const events = [];
    const add = (cat, name, ts, dur) => events.push({ ph: 'X', cat, name, pid: 7, tid: 7, ts, dur, args: {} });
    for (let i = 0; i < n; i++) {
        const at = i * (load + 1000);
        add('user_annotation', `ProfilerStep#${i}`, at, load + 900);
        add('user_annotation', 'enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__', at + 10, load);
        add('cpu_op', 'aten::mm', at + load + 100, 300);
    }
    add('cpu_op', 'aten::mm', n * (load + 1000), 5000);
    return JSON.stringify({ schemaVersion: 1, traceEvents: events });
}

export async function withTraces(work, [fewSteps, manySteps] = [12, 458]) {
    const shelf = await Shelf.start();
    const folder = mkdtempSync(join(tmpdir(), 'perfshelf-steps-'));
    const add = (name, text) => {
        writeFileSync(join(folder, name), text);
        return shelf.add(join(folder, name), '--name', name).id;
    };
    try {
        const [few, many] = [add('few.json', trainingOf(fewSteps, 4000)), add('many.json', trainingOf(manySteps, 200))];
        await work({ shelf, query: `base=${few}&new=${many}` });
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
        await until(async () => /base\s*10\.0 MiB\s*sample at 0\.4000 s\s*new\s*64\.0 MiB\s*sample at 0\.4000 s\s*Δ\s*\+54\.0 MiB/.test(plain(await tip.innerText())), 'both values and Δ');
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

test('compare over time: 12 against 458 steps are compared per step, and totals are marked', ({ pages }) =>
    withTraces(async ({ shelf, query }) => {
        const page = await pages.open(`${shelf.url}#/compare/operators?${query}&metric=cpu_total_us`);
        const valuesOf = async (name) => {
            const row = (await rowTexts(page, 'Operators')).find(([first]) => first === name);
            return row?.slice(1, 4).map(plain).join(' ');
        };
        const options = page.getByRole('toolbar', { name: 'view options' });
        await until(async () => (await valuesOf('aten::mm')) === '0.300 0.300 0.000', 'aten::mm per step');
        check(/12 against 458 steps/.test(await options.innerText()), await options.innerText());
        equal(await options.locator('.warn').count(), 0, 'nothing to warn of');
        await options.getByRole('button', { name: 'Per run' }).click();
        await until(async () => (await valuesOf('aten::mm')) === '8.600 142.400 +133.800', 'aten::mm in all');
        equal(plain(await options.locator('.warn').innerText()), '12 against 458 steps: different amounts of work', 'the warning');
        check(page.url().includes('per=run'), page.url());
        await page.reload();
        await settle(page);
        await until(async () => (await valuesOf('aten::mm')) === '8.600 142.400 +133.800', 'the same after a reload');
        await options.getByRole('button', { name: 'Per call' }).click();
        await until(async () => (await valuesOf('aten::mm')) === '0.662 0.310 -0.351', 'aten::mm per call');
        equal(await options.getByRole('group', { name: 'metric' }).getByRole('button', { name: 'Calls' }).count(), 0, 'calls per call');
        await page.getByRole('link', { name: 'Steps', exact: true }).click();
        await until(async () => (await rowTexts(page, 'Parts of a step')).length > 0, 'parts');
        const steps = page.locator('.compare-steps');
        await until(async () => /12 against 458 steps/.test(await steps.innerText()), 'the numbers of steps');
        equal(await steps.getByRole('button', { name: 'Per run' }).count(), 0, 'per step is the only choice');
    }));

test('compare over time: two traces open with the parts of a step and the cause', async ({ pages, demo }) => {
    const [fresh, base] = TRACES.map((file) => demo.demo.get(file).id);
    const page = await pages.open(`${demo.url}#/compare?base=${base}&new=${fresh}`);
    const head = page.locator('.compare-head');
    await until(async () => /DataLoader explains -4\.005 ms of -4\.120 ms per step\./.test(plain(await head.innerText())), 'the conclusion');
    const shown = (await rowTexts(page, 'Parts of a step')).map((cells) => cells.map(plain));
    equal(shown[0].slice(0, 4), ['DataLoader', '4.085', '0.080', '-4.005'], 'the largest part');
    equal(await page.getByRole('link', { name: 'Steps', exact: true }).getAttribute('aria-current'), 'page', 'the first tab');
    await head.getByRole('link', { name: 'DataLoader' }).click();
    await until(() => page.url().includes('sel=part%3Adataloader'), 'the part is selected');
    check(/compare\/steps\?/.test(page.url()), page.url());
    const selected = grid(page, 'Parts of a step').locator('.grid-row[aria-selected]');
    await until(async () => /^DataLoader/.test((await selected.innerText()).trim()), 'the selected row');
});

test('compare over time: the parts add up to the step, and operators have the same columns', async ({ pages, demo }) => {
    const [fresh, base] = TRACES.map((file) => demo.demo.get(file).id);
    const page = await pages.open(`${demo.url}#/compare/steps?base=${base}&new=${fresh}`);
    await until(async () => (await rowTexts(page, 'Operators')).length > 4, 'operators');
    const parts = (await rowTexts(page, 'Parts of a step')).map((cells) => cells.map(plain));
    const step = parts.pop();
    equal([step[0], ...step.slice(1, 4), ...step.slice(-2)], ['Step', '8.751', '4.631', '-4.120', '-47.1', '100.0'], 'the row that closes the table');
    for (const column of [1, 2, 3]) {
        const sum = parts.reduce((all, cells) => all + Number(cells[column]), 0);
        check(Math.abs(sum - Number(step[column])) < 0.004, `column ${column} adds up to ${sum}, not ${step[column]}`);
    }
    const leftOf = (label) => grid(page, label).locator('.grid-head > .grid-cell').evaluateAll((cells) => cells.map((cell) => Math.round(cell.getBoundingClientRect().left)));
    equal(await leftOf('Operators'), await leftOf('Parts of a step'), 'numbers of both tables in one line');
    const runtime = grid(page, 'Parts of a step').locator('.grid-row', { hasText: 'runtime' });
    equal(await runtime.locator('.faster, .slower').count(), 0, 'less than 1 % of the largest difference is grey');
    const main = plain(await page.locator('.compare-steps').innerText());
    check(/8 of 26 used the GPU/.test(main), main);
    check(/Same calls on both sides\. The operators differ by -0\.114 ms a step in all: they do not explain the change\./.test(main), main);
    const width = page.getByRole('group', { name: 'width of frames' });
    await until(async () => (await width.locator('[aria-pressed=true]').innerText()) === 'Width: base', 'what vanished is visible');
    await until(async () => /every new step is shorter than every base step/.test(await page.locator('.status-line').innerText()), 'what the steps say');
    equal(await page.locator('.strip-dot').count(), 24, 'a dot for each step');
    await grid(page, 'Parts of a step').getByText('DataLoader', { exact: true }).click();
    await until(async () => /marked: waits for data/.test(await page.getByRole('region', { name: 'Difference' }).innerText()), 'frames of the part');
    await page.keyboard.press('Escape');
    await until(() => !page.url().includes('sel='), 'nothing is selected');
    await page.getByRole('button', { name: 'HTA' }).click();
    await until(async () => (await rowTexts(page, 'Parts of a step')).some(([name]) => name === 'idle'), "HTA's parts");
    equal((await rowTexts(page, 'Parts of a step')).pop().slice(0, 4).map(plain), ['Step', '8.751', '4.631', '-4.120'], 'the same step');
});

test('compare over time: every step as a column, which leads to the timeline', async ({ pages, demo }) => {
    const [fresh, base] = TRACES.map((file) => demo.demo.get(file).id);
    const page = await pages.open(`${demo.url}#/compare/steps?base=${base}&new=${fresh}`);
    const chart = page.getByRole('img', { name: 'time of every step: base, steps 3 – 14; new, steps 3 – 14' });
    await chart.waitFor();
    await quiet(page);
    const box = await chart.boundingBox();
    await page.mouse.move(box.x + 68, box.y + box.height - 60);
    const tip = page.locator('.tooltip');
    await until(async () => /base · ProfilerStep#3\s+step\s+8\.069 ms\s+GPU kernel\s+4\.410 ms\s+54\.7 % of step/.test(plain(await tip.innerText())), 'step and part');
    await chart.focus();
    await page.keyboard.press('ArrowRight');
    await until(async () => /base · ProfilerStep#4/.test(await tip.innerText()), 'the next step by key');
    await page.keyboard.press('Enter');
    await until(() => page.url().includes(`#/run/${base}/timeline`) && /from_ns=8073613&to_ns=17372655/.test(page.url()), 'the step in the timeline of the base');
});

test('compare over time: two traces of one step each', ({ pages }) =>
    withTraces(
        async ({ shelf, query }) => {
            const page = await pages.open(`${shelf.url}#/compare?${query}`);
            await until(async () => (await rowTexts(page, 'Parts of a step')).at(-1)?.[0] === 'Step', 'parts');
            equal(await page.locator('.strip-dot').count(), 2, 'a dot for each run');
            await page.getByRole('img', { name: /base, step 0; new, step 0/ }).waitFor();
        },
        [1, 1],
    ));

for (const [theme, width] of [['light', 1440], ['dark', 800]]) {
    (width === 800 ? test : longTest)(`compare over time: device memory and structure, ${theme}, ${width} px`, async ({ pages, demo }) => {
        const page = await pages.open(`${demo.url}#/compare/memory?${pairOf(demo)}`, { theme, width });
        await until(async () => /Peak 2\.12 GiB → 2\.12 GiB/.test(plain(await curves(page).innerText())), 'the peaks');
        for (const tab of ['memory', 'steps']) {
            await page.goto(`${demo.url}#/compare/${tab}?${pairOf(demo)}`);
            await quiet(page);
            const faults = await page.evaluate(faultsOfPage);
            check(!faults.length, faults.join('\n'));
            const wide = await page.evaluate(() => document.documentElement.scrollWidth);
            check(wide <= width, `${wide} pixels wide`);
        }
    });
}

const SIDES = ['base', 'new'];
const panel = (page, side) => page.frameLocator('iframe').nth(SIDES.indexOf(side));
const canvasOf = (page, side) => panel(page, side).locator('.timeline-canvas');
/* What a timeline says that it shows: counted from where the two are aligned. */
const spanOf = async (page, side) => plain(await panel(page, side).locator('.timeline-span').innerText());
const spans = (page) => Promise.all(SIDES.map((side) => spanOf(page, side)));
const alignment = (page) => page.getByRole('toolbar', { name: 'alignment of the two timelines' });

async function drawn(page) {
    for (const side of SIDES) {
        await until(async () => /drawn from/.test(await panel(page, side).locator('.status-line').innerText()), `the timeline of ${side}`);
    }
    await quiet(page);
}

async function openPair(pages, url, query, options) {
    const page = await pages.open(`${url}#/compare/side/timeline?${query}`, options);
    await drawn(page);
    return page;
}

/* Runs `act`, and waits until both show another stretch of time, which is the same. */
async function together(page, what, act) {
    const [before] = await spans(page);
    await act();
    await until(async () => {
        const [a, b] = await spans(page);
        return a !== before && a === b;
    }, `${what} moves both: ${await spans(page)}`);
}

/* The stretch of time once nothing eases any more and the URL says both its ends. */
async function restingSpan(page) {
    const inUrl = () => decodeURIComponent(/[?&]at=([^&]*)/.exec(page.url())?.[1] ?? '').split('~');
    return until(async () => {
        const [before] = await spans(page);
        await quiet(page);
        const [now, other] = await spans(page);
        const ends = /^([\d.]+) – ([\d.]+) ms$/.exec(now)?.slice(1) ?? [];
        const said = ends.length > 0 && ends.every((end, i) => Math.abs(Number(inUrl()[i]) / 1e6 - Number(end)) < 0.01);
        return now === before && now === other && said && now;
    }, 'a stretch of time at rest, in the URL');
}

async function middleOf(page, side) {
    const box = await canvasOf(page, side).boundingBox();
    return [box.x + box.width / 2, box.y + box.height * 0.6];
}

test('compare over time: what moves one timeline moves the other, and the URL restores it', async ({ pages, demo }) => {
    const page = await openPair(pages, demo.url, pairOf(demo));
    const [whole, same] = await spans(page);
    check(/^0\.00\d – 113\.\d+ ms$/.test(whole), `all of the longer run: ${whole}`);
    equal(same, whole, 'one scale');
    for (const side of SIDES) {
        const [x, y] = await middleOf(page, side);
        await page.mouse.move(x, y);
        await page.keyboard.down('Control');
        await together(page, `the wheel over ${side}`, () => page.mouse.wheel(0, -240));
        await page.keyboard.up('Control');
        await together(page, `a drag in ${side}`, async () => {
            await page.mouse.down();
            await page.mouse.move(x - 90, y, { steps: 3 });
            await page.mouse.up();
        });
        await together(page, `a key in ${side}`, () => page.keyboard.press('d'));
    }
    await page.mouse.move(5, 5);
    const zoomed = await restingSpan(page);
    await page.reload();
    await drawn(page);
    equal(await spans(page), [zoomed, zoomed], 'the same after a reload');
    const [x, y] = await middleOf(page, 'new');
    await page.mouse.move(x, y);
    check(await panel(page, 'base').locator('.timeline-moment').isVisible(), 'the moment under the pointer in the other');
    await page.mouse.wheel(0, 200);
    const topOf = (side) => panel(page, side).locator('.timeline-scroll').evaluate((box) => box.scrollTop);
    await until(async () => (await topOf('base')) > 0 && (await topOf('base')) === (await topOf('new')), 'lanes scroll together');
    await page.mouse.wheel(0, -400);
    await until(async () => (await topOf('base')) === 0, 'back at the top');
    await panel(page, 'base').getByRole('button', { name: 'fold thread 4711', exact: true }).click();
    for (const side of SIDES) await until(async () => (await panel(page, side).locator('.timeline-label.is-folded').count()) === 1, `folded in ${side}`);
});

test('compare over time: timelines aligned by steps, one step after the other', async ({ pages, demo }) => {
    const page = await openPair(pages, demo.url, pairOf(demo));
    await alignment(page).getByRole('button', { name: 'Step', exact: true }).click();
    await until(async () => /ProfilerStep#3 *↔ *ProfilerStep#3/.test((await alignment(page).innerText()).replaceAll('\n', ' ')), 'the first steps');
    check(page.url().includes('align=step%3A1%3A1'), page.url());
    await page.keyboard.press(']');
    await until(async () => /lasts 4\.\d+ ms → 9\.299 ms \+4\.644 ms \(\+99\.\d %\) new moved 3\.029 ms to the left/.test(plain(await alignment(page).innerText()).replaceAll('\n', ' ')), 'the second steps');
    const [a, b] = await spans(page);
    equal(a, b, 'both count from their step');
    check(a.startsWith('-'), `what is before it: ${a}`);
    await page.reload();
    await drawn(page);
    equal(await spans(page), [a, b], 'the same after a reload');
    await alignment(page).getByRole('button', { name: 'step of new' }).click();
    await page.getByRole('menuitem', { name: /ProfilerStep#9/ }).click();
    await until(() => page.url().includes('align=step%3A2%3A7'), 'another step of the new run');
    await page.goBack();
    await until(() => page.url().includes('align=step%3A2%3A2'), 'Back undoes it');
    await page.goto(page.url().replace('align=step%3A2%3A2', 'align=step%3A2%3A99'));
    await until(async () => /is not in both runs/.test(await alignment(page).innerText()), 'a step that is not there');
    await page.goBack();
    await until(() => page.url().includes('align=step%3A2%3A2'), 'back again');
    await page.keyboard.press('x');
    await until(() => page.url().includes('align=step%3A2%3A2') && !page.url().includes(pairOf(demo)), 'swapped with the runs');
});

test('compare over time: the base stays where it is when its ruler counts from a step', async ({ pages, demo }) => {
    const page = await openPair(pages, demo.url, `${pairOf(demo)}&at=20000000~30000000`);
    equal(await spans(page), ['20.000 – 30.000 ms', '20.000 – 30.000 ms'], 'by start');
    await alignment(page).getByRole('button', { name: 'Step', exact: true }).click();
    await page.keyboard.press(']');
    await until(() => page.url().includes('align=step%3A2%3A2'), 'the second steps');
    await page.goBack();
    await until(async () => (await spans(page)).every((words) => words === '20.000 – 30.000 ms'), 'Back leads to the start');
    await alignment(page).getByRole('button', { name: 'Step', exact: true }).click();
    await until(() => page.url().includes('align=step%3A1%3A1'), 'the first steps');
    await quiet(page);
    equal(await spans(page), ['19.999 – 29.999 ms', '19.999 – 29.999 ms'], 'the first step begins 0.7 µs after the start');
    await alignment(page).getByRole('button', { name: 'step of base' }).click();
    await page.getByRole('menuitem', { name: /ProfilerStep#5/ }).click();
    await until(async () => (await spans(page))[0] !== '19.999 – 29.999 ms', 'counted from the third step of the base');
    const [from, to] = /^([\d.]+) – ([\d.]+) ms$/.exec((await spans(page))[0]).slice(1).map(Number);
    check(Math.abs(to - from - 10) < 0.01 && from > 9 && from < 11, `10 ms of the base as before: ${from} – ${to}`);
    equal((await spans(page))[1], (await spans(page))[0], 'the new run beside it');
});

test('compare over time: timelines aligned by events, searched and ranged as one', async ({ pages, demo }) => {
    const page = await openPair(pages, demo.url, pairOf(demo));
    const event = alignment(page).getByRole('button', { name: 'Event', exact: true });
    await event.click();
    await until(async () => /Select a slice in each run, or search/.test(await alignment(page).innerText()), 'what to do');
    await panel(page, 'base').getByPlaceholder('Search slices').fill('all_reduce');
    for (const side of SIDES) await until(async () => /names? match/.test(await panel(page, side).locator('.timeline-side').innerText()), `hits in ${side}`);
    await event.click();
    await until(async () => /nccl:all_reduce/.test(await alignment(page).innerText()), 'the first hit of both');
    const first = page.url();
    check(/align=event%3A\d+%3A\d+/.test(first), first);
    await alignment(page).getByRole('button', { name: 'next in both' }).click();
    await until(() => page.url() !== first, 'the next of the name');
    const box = await canvasOf(page, 'new').boundingBox();
    await page.mouse.click(box.x + 60, box.y + 62);
    const selected = (side) => panel(page, side).locator('.selection-name b');
    await until(async () => /ProfilerStep#3/.test(await selected('base').innerText()), 'its namesake is selected in the other');
    equal(await selected('new').innerText(), 'ProfilerStep#3', 'what was clicked');
    await page.keyboard.press('Escape');
    for (const side of SIDES) await until(async () => (await selected(side).count()) === 0, `let go in ${side}`);
    await page.mouse.move(box.x + 300, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + 420, box.y + 40, { steps: 3 });
    await page.mouse.up();
    await until(() => /from_ns=\d+/.test(page.url()), 'a range in the URL');
    for (const side of SIDES) await until(async () => /an area of/.test(await canvasOf(page, side).getAttribute('aria-label')), `the range in ${side}`);
    const lengths = await Promise.all(SIDES.map((side) => canvasOf(page, side).getAttribute('aria-label').then((words) => /an area of ([^,]+)/.exec(words)[1])));
    equal(lengths[0], lengths[1], 'one length');
    await page.goBack();
});

for (const [theme, width] of [['dark', 1440], ['light', 800]]) {
    (width === 800 ? test : longTest)(`compare over time: two timelines fit, ${theme}, ${width} px`, async ({ pages, demo }) => {
        const page = await openPair(pages, demo.url, `${pairOf(demo)}&align=step:2:2`, { theme, width });
        const faults = await page.evaluate(faultsOfPage);
        check(!faults.length, faults.join('\n'));
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        check(wide <= width, `${wide} pixels wide`);
        for (const side of SIDES) {
            const box = await canvasOf(page, side).boundingBox();
            check(box.height > 120, `${side} is ${box.height} pixels high`);
        }
    });
}

/* Real recordings: two ranks of a job, two versions of torch, a driver before and after a fix. */
const CORPUS = process.env.PERFSHELF_CORPUS ?? join(ROOT, '..', 'shared', 'corpus');
const RECORDED = [
    ['wild', 'hta-sampled-rank0-of-128.json.gz', 'hta-sampled-rank1-of-128.json.gz'],
    ['made', 'torch26_convnet_cycle1.trace.json.gz', 'torch214_convnet_cycle1.trace.json.gz'],
    ['wild', 'kineto-h100-before-fix.json', 'kineto-h100-after-fix.json'],
];

if (existsSync(CORPUS)) {
    test('compare over time: timelines of real recordings move as one, by start and by step', async ({ pages }) => {
        const shelf = await Shelf.start();
        try {
            for (const [folder, ...files] of RECORDED) {
                const [base, fresh] = files.map((file) => shelf.add(join(CORPUS, folder, 'torch-trace', file)).id);
                const page = await openPair(pages, shelf.url, `base=${base}&new=${fresh}`);
                const step = alignment(page).getByRole('button', { name: 'Step', exact: true });
                if (await step.isEnabled()) {
                    await step.click();
                    await until(() => page.url().includes('align=step'), `steps of ${files}`);
                }
                const [x, y] = await middleOf(page, 'new');
                await page.mouse.move(x, y);
                await page.keyboard.down('Control');
                await together(page, `the wheel over ${files[1]}`, () => page.mouse.wheel(0, -240));
                await page.keyboard.up('Control');
                await quiet(page);
                await pages.close();
            }
        } finally {
            await shelf.stop();
        }
    });
}
