/* SPDX-License-Identifier: MIT
 *
 * The steps of a serving engine as a picture: which are shown, where they stand, and what they say.
 */
import type { Inference, InferencePhase, PhaseName } from '../base/answers';
import { int, pct, plural, THIN_SPACE } from '../base/units';
import { familyOf } from './family';
import { ms, type TraceRange } from './trace_range';
import { deviceWord } from './device';

/** What the horizontal axis shows. */
export type InferenceAxis = 'step' | 'time' | 'batch' | 'context';
export const INFERENCE_AXES: readonly InferenceAxis[] = ['step', 'time', 'batch', 'context'];

/** The order of the families in a stack, from below; all others are one part above them. */
const STACK_ORDER = ['matmul', 'attention', 'norm', 'elementwise', 'memory', 'communication'];

/** The greatest width of the column of a step. */
const MAX_COLUMN_PX = 48;

/** Below this width a column shows several steps. */
export const MIN_COLUMN_PX = 4;

/** A scale ends at this multiple of the 95th percentile: longer columns are cut. */
const SCALE_END = 1.3;

/** Gaps of at least this share are said first. */
const LARGE_GAP = 0.3;

export function phaseOf({ phase_names, columns }: Inference, step: number): PhaseName {
    return phase_names[columns.phase[step]];
}

/** Indexes of the steps of a phase (null: of all), in the steady state only if wanted. */
export function shownSteps(
    answer: Inference,
    phase: PhaseName | null,
    steadyOnly: boolean,
): number[] {
    const { steady, steps } = answer;
    const from = steadyOnly && steady ? steady.first : 0;
    const to = steadyOnly && steady ? steady.first + steady.steps : steps;
    const shown: number[] = [];
    for (let i = from; i < to; i++)
        if (phase === null || phaseOf(answer, i) === phase) shown.push(i);
    return shown;
}

/** Whether no step launched work on a device: then the times are those of the host. */
export const isHostOnly = ({ time }: { time: Inference['time'] }): boolean => time === 'host';

/** The times of the steps: on the device, or of their annotations on the host. */
export const stepTimes = (answer: Inference): number[] =>
    isHostOnly(answer) ? answer.columns.host_ns : answer.columns.busy_ns;

/** What the times of the steps are of: "GPU", or "CPU" for those of the host. */
export const timesOf = (answer: { time: Inference['time'] }): string =>
    isHostOnly(answer) ? 'CPU' : deviceWord();

export const OUTSIDE_OPERATORS = 'outside operators';

/** The parts of the stacks, from below. `ns` has one value for each step. */
export interface StackPart {
    key: string;
    label: string;
    ns: number[];
}

export function stackParts(answer: Inference): StackPart[] {
    const { families, steps } = answer;
    const parts: StackPart[] = [];
    for (const key of STACK_ORDER) {
        const found = families.find(({ family }) => familyOf(family).key === key);
        if (found) parts.push({ key, label: familyOf(found.family).label, ns: found.ns });
    }
    const rest = families.filter(({ family }) => !STACK_ORDER.includes(familyOf(family).key));
    if (rest.length > 0)
        parts.push({
            key: 'runtime',
            label: 'other',
            ns: Array.from({ length: steps }, (_, i) =>
                rest.reduce((sum, { ns }) => sum + ns[i], 0),
            ),
        });
    if (isHostOnly(answer)) parts.push(outsideOperators(answer));
    return parts;
}

/* What the annotations of the steps last beyond the operators in them. */
function outsideOperators({ families, columns }: Inference): StackPart {
    const ns = columns.host_ns.map((whole, i) =>
        Math.max(
            0,
            families.reduce((left, family) => left - family.ns[i], whole),
        ),
    );
    return { key: 'python', label: OUTSIDE_OPERATORS, ns };
}

/** Sum of the parts of a step: more than its busy time where kernels overlap. */
export const stackHeight = (parts: readonly StackPart[], step: number): number =>
    parts.reduce((sum, { ns }) => sum + ns[step], 0);

/** A number with one or two digits that is not less than the value. */
export function roundUp(value: number): number {
    if (!(value > 0)) return 1;
    const power = 10 ** Math.floor(Math.log10(value));
    return (
        [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].map((n) => n * power).find((n) => n >= value * 0.999) ??
        value
    );
}

/** How many equal parts of a rounded scale have round ends. */
export function scaleParts(end: number): number {
    const first = Number((end / 10 ** Math.floor(Math.log10(end) + 1e-9)).toPrecision(3));
    return [1.5, 3, 6].includes(first) ? 3 : [2.5, 5].includes(first) ? 5 : 4;
}

/** The end of a scale that shows most values whole. */
export function scaleEnd(values: readonly number[]): number {
    const sorted = values.filter((value) => value > 0).sort((a, b) => a - b);
    if (sorted.length === 0) return 1;
    const most = sorted[sorted.length - 1];
    const usual = sorted[Math.floor((sorted.length - 1) * 0.95)] * SCALE_END;
    return roundUp(Math.min(most, usual));
}

