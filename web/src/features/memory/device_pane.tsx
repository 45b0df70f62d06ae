/* SPDX-License-Identifier: MIT
 *
 * Memory of a run or range: by operator, by allocation, and allocations that were never freed. The
 * pane is also used in the dock of the timeline.
 */
import { useMemo } from 'preact/hooks';
import type { Run } from '../../base/answers';
import { kindHas } from '../../base/kinds';
import { goTo, replaceQuery, route } from '../../base/router';
import type { AllocationRow, MemoryOperatorRow } from '../../base/rows';
import type { GridColumn } from '../../components/data_grid';
import { MarkedName } from '../../components/marked_name';
import { Segmented } from '../../components/segmented';
import { deviceName, placeName } from '../../model/device';
import { type Matcher, NO_SEARCH } from '../../model/search';
import { ms } from '../../model/trace_range';
import type { WorkerName } from '../../model/worker_names';
import { countColumn, mibColumn, RIGHT_ALIGNED } from '../trace/columns';
import { tabHash, traceOf } from '../trace/data';
import { traceNameActions } from '../trace/name_actions';
import { type EmbeddedTable, type TableFilters, TraceTable } from '../trace/table';
import { timelineHash } from '../trace/timeline_link';
import { useWorkerNames } from '../trace/worker_names';

export type MemoryRows = 'operators' | 'allocations' | 'kept';

export const MEMORY_COMMAND = 'torch.profiler.profile(profile_memory=True)';

/** Whether the run knows which operator made an allocation. Nsight Systems does not record this. */
function hasOperators(run: Run): boolean {
    return !kindHas(run.kind, 'nvtx');
}

export function memoryRows(run: Run): MemoryRows {
    const { rows } = route.value.query;
    if (rows === 'allocations' || rows === 'kept') return rows;
    return hasOperators(run) ? 'operators' : 'allocations';
}

export function MemorySwitch({ run }: { run: Run }) {
    return (
        <Segmented<MemoryRows>
            label="rows"
            value={memoryRows(run)}
            options={[
                ...(hasOperators(run)
                    ? [{ value: 'operators' as const, text: 'By operator' }]
                    : []),
                { value: 'allocations', text: 'Allocations' },
                {
                    value: 'kept',
                    text: 'Never freed',
                    tip: 'allocations that were not freed before the trace ended',
                },
            ]}
            onChange={(rows) => replaceQuery({ rows: rows === 'operators' ? null : rows })}
        />
    );
}

export interface DeviceFilter {
    device_type?: number;
    device?: number;
    /** worker of a job */
    worker?: number;
}

interface DeviceMemoryPaneProps extends EmbeddedTable {
    filters?: TableFilters;
    search?: Matcher;
    /** Shows only this device. */
    device?: DeviceFilter;
    onShown?: (rows: number) => void;
}

export const MEMORY_SORT: Record<MemoryRows, { key: string; desc: boolean }> = {
    operators: { key: 'self_increase_bytes', desc: true },
    allocations: { key: 'bytes', desc: true },
    kept: { key: 'bytes', desc: true },
};

type Allocation = GridColumn<AllocationRow>;

const DEVICE_COLUMN: GridColumn<{ device_type: number; device: number }> = {
    key: 'device',
    title: 'device',
    width: 80,
    sortKey: 'device',
    render: ({ device_type, device }) => deviceName(device_type, device),
};

/* Column with the device of an allocation; with several workers, it includes the worker. */
function placeColumn(nameOf: WorkerName | null): Allocation {
    if (!nameOf) return DEVICE_COLUMN;
    return {
        ...(DEVICE_COLUMN as Allocation),
        width: 136,
        render: (row) => placeName(row, nameOf),
    };
}

function operatorColumns(search: Matcher): GridColumn<MemoryOperatorRow>[] {
    return [
        {
            key: 'name',
            title: 'operator',
            width: 'rest',
            sortKey: 'name',
            render: ({ name }) => (
                <span class="mono" title={name}>
                    <MarkedName text={name} search={search} />
                </span>
            ),
        },
        DEVICE_COLUMN,
        countColumn<MemoryOperatorRow>('calls', 'calls', { width: 72 }),
        mibColumn<MemoryOperatorRow>('self_increase_bytes', 'self increase', {
            width: 136,
            title_tip: 'allocated minus freed memory, without nested operators',
        }),
        mibColumn<MemoryOperatorRow>('increase_bytes', 'increase', {
            hideBelow: 900,
            title_tip: 'allocated minus freed memory, with nested operators',
        }),
        countColumn<MemoryOperatorRow>('allocations', 'allocations', {
            width: 104,
            hideBelow: 900,
        }),
        mibColumn<MemoryOperatorRow>('allocated_bytes', 'allocated', {
            width: 124,
            title_tip: 'all allocated memory, freed or not',
        }),
    ];
}

