/* SPDX-License-Identifier: MIT
 *
 * The Call graph tab: an interactive version of gprof2dot's graph. The server applies thresholds,
 * focus, depth, direction and paths; Graphviz lays out the result in the browser.
 */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { CallGraph, GraphEdge, GraphNode, Run } from '../../base/answers';
import { API, withParams } from '../../base/client';
import { navigate, route, setQuery } from '../../base/router';
import { plural, THIN_SPACE, formatFixed, int, pct } from '../../base/units';
import { CallGraphView } from '../../components/call_graph_view';
import { layoutDot } from '../../components/graphviz';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import { graphToDot } from '../../model/dot';
import { readFilters } from '../../model/filter_query';
import { type GraphPicture, readLayout } from '../../model/graph_layout';
import { type NodeText, edgeText, nodeSize, nodeText } from '../../model/graph_text';
import { SelectionLayout } from '../../components/selection_layout';
import { functionName, placeText } from '../../model/labels';
import { matcher } from '../../model/search';
import { useJson } from '../shared/use_json';
import { callsText, isSampled } from './data';
import { FunctionSelection, selectedCall } from './function_selection';
import { useCalls } from './tree_pane';
import { FOCUS_DEPTH, GRAPH_LIMIT, CallGraphToolbar } from './graph_toolbar';

interface DrawnGraph {
    graph: CallGraph;
    picture: GraphPicture;
    texts: Map<number, NodeText>;
    /** the graph in DOT format, for export */
    dot: () => string;
}

interface GraphLayout {
    drawn: DrawnGraph | null;
    error: string | null;
    busy: boolean;
}

/** Returns functions that measure a text, in px, in the two fonts that the SVG uses. */
function createTextMeasures(): { mono: (text: string) => number; sans: (text: string) => number } {
    const ctx = document.createElement('canvas').getContext('2d');
    const style = getComputedStyle(document.documentElement);
    const width = (font: string) => (text: string) => {
        if (!ctx) return text.length * 7;
        ctx.font = font;
        return ctx.measureText(text).width;
    };
    return {
        mono: width(`500 11.5px ${style.getPropertyValue('--mono')}`),
        sans: width(`11px ${style.getPropertyValue('--sans')}`),
    };
}

/** Lays out `graph`. `textOf` returns the label of a node; it must be the same function at each
 * render. */
export function useGraphLayout(graph: CallGraph | null, textOf = nodeText): GraphLayout {
    const [layoutState, setLayoutState] = useState<GraphLayout>({
        drawn: null,
        error: null,
        busy: false,
    });
    useEffect(() => {
        if (!graph) return undefined;
        const { mono, sans } = createTextMeasures();
        const texts = new Map(graph.nodes.map((node) => [node.id, textOf(node, mono)]));
        const toDot = (labels: boolean): string =>
            graphToDot(
                graph,
                (node) => Object.values<string>({ ...texts.get(node.id) }),
                labels ? edgeText : null,
                (node) => nodeSize(texts.get(node.id) as NodeText, mono, sans),
            );
        const layouting = layoutDot(toDot(false));
        let cancelled = false;
        setLayoutState((old) => ({ ...old, error: null, busy: true }));
        layouting.done
            .then((json) => {
                if (cancelled) return;
                const picture = readLayout(json, graph.edges);
                setLayoutState({
                    drawn: { graph, picture, texts, dot: () => toDot(true) },
                    error: null,
                    busy: false,
                });
            })
            .catch((reason: unknown) => {
                if (cancelled) return;
                const error = reason instanceof Error ? reason.message : String(reason);
                setLayoutState((old) => ({ ...old, error, busy: false }));
            });
        return () => {
            cancelled = true;
            layouting.stop();
        };
    }, [graph, textOf]);
    return layoutState;
}

