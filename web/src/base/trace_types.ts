/* SPDX-License-Identifier: MIT
 *
 * JSON of traces, see docs/api-traces.md. Names are those of the API; times in ns count from the
 * first event.
 */
import type {
    SummaryTimeRow,
    TraceDeviceRow,
    TraceLongestGapRow,
    TraceTopKernelRow,
    TraceTopOperatorRow,
    TraceWorkerRow,
} from './rows';

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

export interface Summaries {
    reports: string[];
}

/** texts by id */
export interface TextNames {
    names: Record<string, string>;
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

export interface GapSums {
    /** what is idle: devices, or each stream in runs of versions before 0.3 */
    of: 'device' | 'stream';
    count: number;
    total_ns: number;
    by_cause: [cause: string, ns: number, count: number][];
    longest: TraceLongestGapRow[];
}

export interface TraceOverview {
    steps: TraceStep[];
    steps_total: number;
    mean: Partial<PartsBy>;
    devices: TraceDeviceRow[];
    gaps: GapSums;
    /** time of the kernels of the run, of those whose use of Tensor Cores is known, and that use them */
    tensor_cores: { kernel_ns: number; known_ns: number; used_ns: number };
    top: { operators: TraceTopOperatorRow[]; kernels: TraceTopKernelRow[] };
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
    /** evaluated period: the selected range or, without one, from the first to the last counted
     * step */
    from_ns: number;
    to_ns: number;
    devices: DeviceUse[];
    parts: Partial<PartsBy>;
}

/** A text that a user wrote at a time of a trace. */
export interface TimelineNote {
    id: string;
    t_ns: number;
    /** the area that the text is about, as in the URL; '' for none */
    area: string;
    text: string;
    /** the author; '' if unknown */
    who: string;
    at: string;
}

export interface AreaFamily {
    family: number;
    count: number;
    total_ns: number;
    self_ns: number;
    min_ns: number;
    max_ns: number;
}

export interface AreaDevice {
    worker: number;
    device: number;
    /** union of kernels, copies and sets, clipped to the range; the other times likewise */
    busy_ns: number;
    compute_ns: number;
    copies_ns: number;
    communication_ns: number;
    overlap_ns: number;
}

/** Values of a counter in a range; without a value before its end, only `points`. */
export interface AreaCounter {
    id: number;
    points: number;
    min?: number;
    max?: number;
    mean?: number;
    last?: number;
}

/** Statistics of tracks in a range. Slices count if they start in the range. */
export interface AreaAnswer {
    from_ns: number;
    to_ns: number;
    slices: number;
    tracks_total: number;
    /** the busiest first */
    tracks: { id: number; slices: number; busy_ns: number }[];
    devices: AreaDevice[];
    device_families: AreaFamily[];
    host_families: AreaFamily[];
    /** arrows by their ends: both inside, only the end, only the start */
    flows: { inside: number; in: number; out: number };
    launches: { count: number; median_ns?: number; max_ns?: number };
    counters: AreaCounter[];
}

export interface NameStatistics {
    name: string;
    count: number;
    total_ns: number;
    mean_ns: number;
    median_ns: number;
    p95_ns: number;
    min_ns: number;
    max_ns: number;
    histogram: { from_ns: number; to_ns: number; log: boolean; count: number[] };
    /** place of a slice by descending duration; null if none was asked for */
    place: { index: number; previous: number; next: number } | null;
}

export interface FlameAnswer {
    n: number;
    unit: string;
    /** total of the flame graph */
    sum: number;
    /** threads or streams whose time `sum` adds up; missing if they are not counted */
    tracks?: number;
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
    /** only stacks: where the code of each name is from, as in `ORIGINS` of model/tint.ts */
    origins?: number[];
    /** only stacks, unless a frame is a line: the lines of each node, by node and descending total */
    lines?: { node: number[]; line: number[]; total: number[] };
    /** only stacks: the text id of each name, of the frames that are collapsed to one that of its
     * transform */
    ids?: number[];
    /** only stacks: 1: the name is of a file, 2: of a package, because a transform collapses it */
    collapsed?: number[];
    /** only of all stacks: sums of `self` by origin */
    self_by_origin?: number[];
    /** only of all stacks: weight of the selected stacks before the transforms */
    selected?: number;
    /** only of all stacks: without `invert`, in their order */
    transforms?: StackTransform[];
}

/** Activity of the threads of a stack profile (docs/api-traces.md). */
export interface StackThreads {
    /** the complete run, which `activity` covers */
    from_ns: number;
    to_ns: number;
    /** number of bins of each thread */
    bins: number;
    /** track ids */
    ids: number[];
    /** of the samples in the selected range */
    weight: number[];
    /** of those that wait */
    waiting: number[];
    /** 1: idle */
    idle: number[];
    /** `bins` for each thread: share of the bin in which the thread does not wait, 0 to 255 */
    activity: number[];
}

/** A call-tree transform (docs/api-traces.md). */
export interface StackTransform {
    /** as in the parameter `tf` */
    text: string;
    /** of the function, file or package; '' for all functions */
    name: string;
    /** weight of the stacks that it removes */
    removed: number;
}

/** Device time below the Python frames, modules, annotations and operators that launched it. */
export interface PythonFlameAnswer extends FlameAnswer {
    /** by node: modules of one class that are merged in it; 0: it is no module */
    modules: number[];
    /** classes of modules, with the number of their modules */
    classes: { name: string; modules: number }[];
    /** times in ns, parts of `sum` */
    attributed: {
        total: number;
        /** below Python frames; below modules; of the backward pass */
        python: number;
        modules: number;
        backward: number;
        /** not attributed: the trace has no launch; nothing is around the launch */
        without_launch: number;
        without_frame: number;
    };
}

export interface Finding {
    rule: string;
    severity: 'high' | 'medium' | 'low';
    title: string;
    text: string;
    share: number;
    /** null: none follows from the share */
    speedup: number | null;
    base: string;
    from_ns: number | null;
    to_ns: number | null;
    link: { view: string; params: Record<string, string | number> } | null;
}

export interface Findings {
    rows: Finding[];
    checked: { rule: string; title: string }[];
}

export interface WorkerRow extends TraceWorkerRow {
    parts: Partial<PartsBy>;
}

export interface WorkerCollective {
    name: string;
    calls: number;
    bytes: number | null;
    total_ns: number;
    transfer_ns: number | null;
    wait_ns: number | null;
}

export interface Workers {
    rows: WorkerRow[];
    /** null: an older version imported the run */
    collectives: WorkerCollective[] | null;
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

/** Part of the critical path; with `_ns` of a change: how long the step would take. */
export interface CriticalPart {
    part: string;
    ns: number;
    removed_ns: number;
    faster4_ns: number;
    faster2_ns: number;
    /** the part that grows on the path if this one is twice as fast */
    then: string | null;
}

export interface CriticalOperator {
    /** null: time of a kind that has no name */
    name: string | null;
    kind: string;
    track: number;
    part: string;
    count: number;
    ns: number;
    /** null: not computed */
    faster2_ns: number | null;
}

export interface CriticalTrack {
    id: number;
    name: string;
    tid: string;
    thread: boolean;
    /** the thread of the step */
    main: boolean;
    device: number;
    busy_ns: number;
    on_path_ns: number;
}

/** The path in order of time, as columns; kind and part are indices of the words. */
export interface CriticalEdges {
    kinds: string[];
    bounds: string[];
    parts: string[];
    from_ns: number[];
    ns: number[];
    track: number[];
    /** 0: none */
    slice: number[];
    kind: number[];
    part: number[];
    /** how many edges of the graph it stands for */
    edges: number[];
}

export interface HtaPath {
    /** why HTA has no path */
    reason: string | null;
    length_ns: number;
    nodes: number;
    path_nodes: number;
    edges: Record<string, number>;
    bound_by: { bound: string; ns: number }[];
}

export interface CriticalPathHead {
    step: { id: number; name: string; worker: number } | null;
    steps: number;
    slowest: number | null;
    median: number | null;
    from_ns: number;
    to_ns: number;
}

export interface CriticalPath extends CriticalPathHead {
    reason: null;
    length_ns: number;
    host_ns: number;
    is_overlapped: boolean;
    has_sync_events: boolean;
    inferred_waits: boolean;
    parts: CriticalPart[];
    operators_total: number;
    operators: CriticalOperator[];
    tracks: CriticalTrack[];
    device_busy_ns: number;
    communication_ns: number;
    exposed_communication_ns: number;
    launch_bound_ns: number;
    /** [from_ns, to_ns] */
    launch_bound: [number, number][];
    hta: HtaPath;
    path: CriticalEdges;
}

/** Runs without a path have the reason alone. */
export type CriticalPathAnswer = CriticalPath | (CriticalPathHead & { reason: string });
