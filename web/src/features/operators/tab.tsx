/* SPDX-License-Identifier: MIT
 *
 * The Operators tab: key_averages() by name or by input shape, of the host or of the device, next
 * to the selected operator. A generic trace has slices by name instead.
 */
import { useMemo, useState } from 'preact/hooks';
import { useKeys } from '../../base/keys';
import { goTo, navigate, replaceQuery, route } from '../../base/router';
import type { OperatorRow } from '../../base/rows';
import type { Run } from '../../base/types';
import { Segmented } from '../../components/segmented';
import { viewportWidth } from '../../components/viewport';
import { readFilters } from '../../model/filter_query';
import { matcher } from '../../model/search';
import { traceOf, useRange } from '../trace/data';
import { NamedPane } from '../trace/named_pane';
import { filterParams, sortParams } from '../trace/table';
import { timelineHash } from '../trace/timeline_link';
import { TraceToolbar } from '../trace/toolbar';
import type { Side } from './columns';
import { operatorKey, operatorSort, OperatorsTable } from './table';

export const PANE_MIN_WIDTH = 1000;

export function OperatorsTab({ run }: { run: Run }) {
    const query = route.value.query;
    const range = useRange();
    const filters = readFilters(query);
    const search = useMemo(() => matcher(filters.q, filters.regex), [filters.q, filters.regex]);
    const [shown, setShown] = useState<number | null>(null);
    const byShape = query.by === 'shape';
    const side: Side = query.on === 'device' || query.on === 'annotation' ? query.on : 'host';
    const [row, setRow] = useState<OperatorRow | null>(null);
    const params = {
        ...sortParams(operatorSort(run)),
        ...filterParams(filters),
        by_shape: byShape ? 1 : undefined,
        on: traceOf(run).devices > 0 ? side : undefined,
    };
    const what = traceOf(run).torch ? 'operators' : 'slices';
    const pane = Boolean(query.op) && viewportWidth.value >= PANE_MIN_WIDTH;
    useKeys(
        'Operator',
        query.op ? [{ key: 'Escape', label: 'clear selection', run: deselectRow }] : [],
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
            <div class="panes">
                <section class="pane pane-main">
                    <OperatorsTable
                        run={run}
                        range={range}
                        filters={filters}
                        search={search}
                        byShape={byShape}
                        side={side}
                        narrow={pane}
                        selected={query.op ?? null}
                        onSelect={(picked) => {
                            setRow(picked);
                            replaceQuery({ op: operatorKey(picked) });
                        }}
                        onOpen={({ name }) => {
                            goTo(timelineHash(run, { find: name }));
                        }}
                        onShown={setShown}
                    />
                </section>
                {pane && (
                    <NamedPane
                        run={run}
                        selected={query.op ?? ''}
                        row={row && operatorKey(row) === query.op ? row : null}
                        title={traceOf(run).torch ? 'Operator' : 'Slices'}
                        onShapes={byShape || !traceOf(run).shapes ? undefined : showShapes}
                    />
                )}
            </div>
        </div>
    );
}

function deselectRow(): void {
    replaceQuery({ op: null });
}

/** Shows the rows of one operator by shape, as a new history entry. */
function showShapes(name: string): void {
    navigate(route.peek().path, { ...route.peek().query, by: 'shape', q: name, op: '' });
}

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
