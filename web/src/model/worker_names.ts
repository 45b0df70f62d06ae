/* SPDX-License-Identifier: MIT */
/* What the workers of a job are called: by rank where the files tell them apart by it. */

import { acceleratorName } from './device';

export interface NamedWorker {
    worker: number;
    rank: number | null;
}

export type WorkerName = (worker: number) => string;

export const byNumber: WorkerName = (worker) => `worker ${worker}`;

/** Ranks that repeat (or are not said) name nobody: numbers of the run do then. */
export function workerNames(rows: readonly NamedWorker[]): WorkerName {
    const ranks = new Map(rows.map(({ worker, rank }) => [worker, rank]));
    const distinct = new Set(ranks.values());
    if (distinct.has(null) || distinct.size < rows.length) return byNumber;
    return (worker) => (ranks.has(worker) ? `rank ${ranks.get(worker)}` : byNumber(worker));
}

/** "GPU 0", in a job "GPU 0, rank 1". */
export function deviceOf(
    { device, worker }: { device: number; worker: number },
    nameOf: WorkerName | null,
): string {
    const words = acceleratorName(device);
    return nameOf ? `${words}, ${nameOf(worker)}` : words;
}
