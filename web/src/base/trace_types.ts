/* SPDX-License-Identifier: MIT
 *
 * JSON of traces, see docs/api-traces.md. Names are those of the API; times in ns count from the
 * first event.
 */
import type { StackSummary, TraceFigures, TraceSummaryAnswer } from './answers';
import type { SummaryTimeRow } from './rows';

type StepFigures = Pick<TraceSummaryAnswer, 'step_ns' | 'gpu_busy' | 'dataloader_pct'>;

/** The summary of a trace or of stacks, with the figures of steps and devices that some lack. */
export type TraceSummary = Required<StepFigures> &
    Omit<TraceSummaryAnswer, keyof StepFigures> &
    Partial<Omit<StackSummary, keyof TraceFigures>>;

/** Row of a summary of times, sizes or projected ranges; the columns depend on the summary. */
export type SummaryRow = Pick<SummaryTimeRow, 'name' | 'name_id' | 'kind' | 'first_ns' | 'calls'> &
    Partial<Pick<SummaryTimeRow, 'style' | 'domain'>> &
    Record<string, string | number | null | undefined>;

export type Definition = 'tensorboard' | 'hta' | 'tracelens';
