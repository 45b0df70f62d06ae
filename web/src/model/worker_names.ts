/* SPDX-License-Identifier: MIT */
/* Names of the workers of a job: ranks if they identify the workers, else worker numbers. */

import { acceleratorName } from './device';

export interface NamedWorker {
    worker: number;
    rank: number | null;
}

export type WorkerName = (worker: number) => string;

export const numberedWorker: WorkerName = (worker) => `worker ${worker}`;

/** Names of workers by rank, or by worker number if ranks repeat or are missing. */
export function workerNames(rows: readonly NamedWorker[]): WorkerName {
    const rankByWorker = new Map(rows.map(({ worker, rank }) => [worker, rank]));
    const distinct = new Set(rankByWorker.values());
    if (distinct.has(null) || distinct.size < rows.length) return numberedWorker;
    return (worker) =>
        rankByWorker.has(worker) ? `rank ${rankByWorker.get(worker)}` : numberedWorker(worker);
}

/** "GPU 0"; with several workers "GPU 0, rank 1". */
export function deviceOf(
    { device, worker }: { device: number; worker: number },
    nameOf: WorkerName | null,
): string {
    const name = acceleratorName(device);
    return nameOf ? `${name}, ${nameOf(worker)}` : name;
}
