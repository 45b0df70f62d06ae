/* SPDX-License-Identifier: MIT */
/* What the dock of the timeline can show of a range. */
import type { ComponentType } from 'preact';
import { useMemo } from 'preact/hooks';
import { API, withParams } from '../base/client';
import { route, setQuery } from '../base/router';
import type { Run } from '../base/types';
import { fmtFixed, int } from '../base/units';
import { DataGrid, type GridColumn } from '../components/data_grid';
import { FamilySwatch } from '../components/family_swatch';
import { rangeParams, type TraceRange } from '../model/trace_range';
import { useSource } from './use_source';

interface PaneProps {
    run: Run;
    range: TraceRange | null;
}

export interface DockPane {
    id: string;
    title: string;
    shown: (run: Run) => boolean;
    view: ComponentType<PaneProps>;
}

interface OperatorRow {
    name: string;
    name_id: number;
    family: number;
    calls: number;
    self_cpu_us: number;
    cpu_total_us: number;
}

function columns(): GridColumn<OperatorRow>[] {
    const right = { align: 'right' as const, numeric: true };
    const ms = (us: number): string => fmtFixed(us / 1000, 3);
    return [
        {
            key: 'name',
            title: 'name',
            width: 'rest',
            sortKey: 'name',
            render: (row) => (
                <span class="mono">
                    <FamilySwatch family={row.family} /> {row.name}
                </span>
            ),
        },
        {
            key: 'calls',
            title: 'calls',
            width: 90,
            sortKey: 'calls',
            ...right,
            render: (row) => int(row.calls),
        },
        {
            key: 'self_cpu_us',
            title: 'self CPU',
            unit: 'ms',
            width: 110,
            sortKey: 'self_cpu_us',
            ...right,
            render: (row) => ms(row.self_cpu_us),
        },
        {
            key: 'cpu_total_us',
            title: 'CPU total',
            unit: 'ms',
            width: 110,
            sortKey: 'cpu_total_us',
            ...right,
            render: (row) => ms(row.cpu_total_us),
        },
    ];
}

function Operators({ run, range }: PaneProps) {
    const { query } = route.value;
    const sort = { key: query.sort ?? 'self_cpu_us', desc: query.desc !== '0' };
    const params = { ...rangeParams(range), sort: sort.key, desc: sort.desc };
    const source = useSource<OperatorRow>(`${API}/runs/${run.id}/operators`, params);
    const shown = useMemo(columns, []);
    return (
        <DataGrid<OperatorRow>
            label="Operators"
            columns={shown}
            source={source}
            rowKey={(row) => row.name_id}
            sort={sort}
            onSort={({ key, desc }) =>
                setQuery({ sort: key, desc: desc ? '1' : '0' }, { replace: true })
            }
            resetKey={withParams('', params)}
            empty="No slice starts in this range."
        />
    );
}

export const DOCK_PANES: DockPane[] = [
    { id: 'operators', title: 'Operators', shown: () => true, view: Operators },
];
