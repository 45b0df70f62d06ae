/* SPDX-License-Identifier: MIT
 *
 * A source file and its measured values: the rows of its grid, and the heat of each row.
 */
import type { LineValues } from '../../base/answers';
import type { SourceFunctionRow as SourceFunction } from '../../base/rows';
import { heatLevel } from '../../model/heat';

/** The value that determines the heat of a line: time, growth of memory, or CPU samples of the
 * whole program. */
export type Measure = 'time' | 'memory' | 'cpu' | 'none';

/** Measured values of one file, prepared for lookup. */
export interface LineMetrics {
    n: number;
    /** seconds per tick; null if the profile has no ticks */
    unit_s: number | null;
    line: number[];
    functions: SourceFunction[];
    /** by row: index into functions; -1 if the row belongs to no function */
    fn: number[];
    block: number[];
    column: (name: string) => (number | null)[] | null;
    measure: Measure;
    /** by row: the value that determines the heat; null if it was not measured */
    value: (number | null)[];
    /** sums of the positive values, by index of the function, and of the file; for CPU the latter
     * is 100 */
    byFunction: number[];
    whole: number;
    /** rows whose increment is the memory that was in use before the function began */
    baseline: Set<number>;
    samples: Record<string, [number, number][]>;
}

type Columns = Record<string, unknown>;

function columnOf(answer: LineValues): LineMetrics['column'] {
    const known = new Set(answer.columns);
    return (name) =>
        known.has(name) ? ((answer as unknown as Columns)[name] as (number | null)[]) : null;
}

function measureOf(column: LineMetrics['column']): Measure {
    if (column('ticks')) return 'time';
    if (column('tottime_s')) return 'time';
    if (column('cpu_python_pct') || column('cpu_native_pct')) return 'cpu';
    return column('increment_mib') ? 'memory' : 'none';
}

/* Rows that are the first of their block: their increment is the complete memory of the process. */
function baselineRows(answer: LineValues): Set<number> {
    const seen = new Set<string>();
    const rows = new Set<number>();
    const increments = columnOf(answer)('increment_mib');
    if (!increments) return rows;
    for (let i = 0; i < answer.n; i++) {
        const key = `${answer.fn[i]}/${answer.block?.[i] ?? 1}`;
        if (increments[i] === null || seen.has(key)) continue;
        seen.add(key);
        rows.add(i);
    }
    return rows;
}

function heatValues(
    measure: Measure,
    column: LineMetrics['column'],
    n: number,
    baseline: Set<number>,
): (number | null)[] {
    if (measure === 'time') return column('ticks') ?? column('tottime_s') ?? [];
    if (measure === 'memory') {
        const increments = column('increment_mib') ?? [];
        return increments.map((value, i) => (baseline.has(i) ? null : value));
    }
    const parts = ['cpu_python_pct', 'cpu_native_pct', 'cpu_system_pct'].map(column);
    return Array.from({ length: n }, (_, i) =>
        parts.reduce((sum, part) => sum + (part?.[i] ?? 0), 0),
    );
}

/** Prepares an answer for lookup. `growthOnly`: collapseRows already removed the baselines, so
 * every increment is growth. */
export function computeLineMetrics(answer: LineValues, growthOnly = false): LineMetrics {
    const column = columnOf(answer);
    const functions = answer.functions ?? [];
    const indexById = new Map(functions.map(({ id }, i) => [id, i]));
    const fn = answer.fn.map((id) => indexById.get(id) ?? -1);
    const measure = measureOf(column);
    const baseline = growthOnly ? new Set<number>() : baselineRows(answer);
    const value = heatValues(measure, column, answer.n, baseline);
    const byFunction = new Array<number>(functions.length).fill(0);
    let whole = 0;
    value.forEach((part, i) => {
        if (!part || part < 0) return;
        whole += part;
        if (fn[i] >= 0) byFunction[fn[i]] += part;
    });
    // Scalene's percentages are already relative to all samples of the program.
    if (measure === 'cpu') whole = 100;
    return {
        n: answer.n,
        unit_s: answer.unit_s,
        line: answer.line,
        functions,
        fn,
        block: answer.block ?? new Array<number>(answer.n).fill(1),
        column,
        measure,
        value,
        byFunction,
        whole,
        baseline,
        samples: answer.samples ?? {},
    };
}

/** Percent of the file's sum; for CPU, percent of all samples of the program. */
export function fileShare({ value, whole }: LineMetrics, row: number): number {
    const part = value[row] ?? 0;
    return whole > 0 && part > 0 ? (100 * part) / whole : 0;
}

/** Percent of the function's sum. For CPU, and for rows without a function, the result of
 * fileShare. */
export function functionShare(metrics: LineMetrics, row: number): number {
    const fn = metrics.fn[row];
    if (fn < 0 || metrics.measure === 'cpu') return fileShare(metrics, row);
    const part = metrics.value[row] ?? 0;
    const total = metrics.byFunction[fn];
    return total > 0 && part > 0 ? (100 * part) / total : 0;
}

export function heatOf(metrics: LineMetrics, row: number, base: 'function' | 'file'): number {
    return heatLevel(base === 'file' ? fileShare(metrics, row) : functionShare(metrics, row));
}

const MAX_HOT_ROWS = 1000;

/** Rows with a positive value, hottest first; rows with equal values in line order. At most
 * MAX_HOT_ROWS. */
