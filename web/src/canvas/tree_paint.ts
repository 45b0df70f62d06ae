/* SPDX-License-Identifier: MIT */
/* Appearance of the frames of a tree. What its colours show is described once, for the picture and
 * for its legend. */
import { THIN_SPACE } from '../base/units';
import { FAMILIES, familyOf } from '../model/family';
import { type ColourMode, packageColour, packagesOf } from '../model/frame_colours';
import { frameForms } from '../model/frame_names';
import type { FrameLayout } from '../model/frames';
import { fitForms, moduleForms } from '../model/labels';
import { ORIGIN_LABELS, ORIGINS, tintOf } from '../model/tint';
import { certaintyOf, nameOf, roleOf, shownName, type Tree } from '../model/tree';
import type { DiffTree } from '../model/tree_answers';
import { deltaOf, levelOf, nodeChangeOf } from '../model/tree_diff';
import type { FramePaint } from './frame_canvas';
import { GROUP_TOKENS } from './snapshot_theme';
import { DIFF_FILL, FAMILY_FILL, PACKAGE_FILL, PLAIN_FILL } from './theme';

/** What the colours of frames show: nodes with the same key have the same fill. */
export interface TreeColours {
    keyOf: (node: number) => number;
    /** index of a fill of the theme */
    fillOf: (key: number) => number;
    /** name of a key in the legend */
    labelOf: (key: number) => string;
}

/* Fills of native code, which frames without a package have too, and of installed packages. */
const NATIVE_FILL = 3;
const INSTALLED_FILL = 1;

export function coloursByOrigin({ frame, frames: { origin = [] } }: Tree): TreeColours {
    return {
        keyOf: (node) => origin[frame[node]],
        fillOf: (key) => key,
        labelOf: (key) => ORIGIN_LABELS[ORIGINS[key]],
    };
}

function coloursByFamily({ family = [] }: Tree): TreeColours {
    return {
        keyOf: (node) => family[node],
        fillOf: (key) => (key > 0 ? FAMILY_FILL + key : INSTALLED_FILL),
        labelOf: (key) => familyOf(key).label,
    };
}

function coloursByPackage({ frame, frames }: Tree): TreeColours {
    const packages = packagesOf(frames);
    const keys = new Map([...new Set(packages)].map((name, key) => [name, key]));
    const names = [...keys.keys()];
    const keyOfFrame = packages.map((name) => keys.get(name) ?? 0);
    return {
        keyOf: (node) => keyOfFrame[frame[node]],
        fillOf: (key) => (names[key] ? PACKAGE_FILL + packageColour(names[key]) : NATIVE_FILL),
        labelOf: (key) => names[key] || 'no package',
    };
}

/** One colour for all frames. */
function coloursOfAll(fill: number): TreeColours {
    return { keyOf: () => 0, fillOf: () => fill, labelOf: () => '' };
}

/** Colours of a flame graph. Those of origin need Python code with a known origin; without it, they
 * show the family, in stacks: of native code. */
export function flameColours(tree: Tree, mode: ColourMode): TreeColours {
    if (mode === 'plain') return coloursOfAll(PLAIN_FILL);
    if (mode === 'package') return coloursByPackage(tree);
    const isKnown = tree.frames.origin?.some((origin) => origin <= 2);
    return isKnown ? coloursByOrigin(tree) : coloursByFamily(tree);
}

/** The origin of a name may differ between runs. */
export const COLOURS_OF_GROUPS = coloursOfAll(INSTALLED_FILL);

const GROUP_FILLS = GROUP_TOKENS.map(
    (token) => FAMILY_FILL + FAMILIES.findIndex(({ key }) => token === `family-${key}`),
);
const OTHER_GROUP = 7;

/** The last frame of a stack has the colour of its group of allocations. */
export function coloursByGroup(tree: Tree): TreeColours {
    return {
        ...coloursOfAll(0),
        keyOf: (node) => (roleOf(tree, node) === 'frame' ? (tree.group?.[node] ?? 0) : 0),
        fillOf: (key) => GROUP_FILLS[key] ?? GROUP_FILLS[OTHER_GROUP],
    };
}

const NO_CHANGE = DIFF_FILL + 3;

export function coloursByChange(tree: DiffTree): TreeColours {
    return {
        ...coloursOfAll(0),
        keyOf: (node) => levelOf(tree, node),
        fillOf: (level) => NO_CHANGE + level,
    };
}

/** What `PaintOptions` draw of a comparison: paths that one side lacks, and strong differences. */
export function changeOptions(tree: DiffTree, deltaText: (delta: number) => string) {
    return {
        colours: coloursByChange(tree),
        changeOf: (node: number) => nodeChangeOf(tree, node),
        valueText: (node: number) =>
            Math.abs(levelOf(tree, node)) > 1 ? deltaText(deltaOf(tree, node)) : '',
        prefersValue: true,
    };
}

