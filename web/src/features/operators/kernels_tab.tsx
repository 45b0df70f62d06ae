/* SPDX-License-Identifier: MIT
 *
 * The Kernels tab: work on the device, grouped by name or by launch configuration.
 */
import { useMemo, useState } from 'preact/hooks';
import type { Run } from '../../base/answers';
import { useKeys } from '../../base/keys';
import { goTo, replaceQuery, route } from '../../base/router';
import type { KernelRow } from '../../base/rows';
import { formatFixed, int, THIN_SPACE } from '../../base/units';
import { Pairs } from '../../components/pairs';
import { Segmented } from '../../components/segmented';
import { isPaneBeside, SelectionLayout } from '../../components/selection_layout';
import { PaneSection } from '../../components/selection_pane';
import { acceleratorName } from '../../model/device';
import { readFilters } from '../../model/filter_query';
import { matcher } from '../../model/search';
import { useAttributionStatus } from '../trace/attribution';
import { rangedPath, useRange } from '../trace/data';
import { filterParams, sortParams } from '../trace/table';
import { timelineHash } from '../trace/timeline_link';
import { TraceToolbar } from '../trace/toolbar';
import { KERNEL_SORT, kernelKey, KernelsTable } from './kernels_table';
import { NamedPane, selectRow, useSelectedRow } from './named_pane';

export function KernelsTab({ run }: { run: Run }) {
    useAttributionStatus(run);
    const query = route.value.query;
    const range = useRange();
    const filters = readFilters(query);
    const search = useMemo(() => matcher(filters.q, filters.regex), [filters.q, filters.regex]);
    const [shown, setShown] = useState<number | null>(null);
    const [row, setRow] = useState<KernelRow | null>(null);
    const byLaunch = query.by === 'launch';
    const selected = useSelectedRow<KernelRow>(
        (filter) =>
            rangedPath(run, 'kernels', range, { launch: byLaunch ? 1 : undefined, ...filter }),
        kernelKey,
    );
    const selectedRow = row && kernelKey(row) === selected ? row : null;
    useKeys(
        'Kernel',
        selected
            ? [{ key: 'Escape', label: 'clear selection', run: () => selectRow(null, null) }]
            : [],
    );
    const params = {
        ...sortParams(KERNEL_SORT),
        ...filterParams(filters),
        launch: byLaunch ? 1 : undefined,
    };
    return (
        <div class="tab-body">
            <TraceToolbar
                run={run}
                range={range}
                view="kernels"
                what="kernels"
                filters={filters}
                error={search.error}
                params={params}
                shown={shown}
                rowsAreNames={!byLaunch}
            >
                <Segmented
                    label="rows"
                    value={byLaunch ? 'launch' : 'name'}
                    options={[
                        { value: 'name', text: 'By name' },
                        {
                            value: 'launch',
                            text: 'By launch',
                            tip: 'one row for each operator, grid, block, registers and shared memory',
                        },
                    ]}
                    onChange={(by) => replaceQuery({ by: by === 'launch' ? by : null, op: null })}
                />
            </TraceToolbar>
            <SelectionLayout
                pane={
                    selected && (
                        <NamedPane run={run} selected={selected}>
                            {selectedRow && <LaunchFacts row={selectedRow} />}
                        </NamedPane>
                    )
                }
            >
                <KernelsTable
                    run={run}
                    range={range}
                    filters={filters}
                    search={search}
                    byLaunch={byLaunch}
                    narrow={selected !== null && isPaneBeside()}
                    selected={selected}
                    onSelect={(next) => {
                        setRow(next);
                        selectRow(kernelKey(next), next.name);
                    }}
                    onOpen={({ name }) => {
                        goTo(timelineHash(run, { find: name }));
                    }}
                    onShown={setShown}
                />
            </SelectionLayout>
        </div>
    );
}

function LaunchFacts({ row }: { row: KernelRow }) {
    const orDash = (value: string | number | null | undefined) => value ?? '–';
    const rows: [string, string | number][] = [
        ['Stream, device', `${row.stream < 0 ? '–' : row.stream}, ${acceleratorName(row.device)}`],
    ];
    if (row.grid || row.operator) {
        rows.push(['Operator', orDash(row.operator)], ['Grid', orDash(row.grid)]);
        rows.push(['Block', orDash(row.block)], ['Registers', orDash(row.registers)]);
        const shared = row.shared_bytes;
        rows.push([
            'Shared memory',
            shared === null || shared === undefined ? '–' : `${int(shared)}${THIN_SPACE}B`,
        ]);
    }
    if (row.blocks_per_sm !== null) rows.push(['Blocks per SM', formatFixed(row.blocks_per_sm, 2)]);
    if (row.occupancy_pct !== null) {
        rows.push(['Occupancy', `${formatFixed(row.occupancy_pct, 1)}${THIN_SPACE}% est.`]);
    }
    return (
        <PaneSection title="This row">
            <div class="named-durations">
                <Pairs rows={rows} />
            </div>
        </PaneSection>
    );
}
