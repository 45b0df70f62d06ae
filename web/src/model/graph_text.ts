/* SPDX-License-Identifier: MIT */
/* What a node and an edge of the call graph say, and how large a node is therefore. */
import { THIN, int, pct } from '../base/units';
import type { GraphEdge, GraphNode, Size } from './dot';
import { type Measure, fitEllipsis, functionName, shortPlace } from './labels';

export interface NodeText {
    name: string;
    place: string;
    numbers: string;
}

const MOST = 190;
const PAD = 9;
export const NODE_HEIGHT = 52;

/** Cumulative times may exceed Σ tottime by a hair; a share of the whole does not. */
function share(value: number | null): string {
    return value === null ? '–' : `${pct(Math.min(100, value))}${THIN}%`;
}

/** As gprof2dot: total share, self share in brackets, number of calls. */
export function nodeText(node: GraphNode, measureMono: Measure): NodeText {
    const numbers = `${share(node.total_pct)} (${share(node.self_pct)}) · ${int(node.ncalls)}×`;
    return {
        name: fitEllipsis(functionName(node.name), MOST, measureMono),
        place: fitEllipsis(shortPlace(node.file, node.line), MOST, measureMono),
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

/** Inside a cycle a share of the total means nothing, so only the calls are said there. */
export function edgeText(edge: GraphEdge): string[] {
    const calls = `${int(edge.ncalls)}×`;
    return edge.pct === null ? [calls] : [share(edge.pct), calls];
}
