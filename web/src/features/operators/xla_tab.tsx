/* SPDX-License-Identifier: MIT
 *
 * The Operators tab of a trace of XLA: the operators of compiled programs and the work of devices,
 * next to the selected one. Columns that the file has no values for are omitted.
 */
import { useMemo, useState } from 'preact/hooks';
import type { Run } from '../../base/answers';
import { useKeys } from '../../base/keys';
import { goTo, route } from '../../base/router';
import type { XlaOperatorRow } from '../../base/rows';
import { LABELS } from '../../base/terms';
import type { GridColumn } from '../../components/data_grid';
import { isPaneBeside, SelectionLayout } from '../../components/selection_layout';
import { readFilters } from '../../model/filter_query';
import { matcher, type Matcher } from '../../model/search';
import { objectsOf } from '../shared/paged_source';
import { useData } from '../shared/use_json';
import type { Page } from '../../base/answers';
import {
    columnsBesidePane,
    countColumn,
    nameColumn,
    numberColumn,
    shareColumn,
    textColumn,
    timeColumn,
} from '../trace/columns';
import { rangedPath, useRange } from '../trace/data';
import { traceNameActions } from '../trace/name_actions';
import { filterParams, sortParams, TraceTable, useColumns } from '../trace/table';
import { timelineHash } from '../trace/timeline_link';
import { TraceToolbar } from '../trace/toolbar';
import { NamedPane, selectRow, useSelectedRow } from './named_pane';

const VIEW = 'xla_operators';
const SORT = { key: 'self_us', desc: true };

/* Operators of two programs can have one name, so the program is part of the key. */
const keyOf = ({ name_id, kind, program }: XlaOperatorRow): string =>
    `${name_id}.${kind}${program ? `.${program}` : ''}`;

/** Which of the columns have values. */
type Present = Record<'category' | 'scope' | 'flops' | 'bytes' | 'wait_us' | 'devices', boolean>;

/* The greatest value of a column: the one of the first row in descending order. */
function useMost(run: Run, key: keyof Present): XlaOperatorRow[keyof Present] | undefined {
    const page = useData<Page>(rangedPath(run, VIEW, null, { sort: key, desc: 1, limit: 1 }));
    const [row] = objectsOf<XlaOperatorRow>(page);
    return row?.[key];
}

function usePresent(run: Run): Present {
    const category = useMost(run, 'category');
    const scope = useMost(run, 'scope');
    const flops = useMost(run, 'flops');
    const bytes = useMost(run, 'bytes');
    const wait = useMost(run, 'wait_us');
    const devices = useMost(run, 'devices');
    return {
        category: Boolean(category),
        scope: Boolean(scope),
        flops: Boolean(flops),
        bytes: Boolean(bytes),
        wait_us: Boolean(wait),
        devices: Number(devices) > 1,
    };
}

type Column = GridColumn<XlaOperatorRow>;

function columnsOf(search: Matcher, present: Present): Column[] {
    const rate = (key: 'gflops_s' | 'gbytes_s', title: string, of: string) =>
        numberColumn<XlaOperatorRow>(key, title, 1, {
            width: 96,
            hideBelow: 1200,
            title_tip: `${of} / total time`,
        });
    return [
        nameColumn<XlaOperatorRow>(search),
        textColumn<XlaOperatorRow>('program', 'program', {
            width: 170,
            mono: true,
            hideBelow: 900,
        }),
        ...(present.category
            ? [textColumn<XlaOperatorRow>('category', 'category', { width: 150, hideBelow: 1100 })]
            : []),
        ...(present.scope
            ? [
                  textColumn<XlaOperatorRow>('scope', 'scope', {
                      width: 220,
                      mono: true,
                      hideBelow: 1400,
                  }),
              ]
            : []),
        countColumn<XlaOperatorRow>('calls', 'calls', { width: 72 }),
        timeColumn<XlaOperatorRow>('self_us', 'self time', { pct: 'self_pct' }),
        shareColumn<XlaOperatorRow>('self_pct', 'self time', '% of Σ', {
            width: 110,
            hideBelow: 700,
        }),
        timeColumn<XlaOperatorRow>('total_us', 'total', { hideBelow: 900 }),
        ...(present.wait_us
            ? [
                  timeColumn<XlaOperatorRow>('wait_us', 'waiting', {
                      hideBelow: 700,
                      title_tip: 'for another device or thread; not part of the self time',
                  }),
              ]
            : []),
        timeColumn<XlaOperatorRow>('mean_us', 'mean', { width: 92, hideBelow: 1000 }),
        ...(present.devices
            ? [countColumn<XlaOperatorRow>('devices', 'devices', { width: 84, hideBelow: 1300 })]
            : []),
        ...(present.flops ? [rate('gflops_s', 'GFLOP/s', 'FLOP')] : []),
        ...(present.bytes ? [rate('gbytes_s', 'GB/s', 'bytes accessed')] : []),
    ];
}

export function XlaOperatorsTab({ run }: { run: Run }) {
    const query = route.value.query;
    const range = useRange();
    const filters = readFilters(query);
    const search = useMemo(() => matcher(filters.q, filters.regex), [filters.q, filters.regex]);
    const [shown, setShown] = useState<number | null>(null);
    const present = usePresent(run);
    const selected = useSelectedRow<XlaOperatorRow>(
        (filter) => rangedPath(run, VIEW, range, filter),
        keyOf,
    );
    const narrow = selected !== null && isPaneBeside();
    const columns = useColumns(
        () => columnsBesidePane(columnsOf(search, present), narrow),
        [run.id, search, ...Object.values(present), narrow],
    );
    useKeys(
        'Operator',
        selected
            ? [{ key: 'Escape', label: 'clear selection', run: () => selectRow(null, null) }]
            : [],
    );
    return (
        <div class="tab-body">
            <TraceToolbar
                run={run}
                range={range}
                view={VIEW}
                what="operators"
                filters={filters}
                error={search.error}
                params={{ ...sortParams(SORT), ...filterParams(filters) }}
                shown={shown}
            />
            <SelectionLayout pane={selected && <NamedPane run={run} selected={selected} />}>
                <TraceTable<XlaOperatorRow>
                    run={run}
                    range={range}
                    view={VIEW}
                    label={LABELS.operators}
                    filters={filters}
                    columns={columns}
                    rowKey={keyOf}
                    sort={SORT}
                    selected={selected}
                    onSelect={(row) => selectRow(keyOf(row), row.name)}
                    onOpen={({ name }) => {
                        goTo(timelineHash(run, { find: name }));
                    }}
                    onShown={setShown}
                    actions={({ name, family }) =>
                        traceNameActions(run, { name, family, of: 'operators' })
                    }
                    empty={
                        range
                            ? 'No operator starts in this range. Choose a wider range.'
                            : 'This trace has no operators: no compiled program ran while XLA recorded.'
                    }
                />
            </SelectionLayout>
        </div>
    );
}
