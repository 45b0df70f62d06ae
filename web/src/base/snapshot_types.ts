/* SPDX-License-Identifier: MIT */
/* Answers of the views snapshot, snapshot/timeline and the others below it. Sizes are requested bytes,
 * reserved sizes are those of the driver. An event is its position in the trace of the device, from 0;
 * -1 is the state before the first event. `group` ranks the stacks at the peak of the device: 1 to 6 are
 * the largest, 7 is all other stacks, 0 are allocations without a Python stack. */

export interface SnapshotDevice {
    /** number of the GPU in the file */
    number: number;
    events: number;
    has_times: boolean;
    first_us: number | null;
    last_us: number | null;
    live_before: number;
    reserved_before: number;
    before_count: number;
    peak_live: number;
    peak_event: number;
    reserved_at_peak: number;
    live_end: number;
    reserved_end: number;
    peak_reserved: number;
    segments: number;
    fragmentation: number | null;
    largest_free: number | null;
    ooms: number;
    /** the event at which the cursor starts */
    cursor: number;
}

export interface SnapshotMark {
    device: number;
    event: number;
    /** of an annotation, the event after it; null: the file does not say where it ends */
    end: number | null;
    kind: 'oom' | 'snapshot' | 'annotation';
    name: string | null;
    /** bytes that a failed allocation asked for, and bytes that the driver had */
    asked: number | null;
    free: number | null;
}

export interface SnapshotFrame {
    /** null: unknown */
    name: string | null;
    file: string | null;
    line: number | null;
}

export interface SnapshotGroup extends SnapshotFrame {
    device: number;
    group: number;
    stack: number;
    caller: SnapshotFrame | null;
}

export interface Snapshot {
    devices: SnapshotDevice[];
    /** of PyTorch's allocator */
    settings: Record<string, unknown> | null;
    marks: SnapshotMark[];
    marks_omitted: number;
    /** annotations whose place is unknown, since events have no times */
    marks_without_place: number;
    groups: SnapshotGroup[];
}

/** Columns of equal width. Each shows the event with the most live bytes that it covers. */
export interface SnapshotTimeline {
    from: number;
    to: number;
    device: number;
    columns: number;
    x: 'event' | 'time';
    by: string;
    /** times of the first event of the range, and of the latest one; null: unknown */
    from_us: number | null;
    to_us: number | null;
    /** names of the groups */
    names: string[];
    event: number[];
    t_us: (number | null)[];
    reserved: number[];
    live: number[];
    /** by group and column */
    parts: number[][];
}

export interface LiveRow extends SnapshotFrame {
    /** null: no Python stack, or the row is not a stack */
    stack: number | null;
    caller: SnapshotFrame | null;
    bytes: number;
    count: number;
    /** median number of events between birth and end */
    lifetime: number | null;
    group: number;
    /** of rows by caller, file and module: their live stacks; null: memory without a stack */
    stacks?: (number | null)[];
}

export interface LiveSet {
    device: number;
    at: number;
    live: number;
    reserved: number;
    count: number;
    rows: LiveRow[];
    omitted: { rows: number; bytes: number; count: number };
}

/** Columns of a tree. Node 0 is the root; children stand after their parents. */
export interface LiveNodes {
    parent: number[];
    /** null: the root, and allocations without a Python stack; -1: small frames that are one node */
    frame: (number | null)[];
    bytes: number[];
    count: number[];
    /** of the stack that ends here; 0: none ends here, or it has no Python frames */
    group: number[];
    stack: (number | null)[];
}

export interface LiveFlame {
    device: number;
    at: number;
    live: number;
    count: number;
    frames: SnapshotFrame[];
    nodes: LiveNodes;
}

export type BlockState = 'live' | 'waits' | 'merged';

/** offset, bytes, requested bytes, group, allocation, state, stack */
export type SegmentBlock = [
    number,
    number,
    number,
    number,
    number | null,
    BlockState,
    number | null,
];

