/* SPDX-License-Identifier: MIT
 *
 * The JSON of trends, docs/api-compare.md.
 */
export interface TrendPoint {
    /** of its newest run, as name and tags */
    id: string;
    name: string;
    /** of its oldest run */
    at: string;
    /** the value of the tag whose runs this point holds */
    by: string | null;
    /** median of its runs */
    value: number;
    /** null with one run */
    mad: number | null;
    n: number;
    ids: string[];
    absent: boolean;
    tags: Record<string, string>;
}

/** The level steps: medians of the points from .. index - 1 and of index .. to - 1. */
export interface TrendChange {
    index: number;
    from: number;
    to: number;
    before: number;
    after: number;
    delta: number;
    delta_pct: number | null;
    p: number;
}

export interface Trend {
    runs: string;
    by: string | null;
    kind: string | null;
    of: string | null;
    row: string | null;
    place: string | null;
    metric: string;
    title: string;
    unit: string;
    /** runs before the first that were not looked at */
    older: number;
    left_out: { why: string; runs: number }[];
    baseline: { id: string; name: string; at: string; value: number | null } | null;
    /** the oldest first */
    points: TrendPoint[];
    changes: TrendChange[];
    /** numbers of the runs' summaries */
    figures: string[];
    rules: { alpha: number; least: number };
}
