/* SPDX-License-Identifier: MIT
 *
 * Runs the browser tests: `node tests/browser/run.mjs [WORD...]` narrows them to names with a WORD.
 * Pictures of every view are left in tests/browser/shots.
 */
import { launch, Pages, Shelf, tests } from './lib.mjs';
import './shelf.mjs';
import './imports.mjs';
import './functions.mjs';
import './scroll.mjs';
import './access.mjs';
import './shots.mjs';

const words = process.argv.slice(2);
const chosen = tests.filter(({ name }) => !words.length || words.some((word) => name.includes(word)));

const browser = await launch();
const demo = (await Shelf.start()).addDemo();
let failed = 0;
for (const { name, run } of chosen) {
    const pages = new Pages(browser);
    const began = Date.now();
    try {
        await run({ pages, demo });
        if (pages.faults.length) throw new Error(pages.faults.join('\n'));
        console.log(`ok    ${name} (${Date.now() - began} ms)`);
    } catch (error) {
        failed++;
        console.log(`FAIL  ${name}\n${String(error.stack ?? error).replace(/^/gm, '      ')}`);
        for (const fault of pages.faults) console.log(`      ${fault}`);
    }
    await pages.close();
}
await browser.close();
await demo.stop();
console.log(`browser: ${chosen.length} tests`);
console.log(`${chosen.length - failed} passed, ${failed} failed`);
process.exitCode = failed ? 1 : 0;
