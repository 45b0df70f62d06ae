/* SPDX-License-Identifier: MIT
 *
 * JSON of comparisons, see docs/api-compare.md.
 */
import type { Run } from './types';

/** 'up', 'down': greater or less than the base, above the noise; 'same': within noise; 'few': too
 * few runs for a test; null: one run per side, no test. */
export type Verdict = 'up' | 'down' | 'same' | 'few' | null;
export type Change = 'added' | 'removed' | 'moved' | null;

export interface Group {
    values: number[];
    median: number;
    mad: number;
}

export interface Judged {
    delta: number;
    /** percent of the base; null if the base is 0 */
    delta_pct: number | null;
    noise: number | null;
    low: number | null;
    high: number | null;
    p: number | null;
    verdict: Verdict;
}

export interface Metric {
    metric: string;
    title: string;
    unit: string;
    adds_up: boolean;
    resolution: number;
}

export interface ComparisonTable {
    of: string;
    title: string;
    /** kind of item that a row describes: 'function' */
    row: string;
    /** kind of source location in `place`: 'file' */
    place: string | null;
    metrics: Metric[];
    /** name of the metric that a budget limits */
    budget: string;
}

export interface Comparison {
    /** empty in the report of a single group (GroupReport) */
    base: Run[];
    new: Run[];
    headline: ({ label: string; unit: string; base: Group; new: Group } & Judged) | null;
    tables: ComparisonTable[];
    /** 'tree': GET /compare/tree is available; 'graph': every run has a call graph */
    pictures: string[];
    /** why /compare/tree is not available; null if it is */
    no_tree: string | null;
    rules: { alpha: number; fdr: number; level: number; factor: number };
}

export interface ComparisonRow extends Judged {
    id: number;
    name: string;
    place: string | null;
    base_place: string | null;
    within: string | null;
    line: number | null;
    base_line: number | null;
    by: string | null;
    base_by: string | null;
    change: Change;
    base: number;
    new: number;
    /** percent of Σ |delta| */
    share: number | null;
    in_base: number;
    in_new: number;
}

export interface ComparisonCell extends ComparisonRow {
    /** path of the file, only if `place` is a file */
    file?: string | null;
    base_values: number[];
    new_values: number[];
}

/** Report of one group without a base. */
export interface GroupReport extends Omit<Comparison, 'headline'> {
    headline: { label: string; unit: string; new: Group } | null;
}

/** Row of one group: median and spread over its runs. */
export interface GroupRow {
    id: number;
    name: string;
    place: string | null;
    within: string | null;
    line: number | null;
    by: string | null;
    median: number;
    mad: number;
    min: number;
    max: number;
    /** percent of the sum of all medians; null if rows do not add up */
    share: number | null;
    /** number of runs that contain the row */
    in: number;
}

export interface GroupOne extends GroupRow {
    /** path of the file, only if `place` is a file */
    file?: string | null;
    values: number[];
}

/** Call trees of the runs of one group merged by call path; values are means over the runs. */
export interface GroupTree {
    n: number;
    unit: string;
    new: number;
    /** number of nodes that were omitted because they are too small */
    cut: number;
    parent: number[];
    names: string[];
    name: number[];
    /** source location by name index, where names alone are ambiguous: the file, for lines also the
     * line number */
    places?: (string | null)[];
    /** 0 if the group lacks the path */
    new_total: number[];
    /** absent for cProfile dumps */
    new_self?: number[];
    /** cProfile dumps only: lower bounds; `new_total` has the upper bounds */
    new_low?: number[];
    /** cProfile dumps only: 0 exact, 1 bounded, 2 unknown (recursive) */
    certainty?: number[];
}

/** Merged call trees of two groups. */
export interface ComparisonTree extends GroupTree {
    base: number;
    /** by node: 0 none (one run per side), 1 too few runs, 2 within noise, 3 up, 4 down */
    verdict: number[];
    base_total: number[];
    base_self?: number[];
    base_low?: number[];
}
