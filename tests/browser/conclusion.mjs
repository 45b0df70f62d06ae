/* SPDX-License-Identifier: MIT
 *
 * The conclusion at the head of reports: its sentence, the links of its numbers, its causes.
 */
import { check, equal, test, until } from './lib.mjs';

const sentenceOf = async (page) => {
    await page.locator('.conclusion-sentence').waitFor();
    const text = await page.locator('.conclusion-sentence').innerText();
    return text.replaceAll(/\s+/g, ' ');
};

test('conclusion: a report opens with its cause, and numbers lead to their rows', async ({ pages, demo }) => {
    const run = demo.demo.get('bookshop-slow.prof');
    const page = await pages.open(`${demo.url}#/run/${run.id}`);
    const sentence = await sentenceOf(page);
    check(/author_of takes 41\.0 % of the time\. 655\.5 ms of 1\.599 s/.test(sentence), sentence);
    equal(await page.locator('.causes tbody tr').count(), 5, 'rows with the parts of the first cause');
    await page.locator('.conclusion-sentence a', { hasText: 'author_of' }).click();
    await until(async () => /[?&]fn=\d+/.test(page.url()), 'the function is selected');
    await page.locator('.pane-head, .pane', { hasText: 'author_of' }).first().waitFor();
});

test('conclusion: it is one line on other tabs, i opens and closes it', async ({ pages, demo }) => {
    const run = demo.demo.get('gpt-h200.pt.trace.json.gz');
    const page = await pages.open(`${demo.url}#/run/${run.id}/operators`);
    const sentence = await sentenceOf(page);
    check(/^▸ ?The host is too slow for the GPU\. The GPU waits 13\.74 ms of the 14\.53 ms/.test(sentence), sentence);
    equal(await page.locator('.causes').count(), 0, 'causes on another tab');
    await page.keyboard.press('i');
    await page.locator('.causes').waitFor();
    await page.keyboard.press('i');
    await until(async () => (await page.locator('.causes').count()) === 0, 'i hides the causes');
    await page.goto(`${demo.url}#/run/${run.id}/timeline`);
    await page.locator('.causes').waitFor();
    await page.keyboard.press('i');
    await until(async () => (await page.locator('.causes').count()) === 0, 'hidden on the first tab too');
    await page.reload();
    await sentenceOf(page);
    equal(await page.locator('.causes').count(), 0, 'the choice is kept');
});

test('conclusion: the open cause is in the URL', async ({ pages, demo }) => {
    const run = demo.demo.get('gpt-h200.pt.trace.json.gz');
    const page = await pages.open(`${demo.url}#/run/${run.id}/timeline?why=2`);
    await page.locator('.causes tr.is-part').first().waitFor();
    const first = await page.locator('.causes tr.is-part').first().innerText();
    check(!/Operators on the CPU/.test(first), first);
    await page.locator('.causes button').first().click();
    await until(async () => /why=1/.test(page.url()), 'the URL follows');
    await page.getByText('Operators on the CPU').waitFor();
});

test('conclusion: every demo run says what was found', async ({ pages, demo }) => {
    for (const [name, run] of demo.demo) {
        const page = await pages.open(`${demo.url}#/run/${run.id}`);
        const sentence = await sentenceOf(page);
        check(sentence.length > 20 && !/NaN|undefined|null/.test(sentence), `${name}: ${sentence}`);
        await page.close();
    }
});
