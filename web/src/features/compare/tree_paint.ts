/* SPDX-License-Identifier: MIT */
/* Paint of merged call trees. A comparison has colours from faster to slower, grey within noise,
 * and an edge on frames that are new or removed. */
import type { ComparisonTree, GroupTree, MergedTree } from '../../base/answers';
import { THIN_SPACE } from '../../base/units';
import type { FramePaint } from '../../canvas/frame_canvas';
import { TEXTURES, withValue } from '../../canvas/frame_paint';
import { DIFF_FILL } from '../../canvas/theme';
import { fitForms, frameForms } from '../../model/frame_names';
import type { FrameLayout } from '../../model/frames';
import { fitName, type Measure } from '../../model/labels';
import { tintOf } from '../../model/tint';
import { certaintyOf, deltaOf, nodeChangeOf, nodeColourLevel, nameOf } from './diff_tree';

interface DiffPaintInput {
    tree: ComparisonTree;
    layout: FrameLayout;
    title: string;
    /** formats a difference, with its sign */
    format: (delta: number) => string;
    /** Names are dotted module names, drawn relative to the parent frame. */
    hasModuleNames: boolean;
}

const VALUE_GAP = 7;

export function diffPaint({
    tree,
    layout,
    title,
    format,
    hasModuleNames,
}: DiffPaintInput): FramePaint {
    const { node } = layout;
    const fitNodeName = treeNames(tree, layout, hasModuleNames);
    return {
        texture: (f) => (node[f] < 0 ? 'root' : TEXTURES[certaintyOf(tree, node[f])]),
        origin: (f) => (node[f] < 0 ? 3 : DIFF_FILL + 3 + nodeColourLevel(tree, node[f])),
        tint: () => 0,
        edge: (f) => node[f] >= 0 && ['new', 'gone'].includes(nodeChangeOf(tree, node[f])),
        label: (f, maxWidth, measure) => {
            if (node[f] < 0) return { name: title, value: '' };
            const { name } = fitNodeName(f, maxWidth, measure);
            if (Math.abs(nodeColourLevel(tree, node[f])) < 2) return { name, value: '' };
            const value = format(deltaOf(tree, node[f]));
            const fits = measure(name) + VALUE_GAP + measure(value + THIN_SPACE) <= maxWidth;
            return { name, value: fits ? value : '' };
        },
    };
}

interface FittedName {
    name: string;
    /** the name without a width limit */
    full: string;
}

/** Returns a function that fits the name of a frame into a width. `modules`: see DiffPaintInput. */
function treeNames(tree: MergedTree, { node, parent }: FrameLayout, hasModuleNames: boolean) {
    const forms: string[][] = [];
    return (f: number, maxWidth: number, measure: Measure): FittedName => {
        const fullName = nameOf(tree, node[f]);
        if (hasModuleNames) {
            const up = node[parent[f]] ?? -1;
            const above = up >= 0 ? nameOf(tree, up) : null;
            const fit = (width: number) => fitName(fullName, above, width, measure);
            return { name: fit(maxWidth), full: fit(Infinity) };
        }
        const allForms = (forms[tree.name[node[f]]] ??= frameForms(fullName));
        return { name: fitForms(allForms, maxWidth, measure), full: fullName };
    };
}

interface GroupPaintInput {
    tree: GroupTree;
    layout: FrameLayout;
    title: string;
    format: (value: number) => string;
    /** Names are dotted module names, drawn relative to the parent frame. */
    hasModuleNames: boolean;
}

/** Any hue except grey: the origin of a name may differ between runs. */
const PAINT_HUE = 1;

/** Paint of the tree of one group: names of a package have the same tint, and each frame shows its
 * mean. */
export function groupPaint({
    tree,
    layout,
    title,
    format,
    hasModuleNames,
}: GroupPaintInput): FramePaint {
    const tints = Uint8Array.from(tree.names, tintOf);
    const fitNodeName = treeNames(tree, layout, hasModuleNames);
    const { node } = layout;
    return {
        texture: (f) => (node[f] < 0 ? 'root' : TEXTURES[certaintyOf(tree, node[f])]),
        origin: (f) => (node[f] < 0 ? 3 : PAINT_HUE),
        tint: (f) => (node[f] < 0 ? 0 : (tints[tree.name[node[f]]] as 0 | 1)),
        label: (f, maxWidth, measure) => {
            if (node[f] < 0) return { name: title, value: '' };
            const { name, full } = fitNodeName(f, maxWidth, measure);
            return withValue(name, full, format(tree.new_total[node[f]]), maxWidth, measure);
        },
    };
}
