/* SPDX-License-Identifier: MIT
 *
 * Ranks commands or benchmarks by their time, as the summary of hyperfine does: how many times faster
 * the fastest is than each of the others.
 */

export interface RankedInput {
    id: number;
    name: string;
    grp: string;
    unit: string;
    statistic: string;
    value: number | null;
    stddev: number | null;
    /** 1: a run failed: it is not ranked */
    failed: number;
}

export interface RankedRow<R extends RankedInput> {
    row: R;
    /** value of the row divided by the value of the fastest; 1 for the fastest */
    ratio: number;
    /** standard deviation of the ratio; null if one of the two has none */
    ratioStddev: number | null;
    /** share of the largest value of the group, 0 to 1 */
    share: number;
}

export interface Ranking<R extends RankedInput> {
    group: string;
    rows: RankedRow<R>[];
}

/* Relative errors of a quotient add in quadrature. */
function ratioStddev(row: RankedInput, fastest: RankedInput, ratio: number): number | null {
    if (row.statistic !== 'mean' || fastest.statistic !== 'mean') return null;
    if (row.stddev === null || fastest.stddev === null || !row.value || !fastest.value) return null;
    return ratio * Math.hypot(row.stddev / row.value, fastest.stddev / fastest.value);
}

function rankGroup<R extends RankedInput>(group: string, rows: R[]): Ranking<R> {
    const sorted = [...rows].sort((a, b) => (a.value ?? 0) - (b.value ?? 0));
    const fastest = sorted[0];
    const slowest = sorted[sorted.length - 1].value ?? 0;
    return {
        group,
        rows: sorted.map((row) => {
            const ratio = (row.value ?? 0) / (fastest.value ?? 1);
            const error = row === fastest ? null : ratioStddev(row, fastest, ratio);
            return { row, ratio, ratioStddev: error, share: (row.value ?? 0) / slowest };
        }),
    };
}

/** Rankings of the groups that measure the time of several rows. Rows are given in the order of the
 * file. The user and system time of commands whose wall time is ranked are not ranked again. */
export function rankMeasurements<R extends RankedInput>(rows: readonly R[]): Ranking<R>[] {
    const groups = new Map<string, R[]>();
    for (const row of rows) {
        if (row.unit !== 's' || row.value === null || row.value <= 0 || row.failed) continue;
        groups.set(row.grp, [...(groups.get(row.grp) ?? []), row]);
    }
    const namesOf = (list: R[]) => list.map(({ name }) => name).join('\n');
    const ranked = new Set<string>();
    const rankings: Ranking<R>[] = [];
    for (const [group, list] of groups) {
        if (list.length < 2 || ranked.has(namesOf(list))) continue;
        ranked.add(namesOf(list));
        rankings.push(rankGroup(group, list));
    }
    return rankings;
}
