/* SPDX-License-Identifier: MIT */
/* What the pictures of steps share: what they are of, and the pointer. */
import type { JSX } from 'preact';
import type { Inference } from '../../base/answers';
import { hideTooltip, showTooltip } from '../../components/tooltip';
import { type InferenceAxis, type StackPart, stepText } from '../../model/inference';

export interface InferenceChartProps {
    answer: Inference;
    parts: StackPart[];
    shown: number[];
    axis: InferenceAxis;
    /** index of the selected step; -1: none */
    step: number;
    onPick: (step: number) => void;
}

/** Events of a picture that show and pick the step at a place in px, -1: none. */
export function stepEvents(
    { answer, onPick }: InferenceChartProps,
    stepOf: (x: number, y: number) => number,
): JSX.HTMLAttributes<HTMLDivElement> {
    const at = (event: MouseEvent): number => {
        const { left, top } = (event.currentTarget as Element).getBoundingClientRect();
        return stepOf(event.clientX - left, event.clientY - top);
    };
    return {
        onPointerMove: (event) => {
            const step = at(event);
            if (step >= 0) showTooltip(stepText(answer, step), event.clientX, event.clientY);
            else hideTooltip();
        },
        onPointerLeave: () => hideTooltip(),
        onClick: (event) => {
            const step = at(event);
            if (step >= 0) onPick(step);
        },
    };
}
