/* SPDX-License-Identifier: MIT */
/* Paint functions: appearance and labels of the frames of each mode. */
import type { CallTree, FlameAnswer, ImportTree } from '../base/answers';
import { axisText } from '../base/axis';
import { THIN_SPACE, formatSeconds, formatFixed, pct, text } from '../base/units';
import { BOUNDED, UNKNOWN } from '../model/call_tree';
import { type ColourMode, packageColour, packagesOf } from '../model/frame_colours';
import type { FrameLayout } from '../model/frames';
import { fitForms, frameForms } from '../model/frame_names';
import { type Measure, fitEllipsis, fitName, functionName } from '../model/labels';
import { tintOf, tintOfFile } from '../model/tint';
import type { FramePaint } from './frame_canvas';
import { FAMILY_FILL, PACKAGE_FILL, PLAIN_FILL } from './theme';

const VALUE_GAP = 7;

/** Texture by certainty: exact, bounded, unknown. */
export const TEXTURES = ['solid', 'hatched', 'dashed'] as const;

/** Returns the label with its value, or without it if the complete name `whole` and the value do
 * not fit into `maxWidth` px. */
export function withValue(
    name: string,
    whole: string,
    value: string,
    maxWidth: number,
    measure: Measure,
): { name: string; value: string } {
    const fits = name === whole && measure(name) + VALUE_GAP + measure(value) <= maxWidth;
    return { name, value: fits ? value : '' };
}

/* Fill of frames without a package: that of native code. */
const NO_PACKAGE_FILL = 3;

/* Upper bound of the width of a bold name relative to its width in the regular font, which
 * `measure` uses. */
const BOLD_FACTOR = 1.2;

function rootLabel(title: string, whole: string): FramePaint['label'] {
    return (_frame, maxWidth, measure) => {
        const bold = (name: string) => BOLD_FACTOR * measure(name);
        const name = fitEllipsis(title, maxWidth, bold);
        return withValue(name, title, `${whole} · 100${THIN_SPACE}%`, maxWidth, bold);
    };
}

/** Paint of imports: a label is the module name relative to the parent frame, then the cumulative
 * time printed in the log. */
export function importPaint(
    tree: ImportTree,
    layout: FrameLayout,
    whole: { name: string; us: number },
): FramePaint {
    const tints = Uint8Array.from(tree.names, (name) => tintOf(name));
    const root = rootLabel(whole.name, text(formatSeconds(whole.us / 1e6)));
    const { node } = layout;
    const above = (frame: number): string | null => {
        const up = node[layout.parent[frame]];
        return up >= 0 ? tree.names[up] : null;
    };
    return {
        texture: (f) => (node[f] < 0 ? 'root' : 'solid'),
        origin: (f) => (node[f] < 0 ? 3 : tree.origin[node[f]]),
        tint: (f) => (node[f] < 0 ? 0 : (tints[node[f]] as 0 | 1)),
        label: (f, maxWidth, measure) => {
            if (node[f] < 0) return root(f, maxWidth, measure);
            const name = fitName(tree.names[node[f]], above(f), maxWidth, measure);
            const full = fitName(tree.names[node[f]], above(f), Infinity, measure);
            const value = text(formatSeconds(tree.cumulative_us[node[f]] / 1e6));
            return withValue(name, full, value, maxWidth, measure);
        },
    };
}

/** Formats the value of a call-tree frame: a number, bounds in brackets, or `? of` the upper bound. */
export function callValue(tree: CallTree, node: number): string {
    const certainty = tree.certainty[node];
    const unit = `${THIN_SPACE}${tree.unit}`;
    if (certainty === BOUNDED) {
        return `[${formatFixed(tree.lo[node], 3)}–${formatFixed(tree.hi[node], 3)}]${unit}`;
    }
    const value = formatFixed(tree.hi[node], 3) + unit;
    return certainty === UNKNOWN ? `? of ${value}` : value;
}

