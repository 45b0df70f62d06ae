/* SPDX-License-Identifier: MIT
 *
 * The Steps tab of a trace of XLA: what each step is spent on. A part that no step has is omitted.
 */
import type { Page, Run } from '../../base/answers';
import { goTo } from '../../base/router';
import type { XlaStepRow } from '../../base/rows';
import { formatFixed, plural } from '../../base/units';
import type { GridColumn } from '../../components/data_grid';
import { ExportMenu } from '../../components/menu';
import { Spacer, Toolbar } from '../../components/toolbar';
import { NO_SEARCH } from '../../model/search';
import { useData } from '../shared/use_json';
import { pathNameColumn, timeColumn } from '../trace/columns';
import { rangedPath, useRange } from '../trace/data';
import { sortParams, TraceTable, useColumns } from '../trace/table';
import { timelineHash } from '../trace/timeline_link';
import { RangeNotice } from '../trace/toolbar';

const VIEW = 'xla_steps';
const SORT = { key: 'start_ns', desc: false };

type PartKey = Extract<
    keyof XlaStepRow,
    | 'operators_us'
    | 'collectives_us'
    | 'programs_us'
    | 'compilation_us'
    | 'transfers_us'
    | 'dispatch_us'
    | 'waiting_us'
    | 'outside_us'
>;

const PARTS: readonly [PartKey, string, string][] = [
    ['operators_us', 'operators', 'an operator runs, on any thread or device'],
    ['collectives_us', 'collectives', 'only collectives run, with their waiting'],
    ['programs_us', 'between operators', 'a program runs, but no operator that was recorded'],
    ['compilation_us', 'compilation', 'JAX traces, lowers and compiles'],
    ['transfers_us', 'transfers', 'values are moved to or from a device'],
    ['dispatch_us', 'dispatch', 'programs are started'],
    ['waiting_us', 'waiting', 'the program waits for XLA'],
    ['outside_us', 'outside', 'the program does other work'],
];

interface StepSums {
    mean_us: number | null;
    deviation_us: number | null;
}

/* "mean 3.573 ms, standard deviation 0.329 ms (n − 1)" */
function MeanStep({ page }: { page: Page | null }) {
    const { mean_us: mean, deviation_us: deviation } = (page?.sums ?? {}) as Partial<StepSums>;
    if (!page || mean === null || mean === undefined) return null;
    return (
        <span class="soft">
            {plural(page.total, 'step')}, mean {formatFixed(mean / 1000, 3)} ms
            {deviation !== null &&
                deviation !== undefined &&
                `, standard deviation ${formatFixed(deviation / 1000, 3)} ms`}
        </span>
    );
}

export function XlaStepsTab({ run }: { run: Run }) {
    const range = useRange();
    const page = useData<Page>(rangedPath(run, VIEW, range, { limit: 500 }));
    const present = PARTS.filter(([key]) => {
        const at = page?.columns.indexOf(key) ?? -1;
        return page?.rows.some((row) => Number(row[at]) > 0);
    });
    const columns = useColumns<XlaStepRow>(
        (): GridColumn<XlaStepRow>[] => [
            pathNameColumn<XlaStepRow>(NO_SEARCH),
            timeColumn<XlaStepRow>('duration_us', 'step time'),
            ...present.map(([key, title, tip], i) =>
                timeColumn<XlaStepRow>(key, title, {
                    width: title.length > 12 ? 136 : 108,
                    title_tip: tip,
                    hideBelow: i ? 700 + 60 * i : undefined,
                }),
            ),
            timeColumn<XlaStepRow>('until_next_us', 'until next', {
                hideBelow: 900,
                title_tip: 'from its end to the start of the next step',
            }),
        ],
        [run.id, present.map(([key]) => key).join()],
    );
    return (
        <div class="tab-body">
            <Toolbar label="view options">
                <MeanStep page={page ?? null} />
                <Spacer />
                <RangeNotice />
                <ExportMenu
                    csv={rangedPath(run, VIEW, range, { ...sortParams(SORT), format: 'csv' })}
                    json={rangedPath(run, VIEW, range, { ...sortParams(SORT), format: 'rows' })}
                />
            </Toolbar>
            <TraceTable<XlaStepRow>
                run={run}
                range={range}
                view={VIEW}
                label="Steps"
                columns={columns}
                rowKey={({ id }) => String(id)}
                sort={SORT}
                onOpen={({ start_ns, duration_us }) => {
                    goTo(
                        timelineHash(run, {
                            range: { from_ns: start_ns, to_ns: start_ns + 1000 * duration_us },
                        }),
                    );
                }}
                empty="No steps are marked. jax.profiler.StepTraceAnnotation around each iteration marks them."
            />
        </div>
    );
}
