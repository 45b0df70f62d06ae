/* SPDX-License-Identifier: MIT
 *
 * JSON of comparisons, see docs/api-compare.md.
 */
import type { Claim } from './claim_types';
import type { SentencePart } from './sentence_types';
import type { Run } from './types';

/** 'up', 'down': greater or less than the base, above the noise; 'same': within noise; 'few': too
 * few runs for a test; null: one run per side, no test. */
export type Verdict = 'up' | 'down' | 'same' | 'few' | null;
export type Change = 'added' | 'removed' | 'moved' | 'failed' | null;

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

/** A steady change of the values in the order in which they were recorded. */
export interface Drift {
    /** from the first pair to the last */
    change_pct: number;
    p: number;
}

/** Two clusters of values. `pairs` are numbers from 1. */
export interface Modes {
    p: number;
    low: { median: number; pairs: number[] };
    high: { median: number; pairs: number[] };
}

/** Runs of both groups that `record ab` recorded in pairs, and were compared pair by pair. */
export interface Pairs {
    n: number;
    low_pct: number;
    high_pct: number;
    noise_pct: number;
    drift: { base: Drift | null; new: Drift | null };
    modes: { base: Modes | null; new: Modes | null };
}

/** The headline. `pairs` is null if the groups were compared as a whole; `no_pairs` says why, if
 * runs were recorded in pairs. */
export interface JudgedHeadline extends Judged {
    label: string;
    unit: string;
    base: Group;
    new: Group;
    pairs: Pairs | null;
    no_pairs: string | null;
}

export interface Metric {
    metric: string;
    title: string;
    unit: string;
    adds_up: boolean;
    /** it has values per call */
    per_call: boolean;
    resolution: number;
}

/** What values are per. Per step: of what starts in the counted steps, by their number. */
export type Per = 'run' | 'step' | 'call';

/** Amounts of work that totals grow with, by run. */
export interface Work {
    /** 'steps', 'calls' … */
    of: string;
    base: number[];
    new: number[];
}

export interface ComparisonTable {
    of: string;
    title: string;
    /** kind of item that a row describes: 'function' */
    row: string;
    /** kind of source location in `place`: 'file' */
    place: string | null;
    metrics: Metric[];
    /** what values can be per; the first is the default */
    per: Per[];
    /** null if unknown for some runs */
    work: Work | null;
    /** name of the metric that a budget limits */
    budget: string;
}

export interface Comparison {
    /** empty in the report of a single group (GroupReport) */
    base: Run[];
    new: Run[];
    /** in what machine and Python of the groups differ; null: not at all, or unknown */
    environments: string | null;
    headline: JudgedHeadline | null;
    /** why there is no headline; null if there is one */
    no_headline: string | null;
    /** the verdicts on all measurements, in place of a headline; null: none */
    verdicts: string | null;
    /** name of the ranges that were chosen as steps */
    step: string | null;
    tables: ComparisonTable[];
    /** 'tree': GET /compare/tree is available; 'graph': every run has a call graph */
    pictures: string[];
    /** why /compare/tree is not available; null if it is */
    no_tree: string | null;
    rules: { alpha: number; fdr: number; level: number; factor: number };
}

/** A row that explains a difference. */
export interface ExplainingRow {
    id: number;
    name: string;
    change: Change;
    base: number;
    new: number;
    delta: number;
}

/** Which rows of a table explain the difference of their sums. */
export interface Explanation {
    of: string;
    /** kind of item that a row describes: 'part' */
    row: string;
    metric: string;
    title: string;
    unit: string;
    per: Per;
    base: number;
    new: number;
    delta: number;
    /** 'one', 'two': `rows` explain it; 'spread': over n rows; 'none': nothing differs notably */
    found: 'one' | 'two' | 'spread' | 'none';
    /** the least number of rows that add up to 90 % of the difference */
    n: number;
    rows: ExplainingRow[];
}

/** Response of GET /compare/conclusion; null if the rows of the first table do not add up. */
export interface ComparisonConclusion extends Explanation {
    /** the operators that explain the part of the kernels or of the CPU; null if neither is the cause */
    inside: Explanation | null;
    /** what changed, as in GET /runs/{id}/conclusion; empty: nothing differs notably */
    sentence: SentencePart[];
    /** the claim of the sentence, as in GET /runs/{id}/conclusion; empty: there is none */
    claims: Claim[];
}

export interface ComparisonRow extends Omit<Judged, 'delta'> {
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
    /** null: unknown; per call and of measurements also if the group does not have the row. Then
     * there is no difference either */
    base: number | null;
    new: number | null;
    delta: number | null;
    /** percent of Σ |delta|; null: measurements */
    share: number | null;
    in_base: number;
    in_new: number;
    /** 1: a further value of what another measurement measures; absent in other tables */
    part?: number;
}

/** A row of values that are not per call. */
export type TotalRow = ComparisonRow & { base: number; new: number; delta: number };

export interface ComparisonRowDetail extends ComparisonRow {
    /** path of the file, only if `place` is a file */
    file?: string | null;
    /** ids of the row in the last run of each group that has it; null: unknown */
    base_id: number | null;
    new_id: number | null;
    /** by run; per call, null in runs without the row */
    base_values: (number | null)[];
    new_values: (number | null)[];
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
    /** null: no run knows the value */
    median: number | null;
    mad: number | null;
    min: number | null;
    max: number | null;
    /** percent of the total that the tools state, or else of the sum of all medians; null if rows do
     * not add up */
    share: number | null;
    /** number of runs that contain the row */
    in: number;
}

export interface GroupRowDetail extends GroupRow {
    /** path of the file, only if `place` is a file */
    file?: string | null;
    /** by run; per call, null in runs without the row */
    values: (number | null)[];
}

/** Call trees of the runs of one group merged by call path; values are means over the runs. */
export interface GroupTree {
    n: number;
    unit: string;
    per: Per;
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
