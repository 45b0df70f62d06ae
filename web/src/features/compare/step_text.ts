/* SPDX-License-Identifier: MIT */
/* What the operators of two traces explain of the difference of their steps, in words. */
import { pct, THIN_SPACE } from '../../base/units';

/** Operators that have less of the difference do not explain it. */
const EXPLAIN_SHARE = 0.5;

interface OperatorSums {
    /** null: unknown */
    hasEqualCalls: boolean | null;
    /** sum over all operators; null: the metric does not add up */
    delta: number | null;
    /** title of the metric */
    title: string;
    /** difference of the step in the same unit; null: not comparable */
    stepDelta: number | null;
    format: (delta: number) => string;
}

export function operatorsSentence(of: OperatorSums): string {
    const { hasEqualCalls, delta, title, stepDelta, format } = of;
    const calls = hasEqualCalls ? 'Same calls on both sides. ' : '';
    if (delta === null) {
        return `${calls}${title} of one operator may include another, so the differences do not add up.`;
    }
    const differ = `${calls}The operators differ by ${format(delta)} in all`;
    if (!stepDelta) return `${differ}.`;
    const share = delta / stepDelta;
    if (share < EXPLAIN_SHARE) return `${differ}: they do not explain the change.`;
    return `${differ}: ${pct(100 * share)}${THIN_SPACE}% of the change of the step.`;
}
