/* SPDX-License-Identifier: MIT
 *
 * The tabs of an import report as one chunk. Packages stands apart, since it brings the charts.
 */
export { ImportsTab } from './imports_tab';
export { LazyTab } from './lazy_tab';
export { WhoImportsTab } from './who_imports_tab';
