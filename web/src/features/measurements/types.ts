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

export type Verdict =
    'cpu-bound' | 'waiting' | 'mixed' | 'parallel' | 'system-heavy' | 'memory-heavy' | 'unknown';

export interface BoundRule {
    rule: Verdict;
    /** formula of `value`: "sys / (user + sys)" */
    of: string;
    /** null if an input is missing */
    value: number | null;
    sign: '>=' | '<';
    threshold: number;
    holds: boolean | null;
    why: string;
}

export interface BoundRun {
    run: number;
    command: string;
    exit_status: number | null;
    signal: number | null;
    verdict: Verdict;
    reason: string;
    real_s: number | null;
    user_s: number | null;
    sys_s: number | null;
    /** s: value of the last printed digit of real_s; the next two fields are for user_s and
     * sys_s */
    real_resolution_s: number;
    user_resolution_s: number;
    sys_resolution_s: number;
    max_rss_bytes: number | null;
    major_faults: number | null;
    minor_faults: number | null;
    voluntary_switches: number | null;
    involuntary_switches: number | null;
    utilisation: number | null;
    /** bounds of the utilisation, which is inexact because printed times are truncated */
    utilisation_low: number | null;
    utilisation_high: number | null;
    cpus: number | null;
    cpus_given: boolean;
    rules: BoundRule[];
}

export interface BoundAnswer {
    runs: BoundRun[];
    total: number;
}
