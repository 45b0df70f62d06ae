/* SPDX-License-Identifier: MIT */
/* The parts of the path, and its operators, with what the step gains if they are twice as fast. */
import { useMemo } from 'preact/hooks';
import type { CriticalOperator, CriticalPart, CriticalPath, Run } from '../../base/answers';
import { goTo } from '../../base/router';
import { DASH, int, MINUS, pct } from '../../base/units';
import { DataGrid, type GridColumn } from '../../components/data_grid';
import { arraySource } from '../../components/grid_types';
import { ShareBar } from '../../components/share_bar';
import { gainText, operatorTitle, partInfo, partsInOrder } from '../../model/critical_path';
import { ms } from '../../model/trace_range';
import { rowActions } from '../shared/row_actions';
import { RIGHT_ALIGNED } from '../trace/columns';
import { timelineHash } from '../trace/timeline_link';

interface Timed {
    ns: number;
    faster2_ns: number | null;
}

const soft = (text: string) => <span class="zero">{text}</span>;

/* Columns that both tables have: the time on the path, and the gain. */
function timeColumns<R extends Timed>({ length_ns }: CriticalPath): GridColumn<R>[] {
    const gainOf = (row: R): number => length_ns - (row.faster2_ns ?? length_ns);
    const share = (value: number, sign: string): string =>
        value > 0 ? sign + pct((100 * value) / length_ns) : pct(0);
    return [
        {
            key: 'ns',
            title: 'On the path',
            unit: 'ms',
            width: 118,
            ...RIGHT_ALIGNED,
            render: ({ ns }) =>
                ns > 0 ? (
                    <ShareBar share={ns / length_ns} tone="total">
                        {ms(ns)}
                    </ShareBar>
                ) : (
                    soft(ms(0))
                ),
        },
        {
            key: 'share',
            title: '% of step',
            width: 84,
            hideBelow: 600,
            ...RIGHT_ALIGNED,
            render: ({ ns }) => (ns > 0 ? share(ns, '') : soft(pct(0))),
        },
        {
            key: 'gain',
            title: '2× faster: step',
            unit: 'ms',
            width: 138,
            title_tip: 'The path is computed again with this time halved',
            ...RIGHT_ALIGNED,
            render: (row) =>
                row.faster2_ns === null ? (
                    soft(DASH)
                ) : gainOf(row) > 0 ? (
                    <ShareBar share={gainOf(row) / length_ns} tone="total">
                        {gainText(length_ns, row.faster2_ns)}
                    </ShareBar>
                ) : (
                    soft(ms(0))
                ),
        },
        {
            key: 'gain-share',
            title: '% of step',
            width: 84,
            hideBelow: 900,
            ...RIGHT_ALIGNED,
            render: (row) =>
                gainOf(row) > 0
                    ? share(gainOf(row), MINUS)
                    : soft(row.faster2_ns === null ? DASH : pct(0)),
        },
    ];
}

function Swatch({ part }: { part: string }) {
    return <i class={`swatch is-family-${partInfo(part).family}`} />;
}

function partColumns(answer: CriticalPath): GridColumn<CriticalPart>[] {
    return [
        {
            key: 'part',
            title: 'Part',
            width: 'rest',
            least: 130,
            render: ({ part }) => (
                <span class="named">
                    <Swatch part={part} /> {partInfo(part).title}
                </span>
            ),
        },
        ...timeColumns<CriticalPart>(answer),
        {
            key: 'then',
            title: 'Then bound by',
            width: 130,
            hideBelow: 1000,
            title_tip: 'The part that grows on the path if this one is twice as fast',
            render: ({ then, ns }) =>
                ns === 0 ? soft('off the path') : then ? partInfo(then).title : soft('unchanged'),
        },
    ];
}

interface PartsTableProps {
    answer: CriticalPath;
    selected: string;
    onSelect: (part: string) => void;
    onOpen: (part: string) => void;
}

export function PartsTable({ answer, selected, onSelect, onOpen }: PartsTableProps) {
    const columns = useMemo(() => partColumns(answer), [answer]);
    const source = useMemo(() => arraySource(partsInOrder(answer)), [answer]);
    return (
        <DataGrid<CriticalPart>
            label="parts of the path"
            columns={columns}
            source={source}
            rowKey={({ part }) => part}
            selected={selected || null}
            onSelect={({ part }) => onSelect(part)}
            onOpen={({ part }) => onOpen(part)}
            rowClass={({ ns }) => (ns === 0 ? 'is-off-path' : '')}
        />
    );
}

function operatorColumns(answer: CriticalPath): GridColumn<CriticalOperator>[] {
    const names = new Map(answer.tracks.map(({ id, name, main }) => [id, main ? 'main' : name]));
    return [
        {
            key: 'name',
            title: 'Operator or kernel',
            width: 'rest',
            least: 140,
            render: (row) => (
                <span class="named" title={operatorTitle(row)}>
                    <Swatch part={row.part} />{' '}
                    <span class={row.name === null ? 'soft' : 'mono'}>{operatorTitle(row)}</span>
                </span>
            ),
        },
        {
            key: 'track',
            title: 'Runs on',
            width: 110,
            hideBelow: 1000,
            render: ({ track }) => names.get(track) ?? '',
        },
        {
            key: 'count',
            title: 'Times',
            width: 70,
            hideBelow: 1000,
            ...RIGHT_ALIGNED,
            render: ({ count }) => int(count),
        },
        ...timeColumns<CriticalOperator>(answer),
    ];
}

interface OperatorsTableProps {
    run: Run;
    answer: CriticalPath;
    onSelect: (part: string) => void;
}

export function OperatorsTable({ run, answer, onSelect }: OperatorsTableProps) {
    const columns = useMemo(() => operatorColumns(answer), [answer]);
    const source = useMemo(() => arraySource(answer.operators), [answer]);
    const { from_ns, to_ns } = answer;
    const open = ({ name }: CriticalOperator): void => {
        goTo(timelineHash(run, { find: name ?? undefined, range: { from_ns, to_ns } }));
    };
    return (
        <DataGrid<CriticalOperator>
            label="operators of the path"
            columns={columns}
            source={source}
            rowKey={({ name, kind }) => `${kind} ${name ?? ''}`}
            onSelect={({ part }) => onSelect(part)}
            onOpen={open}
            actions={(row) =>
                row.name
                    ? rowActions(run, { name: row.name }, [
                          { text: 'Show in the timeline', group: 0, run: () => open(row) },
                      ])
                    : null
            }
        />
    );
}
