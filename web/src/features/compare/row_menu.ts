/* SPDX-License-Identifier: MIT
 *
 * What a person can do with a row or a frame of a comparison: show it in the report of either run,
 * copy its name and place, open its source in an editor.
 */
import type {
    Comparison,
    ComparisonRow,
    ComparisonRowDetail,
    ComparisonTable,
    Page,
    Run,
} from '../../base/answers';
import { getJson, withParams } from '../../base/client';
import { formatHash, goTo, route } from '../../base/router';
import type { KernelRow, OperatorRow } from '../../base/rows';
import type { Action, RowActions } from '../../components/actions';
import { wholeName } from '../../model/filter_query';
import { partText } from '../../model/breakdown';
import { nameOf } from '../../model/tree';
import type { DiffTree } from '../../model/tree_answers';
import { nodeChangeOf } from '../../model/tree_diff';
import { kernelKey } from '../operators/kernels_table';
import { operatorKey } from '../operators/table';
import { objectsOf } from '../shared/paged_source';
import { ROW_GROUPS, rowActions } from '../shared/row_actions';
import { rowHref } from '../shared/row_link';
import { viewPath } from '../trace/data';
import { placeOf, type Side } from './diff_tree';
import { rowOfFrame } from './link';
import { comparePath, PARTS_TABLE, rowParams } from './state';

type MenuRow = Pick<
    ComparisonRow,
    'id' | 'name' | 'place' | 'line' | 'base_place' | 'base_line' | 'in_base' | 'in_new'
>;

/* The address of the operators or kernels of a run with the row of a name selected. */
async function tracedHref(run: Run, of: 'operators' | 'kernels', name: string): Promise<string> {
    const { q, regex } = wholeName(name);
    const path = withParams(viewPath(run, of), { q, regex: regex ? 1 : undefined, limit: 1 });
    const [row] = objectsOf<OperatorRow & KernelRow>(await getJson<Page>(path));
    const op = row && (of === 'operators' ? operatorKey(row) : kernelKey(row));
    return formatHash(['run', run.id, of], op ? { op } : { q: name });
}

async function hrefInRun(run: Run, side: Side, table: ComparisonTable, row: MenuRow) {
    const { of } = table;
    if (of === PARTS_TABLE) return formatHash(['run', run.id, 'overview']);
    if (of === 'operators' || of === 'kernels') return tracedHref(run, of, row.name);
    const { query } = route.peek();
    const detail = await getJson<ComparisonRowDetail>(
        comparePath(query, `/${of}/${row.id}`, rowParams(table, query)),
    );
    const isBase = side === 'base';
    return rowHref(run, of, {
        name: row.name,
        place: isBase ? (row.base_place ?? row.place) : row.place,
        line: isBase ? (row.base_line ?? row.line) : row.line,
        rowId: (isBase ? detail.base_id : detail.new_id) ?? undefined,
    });
}

function showAction(
    { base, new: fresh }: Comparison,
    side: Side,
    table: ComparisonTable,
    row: MenuRow,
): Action {
    const runs = side === 'base' ? base : fresh;
    const has = side === 'base' ? row.in_base : row.in_new;
    const run = runs[runs.length - 1];
    return {
        text: `Show in ${side} run`,
        key: side === 'base' ? 'b' : 'n',
        group: ROW_GROUPS.view,
        disabled: has ? undefined : `the ${side} run does not have it`,
        // Without the row, the report of the run opens.
        run: () =>
            void hrefInRun(run, side, table, row)
                .catch(() => formatHash(['run', run.id]))
                .then(goTo),
    };
}

/** The actions of a frame of the picture. */
export function frameActions(
    { base, new: fresh }: Comparison,
    table: ComparisonTable,
    tree: DiffTree,
    node: number,
): readonly Action[] {
    const change = nodeChangeOf(tree, node);
    const show = (side: Side): Action => {
        const runs = side === 'base' ? base : fresh;
        const run = runs[runs.length - 1];
        const lacks = change === (side === 'base' ? 'new' : 'gone');
        return {
            text: `Show in ${side} run`,
            key: side === 'base' ? 'b' : 'n',
            group: ROW_GROUPS.view,
            disabled: lacks ? `the ${side} run does not have this path` : undefined,
            run: () =>
                void rowOfFrame(table, tree, node)
                    .then((row) => row && hrefInRun(run, side, table, row))
                    .catch(() => null)
                    .then((href) => goTo(href ?? formatHash(['run', run.id]))),
        };
    };
    const named = { name: nameOf(tree, node), file: placeOf(tree, node) ?? undefined };
    return rowActions(fresh[0], named, [show('base'), show('new')]).actions;
}

/** The actions of a row of the comparison. */
export function compareActions(
    comparison: Comparison,
    table: ComparisonTable,
    row: MenuRow,
): RowActions {
    const isPart = table.of === PARTS_TABLE;
    const named = {
        name: isPart ? partText(row.name).label : row.name,
        file: table.place === 'file' ? (row.place ?? undefined) : undefined,
        line: row.line,
    };
    const views = (['base', 'new'] as const).map((side) =>
        showAction(comparison, side, table, row),
    );
    return rowActions(comparison.new[0], named, views);
}
