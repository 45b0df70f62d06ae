/* SPDX-License-Identifier: MIT
 *
 * The shelf: profiles come in by drop, paste, picker and from the side; it sorts, searches, edits.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { check, DEMO, dropFiles, equal, grid, quiet, ROOT, rowTexts, settle, Shelf, test, until } from './lib.mjs';

const stdlib = join(DEMO, 'stdlib.log');
const calculator = join(DEMO, 'expressions.prof');

/* A test with an empty shelf of its own. */
function onFreshShelf(name, run) {
    test(name, async ({ pages }) => {
        const shelf = await Shelf.start();
        try {
            await run({ pages, shelf, page: await pages.open(shelf.url) });
        } finally {
            await pages.close();
            check(await shelf.stop(), 'serve did not end on SIGTERM');
        }
    });
}

/* Down to the next run. Keys before the page has settled may go to nobody, so this asks again. */
async function moveDown(page) {
    const cursor = () => page.locator('.is-cursor').getAttribute('data-index', { timeout: 400 }).catch(() => null);
    const before = await cursor();
    await until(async () => {
        await page.keyboard.press('ArrowDown');
        return (await cursor()) !== before;
    }, 'the cursor moves');
}

const runNames = async (page) => (await rowTexts(page, 'runs')).map((cells) => cells[2]);

onFreshShelf('shelf: an empty one teaches', async ({ page }) => {
    await page.locator('.first-tool .kind-mark').first().waitFor();
    const text = await page.locator('.empty-shelf').innerText();
    check(text.includes('-X importtime') && text.includes('cProfile'), text);
    check(text.includes('perfshelf record cprofile'), text);
    await page.locator('.empty-shelf button', { hasText: /copy/i }).first().click();
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    await until(async () => (await copied()).trim() && text.includes((await copied()).trim()), 'a command in the clipboard');
});

