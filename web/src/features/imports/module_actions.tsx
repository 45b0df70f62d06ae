/* SPDX-License-Identifier: MIT
 *
 * What a person can do with an imported module or a package.
 */
import type { Origin, Run } from '../../base/answers';
import { type Query, route } from '../../base/router';
import type { Action, RowActions } from '../../components/actions';
import { Swatch } from '../../components/origin_legend';
import { escapeRegex } from '../../model/filter_query';
import { rowActions, viewAction } from '../shared/row_actions';

interface NamedModule {
    id: number;
    module: string;
    origin: Origin;
    /** 1: imported before the program starts */
    startup: number;
}

/** `more` are actions of the picture or table that shows the module. */
export function moduleActions(
    run: Run,
    { id, module, origin, startup }: NamedModule,
    more: readonly Action[] = [],
): RowActions {
    const [, , current] = route.peek().path;
    const found = rowActions(
        run,
        {
            name: module,
            row: { of: 'imports', row: module },
            swatch: <Swatch origin={origin} />,
        },
        [
            ...(current === 'imports'
                ? []
                : viewAction(run, 'imports', 'Show in icicle', {
                      sel: String(id),
                      zoom: String(id),
                  })),
            ...(current === 'who-imports'
                ? []
                : viewAction(run, 'who-imports', 'Who imports it', { module: String(id) })),
            ...(startup ? [] : viewAction(run, 'lazy', 'Make it lazy', { lazy: module })),
        ],
    );
    return { ...found, actions: [...found.actions, ...more] };
}

/** Query of the Imports tab that finds the modules of a package. */
export const packageQuery = (name: string): Query => ({
    q: `^${escapeRegex(name)}(\\.|$)`,
    regex: '1',
    only: '1',
});

export function packageActions(run: Run, name: string, origin: Origin): RowActions {
    return rowActions(
        run,
        { name, row: { of: 'packages', row: name }, swatch: <Swatch origin={origin} /> },
        viewAction(run, 'imports', 'Show its modules', packageQuery(name)),
    );
}
