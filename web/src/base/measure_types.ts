/* SPDX-License-Identifier: MIT
 *
 * JSON of measurements, see docs/api-views.md.
 */
import type { MeasurementRow } from './rows';

export type { MeasurementRow } from './rows';

export interface Measurement extends Omit<MeasurementRow, 'group_min' | 'group_max'> {
    more: Record<string, number | string>;
    samples: number[];
}
