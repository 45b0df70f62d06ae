/* SPDX-License-Identifier: MIT
 *
 * What a person can do with a frame of a flame graph: first what changes the picture, then what
 * leads to other views, last what copies.
 */
import type { FlameAnswer } from '../../base/trace_types';
import type { Action } from '../../components/actions';
import { copyAndConfirm } from '../../components/context_menu';

/** Groups of actions in the menu, in this order. */
export const GROUPS = { view: 0, transform: 1, copy: 2 };

/** Names of the frames from the root to a node, one a line. */
function stackText({ names, name, parent }: FlameAnswer, node: number): string {
    const lines: string[] = [];
    for (let i = node; i >= 0; i = parent[i]) lines.push(names[name[i]]);
    return lines.reverse().join('\n');
}

export function frameActions(flame: FlameAnswer, node: number): Action[] {
    return [
        {
            text: 'Copy stack',
            key: 'y',
            group: GROUPS.copy,
            button: true,
            run: () => copyAndConfirm(stackText(flame, node), 'Stack'),
        },
        {
            text: 'Copy name',
            key: 'shift+y',
            group: GROUPS.copy,
            run: () => copyAndConfirm(flame.names[flame.name[node]], 'Name'),
        },
    ];
}
