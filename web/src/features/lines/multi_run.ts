/* SPDX-License-Identifier: MIT
 *
 * One source file as measured by several runs: one row per line. Overlapping rows of a run are
 * merged.
 */
import type { LineValues, MultiRun, MultiRunAnswer, SameFile } from '../../base/answers';
import { kindHas, type KindHas } from '../../base/kinds';
import { collapseRows } from './collapse_rows';
import {
    type LineMetrics,
    computeLineMetrics,
    isActive,
    sourceRows,
    type SourceRow,
} from './source';

export interface RunMetrics {
    run: MultiRun;
    metrics: LineMetrics;
    /** by line number: index into the arrays of `metrics` */
    rowOfLine: Map<number, number>;
}

export function runMetrics(run: MultiRun): RunMetrics {
    const whole: LineValues = {
        ...run,
        unit_s: run.unit_s ?? null,
        functions: run.functions ?? [],
    };
    const { answer, growthOnly } = collapseRows(whole, (row) => String(run.line[row]));
    const rowOfLine = new Map(answer.line.map((line, row) => [line, row]));
    return { run, metrics: computeLineMetrics(answer, growthOnly), rowOfLine };
}

/** Rows of the grid: every line that has source text or a value in any run. */
export function multiRunRows(answer: MultiRunAnswer, runs: readonly RunMetrics[]): SourceRow[] {
    const lines = new Set<number>();
    for (const { rowOfLine } of runs) for (const line of rowOfLine.keys()) lines.add(line);
    const named = runs.find(({ metrics }) => metrics.functions.length > 0);
    const line = [...lines].sort((a, b) => a - b);
    const unionValues: LineValues = {
        unit_s: null,
        n: line.length,
        line,
        fn: line.map(() => 0),
        columns: [],
        functions: named?.metrics.functions ?? [],
    };
    return sourceRows(answer.text, computeLineMetrics(unionValues), false);
}

export function anyActive(runs: readonly RunMetrics[], line: number): boolean {
    return runs.some(({ metrics, rowOfLine, run }) => {
        const row = rowOfLine.get(line);
        if (row === undefined) return false;
        return kindHas(run.kind, 'calls') || isActive(metrics, row);
    });
}

/** Says why a run is combined with the shown file, or that nobody knows whether it may be. */
export function sameFileText({ same, shared, path }: SameFile): string {
    if (same === 'path') return 'same path';
    if (same === 'package') return `same in packages: ${shared}`;
    return same === 'root' ? `same in project: ${shared}` : path;
}

export function fileName(path: string): string {
    return path.split(/[\\/]/).pop() ?? '';
}

const TOOL_ORDER: readonly KindHas[] = ['line_times', 'line_memory', 'line_cpu', 'calls'];

/** Order of the runs: this run first, then by tool, and of each tool the newest run first. */
export function runOrder(self: string, runs: readonly MultiRun[]): MultiRun[] {
    const rank = ({ run, kind }: MultiRun) =>
        run === self ? -1 : TOOL_ORDER.findIndex((capability) => kindHas(kind, capability));
    return [...runs].sort((a, b) => rank(a) - rank(b) || (b.created_ms ?? 0) - (a.created_ms ?? 0));
}
