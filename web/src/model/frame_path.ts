/* SPDX-License-Identifier: MIT */
/*
 * A frame of a picture told by the names of the frames from the root down to it, which is what
 * another run has in common with this one.
 */
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

/** The node at the end of a path: of siblings of one name the first, which is the widest where they
 * are sorted; null: this picture has none. */
export function nodeAtPath(layout: FrameLayout, path: string, nameOf: NameOf): number | null {
    if (path === '') return -1;
    const names = path.split(BETWEEN);
    const top = layout.node[0] === -1 ? 1 : 0;
    let level = new Set([top - 1]);
    for (let depth = 0; depth < names.length && level.size; depth++) {
        const row = top + depth;
        if (row >= layout.rows) return null;
        const below = new Set<number>();
        for (let f = layout.rowStart[row]; f < layout.rowStart[row + 1]; f++) {
            const node = layout.node[f];
            if (node >= 0 && level.has(layout.parent[f]) && nameOf(node) === names[depth])
                below.add(f);
        }
        level = below;
    }
    for (const frame of level) return layout.node[frame];
    return null;
}
