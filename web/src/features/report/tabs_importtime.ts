/* SPDX-License-Identifier: MIT
 *
 * The tabs of an import report as one chunk. Packages stands apart, since it brings the charts.
 */
export { ImportsTab } from '../imports/tab';
export { LazyTab } from '../lazy/tab';
export { WhoImportsTab } from '../imports/who_imports_tab';
