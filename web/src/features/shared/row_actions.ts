/* SPDX-License-Identifier: MIT
 *
 * What a person can do with a row that names a function, a module, an operator, a kernel, a file or a
 * line, in all tables and panes: other views of the run, other runs, copies, an editor.
 */
import type { ComparisonRow, Page, Run } from '../../base/answers';
import { API, getJson, withParams } from '../../base/client';
import { offlineFile } from '../../base/offline';
import { formatHash, navigate, type Query } from '../../base/router';
import type { Action, RowActions } from '../../components/actions';
import { copyAndConfirm } from '../../components/context_menu';
import { editorAction } from '../../components/editor_link';
import { placeText, shortPlace } from '../../model/labels';
import { comparisonOf } from './comparison_of';
import { NAME_TABLES, type SearchedRow } from './name_search';
import { objectsOf } from './paged_source';
import { type TabKey, tabId, tabKeys } from './tab_list';

/** Groups of actions in the menu, in this order. */
export const ROW_GROUPS = { view: 0, runs: 1, copy: 2 };

export interface NamedRow {
    /** as people read it */
    name: string;
    /** as comparisons and searches find it; undefined: they do not have it */
    row?: SearchedRow;
    /** '' or undefined: unknown */
    file?: string;
    line?: number | null;
    swatch?: RowActions['head']['swatch'];
}

/** Link to another tab of the run; none if the run lacks the tab. */
export function viewAction(run: Run, tab: TabKey, text: string, query: Query): Action[] {
    if (!tabKeys(run).includes(tab)) return [];
    return [
        {
            text,
            group: ROW_GROUPS.view,
            button: true,
            href: formatHash(['run', run.id, tabId(tab)], query),
        },
    ];
}

const MAX_SAME_NAME = 200;

/* Opens a comparison with a row selected, or with a search for its name. */
async function showInComparison(groups: Query, { of, row, place }: SearchedRow): Promise<void> {
    const path = withParams(`${API}/compare/${of}`, {
        ...groups,
        name: row,
        limit: MAX_SAME_NAME,
    });
    const page = await getJson<Page>(path).catch(() => null); // the comparison shows the error
    const rows = page ? objectsOf<ComparisonRow>(page) : [];
    const found =
        rows.find((one) => !place || one.place === place || one.base_place === place) ?? rows[0];
    navigate(['compare', of], {
        ...groups,
        ...(found ? { row: String(found.id) } : { q: row }),
    });
}

/** Finds a row in other runs, and in the comparison that the report belongs to. */
export function runsActions(run: Run, row: SearchedRow | undefined): Action[] {
    if (!row || offlineFile()) return [];
    const group = ROW_GROUPS.runs;
    const groups = comparisonOf(run);
    const { of, row: name, place } = row;
    const search = formatHash(['search'], { of, row: name, ...(place && { place }) });
    return [
        ...(of in NAME_TABLES ? [{ text: 'Find in other runs', group, href: search }] : []),
        ...(groups
            ? [{ text: 'Show in compare', group, run: () => void showInComparison(groups, row) }]
            : []),
    ];
}

/* Profilers write `~` for functions that are not Python. */
const isFile = (file: string | undefined): file is string => Boolean(file) && file !== '~';

/** The actions of a row, after `views`, the links to other views of it. */
export function rowActions(run: Run, row: NamedRow, views: readonly Action[] = []): RowActions {
    const { name, file, swatch } = row;
    const line = row.line ?? 0;
    const group = ROW_GROUPS.copy;
    const place = isFile(file) ? placeText(file, line) : undefined;
    return {
        head: {
            name,
            place: place && file !== name ? shortPlace(file ?? '', line) : undefined,
            swatch,
        },
        actions: [
            ...views,
            ...runsActions(run, row.row),
            {
                text: 'Copy name',
                key: 'shift+y',
                group,
                run: () => copyAndConfirm(name, 'Name'),
            },
            ...(place && place !== name
                ? [
                      {
                          text: 'Copy place',
                          key: 'p',
                          group,
                          run: () => copyAndConfirm(place, 'Place'),
                      },
                  ]
                : []),
            ...editorAction(place && !place.startsWith('<') ? (file ?? '') : '', line, group),
        ],
    };
}
