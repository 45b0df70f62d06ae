/* SPDX-License-Identifier: MIT
 *
 * The lines of a profile: its source is dropped beside it, the keys go to what is hot, units change
 * the digits and not the value, and a reload shows the same. Two tools stand on one file.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { check, dropFiles, equal, quiet, ROOT, Shelf, test, until } from './lib.mjs';

const SOURCE = `def load(n):
    rows = []
    for i in range(n):
        rows.append(i * 2)
    return rows


def total(rows):
    amount = 0
    for row in rows:
        amount += row % 7
    return amount
`;

// The file as line_profiler, memory_profiler and cProfile measure it; the profiles lie in another
// folder than it, so that nothing finds it by itself.
const RECORD = `
import cProfile, os, sys
folder, bench, source = sys.argv[1:]
sys.path.append(bench)
import make_lprof
os.makedirs(os.path.join(folder, "shop"))
with open(os.path.join(folder, "shop", "orders.py"), "w") as file:
    file.write(source)
path = "/srv/shop/orders.py"
timings = {(path, 1, "load"): [(2, 1, 1000), (3, 1001, 400_000), (4, 1000, 900_000), (5, 1, 300)],
           (path, 8, "total"): [(9, 1, 700), (10, 1001, 500_000), (11, 1000, 2_500_000), (12, 1, 250)]}
with open(os.path.join(folder, "orders.lprof"), "wb") as file:
    file.write(make_lprof.dump(timings))
for name, other in (("checkout", "/home/mei/srv/shop/orders.py"), ("other", "/opt/shop/orders.py")):
    with open(os.path.join(folder, name + ".lprof"), "wb") as file:
        file.write(make_lprof.dump({(other, 1, "load"): [(4, 7, 77_000)]}))
scope = {}
exec(compile(source, path, "exec"), scope)
profile = cProfile.Profile()
profile.runcall(lambda: scope["total"](scope["load"](1000)))
profile.dump_stats(os.path.join(folder, "orders.prof"))
with open(os.path.join(folder, "orders.memory.txt"), "w") as file:
    file.write("Filename: " + path + "\\n\\nLine #    Mem usage    Increment  Occurrences   Line Contents\\n" + "=" * 61 + "\\n")
    figures = {1: (30.0, 30.0, 1), 2: (30.0, 0.0, 1), 3: (38.5, 0.5, 1001), 4: (38.5, 8.0, 1000), 5: (38.5, 0.0, 1)}
    for number, text in enumerate(source.splitlines()[:5], 1):
        file.write("%6d %8.1f MiB %8.1f MiB %11d   %s\\n" % (number, *figures[number], text))
    file.write("\\n\\n")
`;

async function withProfiles(work) {
    const shelf = await Shelf.start();
    try {
        const bench = join(ROOT, 'tests', 'bench');
        execFileSync('python3', ['-c', RECORD, shelf.folder, bench, SOURCE]);
        await work(shelf, (name) => join(shelf.folder, name));
    } finally {
        await shelf.stop();
    }
}

/* Line number -> the texts of its cells, the source last. */
async function sourceRows(page, label = 'Source') {
    const rows = await page
        .locator(`.source-scroll[aria-label="${label}"]`)
        .locator('.source-row')
        .evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent.trim())));
    return new Map(rows.filter((cells) => cells[0]).map((cells) => [Number(cells[0]), cells.slice(1)]));
}

/* The rows once the text of line 11 is among them. */
function withText(page, label) {
    return until(async () => {
        const rows = await sourceRows(page, label);
        return rows.get(11)?.at(-1)?.includes('amount += row % 7') ? rows : null;
    }, 'line 11 with its text');
}

/* The rows that stood there before a reload. */
function same(page, label, rows) {
    const wanted = JSON.stringify([...rows]);
    return until(async () => JSON.stringify([...(await sourceRows(page, label))]) === wanted, 'the rows after a reload');
}

const currentLine = (page) =>
    page.locator('.source-row.is-current .source-number').first().textContent();

const number = (text) => Number(text.replaceAll(',', ''));

