/* SPDX-License-Identifier: MIT
 *
 * The names of a job's workers, wherever something is one worker's.
 */
import { useMemo } from 'preact/hooks';
import type { Workers } from '../../base/trace_types';
import type { Run } from '../../base/types';
import { type WorkerName, workerNames } from '../../model/worker_names';
import { useJson } from '../shared/use_json';
import { traceOf, viewPath } from './data';

/** null: the run has one worker, which needs no name. */
export function useWorkerNames(run: Run): WorkerName | null {
    const many = traceOf(run).workers > 1;
    const { data } = useJson<Workers>(many ? viewPath(run, 'workers') : null);
    return useMemo(() => (many ? workerNames(data?.rows ?? []) : null), [many, data]);
}
