/* SPDX-License-Identifier: MIT */
/* Labels of the nodes and edges of the call graph, and the node size that follows from them. */
import type { GraphEdge, GraphNode } from '../base/answers';
import { THIN_SPACE, int, pct } from '../base/units';
import type { Size } from './dot';
import { type Measure, fitEllipsis, functionName, shortPlace } from './labels';

export interface NodeText {
    name: string;
    place: string;
    numbers: string;
}

const MAX_NAME_WIDTH = 190;
const PAD = 9;
export const NODE_HEIGHT = 52;

/** Cumulative times may slightly exceed Σ tottime, so the share is capped at 100 %. */
function share(value: number | null): string {
    return value === null ? '–' : `${pct(Math.min(100, value))}${THIN_SPACE}%`;
}

/** Labels like gprof2dot: total share, self share in brackets, number of calls. */
export function nodeText(node: GraphNode, measureMono: Measure): NodeText {
    const numbers = `${share(node.total_pct)} (${share(node.self_pct)}) · ${int(node.ncalls)}×`;
    return {
        name: fitEllipsis(functionName(node.name), MAX_NAME_WIDTH, measureMono),
        place: fitEllipsis(shortPlace(node.file, node.line), MAX_NAME_WIDTH, measureMono),
        numbers,
    };
}

export function nodeSize(text: NodeText, measureMono: Measure, measureSans: Measure): Size {
    const widest = Math.max(
        measureMono(text.name),
        measureMono(text.place) * 0.92,
        measureSans(text.numbers),
        56,
    );
    return { width: Math.ceil(widest) + 2 * PAD, height: NODE_HEIGHT };
}

/** Inside a cycle a share of the total is meaningless, so the label has only the calls. */
export function edgeText(edge: GraphEdge): string[] {
    const calls = `${int(edge.ncalls)}×`;
    return edge.pct === null ? [calls] : [share(edge.pct), calls];
}