test('lines: the source is dropped beside its profile and found again', async ({ pages }) => {
    await withProfiles(async (shelf, file) => {
        const { id } = shelf.add(file('orders.lprof'));
        const page = await pages.open(`${shelf.url}#/run/${id}/lines`);
        const asking = page.locator('.source-asking');
        await asking.waitFor();
        check((await asking.innerText()).includes('orders.py'), 'the notice names the file');
        const bare = await until(async () => {
            const rows = await sourceRows(page);
            return rows.size >= 8 ? rows : null;
        }, 'figures without a source');
        equal(bare.get(11).slice(0, 2), ['1,000', '2,500.0'], 'hits and time of line 11');

        await dropFiles(page, [file('shop/orders.py')]);
        const rows = await withText(page);
        await asking.waitFor({ state: 'detached' });
        const answer = await (await fetch(`${shelf.url}api/v1/runs/${id}/source?file=1`)).json();
        equal(answer.source.state, 'attached', 'state');
        equal(answer.text.join('\n'), SOURCE.trimEnd(), 'the attached text');
        equal(rows.get(11).slice(0, 2), bare.get(11).slice(0, 2), 'figures beside the text');
        check(rows.get(11).join(' ').includes('83.3'), `no 83.3 % of function in ${rows.get(11)}`);
    });
});

test('lines: n and p go by heat, units keep the value, the URL keeps it all', async ({ pages }) => {
    await withProfiles(async (shelf, file) => {
        const { id } = shelf.add(file('orders.lprof'), '--source-root', shelf.folder);
        const page = await pages.open(`${shelf.url}#/run/${id}/lines`);
        const first = await withText(page);
        await quiet(page); // the keys are bound
        for (const line of [11, 4, 10]) {
            await page.keyboard.press('n');
            await until(() => page.url().includes(`line=${line}`), `line ${line} in the URL`);
            await until(async () => (await currentLine(page)) === String(line), `line ${line} marked`);
        }
        await page.keyboard.press('p');
        await until(() => page.url().includes('line=4'), 'back to line 4');

        const micro = number(first.get(11)[1]);
        equal(micro, 2500, 'microseconds of line 11');
        await page.getByRole('group', { name: 'unit of time' }).getByText('ms', { exact: true }).click();
        await until(() => page.url().includes('unit=ms'), 'the unit in the URL');
        const milli = await until(async () => {
            const rows = await sourceRows(page);
            return rows.get(11) && number(rows.get(11)[1]) !== micro ? rows : null;
        }, 'other digits');
        equal(number(milli.get(11)[1]), 2.5, 'milliseconds of line 11');
        equal(milli.get(11)[0], first.get(11)[0], 'hits');

        await page.reload();
        await same(page, 'Source', milli);
        await until(async () => (await currentLine(page)) === '4', 'the line after a reload');
    });
});

test('lines: a source that was edited later says so', async ({ pages }) => {
    await withProfiles(async (shelf, file) => {
        execFileSync('touch', ['-d', '2001-01-01', file('orders.lprof')]);
        const { id } = shelf.add(file('orders.lprof'), '--source-root', shelf.folder);
        const page = await pages.open(`${shelf.url}#/run/${id}/lines`);
        await withText(page);
        await page.getByText('changed after the profile was recorded').first().waitFor();
    });
});

test('lines: several tools on one file', async ({ pages }) => {
    await withProfiles(async (shelf, file) => {
        const { id } = shelf.add(file('orders.lprof'), '--source-root', shelf.folder);
        const memory = shelf.add(file('orders.memory.txt'));
        const calls = shelf.add(file('orders.prof'));
        equal([memory.kind, calls.kind], ['memory_profiler', 'pstats'], 'kinds');
        const page = await pages.open(`${shelf.url}#/run/${id}/across?runs=${id},${memory.id},${calls.id}`);
        const label = 'Source across runs';
        const rows = await withText(page, label);
        const four = rows.get(4).join(' ');
        check(four.includes('900.0') && four.includes('8.0'), `time and increment of line 4: ${four}`);
        check(rows.get(8).some((text) => text === '1'), `cProfile's one call at line 8: ${rows.get(8)}`);
        for (const name of ['orders.lprof', 'orders.memory.txt', 'orders.prof'])
            await page.locator('main').getByText(name).first().waitFor();
        const answer = await (await fetch(`${shelf.url}api/v1/lines?path=/srv/shop/orders.py`)).json();
        equal(answer.runs.find(({ run }) => run === memory.id).same_source, true, 'the same text');
        await page.reload();
        await same(page, label, rows);
    });
});

