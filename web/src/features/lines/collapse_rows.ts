/* SPDX-License-Identifier: MIT
 *
 * Merges several rows of one line: calls that memory_profiler reports separately, or functions that
 * overlap where runs are shown side by side.
 */
import type { LineFigures } from '../../base/line_types';
import { figuresOf } from './source';

/** Columns with levels or shares. The largest value of the merged rows is used; other columns are
 * summed. */
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

type Columns = Record<string, (number | null)[]>;

function mergeValues(name: string, a: number | null, b: number | null): number | null {
    if (a === null || b === null) return a ?? b;
    return LARGEST.has(name) ? Math.max(a, b) : a + b;
}

/* Removes the first increment of each call of memory_profiler, which is the memory already in use,
 * not growth. */
function withoutBaselines(answer: LineFigures): Columns {
    const source = answer as unknown as Columns;
    const columns = Object.fromEntries(answer.columns.map((name) => [name, source[name]]));
    if (columns.increment_mib) {
        const { baseline } = figuresOf(answer);
        columns.increment_mib = columns.increment_mib.map((value, i) =>
            baseline.has(i) ? null : value,
        );
    }
    return columns;
}

export interface CollapsedRows {
    answer: LineFigures;
    /** Baselines were removed: every remaining increment is growth. */
    growthOnly: true;
}

/** Merges rows with equal keys. A merged row has the position of its first row. */
export function collapseRows(answer: LineFigures, keyOf: (row: number) => string): CollapsedRows {
    const at = new Map<string, number>();
    const source = withoutBaselines(answer);
    const columns: Columns = {};
    for (const name of answer.columns) columns[name] = [];
    const line: number[] = [];
    const fn: number[] = [];
    for (let row = 0; row < answer.n; row++) {
        const key = keyOf(row);
        const known = at.get(key);
        if (known === undefined) {
            at.set(key, line.length);
            line.push(answer.line[row]);
            fn.push(answer.fn?.[row] ?? 0);
            for (const name of answer.columns) columns[name].push(source[name][row]);
        } else {
            for (const name of answer.columns) {
                columns[name][known] = mergeValues(name, columns[name][known], source[name][row]);
            }
        }
    }
    const { unit_s, functions, columns: names } = answer;
    const out: LineFigures = { unit_s, n: line.length, line, fn, columns: names, functions };
    return { answer: Object.assign(out, columns), growthOnly: true };
}

/** Number of reported calls of each function, by function id. */
export function callsOf(answer: LineFigures): Map<number, number> {
    const blocks = new Map<number, Set<number>>();
    answer.fn.forEach((fn, row) => {
        const seen = blocks.get(fn) ?? new Set();
        blocks.set(fn, seen.add(answer.block?.[row] ?? 1));
    });
    return new Map([...blocks].map(([fn, seen]) => [fn, seen.size]));
}
