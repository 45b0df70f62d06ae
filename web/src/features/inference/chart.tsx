/* SPDX-License-Identifier: MIT */
/* The picture of the steps, with pointer and tooltip. The tab handles keys. */
import { useRef } from 'preact/hooks';
import type { Inference } from '../../base/answers';
import { int, plural, THIN_SPACE } from '../../base/units';
import { usePaint, useWidth } from '../../components/painting';
import { hideTooltip, showTooltip } from '../../components/tooltip';
import { isHostOnly, phaseOf } from '../../model/inference';
import { ms } from '../../model/trace_range';
import {
    type InferenceGeometry,
    type InferenceScene,
    layoutInference,
    paintInference,
    stepAt,
} from './paint';

/** "step 53, decode: 9.773 ms on the GPU, 32 requests, 32 tokens". */
export function stepText(answer: Inference, step: number): string {
    const { busy_ns, host_ns, requests, tokens } = answer.columns;
    const [ns, where] = isHostOnly(answer)
        ? [host_ns[step], 'on the host']
        : [busy_ns[step], 'on the GPU'];
    return [
        `step ${int(step)}, ${phaseOf(answer, step)}: ${ms(ns)}${THIN_SPACE}ms ${where}`,
        requests[step] === null ? '' : plural(requests[step] ?? 0, 'request'),
        tokens[step] === null ? '' : plural(tokens[step] ?? 0, 'token'),
    ]
        .filter(Boolean)
        .join(', ');
}

interface InferenceChartProps {
    scene: InferenceScene;
    onPick: (step: number) => void;
}

export function InferenceChart({ scene, onPick }: InferenceChartProps) {
    const canvas = useRef<HTMLCanvasElement | null>(null);
    const geometry = useRef<InferenceGeometry | null>(null);
    const { box, width } = useWidth();
    usePaint(() => {
        if (!canvas.current || width === 0) return;
        geometry.current = layoutInference(scene, width);
        paintInference(canvas.current, scene, geometry.current);
    });
    const stepOf = (event: MouseEvent): number => {
        if (!geometry.current || !canvas.current) return -1;
        const { left, top } = canvas.current.getBoundingClientRect();
        return stepAt(geometry.current, event.clientX - left, event.clientY - top);
    };
    const selected = scene.step >= 0 ? ` Selected: ${stepText(scene.answer, scene.step)}.` : '';
    return (
        <div
            ref={box}
            class="inference-chart"
            role="img"
            aria-label={`${plural(scene.shown.length, 'step')} of the serving engine.${selected}`}
        >
            <canvas
                ref={canvas}
                style={{ width: `${width}px`, height: '276px' }}
                onPointerMove={(event) => {
                    const step = stepOf(event);
                    if (step >= 0)
                        showTooltip(stepText(scene.answer, step), event.clientX, event.clientY);
                    else hideTooltip();
                }}
                onPointerLeave={() => hideTooltip()}
                onClick={(event) => {
                    const step = stepOf(event);
                    if (step >= 0) onPick(step);
                }}
            />
        </div>
    );
}
