/* SPDX-License-Identifier: MIT */
/* Appearance of the frames of stacks and slices. */
import { axisText } from '../../base/axis';
import type { FramePaint } from '../../canvas/frame_canvas';
import { formsOfFunctions, paintOf, tintsOfNames, type TreeColours } from '../../canvas/tree_paint';
import type { FrameLayout } from '../../model/frames';
import type { Tree } from '../../model/tree';

export function flamePaint(
    tree: Tree,
    layout: FrameLayout,
    colours: TreeColours,
    title: string,
): FramePaint {
    return paintOf(tree, layout, {
        title,
        whole: axisText(layout.total),
        colours,
        tintOf: tintsOfNames(tree),
        formsOf: formsOfFunctions(tree),
        valueText: (node) => {
            const isLeaf = tree.self?.[node] === tree.total[node];
            return `${axisText(tree.total[node])}${isLeaf ? ' self' : ''}`;
        },
        selfText: axisText,
    });
}
