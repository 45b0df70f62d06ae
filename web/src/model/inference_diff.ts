/* SPDX-License-Identifier: MIT
 *
 * Two runs of serving engines, phase by phase: their median steps, and what these spend the time of
 * the GPU on.
 */
import type {
    Inference,
    InferencePart,
    InferenceParts,
    InferencePhase,
    PhaseName,
} from '../base/answers';
import { int, pct, THIN_SPACE } from '../base/units';
import { FAMILIES, familyOf } from './family';
import { ms } from './trace_range';
import { isHostOnly, timesOf } from './inference';

export interface Both<T> {
    base: T;
    new: T;
}

/** What a step is divided by: itself, or its tokens where engines have different batches. */
export type InferencePer = 'step' | 'token';

/* The time of the median step: of the GPU, or of the host in runs without one. */
const stepTime = (answer: Inference, phase: InferencePhase): number | null =>
    isHostOnly(answer) ? phase.host_ns : phase.busy_ns;

/**
 * The phases in which both runs used the GPU, or both only the CPU: the one with most of the time in
 * base first.
 */
export function sharedPhases({ base, new: fresh }: Both<Inference>): PhaseName[] {
    if (isHostOnly(base) !== isHostOnly(fresh)) return [];
    const timeOf = (phase: InferencePhase): number => (stepTime(base, phase) ?? 0) * phase.steps;
    const has = (name: PhaseName): boolean =>
        fresh.phases.some((phase) => phase.phase === name && timeOf(phase) > 0);
    return base.phases
        .filter((phase) => timeOf(phase) > 0 && has(phase.phase))
        .sort((a, b) => timeOf(b) - timeOf(a))
        .map(({ phase }) => phase);
}

export const phaseIn = ({ phases }: Inference, name: PhaseName): InferencePhase | null =>
    phases.find(({ phase }) => phase === name) ?? null;

/** Index in `steps` of the parts of the median step of a phase; -1: none. */
const columnOf = ({ steps }: InferenceParts, name: PhaseName): number =>
    steps.findIndex(({ phase }) => phase === name);

export interface PartDiff {
    key: string;
    family: number;
    /** '' for a row that sums a family */
    name: string;
    isFamily: boolean;
    base: number;
    new: number;
    base_calls: number;
    new_calls: number;
    delta: number;
    state: 'both' | 'new' | 'gone';
}

/* What is outside of operators has a time, but no calls. */
const isIn = ({ ns, calls }: { ns: number; calls: number }): boolean => calls > 0 || ns > 0;

function diffOf(
    key: string,
    family: number,
    name: string,
    isFamily: boolean,
    base: { ns: number; calls: number },
    fresh: { ns: number; calls: number },
): PartDiff {
    return {
        key,
        family,
        name,
        isFamily,
        base: base.ns,
        new: fresh.ns,
        base_calls: base.calls,
        new_calls: fresh.calls,
        delta: fresh.ns - base.ns,
        state: !isIn(base) ? 'new' : !isIn(fresh) ? 'gone' : 'both',
    };
}

const bySize = (a: PartDiff, b: PartDiff): number =>
    Math.abs(b.delta) - Math.abs(a.delta) || b.base - a.base;

/**
 * Rows of a phase: each family with its kernels (or operators) below it, so that the kernels of one
 * run stand beside those that do the same work in the other. Names are equal or they are not: no
 * pair is guessed. `share` divides the times of each run, by its tokens or by 1.
 */
export function partDiffs(
    parts: Both<InferenceParts>,
    phase: PhaseName,
    share: Both<number>,
): PartDiff[] {
    const columns = { base: columnOf(parts.base, phase), new: columnOf(parts.new, phase) };
    const valueOf = (side: 'base' | 'new', row: InferencePart | undefined) => ({
        ns: (row?.ns[columns[side]] ?? 0) / share[side],
        calls: row?.calls[columns[side]] ?? 0,
    });
    const keyOf = ({ family, name }: InferencePart): string => `${family} ${name}`;
    const fresh = new Map(parts.new.rows.map((row) => [keyOf(row), row]));
    const rows: PartDiff[] = [];
    const add = (old: InferencePart | undefined, now: InferencePart | undefined): void => {
        const row = old ?? now;
        if (!row) return;
        const [base, next] = [valueOf('base', old), valueOf('new', now)];
        if (isIn(base) || isIn(next))
            rows.push(diffOf(keyOf(row), row.family, row.name, false, base, next));
    };
    for (const row of parts.base.rows) {
        add(row, fresh.get(keyOf(row)));
        fresh.delete(keyOf(row));
    }
    for (const row of fresh.values()) add(undefined, row);
    const sum = (of: PartDiff[], side: 'base' | 'new') => ({
        ns: of.reduce((total, row) => total + row[side], 0),
        calls: of.reduce((total, row) => total + row[`${side}_calls`], 0),
    });
    const families = FAMILIES.map((_, family) => rows.filter((row) => row.family === family))
        .filter((of) => of.length > 0)
        .map((of) => ({
            head: diffOf(
                `${of[0].family}`,
                of[0].family,
                '',
                true,
                sum(of, 'base'),
                sum(of, 'new'),
            ),
            of: of.sort(bySize),
        }))
        .sort((a, b) => bySize(a.head, b.head));
    return families.flatMap(({ head, of }) => [head, ...of]);
}

/** Tokens of the median step of a phase, for each run; null if one of them is unknown or 0. */
export function tokensOf(runs: Both<Inference>, phase: PhaseName): Both<number> | null {
    const [base, fresh] = [phaseIn(runs.base, phase)?.tokens, phaseIn(runs.new, phase)?.tokens];
    return base && fresh ? { base, new: fresh } : null;
}

const time = (ns: number): string => `${ms(ns)}${THIN_SPACE}ms`;
const change = (before: number, after: number): string => {
    const percent = before > 0 ? (100 * (after - before)) / before : 0;
    return `${percent > 0 ? '+' : ''}${pct(percent)}${THIN_SPACE}%`;
};

/** What differs in a phase: a sentence with the numbers, and one about its largest family. */
export function inferenceDiffSays(
    runs: Both<Inference>,
    rows: readonly PartDiff[],
    phase: PhaseName,
): [first: string, second: string] {
    const [base, fresh] = [phaseIn(runs.base, phase), phaseIn(runs.new, phase)];
    const before = base && stepTime(runs.base, base);
    const after = fresh && stepTime(runs.new, fresh);
    if (before === null || after === null) return ['', ''];
    const tokens = tokensOf(runs, phase);
    const work =
        tokens && tokens.base !== tokens.new
            ? ` The steps differ in work: ${int(tokens.base)} tokens against ${int(tokens.new)}.`
            : '';
    const largest = rows.find(({ isFamily, delta }) => isFamily && delta !== 0);
    const family = largest
        ? `Most of it is ${familyOf(largest.family).label}: ${time(largest.base)} → ${time(largest.new)}.`
        : `No family of ${isHostOnly(runs.base) ? 'operators' : 'kernels'} differs.`;
    return [
        `A ${phase} step takes ${time(before)} → ${time(after)} of the ${timesOf(runs.base)}, ${change(before, after)}.`,
        `${family}${work}`,
    ];
}
