/* SPDX-License-Identifier: MIT */
/* Waterfall chart from base to new: steps that add up to the difference. */

interface WaterfallStep {
    name: string;
    /** start and end of the bar, in the unit of the metric */
    from: number;
    to: number;
    kind: 'end' | 'step' | 'rest';
    /** row id of the step; null for the ends and the rest */
    row: number | null;
    /** the bar is faint: an end, the rest, or a difference within noise */
    isFaint: boolean;
}

/** Differences below this share of the largest one are small. */
export const SMALL_SHARE = 0.01;

export interface Waterfall {
    steps: WaterfallStep[];
    /** range of the axis; the axis is truncated if it does not start at 0 */
    axisFrom: number;
    axisTo: number;
}

interface WaterfallRow {
    id: number;
    name: string;
    delta: number | null;
    noise: number | null;
    verdict: string | null;
}

/** The differences that are not small beside the largest one, for groups whose noise is unknown. */
export function largestSteps<R extends WaterfallRow>(rows: readonly R[]): R[] {
    const most = Math.max(0, ...rows.map(({ delta }) => Math.abs(delta ?? 0)));
    return rows.filter(({ delta }) => Math.abs(delta ?? 0) >= SMALL_SHARE * most);
}

/** `rows`: the largest differences; the remaining difference to `fresh` is one step. */
export function waterfall(base: number, fresh: number, rows: readonly WaterfallRow[]): Waterfall {
    const steps: WaterfallStep[] = [
        { name: 'base', from: 0, to: base, kind: 'end', row: null, isFaint: true },
    ];
    let at = base;
    for (const { id, name, delta, noise, verdict } of rows) {
        if (!delta) continue;
        const isFaint =
            verdict === 'same' || (verdict === 'few' && Math.abs(delta) <= (noise ?? 0));
        steps.push({ name, from: at, to: at + delta, kind: 'step', row: id, isFaint });
        at += delta;
    }
    const rest = fresh - at;
    const tolerance = 1e-9 * Math.max(Math.abs(base), Math.abs(fresh));
    if (Math.abs(rest) > tolerance) {
        steps.push({
            name: 'all others',
            from: at,
            to: fresh,
            kind: 'rest',
            row: null,
            isFaint: true,
        });
    }
    steps.push({ name: 'new', from: 0, to: fresh, kind: 'end', row: null, isFaint: true });
    const levels = steps.map(({ to }) => to);
    const [low, high] = [Math.min(...levels), Math.max(...levels)];
    // Truncate the axis if steps would be slivers between bars of nearly equal length.
    const isTruncated = low > 0 && high - low < 0.4 * high;
    return {
        steps,
        axisFrom: isTruncated
            ? Math.max(0, low - (high - low) * 0.6 - high * 1e-6)
            : Math.min(0, low),
        axisTo: Math.max(0, high) || 1,
    };
}
