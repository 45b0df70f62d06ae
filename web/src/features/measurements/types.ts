/* SPDX-License-Identifier: MIT
 *
 * JSON of measurements and of the bound analysis of a command, see docs/api-views.md.
 */
import type { MeasurementRow } from '../../base/rows';

/** columns that only the table has, since they follow from other rows */
type RankColumn =
    | 'group_min'
    | 'group_max'
    | 'failed'
    | 'ranked_by'
    | 'ranked_value'
    | 'ranked_spread'
    | 'alternatives';

export interface Measurement extends Omit<MeasurementRow, RankColumn> {
    more: Record<string, number | string>;
    samples: number[];
}
