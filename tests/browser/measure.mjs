/* SPDX-License-Identifier: MIT
 *
 * Results of benchmarks: groups, values with their units, the pane of one row with its samples, order and
 * search, and the same after a reload.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { check, equal, grid, quiet, ROOT, rowTexts, Shelf, settle, test, until } from './lib.mjs';

const golden = (name) => join(ROOT, 'tests', 'golden', name);

async function withRun(name, work) {
    const shelf = await Shelf.start();
    try {
        await work(shelf, shelf.add(golden(name)));
    } finally {
        await shelf.stop();
    }
}

const LABEL = 'Measurements';
const plain = (text) => text.replaceAll('\u202f', ' ');

async function names(page) {
    return (await rowTexts(page, LABEL)).map(([name]) => name);
}

test('measurements: a row for each command, its further metrics below it, sorted and searched', ({ pages }) =>
    withRun('hyperfine/ok_hyperfine_v1.json', async (shelf, run) => {
        const page = await pages.open(`${shelf.url}#/run/${run.id}`);
        await until(async () => (await names(page)).length === 7, 'seven rows');
        const [first] = await rowTexts(page, LABEL);
        equal(first.slice(0, 3).map(plain), ['./app --size 1', '1', '125.0ms'], 'first row');
        check(first.map(plain).includes('12.50 ms10.0 %'), first.join('|'));
        await grid(page, LABEL).locator('[data-twisty].is-open').first().click();
        await until(async () => (await names(page)).length < 7, 'fewer rows without the metrics of the first');
        await page.getByPlaceholder('Search measurements').fill('size 2 -user');
        await until(async () => (await names(page))[0] === './app --size 2', 'the row of size 2');
        equal((await names(page)).filter((name) => name.startsWith('./app')), ['./app --size 2'], 'only that');
    }));

test('results: groups fold, names are not repeated, and links lead to rows', async ({ pages }) => {
    const shelf = await Shelf.start();
    try {
        const file = join(shelf.folder, 'many.json');
        writeFileSync(file, JSON.stringify(SUITE));
        const run = shelf.add(file);
        for (const [width, theme] of [[1440, 'light'], [800, 'dark'], [390, 'light']]) {
            const page = await pages.open(`${shelf.url}#/run/${run.id}`, { width, theme });
            await until(async () => (await names(page)).length === 8, 'eight rows');
            const heads = await page.locator('.result-group b').allInnerTexts();
            equal(heads, ['test_codec.py::', 'test_store.py::'], 'groups');
            const codec = grid(page, LABEL).getByText('test_codec', { exact: true });
            equal(await codec.evaluateAll((all) => all.filter((one) => !one.closest('.sr-only')).length), 1, 'the name stands once');
            await page.locator('.result-group button').first().click();
            await until(async () => (await names(page)).length === 4, 'the first group is folded');
            await page.locator('.result-first').first().click();
            const pane = page.getByLabel('Measurement', { exact: true });
            await until(async () => (await pane.innerText()).includes('test_codec[400]'), 'the slowest is selected');
            await until(async () => (await names(page)).length === 8, 'its group is open again');
            check((await pane.innerText()).includes('By n'), 'the curve by n');
            await pages.close();
        }
    } finally {
        await shelf.stop();
    }
});

test('results: 2,000 rows are read page by page, and unstable ones are found', async ({ pages }) => {
    const shelf = await Shelf.start();
    try {
        const file = join(shelf.folder, 'large.json');
        const rows = Array.from({ length: 2100 }, (_, i) => benchmark(`bench/test_a.py::test_b[${i + 1}]`, { n: i + 1 }, 1e-3, i === 2050 ? 0.4 : 0.01));
        writeFileSync(file, JSON.stringify({ ...SUITE, benchmarks: rows }));
        const run = shelf.add(file);
        const page = await pages.open(`${shelf.url}#/run/${run.id}`);
        await until(async () => (await page.locator('.result-summary').innerText()).startsWith('2,100 results'), 'all rows');
        await page.getByRole('button', { name: 'Unstable 1' }).click();
        await until(async () => (await names(page)).length === 1, 'the unstable one');
        equal((await rowTexts(page, LABEL))[0][1], '2051', 'its parameter');
        await grid(page, LABEL).locator('.grid-row').first().click();
        const pane = page.getByLabel('Measurement', { exact: true });
        await until(async () => (await pane.innerText()).includes('Unstable.'), 'said in words');
    } finally {
        await shelf.stop();
    }
});

test('measurements: the pane shows samples and what else is known', ({ pages }) =>
    withRun('hyperfine/ok_hyperfine_v1.json', async (shelf, run) => {
        const page = await pages.open(`${shelf.url}#/run/${run.id}/measurements`);
        await grid(page, LABEL).locator('.grid-row').first().click();
        const pane = page.getByLabel('Measurement', { exact: true });
        await pane.locator('canvas').waitFor();
        const said = async () => plain(await pane.innerText());
        await quiet(page);
        const before = await said();
        check(/\nsize\s+1/.test(before), before);
        check(/exit codes\s+0 0 0/.test(before), before);
        check(/Median\s+120\.0 ms/.test(before), before);
        await page.reload();
        await settle(page);
        await pane.locator('canvas').waitFor();
        await until(async () => (await said()) === before, 'the same pane after a reload');
        await page.keyboard.press('Escape');
        await until(async () => (await pane.count()) === 0, 'the pane goes');
    }));

/* One entry of pytest-benchmark with 10 samples of a spread, as a share of their mean. */
function benchmark(fullname, params, mean, spread) {
    const data = Array.from({ length: 10 }, (_, i) => mean * (1 + spread * [1, -1, 0.9, -0.9, 1.1, -1.1, 0.8, -0.8, 1.2, -1.2][i]));
    const sorted = [...data].sort((a, b) => a - b);
    const stddev = Math.sqrt(data.reduce((sum, x) => sum + (x - mean) ** 2, 0) / 9);
    return {
        group: null, name: fullname.split('::').pop(), fullname, params, param: Object.values(params ?? {}).join('-') || null, extra_info: {},
        options: { disable_gc: false, timer: 'perf_counter', min_rounds: 5, max_time: 1, min_time: 0.000005, warmup: false },
        stats: {
            min: sorted[0], max: sorted[9], mean, stddev, rounds: 10, median: (sorted[4] + sorted[5]) / 2, q1: sorted[2], q3: sorted[7], iqr: sorted[7] - sorted[2],
            iqr_outliers: 0, stddev_outliers: 0, outliers: '0;0', ld15iqr: sorted[0], hd15iqr: sorted[9], ops: 1 / mean, total: 10 * mean, data, iterations: 1,
        },
    };
}
const SUITE = {
    machine_info: {}, commit_info: {}, datetime: '2026-01-01T00:00:00+00:00', version: '5.3.1',
    benchmarks: [
        ...[100, 200, 300, 400].map((n) => benchmark(`bench/test_codec.py::test_codec[${n}]`, { n }, n * 1e-5, 0.01)),
        ...['load', 'save', 'drop', 'find'].map((name, i) => benchmark(`bench/test_store.py::test_${name}`, null, (i + 1) * 1e-4, 0.01)),
    ],
};

