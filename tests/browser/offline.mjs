/* SPDX-License-Identifier: MIT
 *
 * Runs and comparisons as one HTML file: opened from the disk without any network, it answers as its
 * shelf does and shows every tab.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { check, DEMO, equal, grid, longTest, ROOT, rowTexts, settle, Shelf, SHORT, test, until } from './lib.mjs';
import { carriedFiles, compareQuestions, engineOf, runQuestions } from './offline_engine.mjs';

let exported = 0;

/* The path of a new file; `what`: RUN, or --base A --new B, and options. */
function exportPage(shelf, ...what) {
    const file = join(shelf.folder, `page-${++exported}.html`);
    shelf.run('export', ...what, '--html', '-o', file);
    return file;
}

async function openFile(pages, file, options = {}) {
    const asked = [];
    const page = await pages.open(`file://${file}${options.hash ?? ''}`, {
        ...options,
        offline: true,
        before: (fresh) => {
            options.before?.(fresh);
            fresh.on('request', (request) => asked.push(request.url()));
        },
    });
    await page.locator('.run-head, .compare-head, .notice.is-error').first().waitFor();
    await settle(page);
    return { page, asked };
}

/* The file itself and workers of its own text are all that a page loads. */
function checkAsked(asked) {
    equal(asked.filter((url) => !/^(file|blob|data):/.test(url)), [], 'requests beyond the file');
}

async function tabNames(page) {
    return (await page.locator('.tabs a').allInnerTexts()).map((name) => name.trim().replace(/\s+/g, ' '));
}

async function eachTab(page, look) {
    const tabs = page.locator('.tabs a');
    const n = await tabs.count();
    check(n > 0, 'there are tabs');
    for (let i = 0; i < n; i++) {
        const name = (await tabs.nth(i).innerText()).trim();
        await tabs.nth(i).click();
        await settle(page);
        await look(name);
    }
}

async function noError(page, where) {
    equal(await page.locator('.notice.is-error').allInnerTexts(), [], `errors in ${where}`);
}

function addHostile(shelf, part) {
    const folder = join(shelf.folder, 'hostile');
    mkdirSync(folder);
    const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' };
    execFileSync('python3', [join(ROOT, 'tests', 'http', 'hostile.py'), folder], { env });
    return readdirSync(folder).filter((_, i) => i % PARTS === part).map((kind) => shelf.add(join(folder, kind), '--name', `</script><img src=x> ${kind}`));
}

/* What the server says of a URL. */
function asker(shelf) {
    return async (url) => {
        const response = await fetch(new URL(url, shelf.url));
        return { status: response.status, text: await response.text() };
    };
}

/* Without what the other runs of the shelf say of this one. */
function alone(text) {
    return text.replace(/"trend":\[[^\]]*\],"delta_pct":[^,}]*/g, '');
}

/* Both answers to each question, byte for byte. */
async function sameAnswers(ask, engine, questions) {
    for (const url of questions) {
        const [want, have] = [await ask(url), engine(url)];
        equal(have.status, want.status, `${url}: status`);
        if (alone(have.text) !== alone(want.text)) throw new Error(`${url}:\n${have.text.slice(0, 400)}\ninstead of\n${want.text.slice(0, 400)}`);
    }
    return questions.length;
}

const PARTS = 12;
for (let part = 0; part < PARTS; part++) {
    (part ? longTest : test)(`offline: a file answers as its shelf, every kind, part ${part + 1}`, async () => {
        const shelf = await Shelf.start();
        const ask = asker(shelf);
        for (const { id, kind } of addHostile(shelf, part)) {
            const file = exportPage(shelf, id);
            equal(/id="graphviz-worker"/.test(readFileSync(file, 'utf8')), kind === 'pstats', `Graphviz in ${kind}`);
            const engine = await engineOf(file);
            await sameAnswers(ask, engine, await runQuestions(ask, id));
            await sameAnswers(ask, engine, await compareQuestions(ask, '', id));
        }
        check(await shelf.stop(), 'serve ends');
    });
}

