/* SPDX-License-Identifier: MIT
 *
 * Profiles of pprof: the menu of sample types, the labels as a filter and as a tab, values below 0.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { faultsOfPage } from './access.mjs';
import { check, equal, quiet, ROOT, rowTexts, Shelf, test, until } from './lib.mjs';

/* Builds a profile with the writer of the golden samples. */
function makeProfile(path, python) {
    const code = `import sys; sys.path.insert(0, ${JSON.stringify(join(ROOT, 'tests/golden'))})
from make_pprof import Profile
open(${JSON.stringify(path)}, "wb").write(${python}.bytes())`;
    execFileSync('python3', ['-c', code]);
}

const TIMES = `Profile([("cpu", "nanoseconds"), ("allocated", "bytes"), ("locks", "count")], [
    (["main", "load", "parse"], [3_000_000_000, 1 << 20, 0], {"endpoint": "/train", "thread name": "main"}),
    (["main", "load", "read"], [1_000_000_000, 3 << 20, 0], {"endpoint": "/save", "thread name": "main"}),
    (["work"], [500_000_000, 0, 0], {"endpoint": "/save", "thread name": "helper"}),
    (["idle"], [500_000_000, 0, 0], {"thread name": "helper"}),
])`;
const DIFFERENCE = `Profile([("space", "bytes")], [
    (["main", "grow"], [5 << 20]), (["main", "shrink"], [-(3 << 20)]),
])`;

async function withProfile(python, work) {
    const shelf = await Shelf.start();
    try {
        const file = join(shelf.folder, 'made.pb');
        makeProfile(file, python);
        const { id } = shelf.add(file);
        await work((tab) => `${shelf.url}#/run/${id}/${tab}`);
    } finally {
        await shelf.stop();
    }
}

const query = (page) => new URLSearchParams(new URL(page.url()).hash.split('?')[1] ?? '');
const functionsOf = async (page) => new Map((await rowTexts(page, 'Functions')).map(([name, ...rest]) => [name.replace(' (app.py)', ''), rest]));
const rowOf = (page, name, values) =>
    until(async () => (await functionsOf(page)).get(name)?.slice(0, values.length).join() === values.join(), `${name}: ${values}`);
const typeMenu = (page, name) => page.getByRole('button', { name: `sample type: ${name}` });
const pick = (page, text) => page.getByRole('menuitem', { name: text }).click();

test('sample types: a type is chosen, its unit is everywhere, the URL keeps it', async ({ pages }) => {
    await withProfile(TIMES, async (at) => {
        const page = await pages.open(at('functions'));
        await rowOf(page, 'parse', ['3,000.000', '3,000.000']);
        await typeMenu(page, 'cpu').click();
        const items = await page.getByRole('menuitem').allInnerTexts();
        equal(items.map((text) => text.replace(/\s+/g, ' ').trim()), ['✓ cpu 5.000 s, default', 'allocated 4.00 MiB', 'locks 0'], 'types');
        await pick(page, /allocated/);
        await rowOf(page, 'read', ['3.000', '3.000']);
        check((await page.getByRole('columnheader', { name: /self/ }).first().innerText()).includes('MiB'), 'the unit of the column');
        equal(await page.getByRole('columnheader', { name: /stretches/ }).count(), 0, 'samples without an order have no stretches');
        equal(query(page).get('sample_type'), 'allocated', 'the URL');
        equal(await page.evaluate(faultsOfPage), [], 'accessible');
        await page.getByRole('link', { name: 'Left heavy' }).click();
        await typeMenu(page, 'allocated').waitFor();
        await page.reload();
        await typeMenu(page, 'allocated').click();
        await pick(page, /^✓?\s*cpu/);
        await until(() => !query(page).has('sample_type'), 'the default type needs no key');
        await quiet(page);
    });
});

