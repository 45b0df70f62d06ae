/* SPDX-License-Identifier: MIT
 *
 * What a person can do with a function of a cProfile dump or of a printed table of functions.
 */
import type { Origin, Run } from '../../base/answers';
import { route } from '../../base/router';
import type { RowActions } from '../../components/actions';
import { Swatch } from '../../components/origin_legend';
import { functionName } from '../../model/labels';
import { ORIGINS } from '../../model/tint';
import { recordedName, type Tree } from '../../model/tree';
import { rowActions, viewAction } from '../shared/row_actions';
import type { TabKey } from '../shared/tab_list';

export interface NamedFunction {
    id: number;
    name: string;
    file: string;
    line: number;
    origin?: Origin;
}

/** The function of a call. */
export function functionOfNode(tree: Tree, node: number): NamedFunction {
    const { id = [], file = [], line = [], origin = [] } = tree.frames;
    const row = tree.frame[node];
    return {
        id: id[row],
        name: recordedName(tree, node),
        file: file[row],
        line: line[row],
        origin: ORIGINS[origin[row]],
    };
}

/* The tabs that show a function, with the keys of the URL that select it. */
const VIEWS: { tab: TabKey; text: string; keys: string[] }[] = [
    { tab: 'functions', text: 'functions', keys: ['fn'] },
    { tab: 'calltree', text: 'call tree', keys: ['fn'] },
    { tab: 'callgraph', text: 'call graph', keys: ['fn', 'focus'] },
];

export function functionActions(run: Run, fn: NamedFunction): RowActions {
    const [, , current] = route.peek().path;
    const views = VIEWS.filter(({ tab }) => tab !== current).flatMap(({ tab, text, keys }) =>
        viewAction(
            run,
            tab,
            `Show in ${text}`,
            Object.fromEntries(keys.map((key) => [key, String(fn.id)])),
        ),
    );
    const { name, file, line, origin } = fn;
    return rowActions(
        run,
        {
            name: functionName(name),
            row: { of: 'functions', row: name, place: file },
            file,
            line,
            swatch: origin && <Swatch origin={origin} />,
        },
        views,
    );
}
