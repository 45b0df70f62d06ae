/* SPDX-License-Identifier: MIT */
/* Paint of merged call trees. Of a comparison: colours from faster to slower, grey within noise, and an edge on frames
 * that are new or removed. */
import type { ComparisonTree, GroupTree } from '../../base/compare_types';
import { THIN_SPACE } from '../../base/units';
import type { FramePaint } from '../../canvas/frame_canvas';
import { TEXTURES, withValue } from '../../canvas/frame_paint';
import { DIFF_FILL } from '../../canvas/theme';
import { fitForms, frameForms } from '../../model/frame_names';
import type { FrameLayout } from '../../model/frames';
import { fitName, type Measure } from '../../model/labels';
import { tintOf } from '../../model/tint';
import { certaintyOf, deltaOf, nodeChangeOf, levelOf, nameOf } from './diff_tree';

interface DiffPaintOf {
    tree: ComparisonTree;
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
        edge: (f) => node[f] >= 0 && nodeChangeOf(tree, node[f]) !== 'kept',
        label: (f, room, measure) => {
            if (node[f] < 0) return { name: title, value: '' };
            const { name } = fitted(f, room, measure);
            if (Math.abs(levelOf(tree, node[f])) < 2) return { name, value: '' };
            const value = say(deltaOf(tree, node[f]));
            const fits = measure(name) + GAP + measure(value + THIN_SPACE) <= room;
            return { name, value: fits ? value : '' };
        },
    };
}

interface FittedName {
    name: string;
    /** the name without a width limit */
    full: string;
}

/** `modules`: names are dotted module names, drawn relative to the parent frame. */
function treeNames(tree: GroupTree, { node, parent }: FrameLayout, modules: boolean) {
    const forms: string[][] = [];
    return (f: number, room: number, measure: Measure): FittedName => {
        const whole = nameOf(tree, node[f]);
        if (modules) {
            const up = node[parent[f]] ?? -1;
            const above = up >= 0 ? nameOf(tree, up) : null;
            const fit = (width: number) => fitName(whole, above, width, measure);
            return { name: fit(room), full: fit(Infinity) };
        }
        const all = (forms[tree.name[node[f]]] ??= frameForms(whole));
        return { name: fitForms(all, room, measure), full: whole };
    };
}

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

/** Paint of the tree of one group: names of a package have the same tint, and each frame shows its
 * mean. */
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
