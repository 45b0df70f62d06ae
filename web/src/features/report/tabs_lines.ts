/* SPDX-License-Identifier: MIT
 *
 * The tabs of line-level reports as one chunk. Memory stands apart, since it brings the charts; the
 * grammar of Python is fetched when a source is shown.
 */
export { LinesAcrossTab } from '../lines/across_tab';
export { LinesTab } from '../lines/tab';
export { LineFilesTab } from '../lines/files_tab';
export { LineFunctionsTab } from '../lines/functions_tab';
