/* SPDX-License-Identifier: MIT
 *
 * The chunk of the tabs of measurements.
 */
export { MeasurementsTab } from './measurements_tab';
