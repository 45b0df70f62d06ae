/* SPDX-License-Identifier: MIT
 *
 * Ranks commands or benchmarks that are alternatives by their time, as the summary of hyperfine does:
 * how many times as long as the fastest each of the others takes. The server says which rows are
 * alternatives, and compares them in its conclusion in the same way
 * (server/query/conclusion/measurements.c).
 */

export interface RankedInput {
    id: number;
    name: string;
    grp: string;
    unit: string;
    /** the statistic that rows are ranked by, and its value */
    ranked_by: string;
    ranked_value: number | null;
    ranked_spread: number | null;
    /** rows with the same text are alternatives; null or empty: none */
    alternatives: string | null;
    /** 1: a run failed: it is not ranked */
    failed: number;
}

export interface RankedRow<R extends RankedInput> {
    row: R;
    /** value of the row divided by the value of the fastest; 1 for the fastest */
    ratio: number;
    /** standard deviation of the ratio; null if one of the two has none */
    ratioStddev: number | null;
    /** false: the ratio minus its standard deviation is 1 or less */
    isClear: boolean;
    /** share of the largest value of the group, 0 to 1 */
    share: number;
}

export interface Ranking<R extends RankedInput> {
    group: string;
    rows: RankedRow<R>[];
}

/* Relative errors of a quotient add in quadrature. */
function ratioStddev(row: RankedInput, fastest: RankedInput, ratio: number): number | null {
    if (row.ranked_spread === null || fastest.ranked_spread === null) return null;
    if (!row.ranked_value || !fastest.ranked_value) return null;
    return (
        ratio *
        Math.hypot(
            row.ranked_spread / row.ranked_value,
            fastest.ranked_spread / fastest.ranked_value,
        )
    );
}

function rankRows<R extends RankedInput>(rows: R[]): Ranking<R> {
    const sorted = [...rows].sort((a, b) => (a.ranked_value ?? 0) - (b.ranked_value ?? 0));
    const fastest = sorted[0];
    const slowest = sorted[sorted.length - 1].ranked_value ?? 0;
    return {
        group: fastest.grp,
        rows: sorted.map((row) => {
            const value = row.ranked_value ?? 0;
            const ratio = value / (fastest.ranked_value ?? 1);
            const error = row === fastest ? null : ratioStddev(row, fastest, ratio);
            const isClear = ratio - (error ?? 0) > 1;
            return { row, ratio, ratioStddev: error, isClear, share: value / slowest };
        }),
    };
}

/** Rankings of the rows that are alternatives, by their time. Rows are given in the order of the file. */
export function rankMeasurements<R extends RankedInput>(rows: readonly R[]): Ranking<R>[] {
    const sets = new Map<string, R[]>();
    for (const row of rows) {
        if (row.unit !== 's' || !row.alternatives || row.failed) continue;
        if (row.ranked_value === null || row.ranked_value <= 0) continue;
        sets.set(row.alternatives, [...(sets.get(row.alternatives) ?? []), row]);
    }
    return [...sets.values()].filter((set) => set.length > 1).map(rankRows);
}
