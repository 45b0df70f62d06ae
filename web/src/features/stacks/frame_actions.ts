/* SPDX-License-Identifier: MIT
 *
 * What a person can do with a frame of a flame graph, in the order of GROUPS.
 */
import type { Run } from '../../base/answers';
import type { Action } from '../../components/actions';
import { copyAndConfirm } from '../../components/context_menu';
import { editorAction } from '../../components/editor_link';
import { runsActions } from '../shared/row_actions';
import { stackFunctionsId } from '../shared/tab_list';
import { frameParts } from '../../model/frame_names';
import { nameOf } from '../../model/tree';
import type { Flame } from '../../model/tree_answers';
import { isStacks, tabHash } from '../trace/data';
import { timelineHash } from '../trace/timeline_link';
import { linesOf } from './flame_tree';
import { searchedFrame } from './frame_selection';
import { stackQuery } from './parts';

/** Groups of actions in the menu: other views of the function, changes of the picture, copies. */
export const GROUPS = { view: 0, transform: 1, copy: 2 };

/** Names of the frames from the outermost to a node, one a line. */
function stackText(flame: Flame, node: number, leadsOut: boolean): string {
    const lines: string[] = [];
    for (let i = node; i >= 0; i = flame.parent[i]) lines.push(nameOf(flame, i));
    return (leadsOut ? lines : lines.reverse()).join('\n');
}

/* The function of a frame in other views. */
function viewActions(run: Run, name: string): Action[] {
    const group = GROUPS.view;
    if (!isStacks(run)) {
        const href = timelineHash(run, { find: name });
        return [{ text: 'Show in timeline', group, button: true, href }];
    }
    const href = tabHash(run, stackFunctionsId(run), { sel: name, ...stackQuery() });
    return [{ text: 'Show in functions', group, href }];
}

/** Actions of every flame graph; transforms.tsx adds those of stacks. leadsOut: the tree leads from
 * a function to its callers. */
export function frameActions(run: Run, flame: Flame, node: number, leadsOut = false): Action[] {
    const name = nameOf(flame, node);
    const { file, line } = frameParts(name);
    return [
        ...viewActions(run, name),
        ...runsActions(run, searchedFrame(run, flame, node) ?? undefined),
        {
            text: 'Copy stack',
            key: 'y',
            group: GROUPS.copy,
            button: true,
            run: () => copyAndConfirm(stackText(flame, node, leadsOut), 'Stack'),
        },
        copyName(name),
        ...editorAction(file, line || costliestLine(flame, node), GROUPS.copy),
    ];
}

const copyName = (name: string): Action => ({
    text: 'Copy name',
    key: 'shift+y',
    group: GROUPS.copy,
    run: () => copyAndConfirm(name, 'Name'),
});

/** Actions of a function without a frame: of a row of a table. */
export function functionActions(run: Run, name: string): Action[] {
    const { file, line } = frameParts(name);
    const href = tabHash(run, 'flame', { sel: name, ...stackQuery() });
    return [
        { text: 'Show in flame graph', group: GROUPS.view, href },
        ...runsActions(run, { of: 'functions', row: name }),
        copyName(name),
        ...editorAction(file, line, GROUPS.copy),
    ];
}

/* Line of the function that costs most below this frame; 0 if the answer has no lines. */
function costliestLine(flame: Flame, node: number): number {
    return linesOf(flame, node)[0]?.line ?? 0;
}
