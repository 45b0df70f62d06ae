/* SPDX-License-Identifier: MIT
 *
 * The tabs of line-level reports as one chunk. The Memory tab has its own chunk, because it needs
 * the chart library. The Python grammar is fetched when a source is shown.
 */
export { MultiRunTab } from '../lines/multi_run_tab';
export { LinesTab } from '../lines/tab';
export { LineFilesTab } from '../lines/files_tab';
export { LineFunctionsTab } from '../lines/functions_tab';
