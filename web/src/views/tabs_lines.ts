/* SPDX-License-Identifier: MIT
 *
 * The tabs of line-level reports as one chunk. Memory stands apart, since it brings the charts; the
 * grammar of Python is fetched when a source is shown.
 */
export { LinesAcrossTab } from './lines_across';
export { LinesTab } from './lines_tab';
export { LineFilesTab } from './line_files_tab';
export { LineFunctionsTab } from './line_functions_tab';