export interface Segment {
    address: string;
    bytes: number;
    /** id of a private pool */
    pool: string | null;
    stream: number;
    large: boolean;
    expandable: boolean;
    blocks: SegmentBlock[];
}

/** Segments in the order of their addresses; what no block covers is a hole. */
export interface SegmentMap {
    device: number;
    at: number;
    count: number;
    reserved: number;
    live: number;
    unused: number;
    largest_hole: number;
    exact: boolean;
    note: string | null;
    segments: Segment[];
    omitted: { segments: number; bytes: number };
}

export interface Lifetime {
    id: number;
    /** -1: before the first event */
    start: number;
    /** null: live at the end */
    end: number | null;
    bytes: number;
    stack: number | null;
    group: number;
    address: string;
    stream: number;
}

export interface Lifetimes {
    device: number;
    from: number;
    to: number;
    allocations: Lifetime[];
    omitted: { count: number; bytes: number };
}

/** A frame; PyTorch's viewer leaves it out (hidden), or the stacks of the other views do (plumbing). */
export interface AllocationFrame extends SnapshotFrame {
    hidden: boolean;
    plumbing: boolean;
}

export interface SnapshotAllocation extends Lifetime {
    device: number;
    start_us: number | null;
    end_us: number | null;
    before: boolean;
    kept: boolean;
    /** live only because another stream may still use it */
    waits: boolean;
    frames: AllocationFrame[];
    free_frames: AllocationFrame[];
    context: string | null;
    category: string | null;
    user_metadata: string | null;
}

export interface LeakRow extends SnapshotFrame {
    stack: number | null;
    caller: SnapshotFrame | null;
    group: number;
    bytes: number;
    count: number;
    /** median bytes of a step if it grows in each, otherwise null */
    growth: number | null;
    bytes_per_step: number[];
    count_per_step: number[];
}

export interface LeakStep {
    name: string;
    from: number;
    to: number;
    /** the trace begins or ends in the step */
    incomplete: boolean;
}

/** What each step allocated that is live at the end. */
export interface Leaks {
    device: number;
    from: number;
    step_source: 'annotations' | 'given' | 'cycles' | null;
    step_name: string | null;
    bytes: number;
    count: number;
    steps: LeakStep[];
    rows: LeakRow[];
    omitted: { rows: number; bytes: number; count: number };
}

/** What is live in one of two runs that are compared. */
export interface ComparedSnapshot {
    device: number;
    events: number;
    at: number;
    live: number;
    reserved: number;
    peak_live: number;
    peak_event: number;
    live_end: number;
}

/** Bytes and allocations of both runs. */
export interface SnapshotPair {
    base: number;
    new: number;
    base_count: number;
    new_count: number;
}

/** A stack of one run or of both; without a name and file: allocations without a Python stack. */
export interface SnapshotDiffRow extends SnapshotFrame, SnapshotPair {
    base_stack: number | null;
    new_stack: number | null;
    caller: SnapshotFrame | null;
    /** new minus base */
    change: number;
    verdict: 'new' | 'gone' | 'more' | 'less' | 'same';
}

/** Columns of the tree of both runs. Node 0 is the root; children stand after their parents. */
export interface SnapshotDiffNodes {
    parent: number[];
    /** as in LiveNodes */
    frame: (number | null)[];
    base: number[];
    new: number[];
    base_count: number[];
    new_count: number[];
    base_stack: (number | null)[];
    new_stack: (number | null)[];
}

/** Answer of GET /compare/snapshot. The changes of all rows are the difference of the live bytes. */
export interface SnapshotComparison {
    base: ComparedSnapshot;
    new: ComparedSnapshot;
    /** the function at which stacks begin; null: with their outermost frame */
    begins_at: { name: string; file: string } | null;
    common_stacks: number;
    /** the largest change first */
    rows: SnapshotDiffRow[];
    omitted: SnapshotPair & { rows: number };
    frames: SnapshotFrame[];
    nodes: SnapshotDiffNodes;
}
