/* SPDX-License-Identifier: MIT */
/* From base to new in steps that sum. */

export interface Step {
    name: string;
    /** where the bar starts and ends, in the unit of the metric */
    from: number;
    to: number;
    kind: 'end' | 'step' | 'rest';
    /** of the row that the step is; null of the ends and the rest */
    row: number | null;
    /** within noise */
    quiet: boolean;
}

export interface Waterfall {
    steps: Step[];
    /** the axis; it is cut when it does not start at 0 */
    axisFrom: number;
    axisTo: number;
}

interface WaterfallRow {
    id: number;
    name: string;
    delta: number;
    verdict: string | null;
}

/** `rows`: the largest differences; what is missing to `fresh` is one step. */
export function waterfall(base: number, fresh: number, rows: readonly WaterfallRow[]): Waterfall {
    const steps: Step[] = [
        { name: 'base', from: 0, to: base, kind: 'end', row: null, quiet: true },
    ];
    let at = base;
    for (const { id, name, delta, verdict } of rows) {
        if (delta === 0) continue;
        const quiet = verdict === 'same' || verdict === 'few';
        steps.push({ name, from: at, to: at + delta, kind: 'step', row: id, quiet });
        at += delta;
    }
    const rest = fresh - at;
    const tiny = 1e-9 * Math.max(Math.abs(base), Math.abs(fresh));
    if (Math.abs(rest) > tiny) {
        steps.push({
            name: 'all others',
            from: at,
            to: fresh,
            kind: 'rest',
            row: null,
            quiet: true,
        });
    }
    steps.push({ name: 'new', from: 0, to: fresh, kind: 'end', row: null, quiet: true });
    const levels = steps.map(({ to }) => to);
    const [low, high] = [Math.min(...levels), Math.max(...levels)];
    // Cut where the steps would be slivers on bars of nearly the same length.
    const cut = low > 0 && high - low < 0.4 * high;
    return {
        steps,
        axisFrom: cut ? Math.max(0, low - (high - low) * 0.6 - high * 1e-6) : Math.min(0, low),
        axisTo: Math.max(0, high) || 1,
    };
}