/* hyperfine prints of these: 'fast ran 1.67 ± 0.14 times faster than slow'. */
const RANKED = {
    results: [
        ['slow', 0.035, 0.0021],
        ['fast', 0.021, 0.00126],
        ['middle', 0.028, 0],
    ].map(([command, mean, stddev]) => ({
        command, mean, stddev, median: mean, user: mean / 2, system: mean / 4, min: mean - stddev, max: mean + stddev,
        times: [mean - stddev, mean, mean + stddev], exit_codes: [0, 0, 0],
    })),
};

test('measurements: commands are ranked as hyperfine summarises them', async ({ pages }) => {
    const shelf = await Shelf.start();
    try {
        const file = join(shelf.folder, 'ranked.json');
        writeFileSync(file, JSON.stringify(RANKED));
        const run = shelf.add(file);
        const page = await pages.open(`${shelf.url}#/run/${run.id}`);
        await until(async () => (await names(page)).includes('fast'), 'rows');
        const ratios = async () => (await rowTexts(page, LABEL)).filter(([name]) => /^(slow|fast|middle)$/.test(name)).map((cells) => plain(`${cells[0]} ${cells[2]}`));
        equal(await ratios(), ['slow 1.67 ± 0.14', 'fast fastest', 'middle 1.33 ± 0.08'], 'ratios');
        await grid(page, LABEL).getByRole('button', { name: 'of the best', exact: true }).click();
        await until(async () => (await ratios())[0] === 'slow 1.67 ± 0.14', 'slowest first');
        equal((await ratios())[2], 'fast fastest', 'the fastest is last');
    } finally {
        await shelf.stop();
    }
});

test('results: long units widen their column once, and metrics say which are better when higher', ({ pages }) =>
    withRun('go_bench/ok_go_bench.txt', async (shelf, run) => {
        const page = await pages.open(`${shelf.url}#/run/${run.id}`);
        await until(async () => (await names(page)).includes('MB/s'), 'further metrics');
        const cut = () => grid(page, LABEL).locator('.grid-cell.is-right').evaluateAll((cells) => cells.filter((cell) => cell.scrollWidth > cell.clientWidth + 1).length);
        await until(async () => (await cut()) === 0, 'no number is cut');
        equal(plain((await rowTexts(page, LABEL)).find(([name]) => name === 'MB/s').join(' ')).includes('MB/s ↑'), true, 'higher is better');
    }));

