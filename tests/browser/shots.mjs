/* SPDX-License-Identifier: MIT
 *
 * Pictures of every view, light and dark and 800 pixels wide, for people to look at. The one of the
 * shelf is also what README.md shows.
 */
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { grid, longTest, quiet, ROOT, test } from './lib.mjs';

const FOLDER = join(ROOT, 'tests', 'browser', 'shots');
const VIEWS = {
    shelf: () => '',
    imports: (demo) => `#/run/${demo.demo.get('awscli.log').id}/imports`,
    packages: (demo) => `#/run/${demo.demo.get('awscli.log').id}/packages`,
    'who-imports': (demo) => `#/run/${demo.demo.get('awscli.log').id}/who-imports`,
    functions: (demo) => `#/run/${demo.demo.get('bookshop-slow.prof').id}/functions`,
    calltree: (demo) => `#/run/${demo.demo.get('bookshop-slow.prof').id}/calltree`,
    callgraph: (demo) => `#/run/${demo.demo.get('bookshop-slow.prof').id}/callgraph`,
    files: (demo) => `#/run/${demo.demo.get('bookshop-slow.prof').id}/files`,
    ledger: (demo) => `#/run/${demo.demo.get('threads.log').id}/ledger`,
};
const LOOKS = { light: {}, dark: { theme: 'dark' }, 800: { width: 800 } };

for (const [view, hash] of Object.entries(VIEWS)) {
    (view === 'shelf' ? test : longTest)(`shots: ${view}`, async ({ pages, demo }) => {
        mkdirSync(FOLDER, { recursive: true });
        for (const [look, options] of Object.entries(LOOKS)) {
            const page = await pages.open(demo.url + hash(demo), options);
            await page.locator('main').waitFor();
            if (view === 'shelf') await grid(page, 'runs').locator('.grid-row').first().waitFor();
            if (view === 'callgraph') await page.locator('svg.call-graph').first().waitFor();
            await quiet(page);
            await page.screenshot({ path: join(FOLDER, `${view}-${look}.png`) });
        }
        if (view === 'imports' && process.env.PERFSHELF_README_SHOT) {
            copyFileSync(join(FOLDER, 'imports-light.png'), join(ROOT, 'docs', 'screenshot.png'));
        }
    });
}
