/* SPDX-License-Identifier: MIT */
/* Names of the nodes of a group tree, shortened to fit into the frames. */
import type { GroupTree } from '../../base/compare_types';
import { fitForms, frameForms } from '../../model/frame_names';
import type { FrameLayout } from '../../model/frames';
import { fitName, type Measure } from '../../model/labels';
import { nameOf } from './diff_tree';

interface FittedName {
    name: string;
    /** the name without a width limit */
    full: string;
}

/** `modules`: names are dotted module names, drawn relative to the parent frame. */
export function treeNames(tree: GroupTree, { node, parent }: FrameLayout, modules: boolean) {
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