test('lines: files of the same name are offered, not combined', async ({ pages }) => {
    await withProfiles(async (shelf, file) => {
        const { id } = shelf.add(file('orders.lprof'), '--source-root', shelf.folder);
        shelf.add(file('orders.memory.txt'));
        shelf.add(file('checkout.lprof'));
        const other = shelf.add(file('other.lprof'));
        const page = await pages.open(`${shelf.url}#/run/${id}/across`);
        const label = 'Source across runs';
        await withText(page, label);
        const line = (name) => page.locator('.across-run', { hasText: name });
        const shown = (name) => line(name).getByRole('checkbox').isChecked();
        check((await line('orders.memory.txt').innerText()).includes('same path'), 'an equal path');
        check((await line('checkout.lprof').innerText()).includes('same in project: srv/shop/orders.py'), 'an equal part');
        check((await line('other.lprof').innerText()).includes('/opt/shop/orders.py'), 'the other path');
        check(!(await shown('other.lprof')), 'the namesake is not shown');
        await line('other.lprof').getByRole('checkbox').click();
        await until(async () => (await shown('other.lprof')) && page.url().includes(other.id), 'the namesake is shown');
        await until(async () => (await sourceRows(page, label)).get(4)?.includes('7'), 'its hits of line 4');
        await page.locator('.source-group', { hasText: '▲ same name' }).first().waitFor();
        await page.setViewportSize({ width: 390, height: 800 });
        await page.getByRole('button', { name: /^Runs 3 of 4/ }).click();
        await page.getByText('only the name: /opt/shop/orders.py').waitFor();
    });
});

test('lines: the source of a Scalene profile has half of the width', async ({ pages }) => {
    const shelf = await Shelf.start();
    try {
        const { id } = shelf.add(join(ROOT, 'tests', 'golden', 'scalene', 'ok_v1554.json'));
        for (const width of [1800, 1440, 1180, 800]) {
            const page = await pages.open(`${shelf.url}#/run/${id}/lines`, { width });
            await page.locator('.source-row .source-text').first().waitFor();
            await quiet(page);
            const [source, all, columns] = await page.locator('.source-scroll').evaluate((box) => [
                box.querySelector('.source-row .source-text').parentElement.lastElementChild.getBoundingClientRect().width,
                box.clientWidth,
                box.querySelector('.source-head').textContent,
            ]);
            check(source >= all / 2 - 1, `${source} of ${all} px at ${width} px: ${columns}`);
            check(columns.includes('CPU'), columns);
            const hidden = await page.locator('.nav-list .grid-scroll').evaluateAll((lists) => lists.map((list) => list.scrollWidth - list.clientWidth));
            check(hidden.every((px) => px === 0), `${hidden} px of the list of functions are hidden at ${width} px`);
        }
    } finally {
        await shelf.stop();
    }
});

test('lines: the allocations of a Scalene profile are a flame graph, functions and a comparison in bytes', async ({ pages }) => {
    const shelf = await Shelf.start();
    const sample = (name) => join(ROOT, 'tests', 'golden', 'scalene', `ok_v240_${name}.json`);
    try {
        const [base, now, without] = ['tiles', 'tiles_grown', 'loops'].map((name) => shelf.add(sample(name)).id);
        const page = await pages.open(`${shelf.url}#/run/${now}/lines`);
        await page.getByRole('link', { name: 'Allocations' }).click();
        await page.getByText('growth of memory, by the stack that allocates').waitFor();
        await page.locator('.tab-body canvas').first().waitFor();
        await page.getByRole('link', { name: 'Allocating functions' }).click();
        await page.getByText('render').first().waitFor();
        check((await page.locator('main, body').first().textContent()).includes('66.902'), 'own MiB of render');
        await page.goto(`${shelf.url}#/compare/functions?base=${base}&new=${now}`);
        await page.getByText('new, 85.0').or(page.getByText('+5.014')).first().waitFor();
        await page.goto(`${shelf.url}#/run/${without}/lines`);
        await page.getByRole('link', { name: 'Lines' }).waitFor();
        check((await page.getByRole('link', { name: 'Allocations' }).count()) === 0, 'no tab without stacks');
    } finally {
        await shelf.stop();
    }
});