test('offline: a page inside a frame that has no address, as in a notebook', async ({ pages, demo }) => {
    const shelf = demo;
    const text = readFileSync(exportPage(shelf, demo.demo.get('bookshop-slow.prof').id), 'utf8');
    const frame = `<iframe sandbox="allow-scripts" srcdoc="${text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"></iframe>`;
    const file = join(shelf.folder, 'notebook.html');
    writeFileSync(file, `<!doctype html><meta charset="utf-8"><style>iframe { width: 100%; height: 600px }</style><main>${frame}</main>`);
    const page = await pages.open(`file://${file}`, { offline: true });
    const inner = page.frameLocator('iframe');
    await inner.locator('.run-head').waitFor();
    const tabs = inner.locator('.tabs a');
    for (const i of [1, 2, 0]) {
        await tabs.nth(i).click();
        await until(async () => (await tabs.nth(i).getAttribute('aria-current')) === 'page', `tab ${i}`);
        equal(await inner.locator('.notice.is-error').allInnerTexts(), [], `errors in tab ${i}`);
    }
    equal(page.url(), `file://${file}`, 'the page around the frame');
    equal(page.frames().length, 2, 'frames');
});

test('offline: a file answers as its shelf, demo profiles', async ({ demo }) => {
    const ask = asker(demo);
    const more = SHORT ? [] : ['events.lprof', 'gpt-h200.pt.trace.json.gz', 'out-of-memory.pickle.gz'];
    for (const name of ['awscli.log', 'bookshop-slow.prof', ...more]) {
        const { id } = demo.demo.get(name);
        const engine = await engineOf(exportPage(demo, id));
        const questions = await runQuestions(ask, id);
        check((await sameAnswers(ask, engine, questions)) > 60, 'many questions');
    }
});

test('offline: attached sources are in the file', async () => {
    const shelf = await Shelf.start();
    const { id } = shelf.add(join(DEMO, 'events.lprof'), '--source-root', join(ROOT, 'demo', 'workloads'));
    const [ask, engine] = [asker(shelf), await engineOf(exportPage(shelf, id))];
    const questions = ['sources', 'source?file=1', 'line_files'].map((view) => `/api/v1/runs/${id}/${view}`);
    await sameAnswers(ask, engine, questions);
    check(engine(questions[1]).text.includes('dice.randrange'), 'lines of the source');
    const without = await engineOf(exportPage(shelf, id, '--redact', 'source'));
    const closed = without(questions[1]);
    equal([closed.status, closed.text.includes('dice.randrange')], [200, false], 'where they are redacted');
    check(await shelf.stop(), 'serve ends');
});

test('offline: a comparison answers as its shelf', async ({ demo }) => {
    const ask = asker(demo);
    const ids = (...names) => names.map((name) => demo.demo.get(name).id).join(',');
    for (const [base, fresh] of [
        [ids('bookshop-slow.prof'), ids('bookshop-cached.prof')],
        [ids('ipython-cold.log'), ids('ipython-warm.log', 'ipython-warm-again.log')],
        [ids('training-waits.pt.trace.json.gz'), ids('training.pt.trace.json.gz')],
    ]) {
        const engine = await engineOf(exportPage(demo, '--base', base, '--new', fresh));
        await sameAnswers(ask, engine, await compareQuestions(ask, base, fresh));
    }
});

for (let part = 0; part < PARTS; part++) {
    (part ? longTest : test)(`offline: every tab of every kind from a file, part ${part + 1}`, async ({ pages }) => {
        const shelf = await Shelf.start();
        for (const { id, kind } of addHostile(shelf, part)) {
            const { page, asked } = await openFile(pages, exportPage(shelf, id));
            await eachTab(page, async (tab) => {
                await noError(page, `${kind}, ${tab}`);
                equal(await page.locator('img[src="x"], [onerror]').count(), 0, `elements of a name in ${kind}, ${tab}`);
            });
            checkAsked(asked);
            await page.context().close();
        }
        check(await shelf.stop(), 'serve ends');
    });
}

test('offline: a comparison from a file, its tabs and its runs', async ({ pages, demo }) => {
    const [base, fresh] = ['bookshop-slow.prof', 'bookshop-cached.prof'].map((name) => demo.demo.get(name).id);
    const { page, asked } = await openFile(pages, exportPage(demo, '--base', base, '--new', fresh));
    await until(async () => (await tabNames(page)).includes('Added and removed 5'), 'the number of rows, which comes after the tabs');
    equal(await tabNames(page), ['Functions', 'Added and removed 5', 'Call graph', 'Side by side'], 'tabs');
    await eachTab(page, (tab) => noError(page, tab));
    await page.locator('.compare-name').first().click();
    await settle(page);
    equal(await page.locator('.crumbs a').allInnerTexts(), ['perfshelf', 'compare'], 'the way back');
    await page.locator('.crumbs a', { hasText: 'compare' }).click();
    await page.locator('.compare-head').waitFor();
    checkAsked(asked);
});

