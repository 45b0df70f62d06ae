/* SPDX-License-Identifier: MIT
 *
 * JSON of traces, see docs/api-traces.md. Names are those of the API; times in ns count from the
 * first event.
 */

export interface TraceSummary {
    events: number;
    slices: number;
    tracks: number;
    processes: number;
    span_ns: number;
    origin_us: string;
    devices: number;
    kernels: number;
    steps: number;
    step_ns: number | null;
    gpu_busy: number | null;
    dataloader_pct: number | null;
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

export interface OperatorRow {
    name: string;
    name_id: number;
    input_shapes: string | null;
    kind: number;
    family: number;
    calls: number;
    self_cpu_us: number;
    cpu_total_us: number;
    cpu_mean_us: number;
    /** percent of all rows of the run or range, ignoring filters */
    self_cpu_pct: number | null;
    self_device_pct: number | null;
    self_device_us: number;
    device_total_us: number;
    self_cpu_bytes: number | null;
    cpu_bytes: number | null;
    self_device_bytes: number | null;
    device_bytes: number | null;
    flops: number | null;
    gflops_s: number | null;
    min_us: number;
    max_us: number;
    first_ns: number;
}

export interface KernelRow {
    name: string;
    name_id: number;
    kind: number;
    device: number;
    stream: number;
    family: number;
    calls: number;
    total_us: number;
    mean_us: number;
    min_us: number;
    max_us: number;
    pct: number | null;
    blocks_per_sm: number | null;
    occupancy_pct: number | null;
    tensor_core: number | null;
    first_ns: number;
    /** these fields: only when kernels are grouped by launch */
    operator?: string | null;
    grid?: string | null;
    block?: string | null;
    registers?: number | null;
    shared_bytes?: number | null;
}

/** Row of a summary of times, sizes or projected ranges; the columns depend on the summary. */
export interface SummaryRow {
    name: string;
    name_id: number;
    kind: number;
    first_ns: number;
    calls: number;
    style?: string | null;
    domain?: string | null;
    [figure: string]: string | number | null | undefined;
}

export interface MemoryOperatorRow {
    name: string;
    name_id: number;
    /** null if no slice of this name starts in the range */
    calls: number | null;
    device_type: number;
    device: number;
    increase_bytes: number;
    self_increase_bytes: number;
    allocations: number;
    allocated_bytes: number;
}

export interface AllocationRow {
    id: number;
    /** null if it was allocated before the recording began */
    t_ns: number | null;
    /** null if it was never freed */
    end_ns: number | null;
    duration_ns: number | null;
    bytes: number;
    device_type: number;
    device: number;
    worker: number;
    address: string | number | null;
    operator: string | null;
    slice: number | null;
    /** id of the slice that freed it */
    freed_by: number | null;
}

export interface ModuleRow {
    id: number;
    parent_id: number | null;
    depth: number;
    name: string;
    calls: number;
    operators: number;
    host_self_us: number;
    host_total_us: number;
    device_self_us: number;
    device_total_us: number;
    first_slice: number | null;
    worker: number;
}

export interface GapRow {
    track: number;
    stream: string;
    start_ns: number;
    duration_us: number;
    cause: string;
    /** ids of the slices before and after the gap */
    before: number | null;
    after: number | null;
}

export type Definition = 'tensorboard' | 'hta' | 'tracelens';
/** [name, ns] in the order of the definition; they sum to the wall time. */
export type Parts = [name: string, ns: number][];
export type PartsBy = Record<Definition, Parts>;

export interface TraceStep {
    id: number;
    name: string;
    worker: number;
    start_ns: number;
    end_ns: number;
    counted: boolean | number;
    parts: PartsBy;
}

/** Row of the table `device`; a value that the file lacks is null. */
export interface DeviceRow {
    worker: number;
    device: number;
    name: string;
    /** the file's deviceProperties, unchanged */
    json: string | Record<string, unknown> | null;
    span_ns: number | null;
    busy_ns: number | null;
    sm_efficiency: number | null;
    occupancy: number | null;
    kernel_ns: number | null;
    tensor_core_ns: number | null;
    communication_ns: number | null;
    overlap_ns: number | null;
    kernels: number | null;
    copies: number | null;
    hta_kernel_time_ns: number | null;
    hta_compute_ns: number | null;
    hta_non_compute_ns: number | null;
    hta_idle_ns: number | null;
}

export interface GapSums {
    count: number;
    total_ns: number;
    by_cause: [cause: string, ns: number, count: number][];
    longest: { track: number; start_ns: number; end_ns: number; cause: string }[];
}

export interface TraceOverview {
    steps: TraceStep[];
    mean: Partial<PartsBy>;
    devices: DeviceRow[];
    gaps: GapSums;
    top: { operators: OperatorRow[]; kernels: KernelRow[] };
    headers: [key: string, text: string][];
}

export interface DeviceUse {
    worker: number;
    device: number;
    /** share of the range, 0 to 1 */
    busy: number;
    sm_efficiency: number | null;
    occupancy: number | null;
    /** per pixel, 0 to 255: share of the pixel in which a kernel ran */
    share: number[];
    communication_ns: number | null;
    overlap_ns: number | null;
    idle_ns: number | null;
}

export interface Utilisation {
    /** period that was evaluated: the range, otherwise from the first to the last counted step */
    from_ns: number;
    to_ns: number;
    devices: DeviceUse[];
    parts: Partial<PartsBy>;
}

export interface Named {
    name: string;
    count: number;
    total_ns: number;
    mean_ns: number;
    median_ns: number;
    p95_ns: number;
    min_ns: number;
    max_ns: number;
    histogram: { from_ns: number; to_ns: number; log: boolean; count: number[] };
}

export interface FlameAnswer {
    n: number;
    unit: string;
    /** total of the flame graph */
    sum: number;
    /** number of omitted nodes; their time remains in `total` of their ancestors */
    cut: number;
    parent: number[];
    name: number[];
    self: number[];
    total: number[];
    count: number[];
    family: number[];
    kind: number[];
    names: string[];
}

export interface Finding {
    rule: string;
    severity: 'high' | 'medium' | 'low';
    title: string;
    text: string;
    share: number;
    speedup: number;
    base: string;
    from_ns: number | null;
    to_ns: number | null;
    link: { view: string; params: Record<string, string | number> } | null;
}

export interface Findings {
    rows: Finding[];
    checked: { rule: string; title: string }[];
}

export interface WorkerRow {
    worker: number;
    name: string | null;
    rank: number | null;
    steps: number;
    span_ns: number;
    step_ns: number | null;
    busy: number | null;
    communication_ns: number | null;
    overlap_pct: number | null;
    parts: Partial<PartsBy>;
}

export interface Workers {
    rows: WorkerRow[];
    collectives: {
        name: string;
        calls: number;
        bytes: number | null;
        transfer_ns: number | null;
        wait_ns: number | null;
    }[];
}

export interface MemoryCurve {
    device_type: number;
    device: number;
    t_ns: number[];
    allocated: (number | null)[];
    reserved: (number | null)[];
}

export interface MemoryDevice {
    device_type: number;
    device: number;
    worker: number;
    label: string;
    peak_bytes: number | null;
    reserved_peak_bytes: number | null;
}
