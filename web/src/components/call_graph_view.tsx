/* SPDX-License-Identifier: MIT
 *
 * The call graph as SVG: Graphviz computes the positions, the temperature scale the colours. Wheel
 * zooms, drag pans, click selects, double click focuses, arrow keys follow the heaviest edge.
 */
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { CallGraph, GraphEdge, GraphNode } from '../base/answers';
import { useEffectOn, useLayoutEffectOn } from '../base/hooks';
import type { GraphPicture } from '../model/graph_layout';
import { edgeText, type NodeText } from '../model/graph_text';
import { type Plane, centreOn, fitPlane, parsePlane, planeText } from '../model/plane';
import { edgeWidth, temperature } from '../model/temperature';
import { textColourOn, mix } from '../model/tint';
import { useGraphLink } from './graph_panel';
import { READABLE_SCALE, useGraphKeys, usePlaneInput } from './graph_input';
import { watchTheme } from './theme_watch';
import { hideTooltip, showTooltip } from './tooltip';

export interface CallGraphViewProps {
    graph: CallGraph;
    picture: GraphPicture;
    texts: Map<number, NodeText>;
    /** id of the selected function; `focus`: id of the function in focus; null if there is none */
    selected: number | null;
    focus: number | null;
    onSelect: (id: number | null) => void;
    onFocus: (id: number) => void;
    /** ids of the functions that the search matches; null if there is no search */
    match: ReadonlySet<number> | null;
    /** visible part of the plane, from the URL (planeText) */
    view: string;
    onView: (view: string | null) => void;
    tip: (node: GraphNode) => ComponentChildren;
    /** Fill colour of a node in CSS; by default its temperature. */
    fillOf?: (node: GraphNode) => string;
}

const COMMIT_MS = 250;

function useDark(element: { current: Element | null }): boolean {
    const [dark, setDark] = useState(false);
    useLayoutEffectOn(() => {
        const read = (): void => {
            if (element.current)
                setDark(getComputedStyle(element.current).colorScheme.includes('dark'));
        };
        read();
        return watchTheme(read);
    }, []);
    return dark;
}

/** The initial view: the complete graph if its labels are readable, else the function in focus or
 * the hottest one. */
function firstPlane(props: CallGraphViewProps, viewportRect: DOMRect): Plane {
    const { picture, focus, graph } = props;
    const whole = fitPlane(picture.width + 32, picture.height + 32, viewportRect);
    if (whole.k >= READABLE_SCALE)
        return { ...whole, x: whole.x + 16 * whole.k, y: whole.y + 16 * whole.k };
    const hottest = graph.nodes.reduce(
        (best, node) => ((node.total ?? 0) > (best?.total ?? -1) ? node : best),
        graph.nodes[0],
    );
    const box = picture.nodes.find(({ id }) => id === (focus ?? hottest?.id));
    if (!box) return whole;
    const plane = centreOn(box.x, box.y, 0.8, viewportRect);
    return focus === null ? { ...plane, y: 24 - (box.y - box.height / 2) * 0.8 } : plane;
}

export function CallGraphView(props: CallGraphViewProps) {
    const { graph, picture, texts, selected, match, view } = props;
    const svg = useRef<SVGSVGElement | null>(null);
    const layer = useRef<SVGGElement | null>(null);
    const plane = useRef<Plane>({ k: 1, x: 0, y: 0 });
    const latest = useRef(props);
    latest.current = props;
    const lastSentView = useRef<string | null>(null);
    const timer = useRef(0);
    const dark = useDark(svg);

    const viewportRect = (): DOMRect => svg.current?.getBoundingClientRect() ?? new DOMRect();
    const postPlane = useGraphLink(latest, viewportRect, (next) => apply(next, false));
    const apply = (next: Plane, notify = true): void => {
        plane.current = next;
        const { k, x, y } = next;
        layer.current?.setAttribute('transform', `translate(${x} ${y}) scale(${k})`);
        clearTimeout(timer.current);
        if (!notify) return;
        postPlane(next);
        timer.current = setTimeout(() => {
            lastSentView.current = planeText(plane.current);
            latest.current.onView(lastSentView.current);
        }, COMMIT_MS);
    };

    useLayoutEffectOn(() => {
        lastSentView.current = view;
        apply(parsePlane(view || undefined) ?? firstPlane(props, viewportRect()), false);
    }, [picture]);
    useEffectOn(() => {
        if (view === lastSentView.current) return;
        lastSentView.current = view;
        apply(parsePlane(view || undefined) ?? firstPlane(latest.current, viewportRect()), false);
    }, [view]);
    useEffect(() => () => clearTimeout(timer.current), []);
    usePlaneInput(svg, plane, apply);
    useGraphKeys(latest, plane, apply, viewportRect);

    const nodeById = useMemo(() => new Map(graph.nodes.map((node) => [node.id, node])), [graph]);
    const neighbourIds = useMemo(() => neighbours(graph, selected), [graph, selected]);
    const faded = (id: number): boolean =>
        match ? !match.has(id) : neighbourIds !== null && !neighbourIds.has(id);
    return (
        <svg
            ref={svg}
            class="call-graph"
            tabIndex={0}
            role="img"
            aria-label={`Call graph of ${graph.nodes.length} functions`}
            onClick={(event) => {
                if (event.target === svg.current) props.onSelect(null);
            }}
        >
            <g ref={layer}>
                {picture.edges.map(({ edge, path, arrow, label }) => {
                    const e = graph.edges[edge];
                    const isIncident =
                        selected !== null && (e.from === selected || e.to === selected);
                    const isUnmatched = match
                        ? !match.has(e.from) && !match.has(e.to)
                        : selected !== null && neighbourIds !== null && !isIncident;
                    return (
                        <EdgeMark
                            key={`e${e.from}.${e.to}`}
                            edge={e}
                            path={path}
                            arrow={arrow}
                            label={label}
                            dark={dark}
                            uncoloured={props.fillOf !== undefined}
                            class={isUnmatched ? 'is-faded' : isIncident ? 'is-on' : ''}
                        />
                    );
                })}
                {picture.nodes.map((box) => {
                    const node = nodeById.get(box.id);
                    const text = texts.get(box.id);
                    if (!node || !text) return null;
                    return (
                        <NodeMark
                            key={`n${box.id}`}
                            node={node}
                            text={text}
                            box={box}
                            selected={box.id === selected}
                            focused={box.id === props.focus}
                            faded={faded(box.id)}
                            props={latest}
                        />
                    );
                })}
            </g>
        </svg>
    );
}