test('offline: runs side by side from a file', async ({ pages, demo }) => {
    const [base, fresh] = ['bookshop-slow.prof', 'bookshop-cached.prof'].map((name) => demo.demo.get(name).id);
    const file = exportPage(demo, '--base', base, '--new', fresh);
    const { page, asked } = await openFile(pages, file, { hash: `#/compare/side?base=${base}&new=${fresh}` });
    const [left, right] = ['base', 'new'].map((side) => page.frameLocator(`.side-panel.is-${side} iframe`));
    await left.locator('.grid-row', { hasText: 'wsgi_app' }).first().click();
    await until(() => /new\.fn=\d+/.test(page.url()), 'the same function on the other side');
    await page.locator('.tabs a', { hasText: 'Call graph' }).last().click();
    for (const panel of [left, right]) await panel.locator('svg.call-graph').waitFor();
    await page.locator('.theme-button').click();
    for (const panel of [left, right]) await panel.locator('html[data-theme="dark"]').waitFor();
    checkAsked(asked);
});

/* Effects come half a second after what is drawn: the code of all tabs, fetched ahead, is there by then. */
test('offline: a tab is drawn whose code another fetched meanwhile', async ({ pages, demo }) => {
    const before = (page) =>
        page.addInitScript(() => {
            const { setTimeout } = window;
            window.requestAnimationFrame = (draw) => setTimeout(draw, 500);
            window.setTimeout = (work, ms, ...rest) => setTimeout(work, ms === 35 ? 500 : ms, ...rest);
        });
    const { page } = await openFile(pages, exportPage(demo, demo.demo.get('bookshop-slow.prof').id), { before });
    await grid(page, 'Functions').getByText('tottime').first().waitFor();
});

test('offline: a table is sorted, searched and saved as on its shelf', async ({ pages, demo }) => {
    const { id } = demo.demo.get('bookshop-slow.prof');
    const { page } = await openFile(pages, exportPage(demo, id));
    const served = await pages.open(`${demo.url}#/run/${id}`);
    for (const one of [page, served]) {
        await grid(one, 'Functions').getByText('tottime').first().click();
        await until(() => /sort=tottime/.test(one.url()), 'the sort in the address');
        await one.getByPlaceholder('Filter by name or file').fill('flask');
        await until(async () => /q=flask/.test(one.url()), 'the filter in the address');
        await settle(one);
    }
    const rows = await rowTexts(page, 'Functions');
    check(rows.length >= 8, 'rows that fit');
    equal(rows.slice(0, 8), (await rowTexts(served, 'Functions')).slice(0, 8), 'rows');
    await page.getByRole('button', { name: 'Export' }).click();
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByText('CSV', { exact: true }).click()]);
    equal(download.suggestedFilename(), `${id}-functions.csv`, 'its name');
    const saved = readFileSync(await download.path(), 'utf8');
    check(saved.split('\n').length > rows.length, 'a line a row');
});

/* What the tabs of a memory snapshot show of an event, and of steps. */
async function snapshotTexts(page) {
    const textOf = (selector) => page.locator(selector).allInnerTexts();
    const labels = await page.locator('.snapshot canvas[aria-label], .frame-scroll').evaluateAll((all) => all.map((one) => one.ariaLabel));
    return [labels, await textOf('.snapshot-cursor'), await textOf('.snapshot-line'), await rowTexts(page, 'live memory by stack')];
}

test('offline: a memory snapshot is explored as on its shelf', async ({ pages, demo }) => {
    const { id } = demo.demo.get('out-of-memory.pickle.gz');
    const { page, asked } = await openFile(pages, exportPage(demo, id));
    const served = await pages.open(`${demo.url}#/run/${id}`);
    for (const key of ['', '[', 'p', 'l', 'ArrowLeft', 'w']) {
        for (const one of [page, served]) {
            if (key) await one.keyboard.press(key);
            await settle(one);
        }
        const want = await snapshotTexts(served);
        check(want.flat(2).length > 12, `texts: ${want}`);
        await until(async () => JSON.stringify(await snapshotTexts(page)) === JSON.stringify(want), `${want} after ${key}`);
    }
    const leaks = [];
    for (const one of [served, page]) {
        await one.locator('.tabs a', { hasText: 'Leaks' }).click();
        await one.locator('.leak-verdict').waitFor();
        await settle(one);
        leaks.push([await one.locator('.leak-verdict').innerText(), await rowTexts(one, 'kept memory by stack')]);
    }
    equal(leaks[1], leaks[0], 'leaks');
    check(/^linear\.py:125 forward keeps 786.MiB of each step/.test(leaks[0][0]), leaks[0][0]);
    checkAsked(asked);
});

