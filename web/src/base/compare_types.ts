/* SPDX-License-Identifier: MIT
 *
 * The JSON of comparisons, docs/api-compare.md.
 */
import type { Run } from './types';

/** up: more; down: less; same: within noise; few: too few runs for a test; null: one run a side. */
export type Verdict = 'up' | 'down' | 'same' | 'few' | null;
export type Change = 'added' | 'removed' | 'moved' | null;

export interface Group {
    values: number[];
    median: number;
    mad: number;
}

export interface Judged {
    delta: number;
    /** of the base; null when that is 0 */
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

export interface ComparedTable {
    of: string;
    title: string;
    /** what one row is: 'function' */
    row: string;
    /** what `place` is: 'file' */
    place: string | null;
    metrics: Metric[];
}

export interface Comparison {
    /** none: one group alone, a report of it (GroupReport) */
    base: Run[];
    new: Run[];
    headline: ({ label: string; unit: string; base: Group; new: Group } & Judged) | null;
    tables: ComparedTable[];
    /** 'tree': GET /compare/tree answers; 'graph': each run has a call graph */
    pictures: string[];
    /** why it does not */
    no_tree: string | null;
    rules: { alpha: number; fdr: number; level: number; factor: number };
}

export interface ComparedRow extends Judged {
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

export interface ComparedOne extends ComparedRow {
    base_values: number[];
    new_values: number[];
}

/** What is known without a base. */
export interface GroupReport extends Omit<Comparison, 'headline'> {
    headline: { label: string; unit: string; new: Group } | null;
}

/** A row of one group: medians, and how far its runs are apart. */
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
    /** percent of the sum of all medians; null where rows do not add up */
    share: number | null;
    /** runs that have it */
    in: number;
}

export interface GroupOne extends GroupRow {
    values: number[];
}

/** The call trees of a group as one, by paths of names: the means of its runs. */
export interface GroupTree {
    n: number;
    unit: string;
    new: number;
    /** nodes left out, the smallest ones */
    cut: number;
    parent: number[];
    names: string[];
    name: number[];
    /** by name, where names alone do not tell nodes apart: a file, of lines with the line */
    places?: (string | null)[];
    /** 0: the path is not there */
    new_total: number[];
    /** not of cProfile's dumps */
    new_self?: number[];
    /** of cProfile's dumps, whose totals are upper bounds: what lies at least on the path */
    new_low?: number[];
    /** then 0 exact, 1 bounded, 2 unknown (recursive) */
    certainty?: number[];
}

/** Those of two groups. */
export interface ComparedTree extends GroupTree {
    base: number;
    /** 0 none (one run a side), 1 too few runs, 2 within noise, 3 up, 4 down */
    verdict: number[];
    base_total: number[];
    base_self?: number[];
    base_low?: number[];
}
