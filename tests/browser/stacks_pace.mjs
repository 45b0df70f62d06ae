/* SPDX-License-Identifier: MIT
 *
 * stacks_pace.mjs URL RUN [SECONDS [QUERY]]: opens the flame graph of a run of stacks from the shelf (QUERY: search and transforms as in
 * its address, "q=read&tf=..."), pans and zooms for SECONDS (10), and
 * prints as JSON: ms from the click to the first painted frames; script time of the frames; the memory of the tab.
 */
import { paceOf } from './pace.mjs';

const [url, run, seconds = '10', query = ''] = process.argv.slice(2);
const figures = await paceOf({
    url, hash: `#/run/${run}/flame?${query}`, canvas: '.frame-canvas', seconds: Number(seconds),
    drawn: () => /^Flame graph, \d+ frames/.test(document.querySelector('.frame-scroll')?.getAttribute('aria-label') ?? ''),
});
console.log(JSON.stringify(figures));