test('offline: a file says what it is, and offers nothing that takes a shelf', async ({ pages, demo }) => {
    const { id } = demo.demo.get('awscli.log');
    const file = exportPage(demo, id, '--redact', 'people,labels');
    for (const options of [{}, { theme: 'dark', width: 800 }]) {
        const { page } = await openFile(pages, file, options);
        const words = await page.locator('.offline-line').innerText();
        check(/^Offline copy made \d{4}-\d\d-\d\d \d\d:\d\d UTC by perfshelf [\d.]+\. Redacted: people, labels\.$/.test(words), words);
        for (const name of ['Add profiles', 'Copy link', 'More']) {
            equal(await page.getByRole('button', { name, exact: true }).count(), 0, name);
        }
        equal(await page.locator('a[href*="/original"], .top-search, a[href="#/"]').count(), 0, 'ways to a shelf');
        await page.keyboard.press('?');
        await page.getByText('Licences of the libraries of this page').click();
        check((await page.locator('.help-formats pre').innerText()).includes('SQLite'), 'licences');
    }
});

test('offline: the note of a run is in its file, and in none where anything is redacted', async ({ pages, demo }) => {
    const { id } = demo.demo.get('awscli.log');
    demo.run('edit', id, '--note', 'two\n<b>lines</b>');
    try {
        const { page } = await openFile(pages, exportPage(demo, id));
        await page.locator('.run-note p').waitFor();
        equal(await page.locator('.run-note').innerText(), 'two\n<b>lines</b>');
        const redacted = await openFile(pages, exportPage(demo, id, '--redact', 'source'));
        equal(await redacted.page.locator('.run-note').count(), 0);
    } finally {
        demo.run('edit', id, '--note', ''); // other tests use this run
    }
});

test('offline: what is redacted is nowhere in the file, and the rest is there', async ({ pages, demo }) => {
    for (const [name, gone, stays] of [
        ['bookshop-slow.prof', ['perfshelf-demo', '300 requests, author', 'bookshop/'], ['render_template_string', 'werkzeug/test.py']],
        ['events-memory.txt', ['random.Random', 'sessions of visitors'], ['load_events']],
    ]) {
        const { id } = demo.demo.get(name);
        const text = (file) => {
            const files = carriedFiles(readFileSync(file, 'utf8'));
            files.delete('engine');
            return Buffer.concat([...files.values()]).toString('latin1');
        };
        const [open, closed] = [exportPage(demo, id), exportPage(demo, id, '--redact', 'all')];
        for (const word of gone) equal(text(closed).includes(word), false, `${word} in ${name}`);
        for (const word of stays) equal(text(closed).includes(word), true, `${word} in ${name}`);
        equal(text(open).includes(gone[0]), true, `${gone[0]} where nothing is redacted`);
        const { page, asked } = await openFile(pages, closed);
        await eachTab(page, (tab) => noError(page, tab));
        checkAsked(asked);
    }
});

test('offline: SQL runs over what the file holds', async ({ pages, demo }) => {
    const { id } = demo.demo.get('bookshop-slow.prof');
    const { page } = await openFile(pages, exportPage(demo, id), { hash: `#/run/${id}/sql` });
    await page.locator('textarea').first().fill('SELECT count(*) AS n, sum(ncalls) FROM functions');
    await page.keyboard.press('Control+Enter');
    await page.getByText('1,481,086').or(page.getByText('1481086')).first().waitFor();
    await noError(page, 'SQL');
});

test('offline: a file that did not arrive whole says so', async ({ pages, demo }) => {
    const file = exportPage(demo, demo.demo.get('awscli.log').id);
    const text = readFileSync(file, 'utf8');
    const at = text.indexOf('data-file="/runs/');
    writeFileSync(file, text.slice(0, at + 2000));
    const { page } = await openFile(pages, file);
    check((await page.locator('.notice.is-error').innerText()).includes('it may be incomplete'), 'it says so');
});
