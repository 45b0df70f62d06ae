/* SPDX-License-Identifier: MIT
 *
 * One file as several runs measured it: a row a line, whatever overlaps inside of a run summed.
 */
import type { AcrossAnswer, AcrossRun, LineFigures } from '../base/line_types';
import { type Figures, figuresOf, isActive, sourceRows, type SourceRow } from './source';

/** What is a level or a share, so the largest of the line counts; all else is summed. */
const LARGEST = new Set([
    'mem_mib',
    'peak_mib',
    'avg_mib',
    'gpu_pct',
    'gpu_avg_mib',
    'gpu_peak_mib',
    'usage_fraction',
    'python_fraction',
    'core_utilization',
    'leak_likelihood',
]);

export interface RunFigures {
    run: AcrossRun;
    figures: Figures;
    /** row of the figures by line */
    at: Map<number, number>;
}

type Columns = Record<string, (number | null)[]>;

function merge(name: string, a: number | null, b: number | null): number | null {
    if (a === null || b === null) return a ?? b;
    return LARGEST.has(name) ? Math.max(a, b) : a + b;
}

/* The same figures with one row a line. Percent stay of the function that owns the first row. */
function byLine(run: AcrossRun): LineFigures & { of: Map<number, number> } {
    const of = new Map<number, number>();
    const line: number[] = [];
    const fn: number[] = [];
    const source = run as unknown as Columns;
    const columns: Columns = {};
    for (const name of run.columns) columns[name] = [];
    for (let i = 0; i < run.line.length; i++) {
        const known = of.get(run.line[i]);
        if (known === undefined) {
            of.set(run.line[i], line.length);
            line.push(run.line[i]);
            fn.push(run.fn?.[i] ?? 0);
            for (const name of run.columns) columns[name].push(source[name][i]);
        } else {
            for (const name of run.columns) {
                columns[name][known] = merge(name, columns[name][known], source[name][i]);
            }
        }
    }
    const functions = run.functions ?? [];
    return {
        unit_s: run.unit_s ?? null,
        n: line.length,
        line,
        fn,
        columns: run.columns,
        functions,
        of,
        ...columns,
    };
}

/* memory_profiler's first increment of a call is no growth, so it is not summed with the others. */
function withoutBaselines(run: AcrossRun): AcrossRun {
    if (!run.columns.includes('increment_mib')) return run;
    const { baseline } = figuresOf({ ...run, functions: run.functions ?? [] });
    const source = run as unknown as Columns;
    const increments = source.increment_mib.map((value, i) => (baseline.has(i) ? null : value));
    return { ...run, increment_mib: increments } as AcrossRun;
}

export function runFigures(run: AcrossRun): RunFigures {
    const { of, ...merged } = byLine(withoutBaselines(run));
    const figures = figuresOf(merged);
    if (figures.column('increment_mib')) {
        // Baselines are gone already; what is left is all growth.
        const value = figures.column('increment_mib') ?? [];
        return { run, figures: grown(figures, value), at: of };
    }
    return { run, figures, at: of };
}

function grown(figures: Figures, value: (number | null)[]): Figures {
    if (figures.measure !== 'memory') return { ...figures, baseline: new Set() };
    const byFunction = figures.byFunction.map(() => 0);
    let whole = 0;
    value.forEach((part, i) => {
        if (!part || part < 0) return;
        whole += part;
        if (figures.fn[i] >= 0) byFunction[figures.fn[i]] += part;
    });
    return { ...figures, value, byFunction, whole, baseline: new Set() };
}

/** Rows of the grid: every line that has a text or a figure of any run. */
export function acrossRows(answer: AcrossAnswer, runs: readonly RunFigures[]): SourceRow[] {
    const lines = new Set<number>();
    for (const { at } of runs) for (const line of at.keys()) lines.add(line);
    const named = runs.find(({ figures }) => figures.functions.length > 0);
    const line = [...lines].sort((a, b) => a - b);
    const union: LineFigures = {
        unit_s: null,
        n: line.length,
        line,
        fn: line.map(() => 0),
        columns: [],
        functions: named?.figures.functions ?? [],
    };
    return sourceRows(answer.text, figuresOf(union), false);
}

export function anyActive(runs: readonly RunFigures[], line: number): boolean {
    return runs.some(({ figures, at, run }) => {
        const row = at.get(line);
        if (row === undefined) return false;
        return run.kind === 'pstats' || isActive(figures, row);
    });
}

/** The last two parts of a path: files are the same when these are. */
export function pathTail(path: string): string {
    return path.split(/[\\/]/).slice(-2).join('/');
}

const ORDER = ['line_profiler', 'memory_profiler', 'scalene', 'pstats'];

/** This run first, then tool by tool, newest first. */
export function runOrder(self: string, runs: readonly AcrossRun[]): AcrossRun[] {
    const rank = ({ run, kind }: AcrossRun) => (run === self ? -1 : ORDER.indexOf(kind));
    return [...runs].sort((a, b) => rank(a) - rank(b) || (b.created_ms ?? 0) - (a.created_ms ?? 0));
}
