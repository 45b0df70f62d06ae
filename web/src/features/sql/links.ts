/* SPDX-License-Identifier: MIT
 *
 * Where the cells of a result lead. What a column holds is known from the table that it is copied
 * from, or else from its name.
 */
import type { SqlColumn } from '../../base/answers';
import { kindHas } from '../../base/kinds';
import type { Query } from '../../base/router';
import { escapeRegex } from '../../model/filter_query';
import { stackFunctionsId } from '../shared/tab_list';
import { fitView, viewText } from '../../model/timeline_view';
import type { SqlResult, SqlValue } from './result';

/** A run that rows are about. */
export interface LinkedRun {
    id: string;
    kind: string;
    /** length of a trace in ns; 0: unknown, or no trace */
    span_ns: number;
}

export interface CellLink {
    tab: string;
    query: Query;
}

export type ColumnRole =
    | 'run'
    | 'slice'
    | 'start'
    | 'function'
    | 'function-name'
    | 'import'
    | 'module-name'
    | 'package-name'
    | 'trace-name'
    | 'frame';

const ORIGINS: Record<string, ColumnRole> = {
    'ps_slices.id': 'slice',
    'ps_slices.parent_id': 'slice',
    'ps_slices.launch': 'slice',
    'ps_slices.op': 'slice',
    'slices.id': 'slice',
    'slices.parent_id': 'slice',
    'slices.launch_id': 'slice',
    'slices.operator_id': 'slice',
    'slices.name': 'trace-name',
    'operators.name': 'trace-name',
    'kernels.name': 'trace-name',
    'function.id': 'function',
    'functions.id': 'function',
    'function.name': 'function-name',
    'functions.name': 'function-name',
    'import.id': 'import',
    'import.parent': 'import',
    'imports.id': 'import',
    'imports.parent_id': 'import',
    'import.module': 'module-name',
    'imports.module': 'module-name',
    'package.name': 'package-name',
    'imports.package': 'package-name',
    'nodes.frame': 'frame',
    'run.id': 'run',
    'runs.run': 'run',
};

/* Names of columns that are computed, or renamed by a view. */
const NAMES: Record<string, ColumnRole> = {
    run: 'run',
    slice_id: 'slice',
    launch_id: 'slice',
    operator_id: 'slice',
    from_slice: 'slice',
    to_slice: 'slice',
    start_ns: 'start',
    t_ns: 'start',
    from_ns: 'start',
    caller_id: 'function',
    callee_id: 'function',
    function: 'function-name',
    module: 'module-name',
    package: 'package-name',
    operator: 'trace-name',
    kernel: 'trace-name',
    frame: 'frame',
};

/* Other texts of a trace. */
const NO_SLICE_NAMES = new Set(['category', 'kind', 'input_shapes']);

/** What the values of a column are; null: nothing that a view shows. */
export function roleOf({ name, table, column }: SqlColumn): ColumnRole | null {
    if (column === 'run') return 'run';
    if (table && column) {
        const known = ORIGINS[`${table}.${column}`];
        if (known) return known;
        if (table === 'text' && !NO_SLICE_NAMES.has(name)) return 'trace-name';
    }
    return NAMES[name] ?? null;
}

const has = (columns: readonly SqlColumn[], row: readonly SqlValue[], ...names: string[]) => {
    for (const name of names) {
        const value = row[columns.findIndex((column) => column.name === name)];
        if (typeof value === 'number') return value;
    }
    return null;
};

/** Time range of a row; null: it has no start. */
function rangeOf({ columns }: SqlResult, row: readonly SqlValue[]) {
    const from = has(columns, row, 'start_ns', 'from_ns', 't_ns');
    if (from === null) return null;
    const duration = has(columns, row, 'duration_ns', 'dur_ns');
    const end = has(columns, row, 'end_ns', 'to_ns');
    return { from, to: Math.max(from, duration !== null ? from + duration : (end ?? from)) };
}

/** The slice at `value`, and the time of its row. */
function timelineLink(
    result: SqlResult,
    row: readonly SqlValue[],
    run: LinkedRun,
    slice: SqlValue,
): CellLink {
    const range = rangeOf(result, row);
    const query: Query = {};
    if (typeof slice === 'number') query.slice = String(slice);
    if (range) query.at = viewText(fitView(range, { from: 0, to: run.span_ns }));
    return { tab: 'timeline', query };
}

