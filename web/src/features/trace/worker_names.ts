/* SPDX-License-Identifier: MIT
 *
 * Names of the workers of a job, for labels of items that belong to one worker.
 */
import { useMemo } from 'preact/hooks';
import type { Run, Workers } from '../../base/answers';
import { type WorkerName, workerNames } from '../../model/worker_names';
import { useData } from '../shared/use_json';
import { traceOf, viewPath } from './data';

/** Null if the run has only one worker, which needs no name. */
export function useWorkerNames(run: Run): WorkerName | null {
    const many = traceOf(run).workers > 1;
    const data = useData<Workers>(many ? viewPath(run, 'workers') : null);
    return useMemo(() => (many ? workerNames(data?.rows ?? []) : null), [many, data]);
}
