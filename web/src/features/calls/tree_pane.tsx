/* SPDX-License-Identifier: MIT
 *
 * The call tree derived from per-caller sums, with a legend of its certainty.
 */
import { useMemo } from 'preact/hooks';
import type { CallTree, Run } from '../../base/answers';
import { API, withParams } from '../../base/client';
import { pushQuery, route } from '../../base/router';
import { LABELS } from '../../base/terms';
import { THIN_SPACE, formatFixed, formatSeconds, int, pct, plural, text } from '../../base/units';
import { coloursByOrigin, paintOf } from '../../canvas/tree_paint';
import type { Action } from '../../components/actions';
import { copyAndConfirm } from '../../components/context_menu';
import { FrameView } from '../../components/frame_view';
import { setSearch } from '../../components/hit_steps';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import { Term } from '../../components/term';
import type { FrameLayout } from '../../model/frames';
import { functionName, libraryPath, placeText, shortPlace } from '../../model/labels';
import { type Matcher, NO_SEARCH } from '../../model/search';
import { tintOfFile } from '../../model/tint';
import {
    BOUNDED,
    certaintyCounts,
    layoutTree,
    nameOf,
    OMITTED_CALLS,
    searchTree,
    type Tree,
    UNKNOWN,
} from '../../model/tree';
import { treeOf } from '../../model/tree_answers';
import { ROW_GROUPS } from '../shared/row_actions';
import { type Answer, useJson } from '../shared/use_json';
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

export function useCallTree(run: Run, request: TreeRequest | null): Answer<Calls> {
    const path = request
        ? withParams(`${API}/runs/${run.id}/calltree`, {
              root: request.root || undefined,
              min_pct: request.minPct ?? 0.1,
              depth: request.depth ?? 60,
              limit: request.limit ?? 5000,
          })
        : null;
    const answer = useJson<CallTree>(path);
    return { ...answer, data: answer.data && treeOf(answer.data, functionName) };
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
export function callValue({ certainty, low, total, unit }: Calls, node: number): string {
    const after = `${THIN_SPACE}${unit}`;
    if (certainty[node] === BOUNDED)
        return `[${formatFixed(low[node], 3)}–${formatFixed(total[node], 3)}]${after}`;
    const value = formatFixed(total[node], 3) + after;
    return certainty[node] === UNKNOWN ? `? of ${value}` : value;
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
                    tip={(node) => (
                        <CallTip
                            tree={tree}
                            layout={layout}
                            node={node}
                            rootName={rootName}
                            sampled={isSampled(run)}
                        />
                    )}
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

interface TipProps {
    tree: Calls;
    layout: FrameLayout;
    node: number;
    rootName: string;
    sampled: boolean;
}

const CERTAINTY_TEXTS = [
    'exact: each frame above has one caller, so all of its time belongs to this path',
    'bounded: the time on this path is between the two values',
    'unknown: recursive call; nothing is drawn below it',
];

function CallTip({ tree, layout, node, rootName, sampled }: TipProps) {
    const { total } = layout;
    const percent = (value: number): string =>
        total > 0 ? `${pct((100 * value) / total)}${THIN_SPACE}%` : '–';
    const seconds = (value: number): string => `${formatFixed(value, 6)}${THIN_SPACE}s`;
    if (node === OMITTED_CALLS) return <div>calls too small to draw</div>;
    if (node < 0) {
        return (
            <>
                <div class="tooltip-title">{rootName}</div>
                <div>{seconds(total)}, sum of the total times of the roots</div>
            </>
        );
    }
    const certainty = tree.certainty[node];
    const [lo, hi] = [tree.low[node], tree.total[node]];
    const range =
        certainty === BOUNDED
            ? `${percent(lo).replace(/\D+$/, '')}–${percent(hi)}`
            : certainty === UNKNOWN
              ? `≤ ${percent(hi)}`
              : percent(hi);
    const [self, calls] = [tree.self[node], tree.count[node]];
    const { file, line, origin } = functionOfNode(tree, node);
    return (
        <>
            <div class="tooltip-title">{nameOf(tree, node)}</div>
            <div class="soft mono tip-place">{placeText(libraryPath(file), line)}</div>
            <dl>
                <dt>total time</dt>
                <dd>{callValue(tree, node)}</dd>
                <dd>{range}</dd>
                {self !== null && (
                    <>
                        <dt>self time</dt>
                        <dd>{seconds(self)}</dd>
                        <dd>{percent(self)}</dd>
                    </>
                )}
                {calls !== null && (
                    <>
                        <dt>{sampled ? 'samples' : 'calls'}</dt>
                        <dd>{int(calls)}</dd>
                        <dd />
                    </>
                )}
            </dl>
            <div class="tooltip-foot tip-small">
                {CERTAINTY_TEXTS[certainty]}
                {isShrunk(layout, node, hi) &&
                    '. Drawn narrower than its upper bound, because the upper bounds of its siblings exceed the caller'}
                <br />
                {origin} · percentages of {rootName}
            </div>
        </>
    );
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