export function callTreePaint(tree: CallTree, layout: FrameLayout, title: string): FramePaint {
    const names = tree.names.map(functionName);
    const tints = Uint8Array.from(tree.files, (file) => tintOfFile(file));
    const root = rootLabel(title, text(formatSeconds(layout.total)));
    const { node } = layout;
    return {
        texture: (f) => {
            if (node[f] < 0) return 'root';
            return TEXTURES[tree.certainty[node[f]]];
        },
        origin: (f) => (node[f] < 0 ? 3 : tree.origin[node[f]]),
        tint: (f) => (node[f] < 0 ? 0 : (tints[tree.file[node[f]]] as 0 | 1)),
        label: (f, maxWidth, measure) => {
            if (node[f] < 0) return root(f, maxWidth, measure);
            const whole = names[tree.name[node[f]]];
            const name = fitEllipsis(whole, maxWidth, measure);
            return withValue(name, whole, callValue(tree, node[f]), maxWidth, measure);
        },
    };
}

/** Right end of the last child of each frame; its own left end if it has none. */
function endsOfChildren(layout: FrameLayout): Float64Array {
    const ends = layout.x0.slice();
    for (let f = 0; f < layout.count; f++) {
        const up = layout.parent[f];
        if (up >= 0) ends[up] = Math.max(ends[up], layout.x1[f]);
    }
    return ends;
}

/** Returns the index of the fill of a node. `origin`: it depends on the origin of the node if the
 * answer has Python code with a known origin. Otherwise, nodes with a family (in stacks: native
 * code) have the fill of the family, and all others share one. */
function flameFills(flame: FlameAnswer, colours: ColourMode): (node: number) => number {
    if (colours === 'plain') return () => PLAIN_FILL;
    if (colours === 'package') {
        const fills = packagesOf(flame).map((name) =>
            name ? PACKAGE_FILL + packageColour(name) : NO_PACKAGE_FILL,
        );
        return (node) => fills[flame.name[node]];
    }
    const origins = flame.origins?.some((origin) => origin <= 2) ? flame.origins : null;
    if (origins) return (node) => origins[flame.name[node]];
    return (node) => (flame.family[node] > 0 ? FAMILY_FILL + flame.family[node] : 1);
}

/** Paint of flame graphs. colours: what the colour shows. */
export function flamePaint(
    flame: FlameAnswer,
    layout: FrameLayout,
    title: string,
    colours: ColourMode,
): FramePaint {
    const tints = Uint8Array.from(flame.names, (name) => tintOf(name));
    const fillOf = flameFills(flame, colours);
    const ends = endsOfChildren(layout);
    const forms: string[][] = [];
    const root = rootLabel(title, axisText(layout.total));
    const { node } = layout;
    return {
        texture: (f) => (node[f] < 0 ? 'root' : 'solid'),
        origin: (f) => (node[f] < 0 ? 3 : fillOf(node[f])),
        tint: (f) => (node[f] < 0 ? 0 : (tints[flame.name[node[f]]] as 0 | 1)),
        selfBox: (f) => {
            if (node[f] < 0 || ends[f] === layout.x0[f]) return null;
            const self = flame.self[node[f]];
            if (!(self > 0)) return null;
            return {
                x0: ends[f],
                x1: Math.min(ends[f] + self, layout.x1[f]),
                value: axisText(self),
            };
        },
        label: (f, maxWidth, measure) => {
            if (node[f] < 0) return root(f, maxWidth, measure);
            const total = flame.total[node[f]];
            const isLeaf = flame.self[node[f]] === total;
            const id = flame.name[node[f]];
            const [whole] = (forms[id] ??= frameForms(flame.names[id]));
            const name = fitForms(forms[id], maxWidth, measure);
            const value = `${axisText(total)}${isLeaf ? ' self' : ''}`;
            return withValue(name, whole, value, maxWidth, measure);
        },
    };
}

/** A share with its base, for tooltips and tables: `11.0 % of total`. */
export function shareText(part: number, whole: number, base: string): string {
    return whole > 0 ? `${pct((100 * part) / whole)}${THIN_SPACE}% ${base}` : `– ${base}`;
}
