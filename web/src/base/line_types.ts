/* SPDX-License-Identifier: MIT
 *
 * JSON of the line-level profilers, see docs/api-views.md.
 */
import type { Origin } from './answers';
import type { SourceFunctionRow } from './rows';

export interface LineProfilerSummary {
    unit_s: number;
    functions: number;
    functions_run: number;
    files: number;
    lines: number;
    ticks: number;
    time_s: number;
    rounded: number;
    nested: number;
    /** ticks: times from here on were printed with three digits */
    three_digits_from?: number;
    /** path, first line (as a string) and name of the hottest function; empty if no function ran */
    hottest: string[];
}

export interface MemoryProfilerSummary {
    functions: number;
    files: number;
    lines: number;
    blocks: number;
    peak_mib: number | null;
    increment_mib: number;
}

export interface ScaleneSummary {
    elapsed_s: number;
    files: number;
    lines: number;
    functions: number;
    peak_mib: number | null;
    growth_rate: number | null;
    alloc_samples: number | null;
    gpu: number;
    cpu_pct: number;
}

export interface MprofSummary {
    samples: number;
    processes: number;
    functions: number;
    peak_mib: number;
    peak_t_s: number;
    start_s: number;
    duration_s: number;
    slope_mib_s: number | null;
    /** when it was recorded, since 1970 */
    started_us?: number;
    ended_us?: number;
}

export type SourceState = 'carried' | 'attached' | 'changed' | 'missing';

/** Measured values by row. In addition to these keys there is one array for each name in
 * `columns`. */
export interface LineValues {
    unit_s: number | null;
    n: number;
    line: number[];
    fn: number[];
    block?: number[];
    columns: string[];
    functions: SourceFunctionRow[];
    /** by row index: pairs of seconds and MiB */
    samples?: Record<string, [number, number][]>;
}

export interface SourceAnswer extends LineValues {
    file: { id: number; path: string; origin: Origin };
    source: { state: SourceState; sha256: string | null; bytes: number | null };
    /** all lines of the file; null for an unknown line */
    text: (string | null)[];
    first: number;
}

/** Source of a run that did not measure lines. */
export interface AttachedSource {
    path: string;
    source: SourceAnswer['source'];
    /** all lines of the file; none if it is not attached */
    text: (string | null)[];
    first: number;
}

/** Which file of a run is compared with the requested path. */
export interface SameFile {
    path: string;
    /** What is equal: only the name of the file; the path below a folder of the project; the path in
     * the folder of installed packages; all of the path. */
    same: 'name' | 'root' | 'package' | 'path';
    /** The last parts that both paths have. */
    shared: string;
}

export interface MultiRun extends Omit<LineValues, 'functions'>, SameFile {
    run: string;
    name: string;
    kind: string;
    created_ms?: number;
    file_id?: number;
    sha256: string | null;
    same_source: boolean | null;
    functions?: SourceFunctionRow[];
}

export interface MultiRunAnswer {
    path: string;
    text: (string | null)[];
    sha256: string | null;
    runs: MultiRun[];
}

export interface MultiRunFiles {
    rows: {
        path: string;
        runs: ({
            run: string;
            file_id: number;
            kind: string;
            name: string;
            created_ms: number;
            sha256: string | null;
        } & SameFile)[];
    }[];
}