/** A column of the picture: one step, or several that would be too narrow. */
export interface StepColumn {
    /** indexes in the answer, in order */
    steps: number[];
    /** the one that is drawn: of several the one with the median time */
    step: number;
    x: number;
    width: number;
}

function columnOf(steps: number[], ns: number[], x: number, width: number): StepColumn {
    const sorted = [...steps].sort((a, b) => ns[a] - ns[b]);
    return { steps, step: sorted[(sorted.length - 1) >> 1], x, width };
}

/** Columns of equal width, or to the scale of time; [] without a width. */
export function layoutSteps(
    answer: Inference,
    shown: readonly number[],
    axis: 'step' | 'time',
    width: number,
): StepColumn[] {
    if (shown.length === 0 || width <= 0) return [];
    const ns = stepTimes(answer);
    if (axis === 'step') {
        const per = Math.max(1, Math.ceil((shown.length * MIN_COLUMN_PX) / width));
        const count = Math.ceil(shown.length / per);
        const each = Math.min(MAX_COLUMN_PX, width / count);
        return Array.from({ length: count }, (_, i) =>
            columnOf(shown.slice(i * per, (i + 1) * per), ns, i * each, each),
        );
    }
    const { first_ns, span_ns, host_start_ns, host_ns } = answer.columns;
    const startOf = (step: number): number => first_ns[step] ?? host_start_ns[step];
    const endOf = (step: number): number => startOf(step) + (span_ns[step] ?? host_ns[step]);
    const from = Math.min(...minMax(shown.map(startOf)));
    const to = Math.max(...minMax(shown.map(endOf)));
    const scale = width / Math.max(1, to - from);
    const columns: StepColumn[] = [];
    for (const step of shown) {
        const x = (startOf(step) - from) * scale;
        const last = columns.at(-1);
        if (last && x < last.x + 1) last.steps.push(step);
        else columns.push({ steps: [step], step, x, width: 1 });
        const column = columns[columns.length - 1];
        column.width = Math.max(column.width, (endOf(step) - from) * scale - column.x);
    }
    return columns.map(({ steps, x, width: own }) => columnOf(steps, ns, x, own));
}

/* Math.min(...values) fails for very long lists. */
function minMax(values: readonly number[]): [least: number, most: number] {
    let [least, most] = [Infinity, -Infinity];
    for (const value of values) {
        if (value < least) least = value;
        if (value > most) most = value;
    }
    return [least, most];
}

/** Neighbouring columns of one phase, or a phase's share of a column. */
export interface PhasePiece {
    phase: PhaseName;
    count: number;
    x: number;
    end: number;
    /** from the top of the row, in shares of its height */
    top: number;
    height: number;
}

/** The row of phases. Where columns show several steps, each is divided by their phases. */
export function phasePieces(answer: Inference, columns: readonly StepColumn[]): PhasePiece[] {
    const isGrouped = columns.some(({ steps }) => steps.length > 1);
    const pieces: PhasePiece[] = [];
    for (const { steps, x, width } of columns) {
        let top = 0;
        for (const phase of answer.phase_names) {
            const count = steps.filter((step) => phaseOf(answer, step) === phase).length;
            const height = count / steps.length;
            const last = pieces.at(-1);
            if (!isGrouped && count > 0 && last?.phase === phase) {
                last.count++;
                last.end = x + width;
            } else if (count > 0) {
                pieces.push({ phase, count, x, end: x + width, top, height });
            }
            top += height;
        }
    }
    return pieces;
}

/** The largest of a column's values; 0 if none is known. */
export const mostOf = ({ steps }: StepColumn, values: readonly (number | null)[]): number =>
    steps.reduce((most, step) => Math.max(most, values[step] ?? 0), 0);

/** From the start of a step, on the host or the device, to the end of both. */
export function stepRange({ columns }: Inference, step: number): TraceRange {
    const { host_start_ns, host_ns, first_ns, span_ns } = columns;
    const start = host_start_ns[step];
    const first = first_ns[step] ?? start;
    return {
        from_ns: Math.min(start, first),
        to_ns: Math.max(start + host_ns[step], first + (span_ns[step] ?? 0)),
    };
}

/** The value of a step on an axis of batch size or context; null: unknown. */
export function axisValue(
    { columns }: Inference,
    axis: 'batch' | 'context',
    step: number,
): number | null {
    if (axis === 'batch') return columns.requests[step];
    const prefill = columns.prefill_context[step];
    const decode = columns.decode_context[step];
    return prefill === null || decode === null ? null : prefill + decode;
}

/** The phase with the most time on the devices, or on the host without them. */
export function mainPhase(answer: Inference): InferencePhase | null {
    const { phases } = answer;
    const timeOf = ({ busy_ns, host_ns, steps }: InferencePhase): number =>
        ((isHostOnly(answer) ? host_ns : busy_ns) ?? 0) * steps;
    const busy = phases.filter((phase) => timeOf(phase) > 0);
    return busy.sort((a, b) => timeOf(b) - timeOf(a)).at(0) ?? null;
}

