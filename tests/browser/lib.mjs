/* SPDX-License-Identifier: MIT
 *
 * What the browser tests share: the program on a shelf of its own, Chromium, and pages that fail
 * their test when anything is logged as an error, thrown, or refused by the page's own policy.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const PROGRAM = process.env.PERFSHELF ?? join(ROOT, 'build', 'perfshelf');
export const DEMO = join(ROOT, 'demo', 'profiles');
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell';

// People's own servers and those of the tests do not find each other.
const RUNTIME = mkdtempSync(join(tmpdir(), 'perfshelf-runtime-'));
process.env.XDG_RUNTIME_DIR = RUNTIME;
process.env.PERFSHELF_CONFIG = ''; // no test depends on the configuration of who runs it
process.on('exit', () => rmSync(RUNTIME, { recursive: true, force: true }));

// playwright-core is a package of web/, like the rest of what npm brings.
const { chromium } = createRequire(join(ROOT, 'web', 'package.json'))('playwright-core');

export function launch() {
    return chromium.launch({
        executablePath: CHROMIUM,
        args: [
            '--no-sandbox', // tests run as root in containers
            '--disable-gpu',
            '--disable-quic',
            '--no-first-run',
            '--disable-background-networking',
            '--disable-component-update',
            '--disable-sync',
            '--process-per-site',
            '--renderer-process-limit=1', // starting one costs as much as what most tests do in it
        ],
    });
}

/* `perfshelf serve` over a fresh folder on a free port. */
export class Shelf {
    static async start(...more) {
        const shelf = new Shelf();
        shelf.folder = mkdtempSync(join(tmpdir(), 'perfshelf-browser-'));
        const args = ['serve', '--data', shelf.folder, '--listen', '127.0.0.1:0', ...more];
        shelf.process = spawn(PROGRAM, args, { stdio: ['ignore', 'pipe', 'inherit'] });
        shelf.url = await new Promise((resolve, reject) => {
            let text = '';
            shelf.process.stdout.on('data', (bytes) => {
                text += bytes;
                const found = /http:\/\/[\d.]+:\d+\//.exec(text);
                if (found) resolve(found[0]);
            });
            shelf.process.on('exit', (code) => reject(new Error(`serve ended with ${code}`)));
        });
        return shelf;
    }

    /* Runs another perfshelf beside the server; what it prints, parsed where it is JSON. */
    run(verb, ...args) {
        const said = execFileSync(PROGRAM, [verb, '--data', this.folder, ...args], { encoding: 'utf8' });
        return args.includes('--json') ? said.trim().split('\n').map((line) => JSON.parse(line)) : said;
    }

    add(file, ...options) {
        return this.run('add', file, ...options, '--json')[0];
    }

    /* The repository's demo profiles under their names. */
    addDemo(...more) {
        const [, ...rows] = readFileSync(join(ROOT, 'demo', 'shelf.tsv'), 'utf8').trim().split('\n');
        this.demo = new Map();
        for (const row of rows) {
            const [file, name, series, tags] = row.split('\t');
            const options = [...more, '--name', name, ...tags.split(' ').flatMap((tag) => ['--tag', tag])];
            if (series !== '-') options.push('--series', series);
            this.demo.set(file, this.add(join(DEMO, file), ...options));
        }
        return this;
    }

    /* Asks the server to end and says whether it did so by itself, in time and without a word. */
    async stop() {
        await Pages.current?.close(); // a page that outlives its server would complain of it
        const { process } = this;
        process.removeAllListeners('exit');
        const gone = new Promise((resolve) => process.once('exit', (code) => resolve(code === 0)));
        if (process.exitCode === null) process.kill('SIGTERM');
        const late = new Promise((resolve) => setTimeout(() => resolve(false), 15_000).unref());
        const clean = process.exitCode === 0 || (await Promise.race([gone, late]));
        if (!clean) process.kill('SIGKILL');
        rmSync(this.folder, { recursive: true, force: true });
        return clean;
    }
}

/* A page on a busy machine: each request goes out up to Pages.delay milliseconds late. */
function sendLate(context) {
    return context.route('**/api/**', async (route) => {
        await new Promise((resolve) => setTimeout(resolve, Math.random() * Pages.delay));
        await route.continue().catch(() => {}); // the page may be closed by now
    });
}

