/* SPDX-License-Identifier: MIT
 *
 * The Operators tab: key_averages() by name or by input shape, of the host or of the device, next
 * to the selected operator. A generic trace has slices by name instead.
 */
import { useMemo, useState } from 'preact/hooks';
import type { Run } from '../../base/answers';
import { useKeys } from '../../base/keys';
import { goTo, navigate, replaceQuery, route } from '../../base/router';
import type { OperatorRow } from '../../base/rows';
import type { Action } from '../../components/actions';
import { Segmented } from '../../components/segmented';
import { isPaneBeside, SelectionLayout } from '../../components/selection_layout';
import { readFilters } from '../../model/filter_query';
import { matcher } from '../../model/search';
import { ROW_GROUPS } from '../shared/row_actions';
import { useAttributionStatus } from '../trace/attribution';
import { rangedPath, traceOf, useRange } from '../trace/data';
import { filterParams, sortParams } from '../trace/table';
import { timelineHash } from '../trace/timeline_link';
import { TraceToolbar } from '../trace/toolbar';
import type { Side } from './columns';
import { NamedPane, selectRow, useSelectedRow } from './named_pane';
import { operatorKey, operatorSort, OperatorsTable } from './table';

export function OperatorsTab({ run }: { run: Run }) {
    useAttributionStatus(run);
    const query = route.value.query;
    const range = useRange();
    const filters = readFilters(query);
    const search = useMemo(() => matcher(filters.q, filters.regex), [filters.q, filters.regex]);
    const [shown, setShown] = useState<number | null>(null);
    const byShape = query.by === 'shape';
    const side: Side = query.on === 'device' || query.on === 'annotation' ? query.on : 'host';
    const params = {
        ...sortParams(operatorSort(run)),
        ...filterParams(filters),
        by_shape: byShape ? 1 : undefined,
        on: traceOf(run).devices > 0 ? side : undefined,
    };
    const what = traceOf(run).torch ? 'operators' : 'slices';
    const { by_shape, on } = params;
    const selected = useSelectedRow<OperatorRow>(
        (filter) => rangedPath(run, 'operators', range, { by_shape, on, ...filter }),
        operatorKey,
    );
    useKeys(
        'Operator',
        selected
            ? [{ key: 'Escape', label: 'clear selection', run: () => selectRow(null, null) }]
            : [],
    );
    return (
        <div class="tab-body">
            <TraceToolbar
                run={run}
                range={range}
                view="operators"
                what={what}
                filters={filters}
                error={search.error}
                params={params}
                shown={shown}
                rowsAreNames={!byShape}
            >
                <Switches run={run} byShape={byShape} side={side} />
            </TraceToolbar>
            <SelectionLayout
                pane={
                    selected && (
                        <NamedPane
                            run={run}
                            selected={selected}
                            actionsOf={byShape || !traceOf(run).shapes ? undefined : shapesAction}
                        />
                    )
                }
            >
                <OperatorsTable
                    run={run}
                    range={range}
                    filters={filters}
                    search={search}
                    byShape={byShape}
                    side={side}
                    narrow={selected !== null && isPaneBeside()}
                    selected={selected}
                    onSelect={(row) => selectRow(operatorKey(row), row.name)}
                    onOpen={({ name }) => {
                        goTo(timelineHash(run, { find: name }));
                    }}
                    onShown={setShown}
                />
            </SelectionLayout>
        </div>
    );
}

/* Shows the rows of one operator by shape, as a new history entry. */
const shapesAction = (name: string): Action[] => [
    {
        text: 'Show by input shape',
        group: ROW_GROUPS.view,
        button: true,
        run: () =>
            navigate(route.peek().path, { ...route.peek().query, by: 'shape', q: name, op: '' }),
    },
];

function Switches({ run, byShape, side }: { run: Run; byShape: boolean; side: Side }) {
    const { devices, shapes, torch } = traceOf(run);
    if (!torch) return null;
    return (
        <>
            <Segmented
                label="rows"
                value={byShape ? 'shape' : 'name'}
                options={[
                    { value: 'name', text: 'By name' },
                    {
                        value: 'shape',
                        text: 'By input shape',
                        disabled: !shapes,
                        tip: shapes
                            ? 'key_averages(group_by_input_shape=True)'
                            : 'no shapes in this trace: record with record_shapes=True',
                    },
                ]}
                onChange={(by) => replaceQuery({ by: by === 'shape' ? by : null, op: null })}
            />
            {devices > 0 && (
                <Segmented
                    label="side"
                    value={side}
                    options={[
                        { value: 'host', text: 'Host', tip: 'operators and runtime calls' },
                        { value: 'device', text: 'Device', tip: 'kernels, copies, memsets' },
                        {
                            value: 'annotation',
                            text: 'Annotations',
                            tip: 'ranges on the GPU streams: from the first to the last launched operation',
                        },
                    ]}
                    onChange={(on) => replaceQuery({ on: on === 'host' ? null : on, op: null })}
                />
            )}
        </>
    );
}
