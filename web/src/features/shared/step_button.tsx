/* SPDX-License-Identifier: MIT
 *
 * The button that names the step of the current address, and ends its choice.
 */
import type { Run } from '../../base/answers';
import { endStepChoice } from './chosen_step';

interface StepButtonProps {
    step: string;
    /** the runs, or the series with an empty id, for which the choice is remembered */
    runs: readonly Pick<Run, 'series' | 'id'>[];
}

export function StepButton({ step, runs }: StepButtonProps) {
    return (
        <button
            type="button"
            class="quiet step-button"
            title={`Steps are the ranges named ${step}. Click to use the steps of the files.`}
            onClick={() => endStepChoice(runs)}
        >
            <span class="ellipsis">Step: {step}</span> ×
        </button>
    );
}
