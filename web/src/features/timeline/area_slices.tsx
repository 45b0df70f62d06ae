/* SPDX-License-Identifier: MIT */
/* Slices of a range or an area by name, for traces whose operators are another table. */
import { useMemo } from 'preact/hooks';
import type { OperatorRow } from '../../base/rows';
import type { GridColumn } from '../../components/data_grid';
import { NO_SEARCH } from '../../model/search';
import { countColumn, countNoun, nameColumn, shareColumn, timeColumn } from '../trace/columns';
import { type EmbeddedTable, TraceTable } from '../trace/table';

function sliceColumns(noun: string): GridColumn<OperatorRow>[] {
    return [
        nameColumn<OperatorRow>(NO_SEARCH),
        countColumn<OperatorRow>('calls', noun, { width: 72 }),
        timeColumn<OperatorRow>('cpu_total_us', 'total', {
            title_tip: 'whole durations, also of slices that end after the range',
        }),
        timeColumn<OperatorRow>('self_cpu_us', 'self', {
            title_tip: 'time without slices below',
            hideBelow: 900,
        }),
        shareColumn<OperatorRow>('self_cpu_pct', 'self', '% of Σ', { width: 88, hideBelow: 700 }),
        timeColumn<OperatorRow>('cpu_mean_us', 'mean', { width: 84, hideBelow: 700 }),
        timeColumn<OperatorRow>('min_us', 'min', { width: 76, hideBelow: 1000 }),
        timeColumn<OperatorRow>('max_us', 'max', { width: 76, hideBelow: 1000 }),
    ];
}

export function SlicesTable({ run, range }: EmbeddedTable) {
    const noun = countNoun(run.summary);
    const columns = useMemo(() => sliceColumns(noun), [noun]);
    return (
        <TraceTable<OperatorRow>
            run={run}
            range={range}
            view="slices"
            label="Slices"
            prefix="slices_"
            columns={columns}
            rowKey={(row) => String(row.name_id)}
            sort={{ key: 'cpu_total_us', desc: true }}
            empty="No slice starts here. Choose a wider area or more tracks."
        />
    );
}
