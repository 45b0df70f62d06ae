/* SPDX-License-Identifier: MIT */
/* One row for each worker of the job, with its mean step as a bar on a common scale. */
import type { Parts, Run, WorkerRow, Workers } from '../../base/answers';
import { useMemoOn } from '../../base/hooks';
import { route } from '../../base/router';
import { LABELS } from '../../base/terms';
import { pct, THIN_SPACE } from '../../base/units';
import { DataGrid, type GridColumn } from '../../components/data_grid';
import { arraySource } from '../../components/grid_types';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import { PartLegend, StackedBar } from '../../components/stacked_bar';
import { Toolbar } from '../../components/toolbar';
import { type DefinitionText, readDefinition, segmentsOf, sumOf } from '../../model/breakdown';
import { ms } from '../../model/trace_range';
import { type WorkerName, workerNames } from '../../model/worker_names';
import { useJson } from '../shared/use_json';
import { RIGHT_ALIGNED } from '../trace/columns';
import { viewPath } from '../trace/data';
import { DefinitionSwitch } from '../trace/definition_switch';
import { excessByWorker } from './stragglers';
import { deviceWord } from '../../model/device';

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
            title: `${deviceWord()} busy`,
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

export function WorkerMeans({ run }: { run: Run }) {
    const { data, error, loading } = useJson<Workers>(viewPath(run, 'workers'));
    const definition = readDefinition(route.value.query.parts);
    const rows = data?.rows ?? [];
    const longest = Math.max(0, ...rows.map(({ parts }) => sumOf(parts[definition.id])));
    const nameOf = workerNames(rows);
    const columns = useMemoOn(
        () => workerColumns(definition, longest, excessByWorker(rows), nameOf),
        [data, definition, deviceWord()],
    );
    const source = useMemoOn(() => arraySource(rows), [data]);
    const first: Parts | undefined = rows[0]?.parts[definition.id];
    return (
        <>
            <Toolbar label="view options">
                <DefinitionSwitch definition={definition} />
                {rows[0] && segmentsOf(first).length === 0 ? (
                    <span class="soft">
                        {definition.title} covers {deviceWord()} time only, and this trace has no{' '}
                        {deviceWord()} work
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
            <LoadingLine active={loading} />
        </>
    );
}
