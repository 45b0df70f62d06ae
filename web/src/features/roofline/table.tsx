/* SPDX-License-Identifier: MIT */
/* Operators with their rates and limits. */
import { useMemo } from 'preact/hooks';
import type { Run } from '../../base/answers';
import { formatFixed, int } from '../../base/units';
import { DataGrid, type GridColumn, type GridSort } from '../../components/data_grid';
import { FamilySwatch } from '../../components/family_swatch';
import { arraySource } from '../../components/grid_types';
import { ShareBar } from '../../components/share_bar';
import { rateText, type RooflineBy, type RooflineItem } from '../../model/roofline';
import { shortName } from '../../model/timeline_names';
import { ms } from '../../model/trace_range';
import { rowActions } from '../shared/row_actions';
import { RIGHT_ALIGNED } from '../trace/columns';
import { deviceWord } from '../../model/device';

type Column = GridColumn<RooflineItem>;

const dash = <span class="zero">–</span>;
const rate = (value: number | null) => (value === null ? dash : rateText(value));

function columnsOf(most: number, by: RooflineBy, device: string): Column[] {
    return [
        {
            key: 'name',
            title: by === 'kernel' ? 'Kernel' : 'Operator',
            unit: by === 'kernel' ? 'and operators' : by === 'shape' ? 'and shapes' : '',
            width: 'rest',
            least: 150,
            render: ({ name, shapes, family }) => (
                <span class="roofline-name" title={`${name}\n${shapes}`}>
                    <span class="mono ellipsis">
                        <FamilySwatch family={family} /> {shortName(name)}
                    </span>
                    <small class="mono faint">{shapes}</small>
                </span>
            ),
        },
        {
            key: 'ns',
            title: device,
            unit: 'ms',
            width: 104,
            sortKey: 'ns',
            title_tip:
                by === 'kernel'
                    ? 'sum of its durations'
                    : 'union of the device work of its calls, added up',
            ...RIGHT_ALIGNED,
            render: ({ ns }) => (
                <ShareBar share={ns / most} tone="total">
                    {ms(ns)}
                </ShareBar>
            ),
        },
        {
            key: 'tflops',
            title: 'TFLOP/s',
            width: 84,
            sortKey: 'tflops',
            hideBelow: 900,
            ...RIGHT_ALIGNED,
            render: ({ tflops }) => rate(tflops),
        },
        {
            key: 'gbps',
            title: 'GB/s',
            width: 80,
            sortKey: 'gbps',
            hideBelow: 900,
            ...RIGHT_ALIGNED,
            render: ({ gbps }) => rate(gbps),
        },
        {
            key: 'percent',
            title: '% of the limit',
            width: 116,
            sortKey: 'percent',
            title_tip: 'time at the limit by the measured time',
            ...RIGHT_ALIGNED,
            render: ({ percent }) =>
                percent === null ? (
                    dash
                ) : percent > 100 ? (
                    <span class="warn" title="above the limit: check the peak">
                        {formatFixed(percent, 1)}
                    </span>
                ) : (
                    <ShareBar share={percent / 100} tone="total">
                        {formatFixed(percent, 1)}
                    </ShareBar>
                ),
        },
        {
            key: 'bound',
            title: 'bound by',
            width: 112,
            hideBelow: 600,
            render: ({ bound, remark }) => bound ?? <span class="soft">{remark}</span>,
        },
        {
            key: 'calls',
            title: 'calls',
            width: 70,
            sortKey: 'calls',
            hideBelow: 1500,
            ...RIGHT_ALIGNED,
            render: ({ calls }) => int(calls),
        },
    ];
}

function sorted(items: readonly RooflineItem[], { key, desc }: GridSort): RooflineItem[] {
    const sign = desc ? -1 : 1;
    const valueOf = (item: RooflineItem): number =>
        item[key as 'ns' | 'tflops' | 'gbps' | 'percent' | 'calls'] ?? -1;
    return [...items].sort((a, b) => sign * (valueOf(a) - valueOf(b)) || b.ns - a.ns);
}

interface RooflineTableProps {
    run: Run;
    by: RooflineBy;
    items: RooflineItem[];
    sort: GridSort;
    onSort: (sort: GridSort) => void;
    selected: string | null;
    onSelect: (item: RooflineItem) => void;
    onOpen: (item: RooflineItem) => void;
}

export function RooflineTable(props: RooflineTableProps) {
    const { run, by, items, sort, onSort, selected, onSelect, onOpen } = props;
    const { key, desc } = sort;
    const device = deviceWord();
    const columns = useMemo(
        () => columnsOf(Math.max(1, ...items.map(({ ns }) => ns)), by, device),
        [items, by, device],
    );
    const source = useMemo(() => arraySource(sorted(items, { key, desc })), [items, key, desc]);
    return (
        <DataGrid<RooflineItem>
            label="operators and their limits"
            columns={columns}
            source={source}
            rowKey={(item) => item.key}
            sort={sort}
            onSort={onSort}
            selected={selected}
            onSelect={onSelect}
            onOpen={onOpen}
            actions={(item) =>
                rowActions(run, { name: item.name }, [
                    { text: 'Show in the timeline', group: 0, run: () => onOpen(item) },
                ])
            }
            empty="No operator launched device work."
        />
    );
}
