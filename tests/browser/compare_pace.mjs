/* SPDX-License-Identifier: MIT
 *
 * compare_pace.mjs URL BASE NEW [SECONDS]: opens the timelines of two runs one above the other, pans and zooms for SECONDS (10), and
 * prints as JSON what that costs, beside the same for the timeline of BASE alone: both with one clock, on one machine, in turn.
 */
import { loadavg } from 'node:os';
import { paceOf } from './pace.mjs';

const [url, base, fresh, seconds = '10'] = process.argv.slice(2);
const drawn = () => document.querySelector('.status-line')?.textContent.includes('drawn from');
const drawnBoth = () => {
    const frames = [...document.querySelectorAll('iframe')];
    const said = frames.map((frame) => frame.contentDocument?.querySelector('.status-line')?.textContent ?? '');
    return frames.length === 2 && said.every((words) => words.includes('drawn from'));
};
const canvas = '.timeline-canvas';
const load = loadavg()[0];
const one = await paceOf({ url, hash: `#/run/${base}/timeline`, canvas, drawn, seconds: Number(seconds) });
const both = await paceOf({
    url, hash: `#/compare/side/timeline?base=${base}&new=${fresh}`, canvas, drawn: drawnBoth, seconds: Number(seconds), frame: 'iframe >> nth=0',
});
console.log(JSON.stringify({ load, one, both }, null, 1));
