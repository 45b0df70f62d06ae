/* SPDX-License-Identifier: MIT */
/* Links table rows and frames of the picture: the selection of either selects the other. The table
 * scrolls to the row of a selected frame. */
import type { RefObject } from 'preact';
import { useRef } from 'preact/hooks';
import type { ComparisonRow, ComparisonTable, Page } from '../../base/answers';
import { getJson, type Params, withParams } from '../../base/client';
import { useEffectOn } from '../../base/hooks';
import { pushQuery, replaceQuery, route } from '../../base/router';
import type { GridHandle } from '../../components/grid_types';
import { idOfNode } from '../../model/tree_ids';
import { recordedName, type Tree } from '../../model/tree';
import { objectsOf, type PagedSource } from '../shared/paged_source';
import { useData } from '../shared/use_json';
import { frameOfRow, matchesRow, placeOf, type RowName } from './diff_tree';
import { comparePath, rowParams } from './state';

/** Maximum number of rows with the same name in which the row of a frame is searched. */
const MAX_SAME_NAME = 200;

/** The table row of a frame; null: the table has none. */
export async function rowOfFrame(
    table: ComparisonTable,
    tree: Tree,
    node: number,
): Promise<ComparisonRow | null> {
    const { query } = route.peek();
    const page = await getJson<Page>(
        comparePath(query, `/${table.of}`, {
            ...rowParams(table, query),
            name: recordedName(tree, node),
            limit: MAX_SAME_NAME,
        }),
    );
    const place = placeOf(tree, node);
    return objectsOf<ComparisonRow>(page).find((row) => matchesRow(place, row)) ?? null;
}

/** Selects a frame, and the table row that it belongs to. -1 deselects the frame only. */
export async function selectFrame(table: ComparisonTable, tree: Tree, node: number) {
    const frame = node >= 0 ? idOfNode(tree, node) : null;
    pushQuery({ frame });
    if (node < 0) return;
    // Without a row the frame stays selected.
    const row = await rowOfFrame(table, tree, node).catch(() => null);
    if (route.peek().query.frame === frame) replaceQuery({ row: row ? String(row.id) : null });
}

/** Selects the widest frame of `row`, which was selected in the table. */
export function useFrameOfRow(tree: Tree | null, width: readonly number[], row: RowName | null) {
    useEffectOn(() => {
        if (!tree || !row) return;
        const node = frameOfRow(tree, width, row);
        replaceQuery({ frame: node >= 0 ? idOfNode(tree, node) : null });
    }, [row]);
}

/** Scrolls the table to the selected row if it was not selected in the table. */
export function useScrollToRow<R>(
    grid: RefObject<GridHandle>,
    source: PagedSource<R>,
    path: string,
    params: Params,
) {
    const ownRow = useRef<string | undefined>(undefined);
    const { row } = route.value.query;
    const isFromOutside = row !== undefined && row !== ownRow.current;
    const data = useData<{ at?: number; id: number }>(
        isFromOutside ? withParams(`${path}/${encodeURIComponent(row)}`, params) : null,
    );
    const ready = source.ready.value;
    useEffectOn(() => {
        if (!ready || !data || String(data.id) !== row) return;
        ownRow.current = row;
        if (data.at !== undefined) grid.current?.show(data.at);
    }, [data, ready]);
    return (id: number) => {
        ownRow.current = String(id);
    };
}