/* A page costs a process of Chromium, which reads all code anew. The first page of a test is therefore the same one in all tests,
 * emptied between them: as it was opened, without storage, cookies, history, routes and listeners of the test before. */
class KeptPage {
    async open(browser) {
        this.context = await newContext(browser, {});
        this.page = await this.context.newPage();
        this.session = await this.context.newCDPSession(this.page);
        await reportTo(this.page);
        return this;
    }

    async prepare(theme, viewport) {
        await this.page.emulateMedia({ colorScheme: theme });
        await this.page.setViewportSize(viewport);
        return this.page;
    }

    async empty() {
        const { page, context, session } = this;
        const origin = new URL(page.url()).origin;
        page.removeAllListeners();
        await page.unrouteAll({ behavior: 'ignoreErrors' });
        await context.unrouteAll({ behavior: 'ignoreErrors' });
        if (origin !== 'null') {
            await page.evaluate(() => sessionStorage.clear()).catch(() => {}); // an error page has none
            await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
        }
        await context.clearCookies();
        await page.goto('about:blank');
        await page.mouse.move(0, 0);
        await session.send('Page.resetNavigationHistory');
    }
}

function newContext(browser, { theme = 'light', viewport = { width: 1440, height: 900 }, offline = false }) {
    const permissions = ['clipboard-read', 'clipboard-write'];
    return browser.newContext({ colorScheme: theme, offline, viewport, timezoneId: 'UTC', permissions });
}

/* What its policy refuses is a fault of the test that is running. */
async function reportTo(page) {
    await page.exposeFunction('reportViolation', (text) => Pages.current.fault(`policy: ${text}`));
    await page.addInitScript(() => {
        addEventListener('securitypolicyviolation', (event) =>
            window.reportViolation(`${event.violatedDirective} ${event.blockedURI}`),
        );
    });
}

/* The pages of one test. */
export class Pages {
    static current = null;
    static delay = 0;
    static kept = null;

    constructor(browser) {
        Pages.current = this;
        this.browser = browser;
        this.contexts = [];
        this.usesKept = false;
        this.faults = [];
        this.expected = [];
    }

    /* A fault that this test provokes on purpose. */
    expect(pattern) {
        this.expected.push(pattern);
    }

    fault(text) {
        if (!this.expected.some((pattern) => pattern.test(text))) this.faults.push(text);
    }

    async newPage({ theme, viewport, offline }) {
        const context = await newContext(this.browser, { theme, viewport, offline });
        this.contexts.push(context);
        const page = await context.newPage();
        await reportTo(page);
        return page;
    }

    async keptPage(theme, viewport) {
        this.usesKept = true;
        Pages.kept ??= await new KeptPage().open(this.browser);
        return Pages.kept.prepare(theme, viewport);
    }

    /* `before` is called with a page of its own, which is still empty. */
    async open(url, { theme = 'light', width = 1440, height = 900, offline = false, before } = {}) {
        const viewport = { width, height };
        const needsOwn = offline || before || this.usesKept;
        const page = needsOwn ? await this.newPage({ theme, viewport, offline }) : await this.keptPage(theme, viewport);
        if (Pages.delay) await sendLate(page.context());
        page.setDefaultTimeout(30_000);
        watchRequests(page);
        await before?.(page);
        page.on('console', (message) => {
            if (message.type() === 'error') this.fault(`console: ${message.text()}`);
        });
        page.on('pageerror', (error) => this.fault(`thrown: ${error.stack ?? error}`));
        await page.goto(url);
        await settle(page);
        return page;
    }

    /* Where each page is, and what stands on it. */
    async seen() {
        const kept = this.usesKept ? [Pages.kept.context] : [];
        const pages = [...kept, ...this.contexts].flatMap((context) => context.pages());
        return Promise.all(
            pages.map(async (page) => {
                const text = await page
                    .locator('body')
                    .innerText({ timeout: 1000 })
                    .catch(() => '(no answer)');
                return `${page.url()} shows: ${text.replace(/\s+/g, ' ').slice(0, 600)}`;
            }),
        );
    }

