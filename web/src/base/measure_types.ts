/* SPDX-License-Identifier: MIT
 *
 * JSON of measurements, see docs/api-views.md.
 */

export interface MeasurementRow {
    id: number;
    name: string;
    grp: string;
    value: number | null;
    /** "s", "KiB", "B" or "%"; '' for counts */
    unit: string;
    /** what `value` is: mean, best, single */
    statistic: string;
    n: number | null;
    mean: number | null;
    median: number | null;
    stddev: number | null;
    min: number | null;
    max: number | null;
    q1: number | null;
    q3: number | null;
    /** value of the last printed digit; null if the file has all digits */
    resolution: number | null;
    /** minimum and maximum over the rows of the same group and unit */
    group_min: number | null;
    group_max: number | null;
}

export interface Measurement extends Omit<MeasurementRow, 'group_min' | 'group_max'> {
    more: Record<string, number | string>;
    samples: number[];
}
