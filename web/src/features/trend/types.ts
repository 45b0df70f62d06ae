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

/** A row of a table over the points of a trend. */
export interface GrowthRow {
    name: string;
    place: string;
    first: number;
    last: number;
    delta: number;
    delta_pct: number | null;
    /** whether only the last or only the first point has the row */
    found: 'new' | 'gone' | null;
    /** one for each point; 0 where the row is absent */
    values: number[];
    changes: TrendChange[];
}

/** The rows of a table that changed most from the first point to the last. */
export interface TrendRows {
    runs: string;
    by: string | null;
    kind: string | null;
    of: string;
    row: null;
    place: null;
    metric: string;
    title: string;
    unit: string;
    older: number;
    left_out: { why: string; runs: number }[];
    /** each row has its place as its unit */
    place_is_unit: boolean;
    points: { id: string; name: string; at: string; by: string | null; n: number }[];
    /** sum of the metric over all rows; null if the metric does not add up */
    sum: { first: number; last: number; delta: number; delta_pct: number | null } | null;
    /** number of rows in any run */
    total: number;
    rows: GrowthRow[];
}
