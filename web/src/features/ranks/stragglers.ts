/* SPDX-License-Identifier: MIT */
/* Workers that other workers wait for: their step is noticeably longer than the median step. */
import type { WorkerRow } from '../../base/answers';

/** Minimum excess over the median, as a share; steps of one job differ by a few percent without a
 * cause. */
const MIN_EXCESS = 0.05;

export function median(values: readonly number[]): number | null {
    if (values.length === 0) return null;
    const sorted = [...values].sort((a, b) => a - b);
    const middle = sorted.length >> 1;
    return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** By worker: excess of the worker's step over the median, 0.21 for 21 %. Only excesses above
 * MIN_EXCESS are included. */
export function excessByWorker(rows: readonly WorkerRow[]): Map<number, number> {
    const middle = median(rows.flatMap(({ step_ns }) => (step_ns === null ? [] : [step_ns])));
    const out = new Map<number, number>();
    if (!middle || rows.length < 2) return out;
    for (const { worker, step_ns } of rows) {
        const excess = step_ns === null ? 0 : step_ns / middle - 1;
        if (excess > MIN_EXCESS) out.set(worker, excess);
    }
    return out;
}
