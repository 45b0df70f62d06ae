/* SPDX-License-Identifier: MIT
 *
 * Data that the three tabs of an import report share: rows of the API, the tree with derived
 * values, and the effect of the filters on it.
 */
import { useMemo } from 'preact/hooks';
import type { ImportSummary, ImportTree, Origin, Run } from '../../base/answers';
import { API } from '../../base/client';
import { useMemoOn } from '../../base/hooks';
import { coloursByOrigin } from '../../canvas/tree_paint';
import { type Filters, hiddenOriginIndexes } from '../../model/filter_query';
import { selfBy } from '../../model/frame_colours';
import { hiddenSet, matcher } from '../../model/search';
import { ORIGINS } from '../../model/tint';
import { searchTree, type Tree } from '../../model/tree';
import { treeOf } from '../../model/tree_answers';
import { type Answer, useJson } from '../shared/use_json';
import { computeDepths, indexOfIds } from './import_table';
import type { ImportRow } from '../../base/rows';

/** The imports, each a frame of its own. Widths are times without those that are negative. */
export type Imports = ImportTree & Tree;

export interface ImportData {
    tree: Imports;
    /** row ids of the nodes */
    ids: number[];
    origins: number[];
    index: Map<number, number>;
    depth: Int32Array;
    /** µs, the bases of the percentages: Σ cumulative of the roots, and Σ self */
    total: number;
    sumSelf: number;
    /** some self times are negative, because several threads imported modules at once; `total` and
     * `sumSelf` are then both the sum of the positive self times */
    hasNegativeSelf: boolean;
    totalName: string;
    sumName: string;
    maxSelf: number;
    /** percent; null until all frames are loaded */
    shares: { origin: Origin; share: number | null }[];
}

export function summaryOf(run: Run): ImportSummary {
    return run.summary as unknown as ImportSummary;
}

const FIRST_LIMIT = 4000;
const FULL_LIMIT = 100_000;

/** Fetches the widest frames first, so that a large log is shown quickly, then all frames. */
export function useImportData(run: Run): { data: ImportData | null; answer: Answer<ImportTree> } {
    const path = `${API}/runs/${run.id}/imports/tree?limit=`;
    const first = useJson<ImportTree>(path + FIRST_LIMIT);
    const all = useJson<ImportTree>(first.data?.cut ? path + FULL_LIMIT : null);
    const answer = all.data || all.error ? all : first;
    const data = useMemoOn(
        () => (answer.data ? deriveData(answer.data, summaryOf(run)) : null),
        [answer.data, run.id],
    );
    return { data, answer };
}

function deriveData(answer: ImportTree, summary: ImportSummary): ImportData {
    const tree: Imports = treeOf(answer);
    const { id: ids = [], origin: origins = [] } = tree.frames;
    const hasNegativeSelf = summary.negative_self > 0;
    const shares = selfBy(tree, coloursByOrigin(tree).keyOf);
    const sum = shares.reduce((us, { self }) => us + self, 0);
    let maxSelf = 0;
    for (const self of tree.self) if (self > maxSelf) maxSelf = self;
    const seen = new Set(origins);
    return {
        tree,
        ids,
        origins,
        index: indexOfIds(ids),
        depth: computeDepths(tree.parent, tree.n),
        total: hasNegativeSelf ? tree.sum : summary.total_us,
        sumSelf: hasNegativeSelf ? tree.sum : summary.self_us,
        hasNegativeSelf,
        totalName: hasNegativeSelf ? 'Σ positive self' : 'total',
        sumName: hasNegativeSelf ? 'Σ positive self' : 'Σ self',
        maxSelf,
        shares: ORIGINS.map((origin, i) => {
            const base = hasNegativeSelf ? tree.sum : sum;
            const self = shares.find(({ key }) => key === i)?.self ?? 0;
            return { origin, share: tree.cut ? null : base > 0 ? (100 * self) / base : 0 };
        }).filter((_, i) => seen.has(i)),
    };
}

/** Converts a node of the tree into a table row with the columns of the server's table. */
export function rowOfNode(data: ImportData, node: number): ImportRow {
    const { tree, ids } = data;
    const up = tree.parent[node];
    const parent_id = up < 0 ? null : ids[up];
    return {
        id: ids[node],
        parent_id,
        ord: ids[node],
        depth: data.depth[node],
        module: tree.frames.name[node],
        package: tree.packages[tree.package[node]],
        origin: ORIGINS[data.origins[node]],
        self_us: tree.self[node],
        cumulative_us: tree.cumulative[node],
        cached: 0,
        startup: tree.startup[node],
        unfinished: 0,
        first: 1,
        importer_id: parent_id,
        importer: up < 0 ? null : tree.frames.name[up],
        children: 0,
        start: null,
    };
}

export function useSearchHits(data: ImportData | null, filters: Filters) {
    const { q, regex, hide, off } = filters;
    const search = useMemo(() => matcher(q, regex), [q, regex]);
    const found = useMemo(() => (data ? searchTree(data.tree, search) : null), [data, search]);
    const offKey = [...off].join();
    const hidden = useMemoOn(
        () =>
            data
                ? hiddenSet(
                      data.tree.n,
                      data.origins,
                      hiddenOriginIndexes(off),
                      hide,
                      (i) => data.tree.frames.name[i],
                  )
                : null,
        [data, offKey, hide],
    );
    return { search, found, hidden };
}
