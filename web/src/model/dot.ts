/* SPDX-License-Identifier: MIT */
/* Writes the call graph as DOT. The same DOT is used for the layout and for export. Names are
 * quoted so that no part of them is parsed as DOT. Sizes are fixed because text is measured with
 * the browser's font. */
import type { CallGraph, GraphEdge, GraphNode } from '../base/answers';
import { edgeWidth, temperature } from './temperature';
import { textColourOn } from './tint';

/** Quotes a DOT string: only `"` and `\` are special, and line breaks become \n. */
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

/** `lines` returns the label of a node; `size` is in px (72 per inch in Graphviz). `edgeLines`
 * null: edges have no labels. Graphviz puts each edge label on a rank of its own, which makes the
 * layout five times slower. */
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
                `fontcolor="${textColourOn(fill)}", width=${inches(width)}, height=${inches(height)}];`,
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
