/* SPDX-License-Identifier: MIT */
import { THIN, fmtFixed, int, pct } from '../../base/units';
import type { CallGraph, GraphEdge, GraphNode } from '../../model/dot';
import { functionName, placeText } from '../../model/labels';
import { callsText } from './data';

const SHOWN = 4;

function seconds(value: number | null): string {
    return value === null ? '–' : `${fmtFixed(value, 3)}${THIN}s`;
}

function percent(value: number | null): string {
    return value === null ? '–' : `${pct(value)}${THIN}%`;
}

/** Tooltip of a function: its heaviest callers above and callees below, among the drawn nodes. */
export function GraphTip({ graph, node }: { graph: CallGraph; node: GraphNode }) {
    const names = new Map(graph.nodes.map(({ id, name }) => [id, functionName(name)]));
    const heavy = (edges: GraphEdge[]): GraphEdge[] =>
        edges.sort((a, b) => (b.total ?? b.ncalls) - (a.total ?? a.ncalls)).slice(0, SHOWN);
    const callers = heavy(graph.edges.filter((e) => e.to === node.id && e.from !== node.id));
    const callees = heavy(graph.edges.filter((e) => e.from === node.id && e.to !== node.id));
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
                <dt>ncalls</dt>
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
