/* SPDX-License-Identifier: MIT
 *
 * JSON of traces, see docs/api-traces.md. Names are those of the API; times in ns count from the
 * first event.
 */
import type { SummaryTimeRow } from './rows';

export interface TraceSummary {
    events: number;
    slices: number;
    tracks: number;
    processes: number;
    span_ns: number;
    origin_us: string | number;
    /** us since 1970; absent if the file does not say it */
    started_us?: number;
    ended_us?: number;
    devices: number;
    kernels: number;
    /** copies and sets; absent in runs of 0.2.0, which count them as kernels */
    copies?: number;
    steps: number;
    step_ns: number | null;
    gpu_busy: number | null;
    dataloader_pct: number | null;
    /** 1: the lines of frames are those of the `def` of their function */
    def_lines?: number;
    idle_texts?: number;
    late_pct?: number;
    /** time in the garbage collector */
    gc_s?: number;
    cpu_s?: number;
    /** 1: slices are rows of equal samples, not calls */
    sampled?: number;
    /** 1: calls are missing, because the buffer of the profiler was full */
    incomplete?: number;
    /** steps of a serving engine; absent if there are none */
    serving_steps?: number;
    /** only with devices: their idle time, by cause */
    host_wait_idle_ns?: number;
    idle_host_wait?: number;
    idle_host_wait_ns?: number;
    idle_kernel_wait?: number;
    idle_kernel_wait_ns?: number;
    idle_other?: number;
    idle_other_ns?: number;
    /** time of all work of devices, and of that with a known operator; absent without work */
    work_ns?: number;
    work_with_operator_ns?: number;
    /** time of work that graphs replayed, and of that whose operator was found in the capture, by
     * the order of the work or by the node of the graph; absent without graphs */
    replayed_ns?: number;
    replayed_by_order_ns?: number;
    replayed_by_node_ns?: number;
    peak_bytes: number | null;
    /** 1: the peak is of a device; 0: of the host */
    peak_device: number | null;
    /** number of rows of key_averages(): host operators here, device kernels below */
    operators?: number;
    kernel_names?: number;
    torch: number;
    shapes: number;
    stacks: number;
    memory: number;
    flops: number;
    workers: number;
}

type StepKeys = 'step_ns' | 'gpu_busy' | 'dataloader_pct';
/** The summary in a response: traces without steps or devices may lack these members. */
export type TraceSummaryAnswer = Omit<TraceSummary, StepKeys> &
    Partial<Pick<TraceSummary, StepKeys>>;

/** Row of a summary of times, sizes or projected ranges; the columns depend on the summary. */
export type SummaryRow = Pick<SummaryTimeRow, 'name' | 'name_id' | 'kind' | 'first_ns' | 'calls'> &
    Partial<Pick<SummaryTimeRow, 'style' | 'domain'>> &
    Record<string, string | number | null | undefined>;

export type Definition = 'tensorboard' | 'hta' | 'tracelens';
