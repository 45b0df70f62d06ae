/* SPDX-License-Identifier: MIT */
/* The heat map of ranks by steps: rows, colours, means, and the sentence above it. */
import type { RankMetric, RanksAnswer } from '../base/answers';

/** Lower bounds of the colours, as shares of the base; below the first there is no colour. */
export const LEVELS = [0.01, 0.03, 0.06, 0.12, 0.25] as const;

/** A row of the heat map: a rank, several ranks of one host, or ranks whose traces are missing. */
export interface HeatRow {
    /** indexes of its ranks; empty: missing ranks */
    ranks: number[];
    label: string;
    host: string;
    /** number of ranks that are missing here */
    missing: number;
    /** a gap separates it from the row above */
    startsHost: boolean;
    /** of each step, see excessOfRows; NaN: none of its ranks has the step */
    excess: Float64Array;
}

export type RankSort = 'rank' | 'host' | 'slowest';

/** More ranks than this are one row for each host, or for each eight ranks if hosts are unknown. */
export const MAX_ROWS = 256;
const BIN = 8;

export function medianOf(values: number[]): number {
    if (values.length === 0) return NaN;
    const sorted = [...values].sort((a, b) => a - b);
    const middle = sorted.length >> 1;
    return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Median of each step over the ranks that have it; NaN: none has. */
export function stepMedians({ cells, ranks, steps }: RanksAnswer): number[] {
    return steps.map((_, step) =>
        medianOf(ranks.map((_, rank) => cells[rank * steps.length + step]).filter((ns) => ns >= 0)),
    );
}

/** What 100 % is: for parts of a step that can be almost 0, the step; else the median itself. */
function isOfStep(metric: RankMetric): boolean {
    return metric === 'communication' || metric === 'wait' || metric === 'loading';
}

export const baseText = (metric: RankMetric): string => (isOfStep(metric) ? '% of the step' : '%');

/** How much each cell is above the median of its step, as a share; NaN: no such step. */
export function excessOfCells(answer: RanksAnswer): Float64Array {
    const { cells, ranks, steps, step_ns, metric } = answer;
    const medians = stepMedians(answer);
    const out = new Float64Array(cells.length);
    for (let rank = 0; rank < ranks.length; rank++)
        for (let step = 0; step < steps.length; step++) {
            const at = rank * steps.length + step;
            const base = isOfStep(metric) ? step_ns[step] : medians[step];
            out[at] = cells[at] < 0 || !(base > 0) ? NaN : (cells[at] - medians[step]) / base;
        }
    return out;
}

/** Index of the colour from 1, 0: none. */
export function levelOf(excess: number): number {
    let level = 0;
    while (level < LEVELS.length && excess >= LEVELS[level]) level++;
    return level;
}

/** Upper bounds in ns of the colours of the absolute scale: five equal parts up to the maximum. */
export function absoluteBounds({ cells }: RanksAnswer): number[] {
    const most = cells.reduce((max, ns) => Math.max(max, ns), 0);
    return LEVELS.map((_, i) => ((i + 1) / LEVELS.length) * most);
}

export function absoluteLevel(ns: number, bounds: number[]): number {
    if (ns <= 0) return 0;
    const at = bounds.findIndex((bound) => ns <= bound);
    return at < 0 ? bounds.length : at + 1;
}

/** Mean excess of a row over its steps; NaN: it has none. */
export function meanExcess({ excess }: HeatRow): number {
    const values = excess.filter((value) => !Number.isNaN(value));
    return values.length > 0 ? values.reduce((sum, value) => sum + value, 0) / values.length : NaN;
}

/** NaN: there are no values. */
const maxOf = (values: number[]): number =>
    values.reduce((most, value) => (value <= most || Number.isNaN(value) ? most : value), NaN);

/** Whether rows are several ranks: then each is compared with the other rows, see excessOfRows. */
export const isBinned = ({ ranks }: RanksAnswer): boolean => ranks.length > MAX_ROWS;

/** A row before its excess is known. */
type RowShape = Omit<HeatRow, 'excess'>;

/** Sets the excess of rows. A row of one rank has that of the rank. A row of several ranks has that of
 * its slowest rank, minus the same of the median row: the slowest of many ranks is above the median
 * rank by chance, the more the more ranks there are, but not above the slowest ranks of other rows.
 * Of an even number of rows, the lower one in the middle counts, so that one slow host of two is seen. */
function excessOfRows(answer: RanksAnswer, rows: RowShape[]): HeatRow[] {
    const n = answer.steps.length;
    const excess = excessOfCells(answer);
    const out = rows.map((row) => ({ ...row, excess: new Float64Array(n).fill(NaN) }));
    for (let step = 0; step < n; step++) {
        for (const row of out)
            row.excess[step] = maxOf(row.ranks.map((rank) => excess[rank * n + step]));
        if (!isBinned(answer)) continue;
        const slowest = out.map((row) => row.excess[step]).filter((value) => !Number.isNaN(value));
        const base = slowest.sort((a, b) => a - b)[(slowest.length - 1) >> 1];
        for (const row of out) row.excess[step] -= base;
    }
    return out;
}

function singleRows({ ranks, world_size, ranks_in_files }: RanksAnswer): RowShape[] {
    const rows: RowShape[] = [];
    let expected = 0;
    const skipTo = (rank: number): void => {
        if (ranks_in_files && rank > expected) {
            const count = rank - expected;
            const label = count > 1 ? `${expected}–${rank - 1}` : String(expected);
            rows.push({ ranks: [], label, host: '', missing: count, startsHost: false });
        }
        expected = rank + 1;
    };
    ranks.forEach(({ rank, host }, i) => {
        skipTo(rank);
        rows.push({ ranks: [i], label: String(rank), host, missing: 0, startsHost: false });
    });
    skipTo(Math.max(world_size, expected));
    return rows;
}

function binnedRows({ ranks }: RanksAnswer): RowShape[] {
    const rows: RowShape[] = [];
    ranks.forEach(({ rank, host }, i) => {
        const last = rows.at(-1);
        const joins = last && (host ? last.host === host : last.ranks.length < BIN && !last.host);
        if (joins) {
            last.ranks.push(i);
            const first = last.label.split('–')[0];
            last.label = `${first}–${rank}`;
        } else {
            rows.push({ ranks: [i], label: String(rank), host, missing: 0, startsHost: false });
        }
    });
    return rows;
}

/** Rows in the wanted order. Hosts are separated unless the slowest rank is first. */
export function heatRows(answer: RanksAnswer, sort: RankSort): HeatRow[] {
    const shapes = isBinned(answer) ? binnedRows(answer) : singleRows(answer);
    const rows = excessOfRows(answer, shapes);
    const slowness = (row: HeatRow) => (row.ranks.length > 0 ? meanExcess(row) || 0 : -Infinity);
    if (sort === 'slowest') return [...rows].sort((a, b) => slowness(b) - slowness(a));
    const ordered =
        sort === 'host'
            ? [...rows].sort((a, b) => a.host.localeCompare(b.host, 'en', { numeric: true }))
            : rows;
    return ordered.map((row, i) => ({
        ...row,
        startsHost: i > 0 && row.host !== '' && row.host !== ordered[i - 1].host,
    }));
}

/** "rank 5"; "worker 5" if workers are numbered because the files do not state different ranks. */
export function rankName({ ranks, ranks_in_files }: RanksAnswer, index: number): string {
    return `${ranks_in_files ? 'rank' : 'worker'} ${ranks[index].rank}`;
}

export function missingRanks({ ranks, world_size, ranks_in_files }: RanksAnswer): number {
    return ranks_in_files ? Math.max(0, world_size - ranks.length) : 0;
}

/** Above this the orders of arrival are not trusted. */
export const MAX_CLOCK_ERROR_NS = 1e6;

/** Mean wait of the others for a rank, in ns of one step; of all collectives if there are no steps. */
export function causedPerStep({ ranks, steps }: RanksAnswer, index: number): number {
    return ranks[index].caused_ns / Math.max(1, steps.length);
}

/** Share of the waiting in collectives that a rank causes by arriving last. */
export function causedShare({ ranks }: RanksAnswer, index: number): number {
    const all = ranks.reduce((sum, { caused_ns }) => sum + caused_ns, 0);
    return all > 0 ? ranks[index].caused_ns / all : 0;
}

/** The rank that the others wait for, if one stands out: it causes twice as much of the waiting as by
 * chance, and they wait 1 % of a step for it. */
export function latestRank(answer: RanksAnswer): number | null {
    const { latest, matching, step_ns, ranks } = answer;
    if (!latest) return null;
    const share = causedShare(answer, latest.index);
    const byChance = 1 / ranks.length;
    const step = medianOf(step_ns.filter((ns) => ns > 0));
    const isLong = Number.isNaN(step) || causedPerStep(answer, latest.index) >= 0.01 * step;
    return matching.collectives > 0 && isLong && share >= Math.min(0.75, 2 * byChance)
        ? latest.index
        : null;
}

export interface RankCause {
    metric: RankMetric;
    /** more than the median rank, in ns of one step */
    ns: number;
    share: number;
}

/** What the latest rank does longer than the median rank: the largest excess of compute or data
 * loading that is at least a fifth of the wait; null: none explains it. */
export function causeOf(answer: RanksAnswer): RankCause | null {
    const { latest } = answer;
    if (!latest) return null;
    const wait = causedPerStep(answer, latest.index);
    const causes = (['compute', 'loading'] as const).flatMap((metric) => {
        const pair = latest.means[metric];
        if (!pair) return [];
        const ns = pair[0] - pair[1];
        return ns >= wait / 5 ? [{ metric, ns, share: pair[1] > 0 ? ns / pair[1] : NaN }] : [];
    });
    return causes.sort((a, b) => b.ns - a.ns)[0] ?? null;
}
