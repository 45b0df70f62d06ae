/* SPDX-License-Identifier: MIT */
/* Answers of the views ranks, ranks/calls and ranks/step. Ranks are named by their index in `ranks`,
 * steps by their index in `steps`. */

export type RankMetric = 'step' | 'compute' | 'communication' | 'wait' | 'loading';

export interface RankRow {
    rank: number;
    worker: number;
    /** of the file */
    name: string;
    /** '' if the name of the file does not say it */
    host: string;
    /** its clock minus that of the first rank that collectives connect it with; null: unknown */
    offset_ns: number | null;
    /** ranks with different numbers are connected by no collective; 0: no clock */
    clock: number;
    /** that its files have */
    steps: number;
    calls: number;
    last: number;
    wait_ns: number;
    /** what the others wait, on average, in the collectives at which it arrives last */
    caused_ns: number;
}

export interface RankCollective {
    collective: number;
    name: string;
    group: string;
    ranks: number;
    group_size: number | null;
    matched_by: 'sequence' | 'order';
    calls: number;
    steps: number;
    bytes: number | null;
    /** sums over the calls */
    transfer_ns: number;
    spread_ns: number;
    wait_ns: number;
    total_ns: number;
    algorithm_bytes_s: number | null;
    bus_bytes_s: number | null;
    /** calls at which one rank is known to be the last */
    certain: number;
    last: number | null;
    last_calls: number;
}

export interface RanksAnswer {
    ranks: RankRow[];
    /** ranks of the job; 0: unknown */
    world_size: number;
    /** false: no file states a rank, or two state the same; workers are numbered instead */
    ranks_in_files: boolean;
    /** a rank that two files state: calls are not matched; null: none */
    repeated_rank: number | null;
    clock: { collectives: number; groups: number; error_ns: number | null };
    matching: {
        collectives: number;
        by_sequence: number;
        by_order: number;
        unmatched: number;
        disagreeing: number;
        single: number;
        point_to_point: number;
        omitted: number;
        on_host: boolean;
    };
    /** the rank that others wait for most; means over its steps: its own, and the median rank's */
    latest: { index: number; means: Partial<Record<RankMetric, [number, number]>> } | null;
    collectives: RankCollective[];
    steps: string[];
    steps_omitted: number;
    /** median duration of each step over the ranks */
    step_ns: number[];
    metrics: RankMetric[];
    metric: RankMetric;
    /** ns, of each rank all steps; -1: the rank has no such step */
    cells: number[];
}

export interface RankCall {
    call: number;
    collective: number;
    step: number | null;
    sequence: number | null;
    ranks: number;
    transfer_ns: number;
    spread_ns: number;
    wait_ns: number;
    last: number | null;
}

export interface RankCalls {
    total: number;
    rows: RankCall[];
}

export interface AlignedCall {
    call: number;
    collective: number;
    slice: number;
    /** from the start of the step of this rank */
    start_ns: number;
    wait_ns: number;
    transfer_ns: number;
    last: number | null;
}

export interface AlignedRank {
    index: number;
    /** time in the run */
    start_ns: number;
    duration_ns: number;
    /** start on the common clock */
    aligned_ns: number;
    wait_ns: number | null;
    /** start, duration, … from the start of the step */
    compute: number[];
    calls: AlignedCall[];
}

export interface RankStep {
    ranks: AlignedRank[];
}
