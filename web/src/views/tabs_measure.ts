/* SPDX-License-Identifier: MIT
 *
 * The chunk of the tabs of measurements.
 */
export { BoundTab } from './bound_tab';
export { ProcessesTab } from './processes_tab';
export { MeasurementsTab } from './measurements_tab';
