/* SPDX-License-Identifier: MIT
 *
 * The tabs of a trace beside its timeline, as one chunk. Memory brings the charts and stands apart.
 */
export { PrintedOperatorsTab } from './printed_operators';
export { FindingsTab } from './findings_tab';
export { FlameTab } from './flame_tab';
export { KernelsTab } from './kernels_tab';
export { ModulesTab } from './modules_tab';
export { OperatorsTab } from './operators_tab';
export { SummariesTab } from './summaries_tab';
export { WorkersTab } from './workers_tab';
