/* SPDX-License-Identifier: MIT
 *
 * JSON of trends, see docs/api-compare.md.
 */
export interface TrendPoint {
    /** id, name and tags are those of the newest run of the point */
    id: string;
    name: string;
    /** time of the oldest run of the point, ISO 8601 */
    at: string;
    /** value of the tag by which runs are grouped into points; null if they are not grouped */
    by: string | null;
    /** median over the runs of the point */
    value: number;
    /** null for a single run */
    mad: number | null;
    n: number;
    ids: string[];
    absent: boolean;
    tags: Record<string, string>;
}

/** A change of level. `before`: median of the points [from, index). `after`: median of the points
 * [index, to). */
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
    /** number of runs that were not evaluated because they are older than the newest `limit`
     * runs */
    older: number;
    left_out: { why: string; runs: number }[];
    baseline: { id: string; name: string; at: string; value: number | null } | null;
    /** oldest first */
    points: TrendPoint[];
    changes: TrendChange[];
    /** names of the numeric fields of the runs' summaries */
    figures: string[];
    rules: { alpha: number; least: number };
}