/** Index of the first column with this role; -1: none. */
export function columnWith({ columns }: SqlResult, ...roles: ColumnRole[]): number {
    return columns.findIndex((column) => roles.includes(roleOf(column) as ColumnRole));
}

/** What the id of a row means, if the row has one: a slice beside a start, or nothing. */
function ownSlice(result: SqlResult, row: readonly SqlValue[]): SqlValue {
    const slice = row[columnWith(result, 'slice')];
    return slice ?? has(result.columns, row, 'id');
}

/** A row of a result with a start, on the timeline. */
export interface RowMark {
    /** in ns; equal for a moment */
    from: number;
    to: number;
    /** id of its slice; null: it has none */
    slice: number | null;
    /** from 0 */
    row: number;
    name: string;
}

/** The rows that have a start, in its order. */
export function rowMarks(result: SqlResult): RowMark[] {
    const nameAt = columnWith(result, 'trace-name');
    return result.rows
        .flatMap((values, row): RowMark[] => {
            const range = rangeOf(result, values);
            const slice = ownSlice(result, values);
            if (!range) return [];
            return [
                {
                    ...range,
                    slice: typeof slice === 'number' ? slice : null,
                    row,
                    name: nameAt < 0 ? '' : String(values[nameAt] ?? ''),
                },
            ];
        })
        .sort((a, b) => a.from - b.from);
}

/** Where a cell leads; null: nowhere. */
export function linkOf(
    result: SqlResult,
    row: readonly SqlValue[],
    at: number,
    run: LinkedRun,
): CellLink | null {
    const value = row[at];
    const role = roleOf(result.columns[at]);
    const functionsTab = kindHas(run.kind, 'stacks') ? stackFunctionsId(run) : 'functions';
    if (value === null || value === '' || role === null) return null;
    const text = String(value);
    const inTrace = kindHas(run.kind, 'slices');
    switch (role) {
        case 'slice':
            return inTrace && typeof value === 'number'
                ? timelineLink(result, at === columnWith(result, 'slice') ? row : [], run, value)
                : null;
        case 'start':
            return inTrace && typeof value === 'number'
                ? timelineLink(result, row, run, ownSlice(result, row))
                : null;
        case 'trace-name':
            if (inTrace)
                return { tab: 'timeline', query: { find: `^${escapeRegex(text)}$`, fre: '1' } };
            return kindHas(run.kind, 'stacks') ? { tab: functionsTab, query: { q: text } } : null;
        case 'function':
            return kindHas(run.kind, 'calls') ? { tab: 'functions', query: { fn: text } } : null;
        case 'function-name': {
            if (!kindHas(run.kind, 'calls', 'printed', 'stacks')) return null;
            const id = row[columnWith(result, 'function')];
            return {
                tab: functionsTab,
                query: { q: text, ...(typeof id === 'number' ? { fn: String(id) } : {}) },
            };
        }
        case 'import':
            return kindHas(run.kind, 'imports') ? { tab: 'imports', query: { sel: text } } : null;
        case 'module-name':
            return kindHas(run.kind, 'imports') ? { tab: 'imports', query: { q: text } } : null;
        case 'package-name':
            return kindHas(run.kind, 'imports') ? { tab: 'packages', query: { q: text } } : null;
        case 'frame':
            return kindHas(run.kind, 'calls', 'stacks')
                ? { tab: functionsTab, query: { q: text } }
                : kindHas(run.kind, 'imports')
                  ? { tab: 'imports', query: { q: text } }
                  : null;
        default:
            return null;
    }
}

/* Which column a row opens: what is most exact first. */
const OPENED: ColumnRole[] = [
    'slice',
    'start',
    'function',
    'import',
    'function-name',
    'module-name',
    'trace-name',
    'frame',
    'package-name',
];

/** Where Enter on a row leads; null: nowhere. */
export function rowLink(
    result: SqlResult,
    row: readonly SqlValue[],
    run: LinkedRun,
): CellLink | null {
    for (const role of OPENED) {
        const at = columnWith(result, role);
        const link = at < 0 ? null : linkOf(result, row, at, run);
        if (link) return link;
    }
    return null;
}
