/* SPDX-License-Identifier: MIT */
/* The picture of the steps, with pointer and tooltip. The tab handles keys. */
import { plural } from '../../base/units';
import { stepText } from '../../model/inference';
import { StepRows } from './rows';
import { StepScatter } from './scatter';
import type { InferenceChartProps } from './step_events';

export function InferenceChart(props: InferenceChartProps) {
    const { answer, shown, axis, step } = props;
    const selected = step >= 0 ? ` Selected: ${stepText(answer, step)}.` : '';
    return (
        <div
            class="inference-chart"
            role="img"
            aria-label={`${plural(shown.length, 'step')} of the serving engine.${selected}`}
        >
            {axis === 'batch' || axis === 'context' ? (
                <StepScatter {...props} axis={axis} />
            ) : (
                <StepRows {...props} axis={axis} />
            )}
        </div>
    );
}
