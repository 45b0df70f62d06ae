/* SPDX-License-Identifier: MIT
 *
 * The tabs of line-level reports as one chunk. Memory stands apart, since it brings the charts; the
 * grammar of Python is fetched when a source is shown.
 */
export { LinesTab } from './lines_tab';
