/* SPDX-License-Identifier: MIT */
/* Paint of a comparison: colours from faster to slower, grey within noise, and an edge on frames
 * that are new or removed. */
import type { ComparedTree } from '../../base/compare_types';
import { THIN } from '../../base/units';
import type { FramePaint } from '../../canvas/frame_canvas';
import { TEXTURES } from '../../canvas/frame_paint';
import { DIFF_FILL } from '../../canvas/theme';
import type { FrameLayout } from '../../model/frames';
import { certaintyOf, deltaOf, fateOf, levelOf } from './diff_tree';
import { treeNames } from './tree_names';

interface DiffPaintOf {
    tree: ComparedTree;
    layout: FrameLayout;
    title: string;
    /** formats a difference with its sign */
    say: (delta: number) => string;
    /** Names are dotted module names, drawn relative to the parent frame. */
    modules: boolean;
}

const GAP = 7;

export function diffPaint({ tree, layout, title, say, modules }: DiffPaintOf): FramePaint {
    const { node } = layout;
    const fitted = treeNames(tree, layout, modules);
    return {
        texture: (f) => (node[f] < 0 ? 'root' : TEXTURES[certaintyOf(tree, node[f])]),
        origin: (f) => (node[f] < 0 ? 3 : DIFF_FILL + 3 + levelOf(tree, node[f])),
        tint: () => 0,
        edge: (f) => node[f] >= 0 && fateOf(tree, node[f]) !== 'kept',
        label: (f, room, measure) => {
            if (node[f] < 0) return { name: title, value: '' };
            const { name } = fitted(f, room, measure);
            if (Math.abs(levelOf(tree, node[f])) < 2) return { name, value: '' };
            const value = say(deltaOf(tree, node[f]));
            const fits = measure(name) + GAP + measure(value + THIN) <= room;
            return { name, value: fits ? value : '' };
        },
    };
}