onFreshShelf('shelf: a dropped file becomes a run, and opens', async ({ page }) => {
    await page.locator('.empty-shelf').waitFor();
    await dropFiles(page, [stdlib], { release: false });
    await page.locator('.drop-overlay').waitFor();
    await dropFiles(page, [stdlib, calculator]);
    await until(async () => (await runNames(page)).length === 2, 'two rows');
    await page.locator('.drop-overlay').waitFor({ state: 'hidden' });
    await page.getByText('importing').waitFor({ state: 'detached' });
    await quiet(page);
    await grid(page, 'runs').locator('.grid-row', { hasText: 'pstats' }).first().click();
    await page.waitForURL(/#\/run\//);
    await page.locator('.run-name').waitFor();
});

onFreshShelf('shelf: pasted text becomes a run', async ({ page }) => {
    await page.locator('.empty-shelf').waitFor();
    await page.evaluate(() => {
        const log = 'import time: self [us] | cumulative | imported package\n' +
            'import time:       120 |        120 |   zipimport\nimport time:        80 |        200 | site\n';
        const clipboardData = new DataTransfer();
        clipboardData.setData('text/plain', log);
        document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
    });
    await until(async () => (await runNames(page)).length === 1, 'one row');
});

const golden = (name) => readFileSync(join(ROOT, 'tests/golden', name), 'utf8');
/* One sample of each kind that is text. */
const TEXTS = {
    importtime: 'importtime/ok_py37.log',
    line_profiler: 'line_text/ok_nothing_profiled.txt',
    memory_profiler: 'memory_text/ok_header_only.txt',
    mprof: 'mprof/ok_two_lines.dat',
    'pstats-text': 'pstats_text/ok_empty.txt',
    'key-averages': 'key_averages/ok_no_rows.txt',
    lightning: 'lightning/ok_old_short.txt',
    time: 'time/ok_time_bash.txt',
    timeit: 'timeit/ok_timeit.txt',
    top: 'top/ok_top.txt',
    hyperfine: 'hyperfine_text/ok_hyperfine_text_v2.txt',
    'pytest-benchmark': 'pytest_benchmark_text/ok_pytest_text.txt',
    folded: 'folded/ok_difference.txt',
    scalene: 'scalene/ok_no_files.json',
    speedscope: 'speedscope/ok_cut.json',
    gecko: 'gecko/ok_weights.json',
    'memory-timeline': 'memory_timeline/ok_before_only.json',
    'flamegraph-svg': 'flamegraph_svg/ok_normal.svg',
};

onFreshShelf('shelf: every kind that is text can be pasted', async ({ page, shelf }) => {
    await page.locator('.empty-shelf').waitFor();
    for (const name of Object.values(TEXTS))
        await page.evaluate((text) => {
            const clipboardData = new DataTransfer();
            clipboardData.setData('text/plain', text);
            document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
        }, golden(name));
    const kinds = async () => {
        const { rows } = await (await fetch(new URL('/api/v1/runs?limit=100', shelf.url))).json();
        return rows.map((run) => run.kind).sort();
    };
    const wanted = Object.keys(TEXTS).sort();
    await until(async () => (await kinds()).length === wanted.length, 'a run for each');
    equal(await kinds(), wanted);
});

onFreshShelf('shelf: the help lists what can be read', async ({ page, shelf }) => {
    await page.locator('.empty-shelf').waitFor();
    const { rows } = await (await fetch(new URL('/api/v1/formats', shelf.url))).json();
    await until(async () => {
        await page.keyboard.press('?');
        return page.locator('.help-formats').isVisible();
    }, 'the help opens');
    await page.locator('.help-formats summary').click();
    const text = await page.locator('.help-formats').innerText();
    for (const { record } of rows) check(text.includes(record), record);
});

onFreshShelf('shelf: the picker takes several files', async ({ page }) => {
    await page.locator('.empty-shelf').waitFor();
    const chooser = await until(async () => {
        const opened = page.waitForEvent('filechooser', { timeout: 2000 }).catch(() => null);
        await page.keyboard.press('o');
        return opened;
    }, 'a file chooser');
    await chooser.setFiles([stdlib, calculator]);
    await until(async () => (await runNames(page)).length === 2, 'two rows');
});

onFreshShelf('shelf: a run added beside shows itself', async ({ page, shelf }) => {
    await page.locator('.empty-shelf').waitFor();
    shelf.add(stdlib, '--name', 'from the side');
    await until(async () => (await runNames(page)).includes('from the side'), 'the row of the other process');
    shelf.run('rm', 'from the side');
    await page.locator('.empty-shelf').waitFor();
});

onFreshShelf('shelf: a refused file says why', async ({ page, shelf }) => {
    await page.locator('.empty-shelf').waitFor();
    const bad = join(shelf.folder, 'spoilt.prof');
    writeFileSync(bad, Buffer.from([0xfb, 0xa9, 0x03, 0xfa, 0x30, 0x41]));
    await dropFiles(page, [bad]);
    const notice = page.locator('.notice', { hasText: 'spoilt.prof' });
    await notice.waitFor();
    check(/byte/.test(await notice.innerText()), await notice.innerText());
});

/* Two import logs, one of them damaged, and a text, in a folder and in an archive of it. */
function bundle(folder) {
    const inner = join(folder, 'bundle', 'logs');
    mkdirSync(inner, { recursive: true });
    copyFileSync(stdlib, join(inner, 'a.log'));
    copyFileSync(calculator, join(folder, 'bundle', 'b.prof'));
    writeFileSync(join(folder, 'bundle', 'spoilt.prof'), Buffer.from([0xfb, 0xa9, 0x03, 0xfa, 0x30, 0x41]));
    writeFileSync(join(folder, 'bundle', 'readme.txt'), 'nothing to see');
    const packed = join(folder, 'bundle.tar.gz');
    execFileSync('tar', ['-czf', packed, '-C', join(folder, 'bundle'), '.']);
    return { packed, plain: join(folder, 'bundle') };
}

async function checkBundle(page, archive) {
    await until(async () => (await runNames(page)).length === 2, 'a row for each profile');
    const spoilt = page.locator('.notice', { hasText: 'spoilt.prof' });
    await spoilt.waitFor();
    check((await spoilt.innerText()).includes(archive), await spoilt.innerText());
    const leftOut = page.locator('.notice', { hasText: 'not a profile' });
    await leftOut.locator('summary').click();
    check((await leftOut.innerText()).includes('readme.txt'), await leftOut.innerText());
}

onFreshShelf('shelf: a dropped archive becomes a row for each profile', async ({ page, shelf }) => {
    await page.locator('.empty-shelf').waitFor();
    const { packed } = bundle(shelf.folder);
    await dropFiles(page, [packed]);
    await checkBundle(page, 'bundle.tar.gz');
    await dropFiles(page, [packed]);
    await until(async () => (await page.locator('.notice', { hasText: 'already on the shelf' }).count()) === 2, 'both were there');
});

onFreshShelf('shelf: a dropped folder is the same', async ({ page, shelf }) => {
    await page.locator('.empty-shelf').waitFor();
    await dropFiles(page, [bundle(shelf.folder).plain]);
    await checkBundle(page, 'bundle');
});

onFreshShelf('shelf: edit and delete', async ({ page, shelf }) => {
    const { id } = shelf.add(stdlib);
    await grid(page, 'runs').locator('.grid-row').first().waitFor();
    await moveDown(page);
    await page.keyboard.press('e');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('a new name');
    await page.keyboard.press('Enter');
    await until(async () => (await runNames(page)).includes('a new name'), 'the new name');
    equal(shelf.run('show', id, '--json')[0].name, 'a new name');
    await dialog.waitFor({ state: 'detached' }); // or the next key goes to it
    await quiet(page);
    await page.keyboard.press('Delete');
    await dialog.getByRole('button', { name: /delete/i }).click();
    await page.locator('.empty-shelf').waitFor();
    equal(shelf.run('list', '--json')[0], []);
});

onFreshShelf('shelf: the note of a run is edited, shown as text, and searched', async ({ page, shelf }) => {
    const { id } = shelf.add(stdlib, '--note', 'before <b>bold</b>');
    const note = page.locator('.run-note .markdown');
    const noteOf = () => shelf.run('show', id, '--json')[0].note;
    const type = async (text) => {
        await page.keyboard.press('e');
        const dialog = page.getByRole('dialog');
        await dialog.getByLabel('Note').fill(text);
        await dialog.getByRole('button', { name: 'Save' }).click();
        await dialog.waitFor({ state: 'detached' });
    };
    await page.goto(`${shelf.url}#/run/${id}`);
    await note.waitFor();
    await note.locator('p').waitFor();
    equal([await note.textContent(), await note.locator('b').count()], ['before <b>bold</b>', 0]);
    await type('  two\nlines <img src=x onerror=alert(1)>\n');
    await until(async () => (await note.textContent()).startsWith('two'), 'the new note');
    equal([await note.innerText(), noteOf()], Array(2).fill('two\nlines <img src=x onerror=alert(1)>'));
    await type('a line\n'.repeat(50));
    const lines = async () => Math.round((await page.locator('.run-note-text').boundingBox()).height / 20);
    await page.getByRole('button', { name: 'Show all' }).click();
    check((await lines()) > 5, 'all of it');
    await page.getByRole('button', { name: 'Show less' }).click();
    equal(await lines(), 3);
    await page.goto(`${shelf.url}#/?q=a+line`);
    await until(async () => (await runNames(page)).length === 1, 'found by its note');
    check((await page.locator('.row-name').getAttribute('title')).includes('a line'), 'its tooltip');
    await page.goto(`${shelf.url}#/run/${id}`);
    await note.waitFor();
    await type('');
    await note.waitFor({ state: 'detached' });
    equal(noteOf(), '');
});

test('shelf: search, sort and filters stand in the URL', async ({ pages, demo }) => {
    const page = await pages.open(demo.url);
    await until(async () => (await runNames(page)).length === demo.demo.size, 'all rows');
    await page.keyboard.press('/');
    await page.keyboard.type('bookshop');
    await until(async () => (await runNames(page)).length === 3, 'three of a series');
    await until(() => page.url().includes('q=bookshop'), 'the search in the URL');
    await quiet(page);
    await grid(page, 'runs').getByText(/^Name/).first().click();
    await until(async () => /sort=name/.test(page.url()), 'the sort in the URL');
    const names = await until(async () => {
        const now = await runNames(page);
        return now.length === 3 && now.join() === [...now].sort().join() ? now : null;
    }, 'rows by name');
    await page.reload();
    await until(async () => (await runNames(page)).join() === names.join(), 'the same after a reload');
});

test('shelf: keys walk and open', async ({ pages, demo }) => {
    const page = await pages.open(demo.url);
    await until(async () => (await runNames(page)).length === demo.demo.size, 'all rows');
    await moveDown(page);
    await moveDown(page);
    await page.keyboard.press('Enter');
    await page.waitForURL(/#\/run\//);
    await settle(page);
    await page.keyboard.press('u');
    await page.waitForURL((url) => !url.hash.includes('/run/'));
    await settle(page);
    await page.keyboard.press('?');
    const help = await page.getByRole('dialog').innerText();
    check(/search/.test(help) && /add profiles/.test(help), help);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
});

test('shelf: what it keeps is told, and what goes is seen to go', async ({ pages }) => {
    const shelf = await Shelf.start('--keep', '1/series', '--keep', '90d');
    try {
        shelf.add(stdlib, '--name', 'older', '--series', 's');
        const page = await pages.open(shelf.url);
        await until(async () => (await runNames(page)).includes('older'), 'the first run');
        const foot = await page.locator('.status-line').innerText();
        check(foot.includes('keeps 1 run of each series, 90 days'), foot);
        shelf.add(calculator, '--name', 'newer', '--series', 's');
        await until(async () => (await runNames(page)).join() === 'newer', 'the older one to go');
    } finally {
        check(await shelf.stop(), 'serve did not end on SIGTERM');
    }
});

test('shelf: a database that is away is told on a narrow page too', async ({ pages, demo }) => {
    const store = { place: 'postgresql://database.example/shelf', away: true };
    const page = await pages.open(demo.url, {
        width: 800,
        before: (page) =>
            page.route('**/api/v1/shelf', async (route) => {
                const response = await route.fetch();
                await route.fulfill({ response, json: { ...(await response.json()), store } });
            }),
    });
    const warning = page.locator('.status-line .warn');
    check((await warning.innerText()).endsWith('you can read runs, not change them'), await warning.innerText());
    check((await warning.getAttribute('title')).includes(store.place), 'where it lies');
    const cut = await page.locator('.status-line').evaluate((line) =>
        [line, ...line.querySelectorAll('*')].some((part) => part.scrollWidth > part.clientWidth && part.clientWidth > 0));
    check(!cut, 'the status line is cut');
});

test('shelf: an address that leads nowhere says so', async ({ pages, demo }) => {
    pages.expect(/404/);
    const page = await pages.open(`${demo.url}#/run/0123456789abcdef`);
    await page.getByText('There is no run').waitFor();
    await page.getByText('Go to the shelf').click();
    await grid(page, 'runs').waitFor();
});

onFreshShelf('shelf: chips count what the search finds, the largest series is first, tags have keys, long names keep their ends', async ({ page, shelf }) => {
    const long = (end) => `${'a long name of many runs that differ at their end '.repeat(4)}${end}`;
    const made = (name, series, rows) => {
        const path = join(shelf.folder, `made-${rows}.log`);
        writeFileSync(path, `import time: self [us] | cumulative | imported package\n${'import time:       1 |          1 | m\n'.repeat(rows)}`);
        shelf.add(path, '--name', name, '--series', series, '--tag', 'branch=main');
    };
    made(long('first'), 'aaa', 1);
    made(long('second'), 'zzz', 2);
    made('other', 'zzz', 3);
    shelf.add(calculator, '--name', 'other dump');
    const chips = async () => (await page.locator('.chip').allInnerTexts()).map((text) => text.replace(/\s+/g, ' '));
    await until(async () => (await chips()).join() === 'All 4,importtime 3,pstats 1', 'all are counted');
    check((await page.locator('.tags-cell .tag').first().innerText()) === 'branch=main', 'a tag has its key');
    check((await page.locator('.row-name').allTextContents()).includes(long('first')), 'the whole name is in the page');
    const [cut] = await page.locator('.cut-head').evaluateAll((all) =>
        all.map((head) => ({ isCut: head.scrollWidth > head.clientWidth, end: head.parentElement.getBoundingClientRect().right, cell: head.closest('.grid-cell').getBoundingClientRect().right })));
    check(cut.isCut && cut.end <= cut.cell, `the start is cut, the end is in the cell: ${JSON.stringify(cut)}`);
    await page.getByRole('button', { name: 'series: any' }).click();
    equal((await page.getByRole('menuitem').allInnerTexts()).map((text) => /any|zzz|aaa/.exec(text)[0]), ['any', 'zzz', 'aaa'], 'the largest series first');
    await page.keyboard.press('Escape');
    await page.keyboard.press('/');
    await page.keyboard.type('other');
    await until(async () => (await chips()).join() === 'All 2,importtime 1,pstats 1', 'chips follow the search');
    await page.locator('.chip', { hasText: 'pstats' }).click();
    await until(async () => (await runNames(page)).join() === 'other dump', 'only dumps');
    equal((await chips()).join(), 'All 2,importtime 1,pstats 1', 'the chosen kind does not change the counts');
});

onFreshShelf('shelf: several failed files are one notice', async ({ page, shelf }) => {
    await page.locator('.empty-shelf').waitFor();
    const files = ['one', 'two', 'three'].map((name) => {
        const path = join(shelf.folder, `${name}.txt`);
        writeFileSync(path, `no profile: ${name}\n`);
        return path;
    });
    await dropFiles(page, files);
    await page.getByText('3 files were not added').waitFor();
    equal(await page.locator('.news .notice').count(), 1, 'one notice');
    const reasons = await page.locator('.news li').allInnerTexts();
    check(files.every((path) => reasons.some((text) => text.startsWith(path.split('/').pop()))), reasons.join());
    await page.getByRole('button', { name: 'Dismiss' }).click();
    equal(await page.locator('.news .notice').count(), 0, 'all are dismissed');
});
