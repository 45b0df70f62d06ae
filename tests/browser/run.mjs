/* SPDX-License-Identifier: MIT
 *
 * Runs the browser tests: `node tests/browser/run.mjs [--part I/N] [--delay MS] [WORD...]` narrows them to names with a WORD,
 * or to the file WORD.mjs if there is one, and to each Nth of these, from number I. Each process has a server and a browser of
 * its own. With --delay, each request of a page is sent up to MS milliseconds late: tests that do not wait for what they click
 * on fail then. With PERFSHELF_SHORT, long tests are left out. Pictures of every view are left in tests/browser/shots.
 */
import { parseArgs } from 'node:util';
import { launch, Pages, Shelf, SHORT, tests } from './lib.mjs';

// Those first that others import.
const FILES = [
    'access', 'shelf', 'empty_shelf', 'imports', 'what_if', 'functions', 'lines', 'printed', 'timeline', 'timeline_tracks', 'area', 'notes', 'trace_tabs', 'trace_sandwich', 'summaries',
    'nsys', 'measure', 'memory', 'snapshot', 'pair', 'stacks', 'sample_types', 'selection', 'compare', 'compare_group', 'environment', 'compare_time', 'compare_side', 'snapshot_compare', 'requests_compare', 'ranks', 'inference', 'requests', 'critical_path', 'roofline', 'xla', 'trend', 'scroll', 'login',
    'share', 'conclusion', 'attacks', 'offline', 'shots', 'search', 'sql', 'docs', 'layout',
    'loading', 'columns', 'refusals',
    'a11y',
];
const TEST_MS = 300_000;

function within(ms, work) {
    const late = new Promise((_, reject) => {
        setTimeout(() => reject(new Error(`took longer than ${ms} ms`)), ms).unref();
    });
    return Promise.race([work, late]);
}

const { values: options, positionals: words } = parseArgs({
    allowPositionals: true,
    options: { part: { type: 'string', default: '0/1' }, delay: { type: 'string', default: '0' } },
});
Pages.delay = Number(options.delay);
const [part, parts] = options.part.split('/').map(Number);

for (const file of FILES) {
    const before = tests.length;
    await import(`./${file}.mjs`);
    for (const test of tests.slice(before)) test.file = file;
}
const fits = (test, word) => (FILES.includes(word) ? test.file === word : test.name.includes(word));
const named = tests.filter((test) => !words.length || words.some((word) => fits(test, word)));
const isLeftOut = (test) => SHORT && test.isLong;
const chosen = named.filter((test) => !isLeftOut(test)).filter((_, index) => index % parts === part);
if (part === 0) {
    for (const { name } of named.filter(isLeftOut)) console.log(`skip  ${name} # SKIP long: ./dev test --all runs it`);
}

if (!chosen.length) {
    console.log(`no test has the name ${words.join(' or ')}`);
    process.exit(1);
}
const browser = await launch();
const demo = (await Shelf.start()).addDemo();
let failed = 0;
for (const { name, run } of chosen) {
    const pages = new Pages(browser);
    const began = Date.now();
    try {
        await within(TEST_MS, run({ pages, demo }));
        if (pages.faults.length) throw new Error(pages.faults.join('\n'));
        console.log(`ok    ${name} (${Date.now() - began} ms)`);
    } catch (error) {
        failed++;
        console.log(`FAIL  ${name}\n${String(error.stack ?? error).replace(/^/gm, '      ')}`);
        for (const line of [...pages.faults, ...(await pages.seen())]) console.log(`      ${line}`);
    }
    await pages.close();
}
await browser.close();
const clean = await demo.stop();
if (!clean) failed++;
console.log(`${clean ? 'ok  ' : 'FAIL'}  serve ends on SIGTERM after all of this`);
console.log(`${chosen.length + 1 - failed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
