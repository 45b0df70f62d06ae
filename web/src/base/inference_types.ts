/* SPDX-License-Identifier: MIT */
/* Answers about the steps of a serving engine (docs/api-traces.md). */

/** Names of the phases, by their numbers in `columns.phase`. */
export type PhaseName = 'unknown' | 'idle' | 'prefill' | 'mixed' | 'decode';

/** Medians over the steps of a phase; null: unknown. */
export interface InferencePhase {
    phase: PhaseName;
    steps: number;
    /** id of the step with the median busy time */
    median_step: number | null;
    busy_ns: number | null;
    span_ns: number | null;
    period_ns: number | null;
    tokens: number | null;
    requests: number | null;
    tokens_per_s: number | null;
    tokens_per_busy_s: number | null;
}

type Numbers = number[];
type Known = (number | null)[];

/** One value for each step. */
export interface InferenceColumns {
    phase: Numbers;
    id: Numbers;
    host_start_ns: Numbers;
    host_ns: Numbers;
    first_ns: Known;
    span_ns: Known;
    period_ns: Known;
    busy_ns: Numbers;
    kernels: Numbers;
    requests: Known;
    tokens: Known;
    padded: Known;
    prefill_requests: Known;
    prefill_tokens: Known;
    prefill_context: Known;
    decode_requests: Known;
    decode_tokens: Known;
    decode_context: Known;
}

export interface Inference {
    engine: string | null;
    worker: number;
    workers: number;
    detailed: boolean;
    assumed: boolean;
    steps: number;
    omitted: number;
    outside_ns: number;
    outside_kernels: number;
    phase_names: PhaseName[];
    phases: InferencePhase[];
    steady: { first: number; steps: number } | null;
    columns: InferenceColumns;
    families: { family: number; ns: Numbers }[];
}

export interface InferencePart {
    name: string;
    name_id: number;
    family: number;
    /** by step of the answer */
    ns: Numbers;
    calls: Numbers;
}

export interface InferenceParts {
    by: 'kernel' | 'operator';
    /** the columns: the median step of each phase, and the chosen one */
    steps: {
        phase: PhaseName;
        step: number;
        name: string | null;
        busy_ns: number;
        kernels: number;
    }[];
    rows: InferencePart[];
    omitted: number;
    omitted_ns: Numbers;
}
