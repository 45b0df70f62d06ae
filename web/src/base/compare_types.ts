/* SPDX-License-Identifier: MIT
 *
 * The JSON of comparisons, section Comparing of docs/api.md.
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
    base: Run[];
    new: Run[];
    headline: ({ label: string; unit: string; base: Group; new: Group } & Judged) | null;
    tables: ComparedTable[];
    /** 'tree': GET /compare/tree answers */
    pictures: string[];
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

/** Call trees of two groups as one, by paths of names: of groups the means of their runs. */
export interface ComparedTree {
    n: number;
    unit: string;
    base: number;
    new: number;
    /** nodes left out, the smallest ones */
    cut: number;
    parent: number[];
    names: string[];
    name: number[];
    /** 0 none (one run a side), 1 too few runs, 2 within noise, 3 up, 4 down */
    verdict: number[];
    /** 0: the path is not there */
    base_total: number[];
    new_total: number[];
    base_self: number[];
    new_self: number[];
}
