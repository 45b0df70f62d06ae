/* SPDX-License-Identifier: MIT
 *
 * The tabs of an import report as one chunk. The Packages tab has its own chunk, because it needs
 * the chart library.
 */
export { ImportsTab } from '../imports/tab';
export { LazyTab } from '../lazy/tab';
export { WhoImportsTab } from '../imports/who_imports_tab';
