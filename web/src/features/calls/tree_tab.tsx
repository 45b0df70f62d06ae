/* SPDX-License-Identifier: MIT
 *
 * The Call tree tab: one picture of full height, from all roots or from a chosen function.
 */
import { useMemo, useRef } from 'preact/hooks';
import type { Run } from '../../base/answers';
import { useKeys } from '../../base/keys';
import { navigate, pushQuery, replaceQuery, route } from '../../base/router';
import { hitSteps, setSearch } from '../../components/hit_steps';
import { NumberField } from '../../components/number_field';
import { SearchField } from '../../components/search_field';
import { SelectionLayout } from '../../components/selection_layout';
import { Spacer, Toolbar } from '../../components/toolbar';
import { viewportWidth } from '../../components/viewport';
import { type Filters, readFilters } from '../../model/filter_query';
import { matcher } from '../../model/search';
import { nameOf, searchTree } from '../../model/tree';
import { idOfNode } from '../../model/tree_ids';
import { useSumsRemark } from './data';
import { functionOfNode } from './function_actions';
import { FunctionPicker } from './function_picker';
import { FunctionSelection, selectedCall } from './function_selection';
import {
    callActions,
    type Calls,
    CallTreePicture,
    CertaintyLegend,
    TreeRemark,
    useCallTree,
} from './tree_pane';

const MIN_PCT = 0.1;

export function CallTreeTab({ run }: { run: Run }) {
    const query = route.value.query;
    const root = query.root ? Number(query.root) : 0;
    const filters = readFilters(query);
    const search = useMemo(() => matcher(filters.q, filters.regex), [filters.q, filters.regex]);
    const minPct = query.min === undefined ? MIN_PCT : Number(query.min);
    const answer = useCallTree(run, { root, minPct, limit: 20_000, depth: 200 });
    const tree = answer.data;
    useSumsRemark(run);
    const found = useMemo(() => tree && searchTree(tree, search), [tree, search]);
    const name = root && tree && tree.n > 0 ? nameOf(tree, 0) : 'all roots';
    const wide = viewportWidth.value >= 1200;
    const urlFn = query.fn ? Number(query.fn) : null;
    const selected = selectedCall(tree, query.frame, urlFn);
    const fn = urlFn ?? (tree && selected >= 0 ? functionOfNode(tree, selected).id : null);
    const select = (node: number): void =>
        pushQuery({
            frame: tree && node >= 0 ? idOfNode(tree, node) : null,
            fn: tree && node >= 0 ? String(functionOfNode(tree, node).id) : null,
        });
    return (
        <div class="tab-body">
            <CallTreeToolbar
                run={run}
                root={root}
                minPct={minPct}
                tree={tree}
                filters={filters}
                error={search.error}
                count={found?.count ?? null}
                wide={wide}
            />
            {!wide && (
                <div class="legend-line">
                    <CertaintyLegend certainty={tree?.certainty} />
                </div>
            )}
            <SelectionLayout
                what="a call"
                pane={
                    fn !== null && (
                        <FunctionSelection
                            run={run}
                            id={fn}
                            tree={tree}
                            node={selected}
                            onNode={select}
                            onFunction={(id) => pushQuery({ frame: null, fn: String(id) })}
                            onClose={() => select(-1)}
                            actions={
                                tree && selected >= 0 ? callActions(run, tree, selected) : undefined
                            }
                        />
                    )
                }
            >
                <CallTreePicture
                    run={run}
                    answer={answer}
                    allRoots={!root}
                    rootName={name}
                    search={search}
                    selected={selected}
                    onSelect={select}
                    onOpen={setRoot}
                />
            </SelectionLayout>
        </div>
    );
}

/** Sets the root function as a new history entry; clears zoom and selection. null: all roots. */
function setRoot(id: number | null): void {
    const next: Record<string, string> = { ...route.peek().query };
    for (const key of ['root', 'zoom', 'frame']) delete next[key];
    if (id) next.root = String(id);
    navigate(route.peek().path, next);
}

interface ToolbarProps {
    run: Run;
    root: number;
    minPct: number;
    tree: Calls | null;
    filters: Filters;
    error: string | null;
    count: number | null;
    wide: boolean;
}

function CallTreeToolbar(props: ToolbarProps) {
    const { run, root, minPct, tree, filters, error, count, wide } = props;
    const input = useRef<HTMLInputElement | null>(null);
    useKeys('Call tree', [
        { key: '/', label: 'search the tree', run: () => input.current?.focus() },
        { key: 'r', label: 'from all roots', run: () => setRoot(null) },
    ]);
    return (
        <Toolbar label="view options">
            <span class="soft">From</span>
            <FunctionPicker
                run={run}
                label="root of the tree"
                placeholder="all roots"
                picked={root || null}
                onPick={setRoot}
                width={wide ? 260 : 170}
            />
            <NumberField
                label="at least"
                unit="%"
                value={minPct}
                width={64}
                tip="calls below this share of the root are left out"
                onChange={(min) =>
                    replaceQuery({ min: min === null || min === MIN_PCT ? null : String(min) })
                }
            />
            {wide && <TreeRemark tree={tree} />}
            <Spacer />
            {wide && <CertaintyLegend certainty={tree?.certainty} />}
            <SearchField
                value={filters.q}
                inputRef={input}
                placeholder="Search functions"
                hint="/"
                width={wide ? 232 : 190}
                count={count}
                {...hitSteps(count)}
                regex={filters.regex}
                onRegex={(regex) => setSearch({ regex: regex ? '1' : null })}
                error={error}
                onInput={(q) => setSearch({ q: q || null })}
            />
        </Toolbar>
    );
}
