/* SPDX-License-Identifier: MIT */
/* The paint of a difference: from faster to slower, grey within noise, an edge on what is new. */
import type { ComparedTree } from '../base/compare_types';
import { THIN } from '../base/units';
import { certaintyOf, deltaOf, fateOf, levelOf, nameOf } from '../model/diff_tree';
import type { FrameLayout } from '../model/frames';
import { fitForms, frameForms } from '../model/frame_names';
import { fitName } from '../model/labels';
import type { FramePaint } from './frame_canvas';
import { TEXTURES } from './frame_paint';
import { DIFF_FILL } from './theme';

interface DiffPaintOf {
    tree: ComparedTree;
    layout: FrameLayout;
    title: string;
    /** a difference with its sign */
    say: (delta: number) => string;
    /** Names are dotted modules, drawn relative to the frame above. */
    modules: boolean;
}

const GAP = 7;

export function diffPaint({ tree, layout, title, say, modules }: DiffPaintOf): FramePaint {
    const { node } = layout;
    const forms: string[][] = [];
    return {
        texture: (f) => (node[f] < 0 ? 'root' : TEXTURES[certaintyOf(tree, node[f])]),
        origin: (f) => (node[f] < 0 ? 3 : DIFF_FILL + 3 + levelOf(tree, node[f])),
        tint: () => 0,
        edge: (f) => node[f] >= 0 && fateOf(tree, node[f]) !== 'kept',
        label: (f, room, measure) => {
            if (node[f] < 0) return { name: title, value: '' };
            const whole = nameOf(tree, node[f]);
            const up = node[layout.parent[f]] ?? -1;
            const name = modules
                ? fitName(whole, up >= 0 ? nameOf(tree, up) : null, room, measure)
                : fitForms((forms[tree.name[node[f]]] ??= frameForms(whole)), room, measure);
            if (Math.abs(levelOf(tree, node[f])) < 2) return { name, value: '' };
            const value = say(deltaOf(tree, node[f]));
            const fits = measure(name) + GAP + measure(value + THIN) <= room;
            return { name, value: fits ? value : '' };
        },
    };
}