test('sample types: labels filter all tabs, values of one key are alternatives', async ({ pages }) => {
    await withProfile(TIMES, async (at) => {
        const page = await pages.open(at('labels'));
        const table = page.getByRole('region', { name: 'label endpoint' });
        await table.waitFor();
        const rows = await table.locator('tbody tr').allInnerTexts();
        equal(
            rows.map((text) => text.replace(/\s+/g, ' ').trim()),
            ['/train 3,000.000 60.0 1', '/save 1,500.000 30.0 2', 'without endpoint 500.000 10.0 1'],
            'totals by value',
        );
        await table.getByRole('checkbox', { name: 'endpoint = /save' }).click();
        equal(query(page).get('labels'), 'endpoint=/save', 'the URL');
        equal(await page.evaluate(faultsOfPage), [], 'accessible');
        await page.getByRole('link', { name: 'Functions' }).click();
        await rowOf(page, 'read', ['1,000.000', '1,000.000']);
        equal([...(await functionsOf(page)).keys()].sort(), ['load', 'main', 'read', 'work'], 'only samples of /save');
        await page.getByLabel('thread').selectOption({ label: 'helper · endpoint=/save' });
        await until(async () => [...(await functionsOf(page)).keys()].join() === 'work', 'with a thread too');
        await page.getByRole('button', { name: 'remove endpoint = /save' }).click();
        await until(() => !query(page).has('labels'), 'the label is removed');
        await page.getByRole('button', { name: 'Filter by label' }).click();
        await pick(page, /endpoint = \/train/);
        await pick(page, /endpoint = \/save/);
        equal(query(page).get('labels'), 'endpoint=/train,endpoint=/save', 'two values');
        await page.keyboard.press('Escape');
        await page.getByRole('button', { name: 'Clear labels' }).click();
        await until(() => !query(page).has('labels'), 'cleared');
        await quiet(page);
    });
});

test('sample types: values below 0 are tabled with their sign and drawn by themselves', async ({ pages }) => {
    await withProfile(DIFFERENCE, async (at) => {
        const page = await pages.open(at('functions'));
        await rowOf(page, 'grow', ['5.000', '5.000', '62.5', '62.5']);
        await rowOf(page, 'shrink', ['−3.000', '−3.000', '−37.5', '−37.5']);
        await rowOf(page, 'main', ['0.000', '2.000']);
        await page.goto(at('flame'));
        await page.getByRole('img', { name: /^Flame graph/ }).waitFor();
        const answer = page.waitForResponse((response) => response.url().includes('sign=negative'));
        await page.getByText('Decreases', { exact: true }).click();
        const { sum, frames } = await (await answer).json();
        equal([sum, frames.name.includes('shrink (app.py)')], [3 << 20, true], 'only values below 0');
        await until(() => query(page).get('sign') === 'negative', 'the URL');
        await quiet(page);
    });
});

const heap = (cache) => `Profile([("objects", "count"), ("space", "bytes")], [(["main", "cache"], [9, ${cache} << 20]), (["main", "read"], [4, 2 << 20])], default="objects")`;

test('sample types: two profiles are compared by the type that is chosen for both', async ({ pages }) => {
    const shelf = await Shelf.start();
    try {
        const [base, fresh] = [heap(5), heap(21).replace('("space", "bytes")', '("space", "bytes"), ("later", "bytes")').replace('21 << 20', '21 << 20, 7')].map((python, i) => {
            const file = join(shelf.folder, `heap${i}.pb`);
            makeProfile(file, python);
            return shelf.add(file).id;
        });
        const page = await pages.open(`${shelf.url}#/compare?base=${base}&new=${fresh}`);
        await page.getByRole('button', { name: 'sample type: objects' }).click();
        const items = await page.getByRole('menuitem').allInnerTexts();
        equal(items.map((text) => text.replace(/\s+/g, ' ').trim()), ['✓ objects 13 → 13', 'space 7.00 MiB → 23.0 MiB', 'later not in base'], 'types');
        check(await page.getByRole('menuitem', { name: /later/ }).isDisabled(), 'a type of one run');
        await pick(page, /space/);
        await rowOf(page, 'cache', ['5.000', '21.000', '+16.000']);
        check((await page.locator('.compare-head').innerText()).includes('space'), 'the headline is of this type');
        equal(query(page).get('sample_type'), 'space', 'the URL');
        equal(await page.evaluate(faultsOfPage), [], 'accessible');
        await quiet(page);
    } finally {
        await shelf.stop();
    }
});