function neighbours(graph: CallGraph, selected: number | null): Set<number> | null {
    if (selected === null || !graph.nodes.some(({ id }) => id === selected)) return null;
    const neighbourIds = new Set([selected]);
    for (const { from, to } of graph.edges) {
        if (from === selected) neighbourIds.add(to);
        if (to === selected) neighbourIds.add(from);
    }
    return neighbourIds;
}

interface EdgeProps {
    edge: GraphEdge;
    path: string;
    arrow: number[] | null;
    label: { x: number; y: number };
    dark: boolean;
    /** drawn without temperature colours */
    uncoloured: boolean;
    class: string;
}

function EdgeMark({ edge, path, arrow, label, dark, uncoloured, class: state }: EdgeProps) {
    const share = (edge.pct ?? 0) / 100;
    const temperatureColour = temperature(share);
    const softColour = dark
        ? mix(temperatureColour, '#ffffff', 0.45)
        : mix(temperatureColour, '#ffffff', 0.15);
    const colour = uncoloured ? 'var(--text-3)' : softColour;
    return (
        <g class={`graph-edge ${state}`}>
            <path d={path} stroke={colour} stroke-width={edgeWidth(share)} fill="none" />
            {arrow && <path d={`M${arrow.join(' ')}Z`} fill={colour} />}
            <text x={label.x + 5} y={label.y + 3}>
                {edgeText(edge).join(' · ')}
            </text>
        </g>
    );
}

interface NodeProps {
    node: GraphNode;
    text: NodeText;
    box: { x: number; y: number; width: number; height: number };
    selected: boolean;
    focused: boolean;
    faded: boolean;
    props: { current: CallGraphViewProps };
}

function NodeMark({ node, text, box, selected, focused, faded, props }: NodeProps) {
    const temperatureColour = temperature((node.total_pct ?? 0) / 100);
    const fill = props.current.fillOf?.(node) ?? temperatureColour;
    const ink = fill === temperatureColour ? textColourOn(temperatureColour) : 'var(--ink)';
    const { x, y, width, height } = box;
    const state = `${selected ? ' is-selected' : ''}${focused ? ' is-focus' : ''}${faded ? ' is-faded' : ''}`;
    return (
        <g
            class={`graph-node${state}`}
            transform={`translate(${x - width / 2} ${y - height / 2})`}
            onClick={() => props.current.onSelect(node.id)}
            onDblClick={() => props.current.onFocus(node.id)}
            onPointerMove={(event) => {
                if (event.buttons === 0) {
                    const at = (event.currentTarget as Element).getBoundingClientRect();
                    showTooltip(props.current.tip(node), event.clientX, event.clientY, at);
                }
            }}
            onPointerLeave={() => hideTooltip()}
        >
            <rect width={width} height={height} fill={fill} />
            {(selected || focused) && (
                <rect class="graph-outline" x="-3" y="-3" width={width + 6} height={height + 6} />
            )}
            <text class="graph-name" x={width / 2} y="17" fill={ink}>
                {text.name}
            </text>
            <text class="graph-place" x={width / 2} y="30" fill={ink}>
                {text.place}
            </text>
            <text x={width / 2} y="44" fill={ink}>
                {text.numbers}
            </text>
        </g>
    );
}
