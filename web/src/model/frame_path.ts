/* SPDX-License-Identifier: MIT */
/* Identifies a frame by the names of the frames from the root down to it, so that it can be found
 * in another run. */
import { locationStart } from './frame_names';
import { type FrameLayout, framePath } from './frames';

type NameOf = (node: number) => string;

const SEPARATOR = '\n';

/** Path of a node; '' for the root; null if the node is not placed. */
export function pathText(layout: FrameLayout, node: number, nameOf: NameOf): string | null {
    const frame = node < 0 ? 0 : (layout.frameOf[node] ?? -1);
    if (frame < 0) return null;
    return framePath(layout, frame)
        .map((f) => layout.node[f])
        .filter((at) => at >= 0)
        .map(nameOf)
        .join(SEPARATOR);
}

/* Removes the source location after a name: line numbers and folders differ between runs. */
function withoutPlace(name: string): string {
    return name.slice(0, locationStart(name) || name.length);
}

/* Returns the frames of a row that are children of a frame of `above` and have this name. If there
 * is none, returns the children whose names differ only in the source location. */
function below(layout: FrameLayout, row: number, above: Set<number>, name: string, nameOf: NameOf) {
    const [exact, sameFunction] = [new Set<number>(), new Set<number>()];
    const nameOnly = withoutPlace(name);
    for (let f = layout.rowStart[row]; f < layout.rowStart[row + 1]; f++) {
        const node = layout.node[f];
        if (node < 0 || !above.has(layout.parent[f])) continue;
        const nodeName = nameOf(node);
        if (nodeName === name) exact.add(f);
        else if (withoutPlace(nodeName) === nameOnly) sameFunction.add(f);
    }
    return exact.size ? exact : sameFunction;
}

/** Finds the node at the end of a path; null if there is none. Of siblings with the same name it
 * returns the first, which is the widest if siblings are sorted. */
export function nodeAtPath(layout: FrameLayout, path: string, nameOf: NameOf): number | null {
    if (path === '') return -1;
    const top = layout.node[0] === -1 ? 1 : 0;
    let row = top;
    let level = new Set([top - 1]);
    for (const name of path.split(SEPARATOR)) {
        if (row >= layout.rows) return null;
        level = below(layout, row++, level, name, nameOf);
    }
    for (const frame of level) return layout.node[frame];
    return null;
}