export function CallGraphTab({ run }: { run: Run }) {
    const query = route.value.query;
    const filters = readFilters(query);
    const focus = query.focus ? Number(query.focus) : null;
    const path = withParams(`${API}/runs/${run.id}/graph`, {
        node_pct: query.node ?? 0.5,
        edge_pct: query.edge ?? 0.1,
        focus: focus ?? undefined,
        depth: query.depth,
        direction: query.dir,
        path_to: query.path_to,
        limit: query.limit ?? GRAPH_LIMIT,
    });
    const answer = useJson<CallGraph>(path);
    const fn = query.fn ? Number(query.fn) : null;
    const tree = useCalls(run, fn === null ? null : { root: 0 });
    const { drawn, error, busy } = useGraphLayout(answer.data);
    const search = useMemo(() => matcher(filters.q, filters.regex), [filters.q, filters.regex]);
    const match = useMemo(() => {
        if (search.empty || !drawn) return null;
        const hits = drawn.graph.nodes.filter((node) => search.test(node.name, node.file));
        return new Set(hits.map(({ id }) => id));
    }, [search, drawn]);
    const select = (id: number | null): void =>
        setQuery({ fn: id === null ? null : String(id) }, { replace: true });
    const focusOn = (id: number): void => {
        const next: Record<string, string> = {
            depth: FOCUS_DEPTH,
            ...route.peek().query,
            focus: String(id),
        };
        delete next.view;
        delete next.fn;
        navigate(route.peek().path, next);
    };
    return (
        <div class="tab-body">
            <CallGraphToolbar
                run={run}
                filters={filters}
                error={search.error}
                count={match?.size ?? null}
                graph={drawn?.graph ?? null}
                dot={drawn?.dot ?? null}
                path={path}
            />
            {answer.error && (
                <Notice
                    kind="error"
                    title="The call graph could not be read"
                    error={answer.error}
                />
            )}
            {error && (
                <Notice
                    kind="error"
                    title="Graphviz could not lay this graph out"
                    error={{
                        text: error,
                        at: null,
                        hint: 'Raise the thresholds, or export the DOT text.',
                    }}
                />
            )}
            <SelectionLayout
                what="a function"
                pane={
                    fn !== null && (
                        <FunctionSelection
                            run={run}
                            id={fn}
                            tree={tree}
                            node={selectedCall(tree, undefined, fn)}
                            onFunction={select}
                            onClose={() => select(null)}
                        />
                    )
                }
            >
                <div class="graph-room">
                    {drawn && drawn.graph.nodes.length > 0 && (
                        <CallGraphView
                            graph={drawn.graph}
                            picture={drawn.picture}
                            texts={drawn.texts}
                            selected={fn}
                            focus={focus}
                            onSelect={select}
                            onFocus={focusOn}
                            match={match}
                            view={query.view ?? ''}
                            onView={(view) => setQuery({ view }, { replace: true })}
                            tip={(node) => (
                                <GraphTip
                                    graph={drawn.graph}
                                    node={node}
                                    sampled={isSampled(run)}
                                />
                            )}
                        />
                    )}
                    {drawn && drawn.graph.nodes.length === 0 && (
                        <p class="report-empty">No function is above the threshold. Lower it.</p>
                    )}
                    {drawn && drawn.graph.nodes.length > 0 && <OmittedNote graph={drawn.graph} />}
                    <LoadingLine active={answer.loading || busy} />
                </div>
            </SelectionLayout>
        </div>
    );
}

function OmittedNote({ graph }: { graph: CallGraph }) {
    const { nodes, edges } = graph.cut;
    if (nodes === 0 && edges === 0) return null;
    return (
        <div class="graph-note">
            {plural(nodes, 'function')} and {plural(edges, 'arrow')} hidden by the thresholds or the
            limit
        </div>
    );
}

const MAX_TIP_EDGES = 4;

function seconds(value: number | null): string {
    return value === null ? '–' : `${formatFixed(value, 3)}${THIN_SPACE}s`;
}

function percent(value: number | null): string {
    return value === null ? '–' : `${pct(value)}${THIN_SPACE}%`;
}

interface GraphTipProps {
    graph: CallGraph;
    node: GraphNode;
    sampled: boolean;
}

/** Tooltip of a function, with its most expensive callers and callees among the drawn nodes. */
function GraphTip({ graph, node, sampled }: GraphTipProps) {
    const names = new Map(graph.nodes.map(({ id, name }) => [id, functionName(name)]));
    const mostExpensive = (edges: GraphEdge[]): GraphEdge[] =>
        edges
            .sort((a, b) => (b.total ?? b.ncalls ?? 0) - (a.total ?? a.ncalls ?? 0))
            .slice(0, MAX_TIP_EDGES);
    const callers = mostExpensive(
        graph.edges.filter((e) => e.to === node.id && e.from !== node.id),
    );
    const callees = mostExpensive(
        graph.edges.filter((e) => e.from === node.id && e.to !== node.id),
    );
    const lines = (edges: GraphEdge[], end: 'from' | 'to') =>
        edges.map((e) => (
            <>
                <dt class="mono tip-name">{names.get(e[end])}</dt>
                <dd>{seconds(e.total)}</dd>
                <dd>{int(e.ncalls)}×</dd>
            </>
        ));
    return (
        <>
            <div class="tooltip-title">{functionName(node.name)}</div>
            <div class="soft mono tip-place">{placeText(node.file, node.line)}</div>
            {callers.length > 0 && (
                <>
                    <div class="tip-part">called by</div>
                    <dl>{lines(callers, 'from')}</dl>
                </>
            )}
            <dl class="tip-self">
                <dt>cumtime</dt>
                <dd>{seconds(node.total)}</dd>
                <dd>{percent(node.total_pct)}</dd>
                <dt>tottime</dt>
                <dd>{seconds(node.self)}</dd>
                <dd>{percent(node.self_pct)}</dd>
                <dt>{sampled ? 'samples' : 'ncalls'}</dt>
                <dd>{callsText(node.ncalls, node.primitive_calls, int)}</dd>
                <dd />
            </dl>
            {callees.length > 0 && (
                <>
                    <div class="tip-part">calls</div>
                    <dl>{lines(callees, 'to')}</dl>
                </>
            )}
            <div class="tooltip-foot tip-small">
                percentages {graph.base} {seconds(graph.total)}
                {node.cycle ? ' · part of a cycle' : ''} · double click: focus
            </div>
        </>
    );
}