    async close() {
        for (const context of this.contexts.splice(0)) await context.close();
        if (!this.usesKept) return;
        this.usesKept = false;
        if (Pages.kept.page.isClosed()) Pages.kept = null;
        else await Pages.kept.empty();
    }
}

/* Requests of a page that have no answer yet; its stream of events has none ever. */
const underway = new WeakMap();

function watchRequests(page) {
    const open = new Set();
    underway.set(page, open);
    page.on('request', (request) => {
        if (request.resourceType() !== 'eventsource') open.add(request);
    });
    for (const event of ['requestfinished', 'requestfailed']) page.on(event, (request) => open.delete(request));
}

const QUIET_ROUNDS = 3;

/* Those of the page that stands now: a page is used by several tests, each with a server of its own, and Chromium may
 * tell of a request of the page before without telling its end. */
function openRequests(page) {
    const origin = new URL(page.url()).origin;
    return [...underway.get(page)].map((request) => request.url()).filter((url) => new URL(url).origin === origin);
}

/* Until the page has asked for nothing and drawn what it has, several times in a row: a slow machine
 * makes the rounds longer, so this waits for the page and not for a clock. */
export async function quiet(page) {
    let rounds = 0;
    const isQuiet = async () => {
        await page.evaluate(() => new Promise((resolve) => {
            requestAnimationFrame(() => setTimeout(() => requestAnimationFrame(() => setTimeout(resolve, 30)), 30));
        }));
        rounds = openRequests(page).length ? 0 : rounds + 1;
        return rounds >= QUIET_ROUNDS;
    };
    await until(isQuiet, 'a page that asks for nothing more', 30_000).catch((error) => {
        throw new Error(`${error.message}; not answered: ${openRequests(page).join(' ')}`);
    });
}

/* Until the page stands and does what it does right after, binding its keys for instance. */
export async function settle(page) {
    await page.locator('main').waitFor();
    await quiet(page);
}

/* Names a test; suites are functions that are given the demo shelf and call this. */
export const tests = [];
export function test(name, run) {
    tests.push({ name, run });
}

export const SHORT = Boolean(process.env.PERFSHELF_SHORT);

/* A test that is long by nature, such as each tab of one more kind: `./dev test` leaves it to `./dev test --all`. */
export function longTest(name, run) {
    tests.push({ name, run, isLong: true });
}

export function check(condition, what) {
    if (!condition) throw new Error(what);
}

export function equal(have, want, what = 'value') {
    const [a, b] = [JSON.stringify(have), JSON.stringify(want)];
    if (a !== b) throw new Error(`${what}: ${a} instead of ${b}`);
}

/* Turns the wheel with Ctrl, which zooms. */
export async function zoomWheel(page, dy) {
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, dy);
    await page.keyboard.up('Control');
}

/* Waits until `ask` answers something true; what it answered. */
export async function until(ask, what, ms = 60_000) {
    const end = Date.now() + ms;
    for (;;) {
        const answer = await ask();
        if (answer) return answer;
        if (Date.now() > end) throw new Error(`never: ${what}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
    }
}

/* The grid of that label, its rows that stand on the screen, and the texts of their cells. */
export function grid(page, label) {
    return page.locator(`.grid-scroll[aria-label="${label}"]`);
}

export async function rowTexts(page, label) {
    return grid(page, label).locator('.grid-row').evaluateAll((rows) =>
        rows
            .filter((row) => row.childElementCount)
            .sort((a, b) => Number(a.dataset.index) - Number(b.dataset.index))
            .map((row) => [...row.children].map((cell) => cell.textContent.trim())),
    );
}

/* Drops files as the desktop does, through the browser's own input. */
export async function dropFiles(page, files, { release = true } = {}) {
    const session = await page.context().newCDPSession(page);
    const data = { items: [], files, dragOperationsMask: 1 };
    for (const type of release ? ['dragEnter', 'dragOver', 'drop'] : ['dragEnter', 'dragOver']) {
        await session.send('Input.dispatchDragEvent', { type, x: 600, y: 400, data });
    }
    await session.detach();
}
