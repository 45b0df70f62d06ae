/* SPDX-License-Identifier: MIT
 *
 * The chunk of the tabs of measurements.
 */
export { BoundTab } from '../measurements/bound_tab';
export { ProcessesTab } from '../measurements/processes_tab';
export { MeasurementsTab } from '../measurements/tab';
