/* SPDX-License-Identifier: MIT */
/* What the median step of each phase, and the selected step, spend their device time on, or their
 * host time if they launched no device work. */
import { useMemo } from 'preact/hooks';
import type { InferencePart, InferenceParts, Run } from '../../base/answers';
import { int, pct } from '../../base/units';
import { DataGrid, type GridColumn, type GridSort } from '../../components/data_grid';
import { FamilySwatch } from '../../components/family_swatch';
import { arraySource } from '../../components/grid_types';
import { ShareBar } from '../../components/share_bar';
import { isHostOnly, OUTSIDE_OPERATORS } from '../../model/inference';
import { capital } from '../../model/labels';
import { ms } from '../../model/trace_range';
import { rowActions } from '../shared/row_actions';
import { RIGHT_ALIGNED } from '../trace/columns';
import { timelineHash } from '../trace/timeline_link';
import { goTo } from '../../base/router';

type Column = GridColumn<InferencePart>;

const NO_OPERATOR = 'no operator known';
const zero = <span class="zero">–</span>;

/** "Prefill", or "Step 12" for the chosen step. */
function titleOf({ steps }: InferenceParts, i: number, stepIndex: (id: number) => number): string {
    const { phase, step } = steps[i];
    const isChosen = steps.findIndex((one) => one.phase === phase) !== i;
    return isChosen ? `Step ${int(stepIndex(step))}` : capital(phase);
}

function columnsOf(parts: InferenceParts, stepIndex: (id: number) => number): Column[] {
    const isHost = isHostOnly(parts);
    const columns: Column[] = [
        {
            key: 'name',
            title: parts.by === 'kernel' ? 'Kernel' : 'Operator',
            width: 'rest',
            least: 160,
            render: ({ name, family }) => (
                <span class="named" title={name}>
                    <FamilySwatch family={family} />{' '}
                    <span class={name ? 'mono' : 'soft'}>
                        {name || (isHost ? OUTSIDE_OPERATORS : NO_OPERATOR)}
                    </span>
                </span>
            ),
        },
    ];
    if (parts.rows.length === 0) return columns; // no step used a device
    parts.steps.forEach(({ busy_ns, host_ns }, i) => {
        const whole = isHost ? host_ns : busy_ns;
        const title = titleOf(parts, i, stepIndex);
        columns.push(
            {
                key: `ns${i}`,
                title,
                unit: 'ms',
                width: 108,
                sortKey: `ns${i}`,
                title_tip: `${isHost ? 'own time' : 'sum of the durations'} in step ${stepIndex(parts.steps[i].step)}`,
                ...RIGHT_ALIGNED,
                render: ({ ns }) => (ns[i] > 0 ? ms(ns[i]) : zero),
            },
            {
                key: `share${i}`,
                title: '%',
                unit: whole > 0 ? `of ${ms(whole)} ms` : undefined,
                width: 118,
                hideBelow: parts.steps.length > 3 ? 1800 : 700,
                title_tip: `share of the ${isHost ? 'host' : 'busy'} time of that step`,
                ...RIGHT_ALIGNED,
                render: ({ ns }) =>
                    ns[i] > 0 && whole > 0 ? (
                        <ShareBar share={ns[i] / whole} tone="total">
                            {pct((100 * ns[i]) / whole)}
                        </ShareBar>
                    ) : (
                        zero
                    ),
            },
        );
    });
    const last = parts.steps.length - 1;
    columns.push({
        key: 'calls',
        title: 'calls',
        width: 72,
        hideBelow: 1000,
        title_tip: `in ${titleOf(parts, last, stepIndex)}`,
        ...RIGHT_ALIGNED,
        render: ({ calls }) => (calls[last] > 0 ? int(calls[last]) : zero),
    });
    return columns;
}

interface PartsTableProps {
    run: Run;
    parts: InferenceParts;
    sort: GridSort;
    onSort: (sort: GridSort) => void;
    stepIndex: (id: number) => number;
}

export function PartsTable({ run, parts, sort, onSort, stepIndex }: PartsTableProps) {
    const columns = useMemo(() => columnsOf(parts, stepIndex), [parts, stepIndex]);
    const source = useMemo(() => {
        const at = Number(sort.key.slice(2)) || 0;
        const sign = sort.desc ? -1 : 1;
        return arraySource([...parts.rows].sort((a, b) => sign * (a.ns[at] - b.ns[at])));
    }, [parts, sort.key, sort.desc]);
    const open = ({ name }: InferencePart): void => {
        if (name) goTo(timelineHash(run, { find: name }));
    };
    return (
        <DataGrid<InferencePart>
            label="parts of a step by phase"
            layoutKey={`parts-${parts.by}-${parts.steps.length}`}
            columns={columns}
            source={source}
            rowKey={({ name_id }) => name_id}
            sort={sort}
            onSort={onSort}
            onOpen={open}
            actions={(row) =>
                row.name
                    ? rowActions(run, { name: row.name }, [
                          { text: 'Show in the timeline', group: 0, run: () => open(row) },
                      ])
                    : null
            }
            empty="The steps launched no work on a device."
        />
    );
}
