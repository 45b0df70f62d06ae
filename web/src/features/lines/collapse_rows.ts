/* SPDX-License-Identifier: MIT
 *
 * Merges several rows of one line: calls that memory_profiler reports separately, or functions that
 * overlap where runs are shown side by side.
 */
import type { LineValues } from '../../base/answers';
import { computeLineMetrics } from './source';

/** Columns with levels or shares. The largest value of the merged rows is used; other columns are
 * summed. */
const LARGEST_VALUE_COLUMNS = new Set([
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
    'leak_pct',
]);

type Columns = Record<string, (number | null)[]>;

function mergeValues(name: string, a: number | null, b: number | null): number | null {
    if (a === null || b === null) return a ?? b;
    return LARGEST_VALUE_COLUMNS.has(name) ? Math.max(a, b) : a + b;
}

/* Removes the first increment that memory_profiler prints for each call of a function: it is the
 * memory already in use, not growth. */
function withoutBaselines(answer: LineValues): Columns {
    const source = answer as unknown as Columns;
    const columns = Object.fromEntries(answer.columns.map((name) => [name, source[name]]));
    if (columns.increment_mib) {
        const { baseline } = computeLineMetrics(answer);
        columns.increment_mib = columns.increment_mib.map((value, i) =>
            baseline.has(i) ? null : value,
        );
    }
    return columns;
}

export interface CollapsedRows {
    answer: LineValues;
    /** Baselines were removed: every remaining increment is growth. */
    growthOnly: true;
}

/** Merges rows with equal keys. A merged row has the position of its first row. */
export function collapseRows(answer: LineValues, keyOf: (row: number) => string): CollapsedRows {
    const indexByKey = new Map<string, number>();
    const source = withoutBaselines(answer);
    const columns: Columns = {};
    for (const name of answer.columns) columns[name] = [];
    const line: number[] = [];
    const fn: number[] = [];
    for (let row = 0; row < answer.n; row++) {
        const key = keyOf(row);
        const index = indexByKey.get(key);
        if (index === undefined) {
            indexByKey.set(key, line.length);
            line.push(answer.line[row]);
            fn.push(answer.fn?.[row] ?? 0);
            for (const name of answer.columns) columns[name].push(source[name][row]);
        } else {
            for (const name of answer.columns) {
                columns[name][index] = mergeValues(name, columns[name][index], source[name][row]);
            }
        }
    }
    const { unit_s, functions, columns: names } = answer;
    const out: LineValues = { unit_s, n: line.length, line, fn, columns: names, functions };
    return { answer: Object.assign(out, columns), growthOnly: true };
}

/** Number of reported calls of each function, by function id. */
export function countCalls(answer: LineValues): Map<number, number> {
    const blocksByFunction = new Map<number, Set<number>>();
    answer.fn.forEach((fn, row) => {
        const seen = blocksByFunction.get(fn) ?? new Set();
        blocksByFunction.set(fn, seen.add(answer.block?.[row] ?? 1));
    });
    return new Map([...blocksByFunction].map(([fn, seen]) => [fn, seen.size]));
}
