/* SPDX-License-Identifier: MIT */
/* Converts the layout that Graphviz returns (its `json` output) into boxes and paths in px, y
 * downwards. */

export interface NodeBox {
    id: number;
    x: number;
    y: number;
    width: number;
    height: number;
}

export interface EdgePath {
    /** index into the graph's edges */
    edge: number;
    path: string;
    arrow: [number, number, number, number, number, number] | null;
    /** the middle of the path */
    label: { x: number; y: number };
}

export interface GraphPicture {
    width: number;
    height: number;
    nodes: NodeBox[];
    edges: EdgePath[];
}

interface VizObject {
    name?: string;
    pos?: string;
    width?: string;
    height?: string;
}

interface VizEdge {
    tail: number;
    head: number;
    pos?: string;
}

interface VizJson {
    bb?: string;
    objects?: VizObject[];
    edges?: VizEdge[];
}

type Point = [number, number];

/** Reads the layout. Graphviz returns edges grouped by tail, so they are matched by their end nodes. */
export function readLayout(
    json: string,
    edges: readonly { from: number; to: number }[],
): GraphPicture {
    const viz = JSON.parse(json) as VizJson;
    const [, , width = 0, height = 0] = (viz.bb ?? '0,0,0,0').split(',').map(Number);
    const flip = (p: Point): Point => [p[0], height - p[1]];
    const objects = viz.objects ?? [];
    const nodes = objects.map((o): NodeBox => {
        const [x, y] = flip(point(o.pos ?? '0,0'));
        return { id: idOf(o), x, y, width: Number(o.width) * 72, height: Number(o.height) * 72 };
    });
    const edgeIndexByEnds = new Map(edges.map((e, i) => [`${e.from}>${e.to}`, i] as const));
    const paths: EdgePath[] = [];
    for (const e of viz.edges ?? []) {
        const edge = edgeIndexByEnds.get(`${idOf(objects[e.tail])}>${idOf(objects[e.head])}`);
        if (edge === undefined || !e.pos) continue;
        paths.push({ edge, ...spline(e.pos, flip) });
    }
    return { width, height, nodes, edges: paths };
}

function idOf(object: VizObject): number {
    return Number((object.name ?? '').replace(/^n/, ''));
}

function point(text: string): Point {
    const [x = 0, y = 0] = text.split(',').map(Number);
    return [x, y];
}

/** Parses `e,x,y x0,y0 x1,y1 …`: the arrow's tip, then a Bézier curve of 3n + 1 points. */
function spline(pos: string, flip: (p: Point) => Point): Omit<EdgePath, 'edge'> {
    let tip: Point | null = null;
    const points: Point[] = [];
    for (const word of pos.split(/\s+/)) {
        if (word.startsWith('e,')) tip = flip(point(word.slice(2)));
        else if (!word.startsWith('s,') && word !== '') points.push(flip(point(word)));
    }
    const text = (p: Point): string => `${p[0].toFixed(1)},${p[1].toFixed(1)}`;
    let path = points[0] ? `M${text(points[0])}` : '';
    for (let i = 1; i + 2 < points.length; i += 3) {
        path += `C${text(points[i])} ${text(points[i + 1])} ${text(points[i + 2])}`;
    }
    const last = points[points.length - 1];
    return { path, arrow: tip && last ? arrowHead(last, tip) : null, label: middle(points) };
}

function middle(points: Point[]): { x: number; y: number } {
    const curves = Math.floor((points.length - 1) / 3);
    if (curves === 0) return { x: points[0]?.[0] ?? 0, y: points[0]?.[1] ?? 0 };
    if (curves % 2 === 0) {
        const [x, y] = points[(curves / 2) * 3];
        return { x, y };
    }
    const [a, b, c, d] = points.slice(((curves - 1) / 2) * 3);
    const at = (i: 0 | 1): number => (a[i] + 3 * b[i] + 3 * c[i] + d[i]) / 8;
    return { x: at(0), y: at(1) };
}

function arrowHead(from: Point, tip: Point): EdgePath['arrow'] {
    const [dx, dy] = [tip[0] - from[0], tip[1] - from[1]];
    const length = Math.hypot(dx, dy) || 1;
    const [nx, ny] = [(-dy / length) * 3, (dx / length) * 3];
    return [tip[0], tip[1], from[0] + nx, from[1] + ny, from[0] - nx, from[1] - ny];
}
