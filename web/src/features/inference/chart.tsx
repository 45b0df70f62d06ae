/* SPDX-License-Identifier: MIT */
/* The picture of the steps, with pointer and tooltip. The tab handles keys. */
import { useRef } from 'preact/hooks';
import { plural } from '../../base/units';
import { usePaint, useWidth } from '../../components/painting';
import { stepText } from '../../model/inference';
import { type InferenceGeometry, layoutInference, paintInference, stepAt } from './paint';
import { StepScatter } from './scatter';
import { type InferenceChartProps, stepEvents } from './step_events';

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

function StepRows(props: InferenceChartProps & { axis: 'step' | 'time' }) {
    const canvas = useRef<HTMLCanvasElement | null>(null);
    const geometry = useRef<InferenceGeometry | null>(null);
    const { box, width } = useWidth();
    usePaint(() => {
        if (!canvas.current || width === 0) return;
        geometry.current = layoutInference(props, width);
        paintInference(canvas.current, props, geometry.current);
    });
    return (
        <div
            ref={box}
            {...stepEvents(props, (x) => (geometry.current ? stepAt(geometry.current, x) : -1))}
        >
            <canvas ref={canvas} style={{ width: `${width}px`, height: '276px' }} />
        </div>
    );
}
