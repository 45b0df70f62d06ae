/* SPDX-License-Identifier: MIT
 *
 * Columns of torch's key_averages(), in torch's order and with torch's digits. Columns that the
 * file did not record are omitted.
 */
import type { OperatorRow } from '../../base/rows';
import type { TraceSummary } from '../../base/trace_types';
import type { GridColumn } from '../../components/data_grid';
import type { Matcher } from '../../model/search';
import {
    countColumn,
    countNoun,
    mibColumn,
    nameColumn,
    numberColumn,
    pathNameColumn,
    shareColumn,
    timeColumn,
} from '../trace/columns';

/** `annotation`: annotation ranges, as they appear on the streams of devices */
export type Side = 'host' | 'device' | 'annotation';

export interface OperatorColumnsOf {
    summary: TraceSummary;
    search: Matcher;
    byShape: boolean;
    side: Side;
    /** true: there is space for the less important columns */
    isWide: boolean;
}

type Column = GridColumn<OperatorRow>;

export function operatorColumns(of: OperatorColumnsOf): Column[] {
    const { summary, byShape } = of;
    const device = summary.devices > 0;
    return [
        summary.torch ? nameColumn<OperatorRow>(of.search) : pathNameColumn<OperatorRow>(of.search),
        ...(byShape ? [SHAPES_COLUMN] : []),
        countColumn<OperatorRow>('calls', countNoun(summary), { width: 72 }),
        ...(of.side === 'host' ? hostColumns(of, device) : []),
        ...(of.side === 'annotation' ? spanColumns() : device ? deviceColumns(of) : []),
        ...(summary.memory && of.side === 'host' ? memoryColumns(device) : []),
        ...(summary.torch && summary.flops && of.side === 'host' ? flopColumns() : []),
    ];
}

const SHAPES_COLUMN: Column = {
    key: 'input_shapes',
    title: 'input shapes',
    width: 280,
    sortKey: 'input_shapes',
    hideBelow: 700,
    render: ({ input_shapes }) => {
        if (!input_shapes) return <span class="zero">–</span>;
        const text = input_shapes.replaceAll(',', ', ');
        return (
            <span class="mono" title={text}>
                {text}
            </span>
        );
    },
};

function hostColumns({ isWide, summary, byShape }: OperatorColumnsOf, device: boolean): Column[] {
    const noun = summary.torch ? 'host' : 'time';
    return [
        timeColumn<OperatorRow>('self_cpu_us', `self ${noun}`, {
            pct: 'self_cpu_pct',
            title_tip: summary.torch
                ? 'wall-clock time on the host without operators below; torch prints it as Self CPU'
                : undefined,
        }),
        ...(isWide || !device ? [shareOfTotal('self_cpu_pct', `self ${noun}`, byShape)] : []),
        timeColumn<OperatorRow>('cpu_total_us', summary.torch ? 'host total' : 'total', {
            hideBelow: device ? 900 : undefined,
        }),
        timeColumn<OperatorRow>('cpu_mean_us', summary.torch ? 'host mean' : 'mean', {
            width: 108,
            hideBelow: device ? 1320 : 900,
            title_tip: 'total time on the host / calls',
        }),
    ];
}

/** Time from the first to the last kernel that was launched inside of the annotation range. It is
 * not a share of any total. */
function spanColumns(): Column[] {
    return [
        timeColumn<OperatorRow>('self_device_us', 'on the stream', { width: 136 }),
        timeColumn<OperatorRow>('min_us', 'min'),
        timeColumn<OperatorRow>('max_us', 'max'),
    ];
}

function deviceColumns({ side, byShape }: OperatorColumnsOf): Column[] {
    return [
        timeColumn<OperatorRow>('self_device_us', 'self device', {
            pct: 'self_device_pct',
            width: 132,
        }),
        ...(side === 'device'
            ? []
            : [
                  timeColumn<OperatorRow>('device_total_us', 'device total', {
                      width: 120,
                      hideBelow: 900,
                  }),
              ]),
        shareOfTotal('self_device_pct', 'self device', byShape),
    ];
}

/** Column with the share of the total. */
function shareOfTotal(
    key: 'self_cpu_pct' | 'self_device_pct',
    title: string,
    byShape: boolean,
): Column {
    return shareColumn<OperatorRow>(key, title, '% of the sum', {
        width: 146,
        hideBelow: byShape ? 900 : 700,
        title_tip: 'percent of the sum over all operators of the run or range, filters ignored',
    });
}

function memoryColumns(device: boolean): Column[] {
    const tip = 'allocated minus freed memory, without nested operators';
    return [
        mibColumn<OperatorRow>('self_cpu_bytes', 'self CPU', {
            hideBelow: device ? 1500 : 1000,
            title_tip: tip,
        }),
        ...(device
            ? [
                  mibColumn<OperatorRow>('self_device_bytes', 'self device', {
                      hideBelow: 1250,
                      width: 124,
                      title_tip: tip,
                  }),
              ]
            : []),
    ];
}

function flopColumns(): Column[] {
    return [
        numberColumn<OperatorRow>('flops', 'FLOP', 3, {
            unit: 'G',
            scale: 1e9,
            width: 96,
            hideBelow: 1560,
            title_tip:
                'FLOP as PyTorch counts them: matrix products, convolutions, additions, multiplications',
        }),
        numberColumn<OperatorRow>('gflops_s', 'GFLOP/s', 1, {
            width: 88,
            hideBelow: 1400,
            title_tip: 'FLOP / device time (host time if nothing was launched)',
        }),
    ];
}
