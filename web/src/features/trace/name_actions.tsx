/* SPDX-License-Identifier: MIT
 *
 * What a person can do with the name of an operator, a kernel or another slice of a trace.
 */
import type { Run } from '../../base/answers';
import type { RowActions } from '../../components/actions';
import { FamilySwatch } from '../../components/family_swatch';
import { frameParts } from '../../model/frame_names';
import { ROW_GROUPS, rowActions } from '../shared/row_actions';
import { tabKeys } from '../shared/tab_list';
import { tabHash } from './data';
import { timelineHash } from './timeline_link';

export interface TraceName {
    name: string;
    /** name of its slices, if it is another */
    slices?: string;
    family?: number;
    /** its table of comparisons; undefined: comparisons do not have the name */
    of?: string;
    /** tells modules of the same name apart */
    place?: string;
    /** the time of the flame graph that has the name, as in the URL */
    on?: 'device' | 'wall';
    /** slices of several names belong to the operation */
    isOperation?: boolean;
}

export function traceNameActions(run: Run, named: TraceName): RowActions {
    const { name, slices = name, family, of, place, on, isOperation } = named;
    const group = ROW_GROUPS.view;
    const tabs = tabKeys(run);
    const flame = tabHash(run, 'flame', { sel: slices, ...(on && { flame_on: on }) });
    const { file, line } = frameParts(name);
    return rowActions(
        run,
        {
            name,
            row: of === undefined ? undefined : { of, row: name, place },
            file,
            line,
            swatch: family !== undefined && <FamilySwatch family={family} />,
        },
        [
            ...(tabs.includes('timeline')
                ? [
                      {
                          text: 'Show in timeline',
                          group,
                          button: true,
                          href: timelineHash(run, { find: slices, isOperation }),
                      },
                  ]
                : []),
            ...(tabs.includes('flame') && !isOperation
                ? [{ text: 'Show in flame graph', group, button: true, href: flame }]
                : []),
        ],
    );
}
