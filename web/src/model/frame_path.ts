/* SPDX-License-Identifier: MIT */
/*
 * A frame of a picture told by the names of the frames from the root down to it, which is what
 * another run has in common with this one.
 */
import { placeStart } from './frame_names';
import { type FrameLayout, framePath } from './frames';

type NameOf = (node: number) => string;

const BETWEEN = '\n';

/** The root is ''; null: the node is not placed. */
export function pathText(layout: FrameLayout, node: number, nameOf: NameOf): string | null {
    const frame = node < 0 ? 0 : (layout.frameOf[node] ?? -1);
    if (frame < 0) return null;
    return framePath(layout, frame)
        .map((f) => layout.node[f])
        .filter((at) => at >= 0)
        .map(nameOf)
        .join(BETWEEN);
}

/* Without the place that samplers write behind it: lines and folders differ from run to run. */
function withoutPlace(name: string): string {
    return name.slice(0, placeStart(name) || name.length);
}

/* The frames of a row below others that have this name; where none has, those that differ in its
 * place only. */
function below(layout: FrameLayout, row: number, above: Set<number>, name: string, nameOf: NameOf) {
    const [exact, alike] = [new Set<number>(), new Set<number>()];
    const bare = withoutPlace(name);
    for (let f = layout.rowStart[row]; f < layout.rowStart[row + 1]; f++) {
        const node = layout.node[f];
        if (node < 0 || !above.has(layout.parent[f])) continue;
        const own = nameOf(node);
        if (own === name) exact.add(f);
        else if (withoutPlace(own) === bare) alike.add(f);
    }
    return exact.size ? exact : alike;
}

/** The node at the end of a path: of siblings of one name the first, which is the widest where they
 * are sorted; null: this picture has none. */
export function nodeAtPath(layout: FrameLayout, path: string, nameOf: NameOf): number | null {
    if (path === '') return -1;
    const top = layout.node[0] === -1 ? 1 : 0;
    let row = top;
    let level = new Set([top - 1]);
    for (const name of path.split(BETWEEN)) {
        if (row >= layout.rows) return null;
        level = below(layout, row++, level, name, nameOf);
    }
    for (const frame of level) return layout.node[frame];
    return null;
}
