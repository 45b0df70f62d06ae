/* SPDX-License-Identifier: MIT
 *
 * What a picture costs the browser while it is moved by wheel, drag and keys: script time of the frames, as the browser's own
 * trace tells it; the private memory of the tab's process. For timeline_pace.mjs, stacks_pace.mjs and compare_pace.mjs.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { launch } from './lib.mjs';

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

/* Callbacks of one frame follow each other at once, also those of several documents. */
const SAME_FRAME_MS = 2;

/* The longest single stretch of script also counts: a task of 50 ms blocks three frames. */
function tasks(events) {
    const mains = events.filter((e) => e.name === 'thread_name' && e.args.name === 'CrRendererMain').map((e) => `${e.pid}/${e.tid}`);
    const callbacks = events
        .filter((e) => e.ph === 'X' && e.name === 'FireAnimationFrame' && mains.includes(`${e.pid}/${e.tid}`))
        // Time of the thread: on a busy machine a callback also lasts while others have the processor.
        .map((e) => ({ from: e.ts / 1000, to: (e.ts + e.dur) / 1000, ms: (e.tdur ?? e.dur) / 1000 }))
        .sort((a, b) => a.from - b.from);
    const frames = [];
    let end = -Infinity;
    for (const { from, to, ms } of callbacks) {
        if (from - end < SAME_FRAME_MS) frames[frames.length - 1] += ms;
        else frames.push(ms);
        end = to;
    }
    return { frames, callbacks: callbacks.length };
}

const at = (list, share) => list[Math.floor(share * (list.length - 1))] ?? 0;

/* Zooms in and out, drags, holds a key, until the time is over. */
async function move(page, box, seconds) {
    const [x, y] = [box.x + box.width / 2, box.y + Math.min(200, box.height / 2)];
    await page.mouse.move(x, y);
    const until = Date.now() + seconds * 1000;
    for (let turn = 0; Date.now() < until; turn++) {
        await page.keyboard.down('Control');
        for (let i = 0; i < 12; i++) {
            await page.mouse.wheel(0, turn % 2 ? 120 : -120); // zoom in, zoom out
            await page.waitForTimeout(16);
        }
        await page.keyboard.up('Control');
        await page.mouse.down();
        for (let i = 0; i < 25; i++) {
            await page.mouse.move(x + (turn % 2 ? -1 : 1) * i * 12, y);
            await page.waitForTimeout(16);
        }
        await page.mouse.up();
        await page.mouse.move(x, y);
        await page.keyboard.down('d');
        await page.waitForTimeout(200);
        await page.keyboard.up('d');
    }
}

async function traced(page, work) {
    const client = await page.context().newCDPSession(page);
    const events = [];
    client.on('Tracing.dataCollected', ({ value }) => events.push(...value));
    const ended = new Promise((resolve) => client.once('Tracing.tracingComplete', resolve));
    await client.send('Tracing.start', { transferMode: 'ReportEvents', categories: 'devtools.timeline,v8,disabled-by-default-v8.gc,__metadata' });
    await work();
    await client.send('Tracing.end');
    await ended;
    return events;
}

/* On a page that shows the shelf: goes to `hash` and waits until `drawn` (run in the page) answers true; ms until then. */
async function open(page, hash, drawn) {
    return page.evaluate(
        async ([place, ready]) => {
            const isDrawn = new Function(`return (${ready})()`);
            const began = performance.now();
            location.hash = place;
            for (;;) {
                await new Promise((resolve) => requestAnimationFrame(resolve));
                if (isDrawn()) break;
                if (performance.now() - began > 20_000) throw new Error('no picture');
            }
            await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
            return performance.now() - began;
        },
        [hash, String(drawn)],
    );
}

/* The figures of one picture: opened from the shelf at `url`, then moved for `seconds`. `frame`: the window in the page that it is in. */
export async function paceOf({ url, hash, drawn, canvas, seconds, frame }) {
    const browser = await launch();
    try {
        const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
        await page.goto(url);
        await page.locator('.grid-scroll[aria-label=runs] .grid-row').first().waitFor();
        await page.waitForTimeout(700);
        const first = await open(page, hash, drawn);
        await page.waitForTimeout(1000);
        const box = await (frame ? page.frameLocator(frame) : page).locator(canvas).first().boundingBox();
        const events = await traced(page, () => move(page, box, seconds));
        const frames = [...scriptPerFrame(events).values()].sort((a, b) => a - b);
        const { frames: lasted, callbacks } = tasks(events);
        const painted = lasted.sort((a, b) => a - b);
        const slow = painted.filter((ms) => ms >= 17).length;
        return {
            first_paint_ms: first, frames: painted.length, callbacks, script_p50_ms: at(painted, 0.5), script_p95_ms: at(painted, 0.95), script_max_ms: at(painted, 1),
            under_17_ms: 1 - slow / Math.max(1, painted.length), all_script_p95_ms: at(frames, 0.95), tab_mib: rendererKib() / 1024,
        };
    } finally {
        await browser.close();
    }
}