/* Without addresses, allocations cannot be matched with their release. */
const UNKNOWN_LIFETIME = (
    <span class="zero" title="unknown: the file has no addresses of allocations">
        –
    </span>
);

const LIFETIME_COLUMN: Allocation = {
    key: 'duration_ns',
    title: 'held for',
    unit: 'ms',
    width: 124,
    sortKey: 'duration_ns',
    ...RIGHT_ALIGNED,
    render: ({ t_ns, end_ns, duration_ns, address }) => {
        if (address === null) return UNKNOWN_LIFETIME;
        if (end_ns === null) return <span class="soft">never freed</span>;
        return duration_ns === null || t_ns === null ? (
            <span class="zero">–</span>
        ) : (
            ms(duration_ns)
        );
    },
};

function allocationColumns(
    search: Matcher,
    isUnfreed: boolean,
    nameOf: WorkerName | null,
): Allocation[] {
    const at = (key: 't_ns' | 'end_ns', title: string): Allocation => ({
        key,
        title,
        unit: 'ms',
        width: 112,
        sortKey: key,
        ...RIGHT_ALIGNED,
        render: (row) => {
            const ns = row[key];
            if (ns !== null) return ms(ns);
            return key === 't_ns' && row.address !== null ? (
                <span class="soft">before</span>
            ) : (
                <span class="zero">–</span>
            );
        },
    });
    return [
        at('t_ns', 'allocated'),
        ...(isUnfreed ? [] : [{ ...at('end_ns', 'freed'), hideBelow: 900 }, LIFETIME_COLUMN]),
        mibColumn<AllocationRow>('bytes', 'size', { width: 112 }),
        placeColumn(nameOf),
        {
            key: 'operator',
            title: 'operator',
            width: 'rest',
            sortKey: 'operator',
            render: ({ operator }) =>
                operator === null ? (
                    <span class="zero">outside of any operator</span>
                ) : (
                    <span class="mono" title={operator}>
                        <MarkedName text={operator} search={search} />
                    </span>
                ),
        },
    ];
}

export function DeviceMemoryPane(props: DeviceMemoryPaneProps) {
    const { run, range, filters, search = NO_SEARCH } = props;
    const rows = memoryRows(run);
    const operators = useMemo(() => operatorColumns(search), [search]);
    const nameOf = useWorkerNames(run);
    const allocations = useMemo(
        () => allocationColumns(search, rows === 'kept', nameOf),
        [search, rows, nameOf],
    );
    const shared = {
        run,
        range,
        prefix: props.prefix ?? (filters ? '' : 'memory_'),
        sort: MEMORY_SORT[rows],
        filters,
        onShown: props.onShown,
        empty: emptyText(run, rows, range !== null),
    };
    if (rows === 'operators') {
        return (
            <TraceTable<MemoryOperatorRow>
                {...shared}
                key={rows}
                view="memory_operators"
                label="Memory by operator"
                columns={operators}
                rowKey={(row) => `${row.name_id} ${row.device_type} ${row.device}`}
                params={{ ...props.device }}
                onOpen={({ name }) => {
                    goTo(tabHash(run, 'operators', { q: name }, range));
                }}
                actions={({ name }) => traceNameActions(run, { name, of: 'operators' })}
            />
        );
    }
    return (
        <TraceTable<AllocationRow>
            {...shared}
            key={rows}
            view="allocations"
            label="Allocations"
            columns={allocations}
            rowKey={(row) => String(row.id)}
            params={{
                open: rows === 'kept' ? 1 : undefined,
                ...props.device,
            }}
            actions={({ operator }) =>
                operator === null
                    ? null
                    : traceNameActions(run, { name: operator, of: 'operators' })
            }
            onOpen={({ slice, freed_by }) => {
                if (slice || freed_by) {
                    goTo(timelineHash(run, { slice: slice ?? freed_by }));
                }
            }}
        />
    );
}

function emptyText(run: Run, rows: MemoryRows, ranged: boolean): string {
    if (!traceOf(run).memory) return 'No [memory] events. Record with profile_memory=True.';
    if (rows === 'kept') return `All memory allocated ${ranged ? 'in this range ' : ''}was freed.`;
    return ranged
        ? 'No allocations in this range. Choose a wider range.'
        : 'This trace has no allocations.';
}
