/* SPDX-License-Identifier: MIT
 *
 * Table of the operators of a run or of a time range. It is also used in the dock of the timeline.
 */
import type { Run } from '../../base/answers';
import { goTo } from '../../base/router';
import type { OperatorRow } from '../../base/rows';
import { LABELS } from '../../base/terms';
import { viewportWidth } from '../../components/viewport';
import { NO_SEARCH } from '../../model/search';
import { isDeviceWork } from '../../model/timeline_types';
import { columnsBesidePane } from '../trace/columns';
import { tabHash, traceOf } from '../trace/data';
import { type TraceName, traceNameActions } from '../trace/name_actions';
import { type NamesTable, TraceTable, useColumns } from '../trace/table';
import { operatorColumns, type Side } from './columns';

interface OperatorsTableProps extends NamesTable<OperatorRow> {
    byShape?: boolean;
    side?: Side;
}

export function operatorSort(run: Run): { key: string; desc: boolean } {
    return { key: traceOf(run).devices > 0 ? 'self_device_us' : 'self_cpu_us', desc: true };
}

export function operatorKey(
    row: Pick<OperatorRow, 'name_id' | 'kind'> & Partial<Pick<OperatorRow, 'input_shapes'>>,
): string {
    return `${row.name_id}.${row.kind}${row.input_shapes ? `.${row.input_shapes}` : ''}`;
}

/* Comparisons list operators of the host only, so rows of device work lead to the kernels. */
function operatorName({ name, family, kind }: OperatorRow): TraceName {
    if (isDeviceWork(kind)) return { name, family, of: 'kernels', on: 'device' };
    return { name, family, of: 'operators' };
}

export function OperatorsTable(props: OperatorsTableProps) {
    const { run, range, filters, search = NO_SEARCH, byShape = false, side = 'host' } = props;
    const summary = traceOf(run);
    const isWide = !props.narrow && viewportWidth.value >= 1200;
    const columns = useColumns(
        () =>
            columnsBesidePane(
                operatorColumns({ summary, search, byShape, side, isWide }),
                props.narrow ?? false,
            ),
        [run.id, search, byShape, side, isWide, props.narrow],
    );
    const open = (row: OperatorRow) => {
        goTo(tabHash(run, 'operators', { op: operatorKey(row) }, range));
    };
    return (
        <TraceTable<OperatorRow>
            {...props}
            view="operators"
            label={LABELS.operators}
            prefix={props.prefix ?? (filters ? '' : 'op_')}
            columns={columns}
            rowKey={operatorKey}
            sort={operatorSort(run)}
            params={{
                by_shape: byShape ? 1 : undefined,
                on: summary.devices > 0 ? side : undefined,
            }}
            onOpen={props.onOpen ?? open}
            actions={(row) => traceNameActions(run, operatorName(row))}
            empty={
                range
                    ? 'No operator starts in this range. Choose a wider range.'
                    : summary.torch
                      ? 'This trace has no operators. Record with activities=[ProfilerActivity.CPU].'
                      : 'This trace has no slices with a duration.'
            }
        />
    );
}
