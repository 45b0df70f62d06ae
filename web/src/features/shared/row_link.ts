/* SPDX-License-Identifier: MIT
 *
 * Links to a row of a table of comparisons in the report of a run.
 */
import { kindHas } from '../../base/kinds';
import { formatHash, type Query } from '../../base/router';
import { stackFunctionsId } from './tab_list';

/* Tabs of a report that show the rows of a table and can search them by name. */
const REPORT_TABS = [
    'imports',
    'packages',
    'functions',
    'operators',
    'kernels',
    'lines',
    'measurements',
    'actions',
    'modules',
];

export interface LinkedRow {
    name: string;
    place: string | null;
    line: number | null;
    /** id of the row in the run; undefined or 0: unknown */
    rowId?: number;
}

/** Link to a row in the report of a run: to its line, its selection, or a search for its name. */
export function rowHref(run: { id: string; kind: string }, of: string, row: LinkedRow): string {
    const { name, place, line, rowId } = row;
    if (!REPORT_TABS.includes(of)) return formatHash(['run', run.id]);
    if (of === 'lines') {
        const query: Query = {};
        if (place !== null) query.path = place;
        if (line !== null) query.line = String(line);
        return formatHash(['run', run.id, of], query);
    }
    const query: Query = { q: name };
    if (rowId && of === 'imports') query.sel = String(rowId);
    if (rowId && of === 'functions' && kindHas(run.kind, 'calls')) query.fn = String(rowId);
    const tab = of === 'functions' && kindHas(run.kind, 'stacks') ? stackFunctionsId(run) : of;
    return formatHash(['run', run.id, tab], query);
}
