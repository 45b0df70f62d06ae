/* SPDX-License-Identifier: MIT
 *
 * The call tree derived from per-caller sums, with a legend of its certainty.
 */
import { useMemo } from 'preact/hooks';
import type { CallTree, Run } from '../../base/answers';
import { API, withParams } from '../../base/client';
import { pushQuery, route } from '../../base/router';
import { LABELS } from '../../base/terms';
import { THIN_SPACE, formatFixed, formatSeconds, plural, text } from '../../base/units';
import { coloursByOrigin, paintOf } from '../../canvas/tree_paint';
import type { Action } from '../../components/actions';
import { copyAndConfirm } from '../../components/context_menu';
import { FrameView } from '../../components/frame_view';
import { setSearch } from '../../components/hit_steps';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import { Term } from '../../components/term';
import type { FrameLayout } from '../../model/frames';
import { shortPlace } from '../../model/labels';
import { type Matcher, NO_SEARCH } from '../../model/search';
import { tintOfFile } from '../../model/tint';
import type { TipData } from '../../model/tip';
import { certaintyCounts, layoutTree, nameOf, searchTree, type Tree } from '../../model/tree';
import { FUNCTIONS, treeOf } from '../../model/tree_answers';
import { certaintyText, tipOf, totalText, weightRows } from '../../model/tree_tip';
import { ROW_GROUPS } from '../shared/row_actions';
import { type Answer, useData, useJson } from '../shared/use_json';
import { isSampled } from './data';
import { functionActions, functionOfNode } from './function_actions';

interface TreeRequest {
    /** id of a function, or 0 for all roots */
    root: number;
    minPct?: number | null;
    depth?: number;
    limit?: number;
}

/** The calls of a cProfile dump. */
export type Calls = CallTree & Tree;

function callTreePath(run: Run, request: TreeRequest | null): string | null {
    return request
        ? withParams(`${API}/runs/${run.id}/calltree`, {
              root: request.root || undefined,
              min_pct: request.minPct ?? 0.1,
              depth: request.depth ?? 60,
              limit: request.limit ?? 5000,
          })
        : null;
}

export function useCallTree(run: Run, request: TreeRequest | null): Answer<Calls> {
    const answer = useJson<CallTree>(callTreePath(run, request));
    return { ...answer, data: answer.data && treeOf(answer.data, FUNCTIONS) };
}

/** The calls for a view that has no place for an error. */
export function useCalls(run: Run, request: TreeRequest | null): Calls | null {
    const answer = useData<CallTree>(callTreePath(run, request));
    return answer && treeOf(answer, FUNCTIONS);
}

export function CertaintyLegend({ certainty }: { certainty: readonly number[] | undefined }) {
    const [exact, bounded, unknown] = certaintyCounts(certainty ?? []);
    const frames = (count: number): string => (certainty ? plural(count, 'frame') : '');
    return (
        <span class="certainty">
            <span title={frames(exact)}>
                <i class="is-exact" /> exact: one call path
            </span>
            <span title={frames(bounded)}>
                <i class="is-bounded" />{' '}
                <span>
                    <Term of="bounded-value">bounded</Term> [min–max]
                </span>
            </span>
            <span title={frames(unknown)}>
                <i class="is-unknown" /> unknown: recursive
            </span>
        </span>
    );
}

/** Formats the value of a call: a number, bounds in brackets, or `? of` the upper bound. */
export function callValue(tree: Calls, node: number): string {
    const bounds = [tree.low[node], tree.total[node]] as const;
    const number = totalText(tree, node, bounds, (value) => formatFixed(value, 3));
    return `${number}${THIN_SPACE}${tree.unit}`;
}

function paintOfCalls(tree: Calls, layout: FrameLayout, title: string) {
    const tints = tree.frames.file?.map((file) => tintOfFile(file));
    return paintOf(tree, layout, {
        title,
        whole: text(formatSeconds(layout.total)),
        colours: coloursByOrigin(tree),
        tintOf: (node) => tints?.[tree.frame[node]] ?? 0,
        formsOf: (node) => [nameOf(tree, node)],
        valueText: (node) => callValue(tree, node),
    });
}

interface PictureProps {
    run: Run;
    answer: Answer<Calls>;
    allRoots: boolean;
    rootName: string;
    search?: Matcher;
    /** a node of the tree, or -1 */
    selected: number;
    onSelect: (node: number) => void;
    onOpen?: (fn: number) => void;
}

