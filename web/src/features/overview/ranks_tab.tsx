/* SPDX-License-Identifier: MIT
 *
 * The Ranks tab: one row for each worker of the job, with its mean step as a bar on a common scale.
 * Below, the collectives with the part of their time that is waiting.
 */
import { useMemo } from 'preact/hooks';
import { useMemoOn } from '../../base/hooks';
import { route } from '../../base/router';
import { LABELS } from '../../base/terms';
import type { Parts, WorkerRow, Workers } from '../../base/trace_types';
import type { Run } from '../../base/types';
import { bytesText, int, pct, THIN_SPACE } from '../../base/units';
import { DataGrid, type GridColumn } from '../../components/data_grid';
import { arraySource } from '../../components/grid_types';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import { PartLegend, StackedBar } from '../../components/stacked_bar';
import { PaneHead, Toolbar } from '../../components/toolbar';
import { type DefinitionText, readDefinition, segmentsOf, sumOf } from '../../model/breakdown';
import { ms } from '../../model/trace_range';
import { type WorkerName, workerNames } from '../../model/worker_names';
import { useJson } from '../shared/use_json';
import { RIGHT_ALIGNED } from '../trace/columns';
import { viewPath } from '../trace/data';
import { DefinitionSwitch } from '../trace/definition_switch';
import { excessByWorker } from './stragglers';

type Column = GridColumn<WorkerRow>;

function workerColumns(
    definition: DefinitionText,
    longest: number,
    late: Map<number, number>,
    nameOf: WorkerName,
): Column[] {
    const percent = (value: number | null) =>
        value === null ? <span class="zero">–</span> : pct(value);
    return [
        {
            key: 'name',
            title: 'worker',
            width: 220,
            render: (row) => (
                <span title={row.name ?? ''}>
                    <b>{nameOf(row.worker)}</b> <span class="mono">{row.name}</span>
                </span>
            ),
        },
        {
            key: 'step_ns',
            title: 'mean step',
            term: 'step',
            unit: 'ms',
            width: 116,
            ...RIGHT_ALIGNED,
            render: ({ step_ns }) => (step_ns === null ? <span class="zero">–</span> : ms(step_ns)),
        },
        {
            key: 'late',
            title: 'over the median',
            width: 140,
            render: ({ worker }) => {
                const over = late.get(worker);
                if (over === undefined) return null;
                return <span class="warn">{`straggler, +${pct(100 * over)}${THIN_SPACE}%`}</span>;
            },
        },
        {
            key: 'parts',
            title: 'parts of the step',
            width: 'rest',
            render: (row) => {
                const parts = row.parts[definition.id];
                return (
                    <StackedBar
                        label={nameOf(row.worker)}
                        segments={segmentsOf(parts)}
                        width={longest > 0 ? sumOf(parts) / longest : 0}
                        base="of step"
                    />
                );
            },
        },
        {
            key: 'busy',
            title: 'GPU busy',
            term: 'gpu-busy',
            unit: '%',
            width: 104,
            ...RIGHT_ALIGNED,
            render: ({ busy }) => percent(busy === null ? null : 100 * busy),
        },
        {
            key: 'communication_ns',
            title: 'communication',
            unit: 'ms',
            width: 148,
            hideBelow: 1000,
            ...RIGHT_ALIGNED,
            render: ({ communication_ns }) =>
                communication_ns === null ? <span class="zero">–</span> : ms(communication_ns),
        },
        {
            key: 'overlap_pct',
            title: 'overlapped',
            term: 'exposed-communication',
            unit: '% of it',
            width: 128,
            hideBelow: 1000,
            title_tip: 'percent of communication that ran at the same time as computation',
            ...RIGHT_ALIGNED,
            render: ({ overlap_pct }) => percent(overlap_pct),
        },
    ];
}

type Collective = Workers['collectives'][number];

const COLLECTIVES: GridColumn<Collective>[] = [
    {
        key: 'name',
        title: 'collective',
        width: 'rest',
        render: ({ name }) => (
            <span class="mono" title={name}>
                {name}
            </span>
        ),
    },
    {
        key: 'calls',
        title: 'calls',
        width: 88,
        ...RIGHT_ALIGNED,
        render: ({ calls }) => int(calls),
    },
    {
        key: 'bytes',
        title: 'moved',
        width: 104,
        ...RIGHT_ALIGNED,
        render: ({ bytes: moved }) => (moved ? bytesText(moved) : <span class="zero">–</span>),
    },
    {
        key: 'transfer_ns',
        title: 'transfer',
        unit: 'ms',
        width: 120,
        title_tip:
            'shortest duration of all workers: the transfer itself, after the last worker arrived',
        ...RIGHT_ALIGNED,
        render: ({ transfer_ns }) =>
            transfer_ns === null ? <span class="zero">–</span> : ms(transfer_ns),
    },
    {
        key: 'wait_ns',
        title: 'waiting',
        unit: 'ms',
        width: 120,
        title_tip: 'the rest: time spent waiting for other workers',
        ...RIGHT_ALIGNED,
        render: ({ wait_ns }) => (wait_ns === null ? <span class="zero">–</span> : ms(wait_ns)),
    },
];

export function WorkersTab({ run }: { run: Run }) {
    const { data, error, loading } = useJson<Workers>(viewPath(run, 'workers'));
    const definition = readDefinition(route.value.query.parts);
    const rows = data?.rows ?? [];
    const longest = Math.max(0, ...rows.map(({ parts }) => sumOf(parts[definition.id])));
    const nameOf = workerNames(rows);
    const columns = useMemoOn(
        () => workerColumns(definition, longest, excessByWorker(rows), nameOf),
        [data, definition],
    );
    const source = useMemoOn(() => arraySource(rows), [data]);
    const collectives = useMemo(() => arraySource(data?.collectives ?? []), [data]);
    const first: Parts | undefined = rows[0]?.parts[definition.id];
    return (
        <div class="tab-body">
            <Toolbar label="view options">
                <DefinitionSwitch definition={definition} />
                {rows[0] && segmentsOf(first).length === 0 ? (
                    <span class="soft">
                        {definition.title} covers GPU time only, and this trace has no GPU work
                    </span>
                ) : (
                    <PartLegend
                        segments={segmentsOf(first)}
                        base={rows[0] ? `of the step of ${nameOf(rows[0].worker)}` : ''}
                    />
                )}
            </Toolbar>
            {error && <Notice kind="error" title="The ranks could not be read" error={error} />}
            <DataGrid<WorkerRow>
                label={LABELS.ranks}
                columns={columns}
                source={source}
                rowKey={(row) => row.worker}
                empty={
                    data
                        ? 'This trace has one worker. Add traces of several ranks to compare them.'
                        : undefined
                }
            />
            {collectives.total > 0 && (
                <section class="pane pane-collectives">
                    <PaneHead title={LABELS.collectives} remark="over all workers" />
                    <DataGrid<Collective>
                        label={LABELS.collectives}
                        columns={COLLECTIVES}
                        source={collectives}
                        rowKey={(row) => row.name}
                    />
                </section>
            )}
            <LoadingLine active={loading} />
        </div>
    );
}
