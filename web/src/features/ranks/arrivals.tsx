/* SPDX-License-Identifier: MIT */
/* Who came last: one row for each collective. */
import { useMemo } from 'preact/hooks';
import type { RankCollective, RanksAnswer } from '../../base/answers';
import { bytesText, formatFixed, int, pct, THIN_SPACE } from '../../base/units';
import { DataGrid, type GridColumn } from '../../components/data_grid';
import { FamilySwatch } from '../../components/family_swatch';
import { arraySource } from '../../components/grid_types';
import { ShareBar } from '../../components/share_bar';
import { PaneHead } from '../../components/toolbar';
import { rankName } from '../../model/ranks';
import { ms } from '../../model/trace_range';
import { RIGHT_ALIGNED } from '../trace/columns';

type Column = GridColumn<RankCollective>;

/** Family of communication, see model/family.ts. */
const COMMUNICATION = 6;

const none = <span class="zero">–</span>;

/** "SendRecv" kernels have long signatures: what stands before the bracket names them. */
const shortName = (name: string): string => name.split('(')[0].replace(/^nccl(Dev)?Kernel_/, '');

function columnsOf(answer: RanksAnswer): Column[] {
    const { steps, collectives } = answer;
    const most = Math.max(1, ...collectives.map(({ wait_ns }) => wait_ns));
    const perStep = Math.max(1, steps.length);
    const isPart = ({ ranks: present, group_size }: RankCollective) =>
        group_size !== null && present < group_size;
    const bandwidth = (row: RankCollective, value: number | null) =>
        value === null ? none : `${isPart(row) ? '≥ ' : ''}${formatFixed(value / 1e9, 1)}`;
    return [
        {
            key: 'name',
            title: 'collective',
            width: 'rest',
            render: (row) => (
                <span title={`${row.name}\nmatched by ${row.matched_by}`}>
                    <FamilySwatch family={COMMUNICATION} />{' '}
                    <span class="mono">{shortName(row.name)}</span>{' '}
                    <span class="soft">{row.group}</span>
                </span>
            ),
        },
        {
            key: 'ranks',
            title: 'ranks',
            width: 72,
            hideBelow: 600,
            title_tip: 'ranks of the group in this run; of how many, if some are missing',
            ...RIGHT_ALIGNED,
            render: (row) => (isPart(row) ? `${row.ranks} of ${row.group_size}` : int(row.ranks)),
        },
        {
            key: 'calls',
            title: 'calls',
            width: 72,
            hideBelow: 600,
            ...RIGHT_ALIGNED,
            render: ({ calls }) => int(calls),
        },
        {
            key: 'bytes',
            title: 'message',
            width: 92,
            hideBelow: 600,
            title_tip:
                'size of the message of one call, the larger of input and output: calls of different sizes are different rows',
            ...RIGHT_ALIGNED,
            render: ({ bytes }) => (bytes === null ? none : bytesText(bytes)),
        },
        {
            key: 'transfer',
            title: 'transfer',
            unit: 'ms each',
            width: 124,
            hideBelow: 700,
            title_tip:
                'shortest duration over the ranks: the last to arrive does not wait; an upper bound if ranks are missing',
            ...RIGHT_ALIGNED,
            render: (row) => `${isPart(row) ? '≤ ' : ''}${ms(row.transfer_ns / row.calls)}`,
        },
        {
            key: 'algorithm',
            title: 'algorithm',
            unit: 'GB/s',
            width: 128,
            hideBelow: 1700,
            title_tip:
                'algorithm bandwidth of nccl-tests: message size / transfer time, in 10⁹ bytes per second; a lower bound if ranks are missing',
            ...RIGHT_ALIGNED,
            render: (row) => bandwidth(row, row.algorithm_bytes_s),
        },
        {
            key: 'bandwidth',
            title: 'bus',
            unit: 'GB/s',
            width: 92,
            hideBelow: 1200,
            title_tip:
                'bus bandwidth of nccl-tests: algorithm bandwidth × 2 (n − 1) / n for all-reduce, × (n − 1) / n for gather, scatter and all-to-all of n ranks, × 1 for broadcast and reduce; a lower bound if ranks are missing',
            ...RIGHT_ALIGNED,
            render: (row) => bandwidth(row, row.bus_bytes_s),
        },
        {
            key: 'spread',
            title: 'first to last',
            unit: 'ms',
            width: 124,
            hideBelow: 1500,
            title_tip: 'from the first to the last arrival on aligned clocks, mean of the calls',
            ...RIGHT_ALIGNED,
            render: ({ spread_ns, calls }) => ms(spread_ns / calls),
        },
        {
            key: 'wait',
            title: 'wait',
            unit: steps.length > 0 ? 'ms a step' : 'ms',
            width: 124,
            title_tip:
                'what ranks wait for the last one, on average over all other ranks of the run',
            ...RIGHT_ALIGNED,
            render: ({ wait_ns }) => (
                <ShareBar share={wait_ns / most} tone="total">
                    {ms(wait_ns / perStep)}
                </ShareBar>
            ),
        },
        {
            key: 'last',
            title: 'last',
            width: 116,
            title_tip:
                'the rank that is most often the last, and its share of the calls; calls in which ranks arrive together have no last',
            render: ({ last, last_calls, calls }) =>
                last === null ? (
                    <span class="soft">no order</span>
                ) : (
                    <>
                        {rankName(answer, last)}{' '}
                        <span class="soft">{`${pct((100 * last_calls) / calls)}${THIN_SPACE}%`}</span>
                    </>
                ),
        },
    ];
}

function coverageText(steps: number): string {
    if (steps === 0) return 'whole trace';
    return steps === 1 ? 'one step' : `all ${int(steps)} steps`;
}

interface ArrivalsProps {
    answer: RanksAnswer;
    selected: number | null;
    onSelect: (collective: number) => void;
}

export function Arrivals({ answer, selected, onSelect }: ArrivalsProps) {
    const columns = useMemo(() => columnsOf(answer), [answer]);
    const source = useMemo(() => arraySource(answer.collectives), [answer]);
    const steps = answer.steps.length;
    return (
        <section class="pane rank-arrivals" aria-label="Who came last">
            <PaneHead title="Who came last" remark={`per collective, ${coverageText(steps)}`} />
            <DataGrid<RankCollective>
                label="Who came last"
                columns={columns}
                source={source}
                rowKey={(row) => row.collective}
                selected={selected}
                onSelect={(row) => onSelect(row.collective)}
                empty="No collective of several ranks was matched."
            />
        </section>
    );
}
