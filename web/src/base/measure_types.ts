/* SPDX-License-Identifier: MIT
 *
 * The JSON of measurements, as docs/api-views.md gives it.
 */

export interface MeasurementRow {
    id: number;
    name: string;
    grp: string;
    value: number | null;
    /** "s", "KiB", "B", "%"; empty for counts */
    unit: string;
    /** what value is: mean, best, single */
    statistic: string;
    n: number | null;
    mean: number | null;
    median: number | null;
    stddev: number | null;
    min: number | null;
    max: number | null;
    q1: number | null;
    q3: number | null;
    /** value of the last digit that was printed; null: the file holds all digits */
    resolution: number | null;
    /** ends of the rows of its group and unit */
    group_min: number | null;
    group_max: number | null;
}

export interface Measurement extends Omit<MeasurementRow, 'group_min' | 'group_max'> {
    more: Record<string, number | string>;
    samples: number[];
}
