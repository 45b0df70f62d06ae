/* SPDX-License-Identifier: MIT
 *
 * timeline_pace.mjs URL RUN [SECONDS]: opens the timeline of a run from the shelf, pans and zooms for SECONDS (10), and prints
 * as JSON: ms from the click to the first painted slices; script time of the frames, as the browser's own trace tells it; the
 * private memory of the tab's process.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { launch } from './lib.mjs';

const [url, id, seconds = '10'] = process.argv.slice(2);
const FRAME_MS = 1000 / 60;
/* What runs on the main thread on behalf of the page's script, in the trace of Chromium. */
const SCRIPT = new Set(['FunctionCall', 'EvaluateScript', 'v8.compile', 'RunMicrotasks', 'TimerFire', 'FireAnimationFrame',
    'FireIdleCallback', 'EventDispatch', 'MajorGC', 'MinorGC', 'v8.callFunction', 'XHRReadyStateChange', 'HandlePostMessage']);

/* KiB of the renderer's own memory: proportional set size of the heaviest renderer below this process. */
function rendererKib() {
    let most = 0;
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
        try {
            if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--type=renderer')) continue;
            const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
            most = Math.max(most, Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0));
        } catch {
            // it has ended meanwhile
        }
    }
    return most;
}

/* Script per frame: the union of script events of the page's main thread, cut into frames of a sixtieth of a second. */
function scriptPerFrame(events) {
    const mains = events.filter((e) => e.name === 'thread_name' && e.args.name === 'CrRendererMain').map((e) => `${e.pid}/${e.tid}`);
    const spans = events
        .filter((e) => e.ph === 'X' && SCRIPT.has(e.name) && mains.includes(`${e.pid}/${e.tid}`))
        .map((e) => [e.ts / 1000, (e.ts + e.dur) / 1000])
        .sort((a, b) => a[0] - b[0]);
    const frames = new Map();
    let end = -Infinity;
    for (const [from, to] of spans) {
        for (let at = Math.max(from, end); at < to; ) {
            const frame = Math.floor(at / FRAME_MS);
            const stop = Math.min(to, (frame + 1) * FRAME_MS);
            frames.set(frame, (frames.get(frame) ?? 0) + stop - at);
            at = stop === at ? at + 1e-6 : stop;
        }
        end = Math.max(end, to);
    }
    return frames;
}

/* The longest single stretch of script also counts: a task of 50 ms blocks three frames. */
function tasks(events) {
    const mains = events.filter((e) => e.name === 'thread_name' && e.args.name === 'CrRendererMain').map((e) => `${e.pid}/${e.tid}`);
    return events.filter((e) => e.ph === 'X' && e.name === 'FireAnimationFrame' && mains.includes(`${e.pid}/${e.tid}`)).map((e) => e.dur / 1000);
}

const browser = await launch();
const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
await page.goto(url);
const row = page.locator('.grid-scroll[aria-label=runs] .grid-row').first();
await row.waitFor();
await page.waitForTimeout(700);
const first = await page.evaluate(async (run) => {
    const began = performance.now();
    location.hash = `#/run/${run}/timeline`;
    for (;;) {
        await new Promise((resolve) => requestAnimationFrame(resolve));
        if (document.querySelector('.status-line')?.textContent.includes('drawn from')) break;
        if (performance.now() - began > 20_000) throw new Error('no picture');
    }
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    return performance.now() - began;
}, id);
await page.waitForTimeout(1000);

const box = await page.locator('.timeline-canvas').boundingBox();
await page.mouse.move(box.x + box.width / 2, box.y + 200);
const client = await page.context().newCDPSession(page);
const events = [];
client.on('Tracing.dataCollected', ({ value }) => events.push(...value));
const ended = new Promise((resolve) => client.once('Tracing.tracingComplete', resolve));
await client.send('Tracing.start', { transferMode: 'ReportEvents', categories: 'devtools.timeline,v8,disabled-by-default-v8.gc,__metadata' });
const until = Date.now() + Number(seconds) * 1000;
for (let turn = 0; Date.now() < until; turn++) {
    await page.keyboard.down('Control');
    for (let i = 0; i < 12; i++) {
        await page.mouse.wheel(0, turn % 2 ? 120 : -120); // zoom in, zoom out
        await page.waitForTimeout(16);
    }
    await page.keyboard.up('Control');
    await page.mouse.down();
    for (let i = 0; i < 25; i++) {
        await page.mouse.move(box.x + box.width / 2 + (turn % 2 ? -1 : 1) * i * 12, box.y + 200);
        await page.waitForTimeout(16);
    }
    await page.mouse.up();
    await page.mouse.move(box.x + box.width / 2, box.y + 200);
    await page.keyboard.down('d');
    await page.waitForTimeout(200);
    await page.keyboard.up('d');
}
await client.send('Tracing.end');
await ended;
const frames = [...scriptPerFrame(events).values()].sort((a, b) => a - b);
const painted = tasks(events).sort((a, b) => a - b);
const at = (list, share) => list[Math.floor(share * (list.length - 1))] ?? 0;
const slow = painted.filter((ms) => ms >= 17).length;
console.log(JSON.stringify({
    first_paint_ms: first, frames: painted.length, script_p50_ms: at(painted, 0.5), script_p95_ms: at(painted, 0.95), script_max_ms: at(painted, 1),
    under_17_ms: 1 - slow / Math.max(1, painted.length), all_script_p95_ms: at(frames, 0.95), tab_mib: rendererKib() / 1024,
}));
await browser.close();
