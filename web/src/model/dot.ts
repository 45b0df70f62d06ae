/* SPDX-License-Identifier: MIT */
/*
 * The call graph as DOT text. The same text is laid out here and can be exported: names are quoted so
 * that nothing in them is read as DOT, and sizes are fixed because we measure with the browser's font.
 */
import { edgeWidth, temperature } from './temperature';
import { inkOn } from './tint';

export interface GraphNode {
    id: number;
    name: string;
    file: string;
    line: number;
    origin: string;
    self: number | null;
    total: number | null;
    self_pct: number | null;
    total_pct: number | null;
    ncalls: number;
    primitive_calls: number;
    cycle: number | null;
}

export interface GraphEdge {
    from: number;
    to: number;
    ncalls: number;
    total: number | null;
    pct: number | null;
    recursive: boolean | number;
}

export interface CallGraph {
    total: number;
    base: string;
    nodes: GraphNode[];
    edges: GraphEdge[];
    cut: { nodes: number; edges: number };
}

/** A DOT string: only `"` and `\` are special in it, and line breaks are written as \n. */
export function quote(text: string): string {
    const safe = text
        .replace(/\\/g, '\\\\')
        .replace(/"/g, '\\"')
        .replace(/\r?\n/g, '\\n')
        // eslint-disable-next-line no-control-regex
        .replace(/[\u0000-\u0009\u000b-\u001f]/g, ' ');
    return `"${safe}"`;
}

export interface Size {
    width: number;
    height: number;
}

/**
 * `lines` are the label; `size` in px (72 of them are Graphviz' inch). Without `edgeLines` the arrows
 * have no labels: Graphviz gives each label a rank of its own, which takes it five times as long.
 */
export function graphToDot(
    graph: CallGraph,
    lines: (node: GraphNode) => string[],
    edgeLines: ((edge: GraphEdge) => string[]) | null,
    size: (node: GraphNode) => Size,
): string {
    const out = [
        'digraph calls {',
        '  graph [rankdir=TB, nodesep=0.16, ranksep=0.55, bgcolor=transparent];',
        '  node [shape=box, style=filled, fixedsize=true, fontname=Helvetica, fontsize=11, penwidth=0];',
        '  edge [fontname=Helvetica, fontsize=10, arrowsize=0.7];',
    ];
    for (const node of graph.nodes) {
        const fill = temperature((node.total_pct ?? 0) / 100);
        const { width, height } = size(node);
        out.push(
            `  n${node.id} [label=${quote(lines(node).join('\n'))}, fillcolor="${fill}", ` +
                `fontcolor="${inkOn(fill)}", width=${inches(width)}, height=${inches(height)}];`,
        );
    }
    for (const edge of graph.edges) {
        const share = (edge.pct ?? 0) / 100;
        out.push(
            `  n${edge.from} -> n${edge.to} [${edgeLines ? `label=${quote(edgeLines(edge).join('\n'))}, ` : ''}` +
                `color="${temperature(share)}", penwidth=${edgeWidth(share).toFixed(2)}];`,
        );
    }
    out.push('}', '');
    return out.join('\n');
}

function inches(px: number): string {
    return (px / 72).toFixed(3);
}
