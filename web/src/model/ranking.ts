/* SPDX-License-Identifier: MIT
 *
 * Ranks commands or benchmarks that are alternatives, as the summary of hyperfine does: how many times
 * as long as the fastest each of the others takes. The server says which rows are alternatives, and
 * compares them in its conclusion in the same way (server/query/conclusion/measurements.c).
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
    /** -1: lower values are better, 1: higher; others are not ranked */
    better: number | null;
    /** rows with the same text are alternatives; null or empty: none */
    alternatives: string | null;
    /** 1: a run failed: it is not ranked */
    failed: number;
}

export interface RankedRow<R extends RankedInput> {
    row: R;
    /** by how much the best row is better: 1 for the best, more for the others */
    ratio: number;
    /** standard deviation of the ratio; null if one of the two has none */
    ratioStddev: number | null;
    /** false: the ratio minus its standard deviation is 1 or less */
    isClear: boolean;
}

/* Relative errors of a quotient add in quadrature. */
function ratioStddev(row: RankedInput, best: RankedInput, ratio: number): number | null {
    if (row.ranked_spread === null || best.ranked_spread === null) return null;
    if (!row.ranked_value || !best.ranked_value) return null;
    return (
        ratio *
        Math.hypot(row.ranked_spread / row.ranked_value, best.ranked_spread / best.ranked_value)
    );
}

function rankRows<R extends RankedInput>(rows: R[]): RankedRow<R>[] {
    const isLower = rows[0].better === -1;
    const valueOf = (row: R): number => row.ranked_value ?? 0;
    const sorted = [...rows].sort((a, b) => (isLower ? 1 : -1) * (valueOf(a) - valueOf(b)));
    const [best] = sorted;
    return sorted.map((row) => {
        const ratio = isLower ? valueOf(row) / valueOf(best) : valueOf(best) / valueOf(row);
        const error = row === best ? null : ratioStddev(row, best, ratio);
        return { row, ratio, ratioStddev: error, isClear: ratio - (error ?? 0) > 1 };
    });
}

/** Rankings of the rows that are alternatives, the best first. Rows are given in the order of the file. */
export function rankMeasurements<R extends RankedInput>(rows: readonly R[]): RankedRow<R>[][] {
    const sets = new Map<string, R[]>();
    for (const row of rows) {
        const { alternatives, better, unit, failed, ranked_value: value } = row;
        if (!alternatives || !better || failed || value === null || value <= 0) continue;
        const key = `${unit}\n${better}\n${alternatives}`;
        const set = sets.get(key);
        if (set) set.push(row);
        else sets.set(key, [row]);
    }
    return [...sets.values()].filter((set) => set.length > 1).map(rankRows);
}
