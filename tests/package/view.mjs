/* SPDX-License-Identifier: MIT
 *
 * node view.mjs URL: opens both runs of a shelf, a cProfile dump and import times, in Chromium. Prints what it saw; fails if a
 * run shows no rows or the page reports an error.
 */
import { grid, launch, Pages, rowTexts, until } from '../browser/lib.mjs';

const TABLES = { pstats: ['functions', 'Functions'], importtime: ['imports', 'Modules'] };

const url = process.argv[2];
const browser = await launch();
const pages = new Pages(browser);
const seen = [];
const { rows: runs } = await (await fetch(`${url}api/v1/runs`)).json();
for (const { id, kind } of runs) {
    const [tab, label] = TABLES[kind];
    const page = await pages.open(`${url}#/run/${id}/${tab}`);
    await grid(page, label).waitFor();
    const rows = await until(async () => {
        const found = await rowTexts(page, label);
        return found.length ? found : null;
    }, `rows of ${label}`);
    seen.push(`${rows.length} ${tab}`);
}
await pages.close();
await browser.close();
if (pages.faults.length) throw new Error(pages.faults.join('\n'));
if (seen.length !== 2) throw new Error(`the shelf has ${runs.length} runs`);
console.log(seen.sort().join(', '));
