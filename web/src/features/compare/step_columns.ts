/* SPDX-License-Identifier: MIT */
/* Every step of a run as a stacked column. Where there are more steps than pixels, a column is the
 * mean of several steps; with many steps it has a band, too. */
import type { Parts, TraceOverview, TraceStep } from '../../base/answers';
import type { Definition } from '../../base/trace_types';
import { int } from '../../base/units';

/** From this number of steps on, columns are 1 px wide, without gaps. */
export const THIN_FROM = 60;
/** From this number of steps on, a column has the band from the 10th to the 90th percentile. */
const BAND_FROM = 400;
/** Number of steps that a band describes, at least. */
const BAND_STEPS = 20;
const MAX_WIDTH = 28;

export interface StepColumn {
    name: string;
    start_ns: number;
    end_ns: number;
    /** number of steps */
    n: number;
    /** mean time of a step, ns */
    total_ns: number;
    /** means of the parts, ns */
    parts: Parts;
    /** percentiles of the time of a step, ns; null: few steps */
    band: { low: number; median: number; high: number } | null;
    /** false: the step is not counted in the mean */
    isCounted: boolean;
}

export interface StepColumns {
    columns: StepColumn[];
    /** distance of two columns, and the width of one, px */
    pitch: number;
    width: number;
}

export const durationOf = ({ start_ns, end_ns }: TraceStep): number => end_ns - start_ns;

/** Steps of the job's first worker; the other workers run in parallel. */
export function stepsOf({ steps }: TraceOverview): TraceStep[] {
    const first = Math.min(...steps.map(({ worker }) => worker));
    return steps.filter(({ worker }) => worker === first);
}

/** The steps whose mean is compared. */
export function countedSteps(overview: TraceOverview): TraceStep[] {
    return stepsOf(overview).filter(({ counted }) => counted);
}

function percentile(sorted: readonly number[], share: number): number {
    const at = (sorted.length - 1) * share;
    const low = Math.floor(at);
    const high = Math.min(low + 1, sorted.length - 1);
    return sorted[low] + (at - low) * (sorted[high] - sorted[low]);
}

function meanParts(steps: readonly TraceStep[], definition: Definition): Parts {
    const sums = new Map<string, number>();
    for (const step of steps) {
        for (const [name, ns] of step.parts[definition] ?? [])
            sums.set(name, (sums.get(name) ?? 0) + ns);
    }
    return [...sums].map(([name, ns]) => [name, ns / steps.length]);
}

function columnOf(
    steps: readonly TraceStep[],
    definition: Definition,
    hasBand: boolean,
): StepColumn {
    const [first, last] = [steps[0], steps[steps.length - 1]];
    const times = steps.map(durationOf).sort((a, b) => a - b);
    return {
        name: steps.length > 1 ? `${first.name} – ${last.name}` : first.name,
        start_ns: first.start_ns,
        end_ns: last.end_ns,
        n: steps.length,
        total_ns: times.reduce((sum, ns) => sum + ns, 0) / times.length,
        parts: meanParts(steps, definition),
        band: hasBand
            ? {
                  low: percentile(times, 0.1),
                  median: percentile(times, 0.5),
                  high: percentile(times, 0.9),
              }
            : null,
        isCounted: steps.some(({ counted }) => counted),
    };
}

/** The columns of a run in `px` pixels. */
export function stepColumns(
    overview: TraceOverview,
    definition: Definition,
    px: number,
): StepColumns {
    const steps = stepsOf(overview);
    const hasBand = steps.length >= BAND_FROM;
    const fitting = Math.max(1, Math.ceil(steps.length / Math.max(1, px)));
    const perColumn = hasBand ? Math.max(BAND_STEPS, fitting) : fitting;
    const columns: StepColumn[] = [];
    for (let i = 0; i < steps.length; i += perColumn) {
        columns.push(columnOf(steps.slice(i, i + perColumn), definition, hasBand));
    }
    const room = Math.floor(px / Math.max(1, columns.length));
    const pitch =
        steps.length >= THIN_FROM && !hasBand ? 1 : Math.min(MAX_WIDTH, Math.max(1, room));
    return { columns, pitch, width: pitch >= 5 && !hasBand ? pitch - 2 : pitch };
}

/** `steps 3 – 14`, by the numbers in their names; else how many there are. */
export function stepsText(overview: TraceOverview): string {
    const steps = stepsOf(overview);
    const total = overview.steps_total;
    const numbers = [steps[0], steps[steps.length - 1]].map(
        (step) => /#(\d+)$/.exec(step?.name ?? '')?.[1],
    );
    const shown = overview.steps.length < total ? `first ${int(steps.length)} of ` : '';
    if (shown || !numbers[0] || !numbers[1]) return `${shown}${int(total)} steps`;
    return numbers[0] === numbers[1] ? `step ${numbers[0]}` : `steps ${numbers[0]} – ${numbers[1]}`;
}

/** What the steps say in words; '' if a run has fewer than two. */
export function stepsSentence(base: TraceOverview, fresh: TraceOverview): string {
    const [a, b] = [base, fresh].map((overview) => countedSteps(overview).map(durationOf));
    if (a.length < 2 || b.length < 2) return '';
    if (Math.max(...b) < Math.min(...a)) return 'every new step is shorter than every base step';
    if (Math.min(...b) > Math.max(...a)) return 'every new step is longer than every base step';
    const mean = a.reduce((sum, ns) => sum + ns, 0) / a.length;
    const shorter = b.filter((ns) => ns < mean).length;
    return `${int(shorter)} of ${int(b.length)} new steps are shorter than the mean base step`;
}