type FormsOf = PaintOptions['formsOf'];

/** Names of modules, relative to the frame above. */
export function formsOfModules(tree: Tree): FormsOf {
    return (node, above) => moduleForms(nameOf(tree, node), above < 0 ? null : nameOf(tree, above));
}

/** Names of functions with or without their place. */
export function formsOfFunctions(tree: Tree): FormsOf {
    const forms: string[][] = [];
    return (node) => (forms[tree.frame[node]] ??= frameForms(nameOf(tree, node)));
}

/** One of the two tints of a fill for each node, by its name. */
export function tintsOfNames({ frame, frames }: Tree): (node: number) => 0 | 1 {
    const tints = frames.name.map(tintOf);
    return (node) => tints[frame[node]];
}

export interface PaintOptions {
    /** name of the whole, and its value */
    title: string;
    whole?: string;
    colours: TreeColours;
    tintOf?: (node: number) => 0 | 1;
    /** paths that only one side of a comparison has */
    changeOf?: FramePaint['changeOf'];
    /** Names of a node from complete to short; `above`: the node of the frame above, or -1. */
    formsOf: (node: number, above: number) => readonly string[];
    valueText?: (node: number) => string;
    /** The name is shortened to have room for the value; else the value stands beside whole names. */
    prefersValue?: boolean;
    /** Formats self times, which have boxes beside the frames below. */
    selfText?: (self: number) => string;
}

/** Texture by certainty: exact, bounded, unknown. */
const TEXTURES = ['solid', 'hatched', 'dashed'] as const;

/* Upper bound of the width of a bold name relative to its width in the regular font, which
 * `measure` uses. */
const BOLD_FACTOR = 1.2;
const VALUE_GAP = 7;

/** Right end of the last child of each frame; its own left end if it has none. */
function endsOfChildren(layout: FrameLayout): Float64Array {
    const ends = layout.x0.slice();
    for (let f = 0; f < layout.count; f++) {
        const up = layout.parent[f];
        if (up >= 0) ends[up] = Math.max(ends[up], layout.x1[f]);
    }
    return ends;
}

export function paintOf(tree: Tree, layout: FrameLayout, options: PaintOptions): FramePaint {
    const { title, whole, colours, tintOf: tint, changeOf, formsOf, valueText, selfText } = options;
    const { node, last, parent, x0, x1 } = layout;
    const ends = selfText && endsOfChildren(layout);
    const isFrame = (f: number) => roleOf(tree, node[f]) === 'frame' && last[f] === node[f];
    // A frame is drawn often, so that what does not depend on the zoom is computed once.
    const fills = Uint8Array.from(node, (at) =>
        at < 0 ? NATIVE_FILL : colours.fillOf(colours.keyOf(at)),
    );
    const textures = Array.from(node, (at, f) => {
        if (at < 0) return 'root';
        const isDashed = last[f] !== at || roleOf(tree, at) === 'rest';
        return isDashed ? 'dashed' : TEXTURES[certaintyOf(tree, at)];
    });
    return {
        title,
        texture: (f) => textures[f],
        fill: (f) => fills[f],
        tint: (f) => (node[f] < 0 || !tint ? 0 : tint(node[f])),
        changeOf: (f) => (node[f] < 0 || !changeOf ? 'kept' : changeOf(node[f])),
        selfBox: (f) => {
            const self = node[f] < 0 ? null : tree.self?.[node[f]];
            if (!ends || !selfText || ends[f] === x0[f] || !self || self < 0) return null;
            return { x0: ends[f], x1: Math.min(ends[f] + self, x1[f]), value: selfText(self) };
        },
        label: (f, maxWidth, regular) => {
            const measure = (text: string) => (node[f] < 0 ? BOLD_FACTOR : 1) * regular(text);
            const forms =
                node[f] < 0
                    ? [title]
                    : isFrame(f)
                      ? formsOf(node[f], parent[f] < 0 ? -1 : node[parent[f]])
                      : [shownName(tree, layout, node[f])];
            const value =
                node[f] < 0
                    ? whole && `${whole} · 100${THIN_SPACE}%`
                    : isFrame(f) && valueText?.(node[f]);
            const room = value ? maxWidth - VALUE_GAP - measure(value) : 0;
            const candidates = options.prefersValue ? forms : forms.slice(0, 1);
            const beside = value && candidates.find((form) => measure(form) <= room);
            return value && beside
                ? { name: beside, value }
                : { name: fitForms(forms, maxWidth, measure), value: '' };
        },
    };
}
