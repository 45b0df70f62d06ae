/* SPDX-License-Identifier: MIT
 *
 * How to mark steps in a run without them.
 */
import type { Run } from '../../base/answers';
import { kindHas } from '../../base/kinds';
import { isAttributed, traceOf } from '../trace/data';
import { ClosableHint } from './hint';

/** One line above the tracks of a run of torch without steps, until it is closed. */
export function NoStepsHint({ run }: { run: Run }) {
    if (!kindHas(run.kind, 'torch') || !isAttributed(run) || traceOf(run).steps > 0) return null;
    return (
        <ClosableHint name="steps">
            No steps marked. <code>profiler.step()</code> marks them if the profiler has a{' '}
            <code>schedule</code>
        </ClosableHint>
    );
}
