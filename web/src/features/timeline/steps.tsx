/* SPDX-License-Identifier: MIT
 *
 * The steps of a run: the breakdown of the mean step next to the tracks, and how to mark steps in a
 * run without them.
 */
import type { TraceOverview } from '../../base/trace_types';
import type { Run } from '../../base/types';
import { axisText } from '../../base/axis';
import { int, pct } from '../../base/units';
import { segmentsOf, sumOf } from '../../model/breakdown';
import { useJson } from '../shared/use_json';
import { isAttributed, traceOf, viewPath } from '../trace/data';
import { ClosableHint } from './hint';

/** Parts of the mean step, largest first in the order of the definition. */
export function MeanStep({ run }: { run: Run }) {
    const { steps } = traceOf(run);
    const path = isAttributed(run) && steps > 0 ? viewPath(run, 'overview') : null;
    const { data } = useJson<TraceOverview>(path);
    const parts = data?.mean.tensorboard;
    if (!parts?.length) return null;
    return (
        <div class="timeline-part timeline-mean">
            <div class="timeline-part-head">
                <b>{steps === 1 ? 'One step' : `Mean of ${int(steps)} steps`}</b>
                <span>% of {axisText(sumOf(parts))}</span>
            </div>
            {segmentsOf(parts).map(({ label, family, ns, share }) => (
                <div class="timeline-part-row" key={label}>
                    <span class="timeline-mean-name">
                        <span class={`swatch is-family-${family}`} /> {label}
                    </span>
                    <span>{axisText(ns)}</span>
                    <span class="timeline-mean-share">{pct(100 * share)}</span>
                </div>
            ))}
        </div>
    );
}

/** One line above the tracks of a run of torch without steps, until it is closed. */
export function NoStepsHint({ run }: { run: Run }) {
    if (!isAttributed(run) || traceOf(run).steps > 0) return null;
    return (
        <ClosableHint name="steps">
            No steps marked. Mark steps with <code>profiler.step()</code>
        </ClosableHint>
    );
}