export function CallTreePicture(props: PictureProps) {
    const { run, answer, allRoots, rootName, search, selected, onSelect, onOpen } = props;
    const tree = answer.data;
    const layout = useMemo(
        () => tree && layoutTree(tree, allRoots ? {} : { below: -1 }),
        [tree, allRoots],
    );
    const paint = useMemo(
        () => tree && layout && paintOfCalls(tree, layout, rootName),
        [tree, layout, rootName],
    );
    const match = useMemo(() => tree && searchTree(tree, search ?? NO_SEARCH), [tree, search]);
    const query = route.value.query;
    return (
        <div class="picture is-filling">
            {answer.error && (
                <Notice kind="error" title="The call tree could not be read" error={answer.error} />
            )}
            {tree && layout && paint && !answer.error && (
                <FrameView
                    label={LABELS.callTree}
                    tree={tree}
                    layout={layout}
                    paint={paint}
                    match={match?.set ?? null}
                    hasSteps
                    onClearSearch={() => setSearch({ q: null })}
                    selected={selected}
                    onSelect={onSelect}
                    onOpen={onOpen && ((node) => onOpen(functionOfNode(tree, node).id))}
                    zoom={query.zoom ?? ''}
                    onZoom={(zoom) => pushQuery({ zoom })}
                    urlKeys={['frame', 'zoom']}
                    actions={(node) => callActions(run, tree, node)}
                    head={(node) => {
                        const { file, line } = functionOfNode(tree, node);
                        return { name: nameOf(tree, node), place: shortPlace(file, line) };
                    }}
                    tip={(node) =>
                        callTip(tree, layout, node, { rootName, isSampled: isSampled(run) })
                    }
                    empty="No call in this profile took measurable time."
                />
            )}
            <LoadingLine active={answer.loading} />
        </div>
    );
}

/** The actions of a call, with its path. */
export function callActions(run: Run, tree: Calls, node: number): readonly Action[] {
    const callPath = (): string => {
        const calls: string[] = [];
        for (let at = node; at >= 0; at = tree.parent[at]) calls.push(nameOf(tree, at));
        return calls.reverse().join('\n');
    };
    const copyPath = {
        text: 'Copy call path',
        key: 'y',
        group: ROW_GROUPS.copy,
        button: true,
        run: () => copyAndConfirm(callPath(), 'Call path'),
    };
    return [...functionActions(run, functionOfNode(tree, node)).actions, copyPath];
}

/* Whether a frame is narrower than its upper bound. */
function isShrunk({ frameOf, x0, x1 }: FrameLayout, node: number, hi: number): boolean {
    return x1[frameOf[node]] - x0[frameOf[node]] < hi * (1 - 1e-6);
}

const EXACT_TEXT =
    'exact: each frame above has one caller, so all of its time belongs to this path';
const SHRUNK_TEXT =
    'drawn narrower than its upper bound, because the upper bounds of its siblings exceed the caller';

interface TipBase {
    rootName: string;
    isSampled: boolean;
}

function callTip(
    tree: Calls,
    layout: FrameLayout,
    node: number,
    { rootName, isSampled: hasSamples }: TipBase,
): TipData {
    const rows = weightRows(tree, node, {
        total: 'total time',
        self: 'self time',
        count: hasSamples ? 'samples' : 'calls',
        whole: layout.total,
        format: (value) => `${formatFixed(value, 6)}${THIN_SPACE}${tree.unit}`,
    });
    const foot =
        node < 0
            ? ['sum of the total times of the roots']
            : [
                  certaintyText(tree, node) || EXACT_TEXT,
                  isShrunk(layout, node, tree.total[node]) ? SHRUNK_TEXT : '',
                  `${functionOfNode(tree, node).origin} · percentages of ${rootName}`,
              ];
    return tipOf(tree, layout, node, { root: rootName, rows, foot });
}

/** Remark with the number of calls that `min_pct`, `depth` and `limit` omitted. */
export function TreeRemark({ tree }: { tree: Calls | null }) {
    if (!tree || tree.cut === 0) return null;
    return (
        <span class="soft" title="calls too small, too deep or too many to draw">
            {plural(tree.cut, 'smaller call')} not drawn
        </span>
    );
}
