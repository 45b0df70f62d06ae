/* SPDX-License-Identifier: MIT
 *
 * What commands were bound by: the JSON of docs/api-views.md.
 */

export type Verdict =
    'cpu-bound' | 'waiting' | 'mixed' | 'system-heavy' | 'memory-heavy' | 'unknown';

export interface BoundRule {
    rule: Verdict;
    /** what is compared: "sys / (user + sys)" */
    of: string;
    /** null: an input is missing */
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
    /** what the last printed digit is worth */
    real_resolution_s: number;
    user_resolution_s: number;
    sys_resolution_s: number;
    max_rss_bytes: number | null;
    major_faults: number | null;
    minor_faults: number | null;
    voluntary_switches: number | null;
    involuntary_switches: number | null;
    utilisation: number | null;
    /** it lies between, for the last digits were cut off */
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
