/* SPDX-License-Identifier: MIT
 *
 * The callers and callees of a name of a trace, in the tab of its flame graphs.
 */
import { join } from 'node:path';
import { faultsOfPage } from './access.mjs';
import { check, DEMO, equal, Shelf, test, until } from './lib.mjs';

const NAME = 'aten::linear';
const query = (page) => new URLSearchParams(new URL(page.url()).hash.split('?')[1] ?? '');
const row = async (page) => (await page.locator('.sandwich-row').innerText()).replace(/\s+/g, ' ');

test('trace sandwich: callers and callees of a selected frame, in two graphs', async ({ pages }) => {
    const shelf = await Shelf.start();
    try {
        const { id } = shelf.add(join(DEMO, 'gpt-h200.pt.trace.json.gz'));
        const api = (path) => fetch(`${shelf.url}api/v1/runs/${id}/${path}`).then((answer) => answer.json());
        const [host, device] = await Promise.all(['cpu', 'python'].map((on) => api(`flame?on=${on}&around=${NAME}`)));
        const page = await pages.open(`${shelf.url}#/run/${id}/flame?sel=${encodeURIComponent(NAME)}`);
        await page.locator('.selection-pane').getByText('Show callers and callees').click();
        await until(async () => (await page.locator('.sandwich-row').count()) && (await row(page)).startsWith(`${NAME} total`), 'the sandwich');
        equal(query(page).get('around'), NAME, 'the name in the URL');
        const share = (answer) => `${((100 * answer.callers.sum) / answer.sum).toFixed(1)} %`;
        check((await row(page)).includes(share(host)), `${share(host)} of the host: ${await row(page)}`);
        equal(await page.evaluate(faultsOfPage), [], 'accessible');

        await page.getByRole('button', { name: 'Device by Python' }).click();
        await until(async () => (await row(page)).includes(share(device)), `${share(device)} of the device`);
        await page.getByRole('button', { name: 'Whole flame graph' }).click();
        await page.locator('.frame-scroll').waitFor();
        equal([query(page).get('around'), query(page).get('flame_on')], [null, 'python'], 'the same graph, as a whole');
    } finally {
        await shelf.stop();
    }
});