const percent = (share: number): string => `${pct(100 * share)}${THIN_SPACE}%`;
const time = (ns: number): string => `${ms(ns)}${THIN_SPACE}ms`;
const aStep = (phase: PhaseName): string =>
    phase === 'unknown' || phase === 'idle' ? 'a step' : `a ${phase} step`;

/* What the median step of the main phase spends on the host, and the medians of the others. */
function hostSays(answer: Inference, main: InferencePhase, index: number): [string, string] {
    const whole = answer.columns.host_ns[index];
    const [largest] = stackParts(answer)
        .filter(({ label }) => label !== OUTSIDE_OPERATORS)
        .map(({ label, ns }) => ({ label, share: ns[index] / Math.max(1, whole) }))
        .sort((a, b) => b.share - a.share);
    const start = aStep(main.phase).replace(/^a/, 'A');
    const others = answer.phases
        .filter(({ phase, host_ns }) => phase !== main.phase && host_ns !== null)
        .map(({ phase, host_ns }) => `${aStep(phase)} takes ${time(host_ns ?? 0)}`);
    return [
        largest
            ? `${start} spends ${percent(largest.share)} of its ${time(whole)} on the CPU in ${largest.label}.`
            : `${start} takes ${time(whole)} on the host.`,
        [
            others.length > 0 ? `In the median ${others.join(', ')}.` : '',
            'The steps launched no work on a device.',
        ]
            .filter(Boolean)
            .join(' '),
    ];
}

/* The step that dominates the time of all: "Step 87 takes 785.806 ms to prefill 4,215 tokens, ...". */
function oddSays(answer: Inference, { step, ns, share, median_ns }: NonNullable<Inference['odd']>) {
    const prefill = answer.columns.prefill_tokens[step] ?? 0;
    return [
        `Step ${int(step)} takes ${time(ns)} on the ${timesOf(answer)}`,
        prefill > 0 ? ` to prefill ${plural(prefill, 'token')}` : '',
        `, ${percent(share)} of the time of all steps; the median step takes ${time(median_ns)}.`,
    ].join('');
}

/** What the steps say: a sentence with the number, and one with what follows. */
export function inferenceSays(answer: Inference): [first: string, second: string] {
    const [first, second] = phasesSay(answer);
    return answer.odd === null
        ? [first, second]
        : [oddSays(answer, answer.odd), [first, second].filter(Boolean).join(' ')];
}

/* What the median steps of the phases say. */
function phasesSay(answer: Inference): [first: string, second: string] {
    const main = mainPhase(answer);
    const index = main ? answer.columns.id.indexOf(main.median_step ?? -1) : -1;
    if (main && index >= 0 && isHostOnly(answer)) return hostSays(answer, main, index);
    if (!main || index < 0 || main.busy_ns === null)
        return ['The steps launched no work on a device.', ''];
    const parts = stackParts(answer)
        .map(({ label, ns }) => ({ label, share: ns[index] / answer.columns.busy_ns[index] }))
        .sort((a, b) => b.share - a.share);
    const [largest, second] = parts;
    const tokens =
        main.tokens === null
            ? ''
            : ` for ${int(main.tokens)} ${main.tokens === 1 ? 'token' : 'tokens'}`;
    const also = second ? `, ${second.label} ${percent(second.share)}` : '';
    const whole = main.period_ns ?? main.span_ns;
    const gap = whole === null ? 0 : Math.max(0, 1 - main.busy_ns / whole);
    if (gap >= LARGE_GAP && whole !== null)
        return [
            main.period_ns === null
                ? `The ${deviceWord()} is busy ${percent(1 - gap)} of the ${time(whole)} from the first to the last kernel of ${aStep(main.phase)}.`
                : `The ${deviceWord()} is busy ${percent(1 - gap)} of the ${time(whole)} from ${aStep(main.phase)} to the next.`,
            `Its work takes ${time(main.busy_ns)}${tokens}: ${largest.label} ${percent(largest.share)}${also}.`,
        ];
    const gaps = whole === null ? '' : ` Gaps are ${percent(gap)}.`;
    return [
        `${aStep(main.phase).replace(/^a/, 'A')} spends ${percent(largest.share)} of its ${time(main.busy_ns)} on the ${deviceWord()} in ${largest.label}${tokens}.`,
        `${second ? `${second.label[0].toUpperCase()}${second.label.slice(1)} is ${percent(second.share)}.` : ''}${gaps}`.trim(),
    ];
}

/** "step 53, decode: 9.773 ms on the GPU, 32 requests, 32 tokens". */
export function stepText(answer: Inference, step: number): string {
    const { requests, tokens } = answer.columns;
    const where = isHostOnly(answer) ? 'on the host' : `on the ${deviceWord()}`;
    return [
        `step ${int(step)}, ${phaseOf(answer, step)}: ${time(stepTimes(answer)[step])} ${where}`,
        requests[step] === null ? '' : plural(requests[step] ?? 0, 'request'),
        tokens[step] === null ? '' : plural(tokens[step] ?? 0, 'token'),
    ]
        .filter(Boolean)
        .join(', ');
}