export function hottestRows(metrics: LineMetrics): number[] {
    const rows: number[] = [];
    for (let i = 0; i < metrics.n; i++) if ((metrics.value[i] ?? 0) > 0) rows.push(i);
    rows.sort((a, b) => (metrics.value[b] ?? 0) - (metrics.value[a] ?? 0) || a - b);
    return rows.slice(0, MAX_HOT_ROWS);
}

/** Whether the row was executed or has samples; "hide lines without hits" keeps such rows. */
export function isActive(metrics: LineMetrics, row: number): boolean {
    if (row < 0) return false;
    const counted = metrics.column('hits') ?? metrics.column('occurrences');
    if (counted) return (counted[row] ?? 0) > 0;
    return (metrics.value[row] ?? 0) > 0 || (metrics.column('peak_mib')?.[row] ?? 0) > 0;
}

export interface LineRow {
    kind: 'line';
    key: string;
    line: number;
    /** index into the arrays of LineMetrics; -1 if the line was not measured */
    at: number;
    /** true: another function or call measured the line of the previous row too */
    isAdditional: boolean;
}

export interface BandRow {
    kind: 'band';
    key: string;
    /** index into functions */
    fn: number;
    /** true: the function continues after a nested function */
    isContinued: boolean;
}

export type SourceRow = LineRow | BandRow;

/** Maximum number of lines that are added for a function whose source is missing. */
const MAX_ADDED_LINES = 100_000;

function addRange(lines: Set<number>, from: number, to: number): void {
    if (to - from > MAX_ADDED_LINES) return;
    for (let line = from; line <= to; line++) lines.add(line);
}

/* Line numbers that have source text or a value. Without any source text, also all lines of each
 * measured function. */
function linesOf(text: readonly (string | null)[], metrics: LineMetrics): number[] {
    const lines = new Set<number>(metrics.line);
    let known = 0;
    text.forEach((line, i) => {
        if (line === null) return;
        known++;
        lines.add(i + 1);
    });
    if (known === 0) {
        for (const { first_line, last_line } of metrics.functions) {
            if (first_line) addRange(lines, first_line, last_line ?? first_line);
        }
    }
    return [...lines].sort((a, b) => a - b);
}

function rowsByLine({ line }: LineMetrics): Map<number, number[]> {
    const rows = new Map<number, number[]>();
    line.forEach((number, i) => {
        const list = rows.get(number);
        if (list) list.push(i);
        else rows.set(number, [i]);
    });
    return rows;
}

/* Returns functions that create the headings of functions: `before` those above a given line,
 * `rest` those that no line had. */
function bandMaker({ functions, fn }: LineMetrics) {
    let next = 0;
    let last = -1;
    let count = 0;
    const shown = new Set<number>();
    const open: number[] = [];
    const band = (index: number): BandRow => {
        const isContinued = shown.has(index);
        shown.add(index);
        last = index;
        return { kind: 'band', key: `b${count++}`, fn: index, isContinued };
    };
    function before(line: number, rows: readonly number[]): BandRow[] {
        const bands: BandRow[] = [];
        while (next < functions.length && (functions[next].first_line ?? Infinity) <= line) {
            if (!shown.has(next)) bands.push(band(next));
            open.push(next++);
        }
        for (let i = open.length - 1; i >= 0; i--) {
            const { first_line, last_line } = functions[open[i]];
            if ((last_line ?? first_line ?? 0) < line) open.splice(i, 1);
        }
        const functionIndex = rows.length === 1 ? fn[rows[0]] : -1;
        if (functionIndex >= 0 && functionIndex !== last && !open.includes(last))
            bands.push(band(functionIndex));
        return bands;
    }
    function rest(): BandRow[] {
        return functions.flatMap((_, i) => (shown.has(i) ? [] : [band(i)]));
    }
    return { before, rest };
}

/** Rows of the grid, in line order; each function has a heading before its first line. */
export function sourceRows(
    text: readonly (string | null)[],
    metrics: LineMetrics,
    hideZero: boolean,
): SourceRow[] {
    const out: SourceRow[] = [];
    const measured = rowsByLine(metrics);
    const bands = bandMaker(metrics);
    const NO_ROWS: number[] = [];
    for (const line of linesOf(text, metrics)) {
        const rows = measured.get(line) ?? NO_ROWS;
        out.push(...bands.before(line, rows));
        const shownRows = hideZero ? rows.filter((row) => isActive(metrics, row)) : rows;
        shownRows.forEach((at, i) =>
            out.push({
                kind: 'line',
                key: i ? `${line}.${i}` : `${line}`,
                line,
                at,
                isAdditional: i > 0,
            }),
        );
        if (!shownRows.length && !hideZero) {
            out.push({ kind: 'line', key: `${line}`, line, at: -1, isAdditional: false });
        }
    }
    out.push(...bands.rest());
    return out;
}

/** The last component of a path. */
export function baseName(path: string): string {
    return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

/** The measured path that an attached file of this name belongs to: the only path with that name,
 * or the only such path whose source is missing. null if there is none, or several. */
export function pathForFile(
    name: string,
    files: readonly { path: string; missing: boolean }[],
): string | null {
    const same = files.filter(({ path }) => baseName(path) === baseName(name));
    if (same.length <= 1) return same[0]?.path ?? null;
    const missingSource = same.filter(({ missing }) => missing);
    return missingSource.length === 1 ? missingSource[0].path : null;
}
