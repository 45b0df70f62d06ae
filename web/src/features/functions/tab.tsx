/* SPDX-License-Identifier: MIT
 *
 * The Functions tab: the table of pstats; next to it the callers and callees of the selected
 * function, and its call tree below.
 */
import { useMemo, useState } from 'preact/hooks';
import type { Page, Run } from '../../base/answers';
import { useDefaultSelection } from '../../base/panel';
import { useKeys } from '../../base/keys';
import { pushQuery, replaceQuery, route } from '../../base/router';
import type { FunctionRow } from '../../base/rows';
import { LABELS } from '../../base/terms';
import { isPaneBeside, SelectionLayout } from '../../components/selection_layout';
import { PaneSection } from '../../components/selection_pane';
import { sizedPane, Splitter } from '../../components/splitter';
import { PaneHead } from '../../components/toolbar';
import { viewportWidth } from '../../components/viewport';
import { readFilters } from '../../model/filter_query';
import { matcher } from '../../model/search';
import { nameOf } from '../../model/tree';
import { idOfNode } from '../../model/tree_ids';
import { functionsPath, pstatsOf, openFunction, useSumsRemark } from '../calls/data';
import { FunctionSelection, selectedCall } from '../calls/function_selection';
import {
    useCalls,
    CallTreePicture,
    CertaintyLegend,
    TreeRemark,
    useCallTree,
} from '../calls/tree_pane';
import { objectsOf } from '../shared/paged_source';
import { useData } from '../shared/use_json';
import { AmdahlView } from './amdahl_view';
import { FunctionsByFile } from './by_file';
import { FunctionsTable } from './table';
import { FunctionsToolbar } from './toolbar';

export function FunctionsTab({ run }: { run: Run }) {
    const query = route.value.query;
    const filters = readFilters(query);
    const search = useMemo(() => matcher(filters.q, filters.regex), [filters.q, filters.regex]);
    const [shown, setShown] = useState<number | null>(null);
    useSumsRemark(run);
    const costliest = useDefaultFunction(run, query.fn === undefined);
    const id = query.fn ? Number(query.fn) : costliest;
    useDefaultSelection('fn', costliest);
    const grouped = query.group === 'file';
    const total = pstatsOf(run).total_tt_s;
    const callers = !run.summary.flat; // Flat profiles have no callers.
    const tree = useCalls(run, callers && id !== null ? { root: 0 } : null);
    useKeys(
        'Function',
        query.fn ? [{ key: 'Escape', label: 'clear selection', run: deselect }] : [],
    );
    const shared = { run, filters, search, total, selected: id, onShown: setShown };
    return (
        <div class="tab-body">
            <FunctionsToolbar run={run} filters={filters} error={search.error} shown={shown} />
            <SelectionLayout
                what="a function"
                pane={
                    id !== null &&
                    (query.fn || isPaneBeside()) && (
                        <FunctionSelection
                            run={run}
                            id={id}
                            tree={tree}
                            node={selectedCall(tree, undefined, id)}
                            onFunction={openFunction}
                            onClose={deselect}
                        >
                            {({ amdahl: { share, total_s } }) => (
                                <PaneSection title="If it were faster">
                                    <AmdahlView share={share} total={total_s} />
                                </PaneSection>
                            )}
                        </FunctionSelection>
                    )
                }
            >
                {grouped ? <FunctionsByFile {...shared} /> : <FunctionsTable {...shared} />}
                {callers && viewportWidth.value >= 900 && <TreeOf run={run} id={id} />}
            </SelectionLayout>
        </div>
    );
}

function deselect(): void {
    replaceQuery({ fn: null, zoom: null, frame: null });
}

/** The default selection: the function with the largest cumulative time. */
function useDefaultFunction(run: Run, isNeeded: boolean): number | null {
    const path = `${functionsPath(run)}?sort=cumulative&desc=1&limit=1`;
    const data = useData<Page>(isNeeded ? path : null);
    return objectsOf<FunctionRow>(data)[0]?.id ?? null;
}

function TreeOf({ run, id }: { run: Run; id: number | null }) {
    const answer = useCallTree(run, id === null ? null : { root: id });
    const tree = answer.data;
    const name = tree && tree.n > 0 ? nameOf(tree, 0) : '';
    const pane = sizedPane('functions.tree', {
        normal: 246,
        min: 100,
        max: Math.max(100, innerHeight - 360),
    });
    return (
        <section class="pane pane-tree" style={{ flexBasis: `${pane.size}px` }}>
            <Splitter pane={pane} side="below" label="height of the call tree" />
            <PaneHead
                title={LABELS.callTree}
                remark={
                    name ? (
                        <>
                            from <span class="mono">{name}</span>, drawn from per-caller sums
                        </>
                    ) : null
                }
            >
                <TreeRemark tree={tree} />
                <CertaintyLegend certainty={tree?.certainty} />
            </PaneHead>
            <CallTreePicture
                run={run}
                answer={answer}
                allRoots={false}
                rootName={name}
                selected={selectedCall(tree, route.value.query.frame, null)}
                onSelect={(node) =>
                    pushQuery({
                        frame: tree && node >= 0 ? idOfNode(tree, node) : null,
                    })
                }
                onOpen={openFunction}
            />
        </section>
    );
}
