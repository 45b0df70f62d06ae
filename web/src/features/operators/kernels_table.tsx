/* SPDX-License-Identifier: MIT
 *
 * Kernels, copies and memsets of a run or range, grouped by name or by launch configuration. The
 * table is also used in the dock of the timeline.
 */
import { goTo } from '../../base/router';
import type { KernelRow } from '../../base/rows';
import { LABELS } from '../../base/terms';
import type { GridColumn } from '../../components/data_grid';
import { acceleratorName } from '../../model/device';
import { type Matcher, NO_SEARCH } from '../../model/search';
import { countDeviceWork } from '../../model/trace_work';
import {
    columnsBesidePane,
    countColumn,
    nameColumn,
    numberColumn,
    shareColumn,
    textColumn,
    timeColumn,
} from '../trace/columns';
import { tabHash, traceOf } from '../trace/data';
import { traceNameActions } from '../trace/name_actions';
import { type NamesTable, TraceTable, useColumns } from '../trace/table';

export const KERNEL_SORT = { key: 'total_us', desc: true };

interface KernelsTableProps extends NamesTable<KernelRow> {
    byLaunch?: boolean;
}

type Column = GridColumn<KernelRow>;

export function kernelKey(row: KernelRow): string {
    const launch = !row.grid && !row.operator ? '' : `.${row.operator}.${row.grid}.${row.block}`;
    return `${row.name_id}.${row.kind}.${row.device}.${row.stream}${launch}`;
}

const STREAM_COLUMN: Column = {
    key: 'stream',
    title: 'stream',
    width: 92,
    sortKey: 'stream',
    hideBelow: 900,
    align: 'right',
    render: ({ device, stream }) => (
        <span title={`device ${device}, stream ${stream}`}>
            {device >= 0 && <span class="soft">{acceleratorName(device)} · </span>}
            {stream < 0 ? '–' : stream}
        </span>
    ),
};

const OCCUPANCY_TIP =
    'Estimated by the profiler from registers, shared memory and block size. Mean weighted by duration.';

/** value of `kind` for kernels; copies and memsets have other values and do not use Tensor Cores */
const KERNEL_KIND = 6;

const TENSOR_COLUMN: Column = {
    key: 'tensor_core',
    title: 'Tensor Cores',
    term: 'tensor-core',
    width: 104,
    sortKey: 'tensor_core',
    hideBelow: 1000,
    title_tip: 'Recognised by the name of the kernel. –: the name does not say.',
    render: ({ kind, tensor_core }) => {
        if (kind !== KERNEL_KIND || tensor_core === null) return <span class="zero">–</span>;
        return tensor_core ? 'used' : <span class="zero">no</span>;
    },
};

function launchColumns(): Column[] {
    return [
        textColumn<KernelRow>('operator', 'operator', { width: 190, mono: true, hideBelow: 900 }),
        textColumn<KernelRow>('grid', 'grid', { width: 108, hideBelow: 1000, align: 'right' }),
        textColumn<KernelRow>('block', 'block', { width: 96, hideBelow: 1000, align: 'right' }),
        countColumn<KernelRow>('registers', 'registers', { width: 84, hideBelow: 1560 }),
        countColumn<KernelRow>('shared_bytes', 'shared', {
            width: 96,
            unit: 'B',
            hideBelow: 1640,
        }),
    ];
}

function kernelColumns(search: Matcher, byLaunch: boolean): Column[] {
    return [
        nameColumn<KernelRow>(search),
        ...(byLaunch ? launchColumns() : []),
        ...(byLaunch ? [] : [STREAM_COLUMN]),
        countColumn<KernelRow>('calls', 'calls', { width: 72 }),
        timeColumn<KernelRow>('total_us', 'total', { pct: 'pct' }),
        shareColumn<KernelRow>('pct', 'total', '% of Σ', { width: 88, hideBelow: 700 }),
        timeColumn<KernelRow>('mean_us', 'mean', { width: 84, hideBelow: byLaunch ? 1700 : 700 }),
        timeColumn<KernelRow>('min_us', 'min', { width: 76, hideBelow: byLaunch ? 1900 : 1320 }),
        timeColumn<KernelRow>('max_us', 'max', { width: 76, hideBelow: byLaunch ? 1900 : 1320 }),
        numberColumn<KernelRow>('blocks_per_sm', 'blocks/SM', 2, {
            width: 88,
            hideBelow: byLaunch ? 1800 : 1200,
            title_tip: 'mean weighted by duration',
        }),
        numberColumn<KernelRow>('occupancy_pct', 'occupancy', 1, {
            term: 'occupancy',
            unit: '% est.',
            width: 124,
            hideBelow: 1000,
            title_tip: OCCUPANCY_TIP,
        }),
        TENSOR_COLUMN,
    ];
}

export function KernelsTable(props: KernelsTableProps) {
    const { run, range, filters, search = NO_SEARCH, byLaunch = false } = props;
    const pane = props.narrow ?? false;
    const columns = useColumns(
        () => columnsBesidePane(kernelColumns(search, byLaunch), pane),
        [search, byLaunch, pane],
    );
    const open = (row: KernelRow) => {
        goTo(tabHash(run, 'kernels', { op: kernelKey(row) }, range));
    };
    return (
        <TraceTable<KernelRow>
            {...props}
            view="kernels"
            label={LABELS.kernels}
            prefix={props.prefix ?? (filters ? '' : 'kernel_')}
            columns={columns}
            rowKey={kernelKey}
            sort={KERNEL_SORT}
            params={{ launch: byLaunch ? 1 : undefined }}
            onOpen={props.onOpen ?? open}
            actions={({ name, family }) =>
                traceNameActions(run, { name, family, of: 'kernels', on: 'device' })
            }
            empty={emptyText(countDeviceWork(traceOf(run)) > 0, range !== null)}
        />
    );
}

function emptyText(device: boolean, ranged: boolean): string {
    if (!device) {
        return 'This trace has no GPU work. Record with activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA].';
    }
    return ranged
        ? 'No kernel starts in this range. Choose a wider range.'
        : 'This trace has no kernels.';
}
