/* SPDX-License-Identifier: MIT
 *
 * Each request of a tab is refused in turn: the page says so, and not that there is nothing.
 */
import { check, longTest, settle, test } from './lib.mjs';

const WHY = 'refused on purpose';
const BODY = JSON.stringify({ error: { code: 'internal', text: WHY } });
/* These have a place of their own, which other tests look at. */
const ELSEWHERE = /\/(shelf|formats|jobs|me|samples|runs|conclusion)$|\/runs\/ID$/;

/* The endpoint of a request: its path without ids. */
function endpointOf(request) {
    const { pathname } = new URL(request.url());
    return pathname.replace(/[0-9a-f]{16,}/g, 'ID').replace(/\/\d+(?=\/|$)/g, '/N');
}

const isRead = (request) => request.method() === 'GET' && request.url().includes('/api/v1/') && request.resourceType() !== 'eventsource';

/* Opens the tab with the endpoint refused. Resolves to the endpoints that it asked, and its text. */
async function visit(pages, url, refused) {
    const asked = new Set();
    const before = (page) =>
        page.route('**/api/v1/**', (route) => {
            const request = route.request();
            if (!isRead(request)) return route.continue();
            const endpoint = endpointOf(request);
            asked.add(endpoint);
            if (endpoint !== refused) return route.continue();
            return route.fulfill({ status: 500, contentType: 'application/json', body: BODY });
        });
    const page = await pages.open(url, { before });
    await settle(page);
    const texts = await Promise.all(page.frames().map((frame) => frame.locator('body').innerText()));
    await pages.close();
    return { asked, text: texts.join(' ') };
}

async function checkTab(pages, url) {
    const { asked } = await visit(pages, url, null);
    const parts = [...asked].filter((endpoint) => !ELSEWHERE.test(endpoint));
    check(parts.length, `${url} asks for nothing`);
    for (const part of parts) {
        const { asked: again, text } = await visit(pages, url, part);
        check(again.has(part), `${url} asks for ${part} only sometimes`);
        check(text.toLowerCase().includes(WHY), `${part} was refused, and ${url} shows: ${text.replace(/\s+/g, ' ').slice(-300)}`);
    }
}

async function tabsOf(pages, url) {
    const page = await pages.open(url);
    const hrefs = await page.locator('.tabs nav a').evaluateAll((tabs) => tabs.map((tab) => tab.getAttribute('href')));
    await pages.close();
    return hrefs;
}

function refusalTest(put, name, urlOf, tabs = null) {
    put(`refusals: ${name}`, async ({ pages, demo }) => {
        pages.expect(/status of 500/);
        const url = demo.url + urlOf(demo.demo);
        const hrefs = tabs ? tabs.map((tab) => urlOf(demo.demo) + tab) : await tabsOf(pages, url);
        check(hrefs.length, `${url} has no tabs`);
        for (const href of hrefs) await checkTab(pages, demo.url + href);
    });
}

const runOf = (file) => (demo) => `#/run/${demo.get(file).id}`;
refusalTest(test, 'who imports, and lazy imports', runOf('awscli.log'), ['/who-imports', '/lazy']);
for (const file of ['awscli.log', 'bookshop-slow.prof', 'events.lprof', 'events-memory.txt', 'out-of-memory.pickle.gz', 'training.pt.trace.json.gz']) {
    refusalTest(longTest, `every tab of ${file}`, runOf(file));
}
const PAIRS = [['bookshop-slow.prof', 'bookshop-joined.prof'], ['training-waits.pt.trace.json.gz', 'training.pt.trace.json.gz'], ['ipython-cold.log', 'ipython-warm.log']];
for (const pair of PAIRS) {
    refusalTest(longTest, `every tab of a comparison with ${pair[0]}`, (demo) => {
        const [base, fresh] = pair.map((file) => demo.get(file).id);
        return `#/compare?base=${base}&new=${fresh}`;
    });
}
refusalTest(longTest, 'SQL', () => '#/sql', ['']);
refusalTest(longTest, 'a trend', () => '#/trend?runs=series:bookshop', ['']);
