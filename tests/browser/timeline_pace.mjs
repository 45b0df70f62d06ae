/* SPDX-License-Identifier: MIT
 *
 * timeline_pace.mjs URL RUN [SECONDS [QUERY]]: opens the timeline of a run from the shelf (QUERY: search and pinned tracks as in its
 * address, "q=aten&pin=3,4"), pans and zooms for SECONDS (10), and prints
 * as JSON: ms from the click to the first painted slices; script time of the frames; the memory of the tab.
 */
import { paceOf } from './pace.mjs';

const [url, run, seconds = '10', query = ''] = process.argv.slice(2);
const figures = await paceOf({
    url, hash: `#/run/${run}/timeline?${query}`, canvas: '.timeline-canvas', seconds: Number(seconds),
    drawn: () => document.querySelector('.status-line')?.textContent.includes('drawn from'),
});
console.log(JSON.stringify(figures));
