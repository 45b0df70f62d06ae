/* SPDX-License-Identifier: MIT */
/* Paint of the tree of one group: names of a package have the same tint, and each frame shows its mean. */
import type { GroupTree } from '../../base/compare_types';
import type { FramePaint } from '../../canvas/frame_canvas';
import { TEXTURES, withValue } from '../../canvas/frame_paint';
import type { FrameLayout } from '../../model/frames';
import { tintOf } from '../../model/tint';
import { certaintyOf } from './diff_tree';
import { treeNames } from './tree_names';

interface GroupPaintOf {
    tree: GroupTree;
    layout: FrameLayout;
    title: string;
    say: (value: number) => string;
    /** Names are dotted module names, drawn relative to the parent frame. */
    modules: boolean;
}

/** Any hue except grey: the origin of a name may differ between runs. */
const HUE = 1;

export function groupPaint({ tree, layout, title, say, modules }: GroupPaintOf): FramePaint {
    const tints = Uint8Array.from(tree.names, tintOf);
    const fitted = treeNames(tree, layout, modules);
    const { node } = layout;
    return {
        texture: (f) => (node[f] < 0 ? 'root' : TEXTURES[certaintyOf(tree, node[f])]),
        origin: (f) => (node[f] < 0 ? 3 : HUE),
        tint: (f) => (node[f] < 0 ? 0 : (tints[tree.name[node[f]]] as 0 | 1)),
        label: (f, room, measure) => {
            if (node[f] < 0) return { name: title, value: '' };
            const { name, full } = fitted(f, room, measure);
            return withValue(name, full, say(tree.new_total[node[f]]), room, measure);
        },
    };
}
