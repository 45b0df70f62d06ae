/* SPDX-License-Identifier: MIT
 *
 * snapshot_pace.mjs URL RUN [SECONDS [QUERY]]: opens a memory snapshot from the shelf (QUERY: as in its address, "v=lifetimes"), zooms,
 * drags the cursor and pans for SECONDS (10), and prints as JSON: ms from the click to the first painted chart; script time of the
 * frames; the memory of the tab.
 */
import { paceOf } from './pace.mjs';

const [url, run, seconds = '10', query = ''] = process.argv.slice(2);
const figures = await paceOf({
    url, hash: `#/run/${run}/snapshot?${query}`, canvas: '.snapshot-chart canvas', seconds: Number(seconds),
    drawn: () => document.querySelector('.snapshot-chart canvas') && document.querySelector('.snapshot-panes .grid-row'),
});
console.log(JSON.stringify(figures));