test('results: two runs are compared row by row, with intervals, counts and both distributions', async ({ pages }) => {
    const shelf = await Shelf.start();
    try {
        const add = (name, factor) => {
            const file = join(shelf.folder, `${name}.json`);
            const benchmarks = ['load', 'save', 'drop', 'find'].map((test, i) => benchmark(`bench/test_store.py::test_${test}`, null, (i + 1) * 1e-4 * (test === 'drop' ? factor : 1), 0.01));
            writeFileSync(file, JSON.stringify({ ...SUITE, benchmarks }));
            return shelf.add(file, '--name', name).id;
        };
        const [base, fresh] = [add('before', 1), add('after', 1.2)];
        const page = await pages.open(`${shelf.url}#/compare/measurements?base=${base}&new=${fresh}`);
        await until(async () => (await rowTexts(page, LABEL)).length === 4, 'four rows');
        const tip = await page.locator('.interval-bar').first().getAttribute('title');
        check(/^\+20\.0 %, 95 % interval \+1\d\.\d % to \+2\d\.\d %$/.test(plain(tip)), tip);
        check((await page.locator('.interval-bar').first().getAttribute('class')).includes('is-slower'), 'its tone');
        const outcomes = page.getByLabel('Rows by verdict');
        await until(async () => (await outcomes.locator('.outcome').count()) === 2, 'slower, and within noise');
        await outcomes.getByRole('button', { name: 'more or slower' }).click();
        await until(async () => (await rowTexts(page, LABEL)).length === 1, 'only the slower row');
        await grid(page, LABEL).locator('.grid-row').first().click();
        await page.locator('.distribution-pair path.pair-new').waitFor();
        check((await page.locator('.pane-compare').innerText()).includes('Student’s t'), 'the test is named');
    } finally {
        await shelf.stop();
    }
});

test('measurements: an empty file says so', ({ pages }) =>
    withRun('pytest_benchmark/ok_pytest_empty.json', async (shelf, run) => {
        const page = await pages.open(`${shelf.url}#/run/${run.id}`);
        await page.getByText('This run has no measurements.').waitFor();
    }));

test('time: what a command was bound by, with thresholds, and for more processors', ({ pages }) =>
    withRun('time/ok_time_bash.txt', async (shelf, run) => {
        const page = await pages.open(`${shelf.url}#/run/${run.id}`);
        const section = page.locator('.bound');
        await section.getByRole('heading', { name: 'Waiting' }).waitFor();
        const words = plain(await section.innerText());
        check(/Real\s+122 ms/.test(words), words);
        check(/CPU-bound\s+utilisation \/ CPUs\s+0\.02\s+≥ 0\.8\s+no/.test(words), words);
        check(/Memory-heavy\s+major faults \/ s\s+–\s+≥ 100\s+not reported/.test(words), words);
        await page.getByLabel('Usable CPUs').fill('4');
        await page.keyboard.press('Enter');
        await section.getByText('as given').waitFor();
        check(page.url().includes('cpus=4'), page.url());
    }));

test('time: several commands of one log', ({ pages }) =>
    withRun('time/ok_time_mixed.txt', async (shelf, run) => {
        const page = await pages.open(`${shelf.url}#/run/${run.id}/bound`, { theme: 'dark', width: 800 });
        await until(async () => (await page.locator('.bound').count()) === 6, 'six commands');
        const heads = await page.locator('.bound h2').allInnerTexts();
        equal(heads[0], 'CPU-bound', 'the first');
    }));

test('timeit: figures have the digits that were printed, and say what they are', ({ pages }) =>
    withRun('timeit/ok_timeit.txt', async (shelf, run) => {
        const page = await pages.open(`${shelf.url}#/run/${run.id}`);
        await until(async () => (await names(page)).length === 4, 'four rows');
        const [first, , , last] = await rowTexts(page, LABEL);
        equal([first[1], first.at(-1)].map(plain), ['13.8ns', '5'], 'the first');
        equal([last[1], last.at(-1)].map(plain), ['1.04µs', '7'], 'the last');
    }));

test('top: lines of processes, memory, and the legend that hides them', ({ pages }) =>
    withRun('top/ok_top.txt', async (shelf, run) => {
        const page = await pages.open(`${shelf.url}#/run/${run.id}`);
        await page.locator('.processes-chart canvas').waitFor();
        const legend = page.locator('.process-row');
        equal(plain((await legend.allInnerTexts())[0]).split(/\s+/).slice(0, 2), ['python3.11', '-c'], 'busiest');
        await page.getByRole('button', { name: 'Memory' }).click();
        await until(async () => /3\.00 GiB/.test(plain(await legend.first().innerText())), 'peaks of memory');
        await legend.first().click();
        await until(() => page.url().includes('off=22519'), 'the URL knows what is hidden');
        const hidden = async () => (await legend.first().getAttribute('aria-pressed')) === 'false';
        await until(hidden, 'hidden');
        await page.reload();
        await settle(page);
        await until(hidden, 'hidden after a reload');
    }));
