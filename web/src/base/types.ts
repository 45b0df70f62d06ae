/* SPDX-License-Identifier: MIT
 *
 * JSON of docs/api.md as types. Names are those of the API; names end with their unit.
 */
/** Name of a kind of profile; base/kinds.ts lists what each kind offers. */
import type { Origin } from './answers';

export type Kind = string;
export const ORIGINS: readonly Origin[] = ['own', 'third-party', 'stdlib', 'builtin', 'unknown'];

/** read = stored + repaired + rejected + other; `unit` names the counted records: "lines",
 * "entries". */
export interface Ledger {
    unit: string;
    read: number;
    stored: number;
    repaired: number;
    rejected: number;
    other: number;
}

export interface Headline {
    value: number;
    unit: string;
    label: string;
}

export interface ImportSummary {
    total_us: number;
    self_us: number;
    modules: number;
    cached: number;
    max_depth: number;
    startup_us: number;
    program_us: number;
    startup_modules: number;
    roots: number;
    negative_self: number;
    interpreters: number;
    deepest: string[];
}

export interface PstatsSummary {
    total_tt_s: number;
    /** null: the profile does not count calls */
    total_calls: number | null;
    primitive_calls: number | null;
    functions: number;
    files: number;
    /** yappi: the longest time of a function, if own times overlap and add up to more */
    overlapped_s?: number;
    /** 1: from a sampling profiler */
    sampled: number;
    /** only for pstats dumps, not for tables of samples */
    calls_pairs?: number;
    roots?: number;
    marshal?: number | null;
    writer?: string | null;
    int_callers?: number;
    /** 1: a table of samples, without callers */
    flat?: number;
}

export interface Run {
    id: string;
    kind: Kind;
    name: string;
    series: string | null;
    tags: Record<string, string>;
    who: string | null;
    /** Note written by a user; '' if there is none. */
    note: string;
    tool: string | null;
    tool_version: string | null;
    created_at: string;
    headline: Headline | null;
    bytes: number;
    db_bytes: number;
    sha256: string;
    rows: number;
    ledger: Ledger;
    summary: Record<string, unknown>;
    /** Whether the run is pinned as the baseline of its series. */
    baseline: boolean;
    trend: number[];
    delta_pct: number | null;
    /** why there is no difference to the previous run of the series; null if there is one, or none before */
    no_delta: string | null;
    /** what the run lacks because an older version imported it; null: its file cannot be read; not in lists of runs */
    lacks?: string[] | null;
}

export interface ErrorBody {
    code: string;
    text: string;
    at: number | null;
    hint: string | null;
}

export type JobState = 'queued' | 'running' | 'done' | 'failed' | 'cancelled';

/** Result of importing one file of an archive. */
export interface JobMember {
    name: string;
    run: string | null;
    kind: Kind | null;
    already: boolean;
    /** The file is not a profile. */
    left_out: boolean;
    error: ErrorBody | null;
}

export interface Job {
    id: string;
    state: JobState;
    name: string;
    kind: Kind | null;
    bytes_total: number;
    bytes_done: number;
    records: number;
    run: string | null;
    already: boolean;
    error: ErrorBody | null;
    created_at: string;
    /** Only for archives that were read. */
    members?: JobMember[];
    members_untold?: number;
}

export interface Shelf {
    version: string;
    runs: number;
    bytes_runs: number;
    bytes_originals: number;
    /** Bytes of all files of the shelf; `quota`: their maximum, null if there is none. */
    used: number;
    quota: number | null;
    /** Retention rules: `rule` as configured, `what` as a description. */
    keep: { rule: string; what: string }[];
    /** database of a shelf that several servers share; null if the shelf is a folder */
    store: { place: string; away: boolean } | null;
    kinds: { kind: Kind; runs: number }[];
    series: { series: string; runs: number }[];
    tags: string[];
    who: string[];
    listen: string;
}

/** A sample profile that is part of the program. */
export interface Sample {
    file: string;
    name: string;
    kind: Kind;
    /** what is to be seen in the run */
    shows: string;
    bytes: number;
    headline: Headline;
    /** id of its run on the shelf; null if there is none */
    run: string | null;
    /** whether DELETE samples deletes the run for this user */
    removable: boolean;
}

export interface Format {
    kind: Kind;
    label: string;
    what: string;
    record: string;
    mark: string;
    has: string[];
    /** whether several files can be merged into one run */
    merges: boolean;
    tabs: string[];
}

/** One page of a table: each row is an array in the order of `columns`. */
export interface Page {
    total: number;
    of: number;
    columns: string[];
    rows: unknown[][];
    /** sums over the filtered rows, by column; null if there are none */
    sums: Record<string, number | null>;
}
