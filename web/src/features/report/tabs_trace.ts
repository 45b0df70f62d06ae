/* SPDX-License-Identifier: MIT
 *
 * The tabs of a trace except its timeline, as one chunk. The Memory tab has its own chunk, because
 * it needs the chart library.
 */
export { CriticalPathTab } from '../critical_path/tab';
export { InferenceTab } from '../inference/tab';
export { PrintedOperatorsTab } from '../operators/printed_tab';
export { FlameTab } from '../stacks/flame_tab';
export { KernelsTab } from '../operators/kernels_tab';
export { ModulesTab } from '../operators/modules_tab';
export { OperatorsTab } from '../operators/tab';
export { SummariesTab } from '../operators/summaries_tab';
export { RooflineTab } from '../roofline/tab';
export { RanksTab } from '../ranks/tab';
export { XlaOperatorsTab } from '../operators/xla_tab';
export { XlaStepsTab } from '../operators/xla_steps_tab';
