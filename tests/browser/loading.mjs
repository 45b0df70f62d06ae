/* SPDX-License-Identifier: MIT
 *
 * How a page loads: few scripts, and the data of a report before its first render. Times depend on the
 * machine, so the tests check the number and the order of requests.
 */
import { check, equal, longTest, test } from './lib.mjs';

const isScript = (request) => request.resourceType() === 'script';

/* Scripts that the page requests until it requests `until`. */
async function scriptsBefore(pages, url, until) {
    const scripts = [];
    let isDone = false;
    await pages.open(url, {
        before: (page) =>
            page.on('request', (request) => {
                isDone ||= until(request.url());
                if (!isDone && isScript(request)) scripts.push(request.url());
            }),
    });
    check(isDone, 'the page never made its request');
    return scripts;
}

test('loading: the shelf loads two scripts before its rows', async ({ pages, demo }) => {
    const scripts = await scriptsBefore(pages, demo.url, (url) => /\/runs\?/.test(url));
    equal(scripts.length, 2, `scripts: ${scripts.join(' ')}`);
});

const TABS = [
    ['training.pt.trace.json.gz', 'timeline', /\/window\?/, 4],
    ['training.pt.trace.json.gz', 'operators', /\/operators\?/, 4],
    ['bookshop-slow.prof', 'functions', /\/functions\?/, 5],
    ['awscli.log', 'imports', /\/imports\/tree/, 4],
];
for (const [i, [file, tab, data, most]] of TABS.entries()) {
    (i ? longTest : test)(`loading: ${tab} of ${file} loads at most ${most} scripts before its data`, async ({ pages, demo }) => {
        const url = `${demo.url}#/run/${demo.demo.get(file).id}/${tab}`;
        const scripts = await scriptsBefore(pages, url, (one) => data.test(one));
        check(scripts.length <= most, `${scripts.length} scripts: ${scripts.join(' ')}`);
    });
}

test('loading: the timeline is requested before the run is known', async ({ pages, demo }) => {
    const { id } = demo.demo.get('training.pt.trace.json.gz');
    let requested;
    const timeline = new Promise((resolve) => (requested = resolve));
    let reads = 0;
    const page = await pages.open(`${demo.url}#/run/${id}/timeline`, {
        before: async (opened) => {
            opened.on('request', (request) => {
                if (!request.url().includes(`/runs/${id}/timeline?`)) return;
                reads++;
                requested();
            });
            await opened.route(`**/api/v1/runs/${id}`, async (route) => {
                await timeline;
                await route.continue();
            });
        },
    });
    await page.locator('.timeline canvas').first().waitFor();
    equal(reads, 1, 'requests for the timeline');
});
