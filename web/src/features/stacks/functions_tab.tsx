/* SPDX-License-Identifier: MIT
 *
 * The functions of a stack profile with self and total weight. The total counts a stack once, even
 * if the function occurs in it several times. The table is used as a tab, in the Sandwich tab, and
 * in the dock of the timeline.
 */
import { useMemo, useState } from 'preact/hooks';
import type { Run } from '../../base/answers';
import { axisCell, axisCellUnit, axisUnit } from '../../base/axis';
import { goTo, pushQuery, replaceQuery, route } from '../../base/router';
import { LABELS } from '../../base/terms';
import { formatFixed } from '../../base/units';
import { type RowActions, useActionKeys, withUniqueKeys } from '../../components/actions';
import { CheckBox } from '../../components/check_box';
import type { GridColumn } from '../../components/data_grid';
import { Swatch } from '../../components/origin_legend';
import { ShareBar } from '../../components/share_bar';
import { viewportWidth } from '../../components/viewport';
import { readFilters } from '../../model/filter_query';
import { type Matcher, matcher, NO_SEARCH } from '../../model/search';
import { ORIGINS } from '../../model/tint';
import { ModeSwitch } from '../shared/mode_switch';
import {
    countColumn,
    nameColumn,
    percentColumn,
    RIGHT_ALIGNED,
    shareColumn,
} from '../trace/columns';
import { axisOfRun, tabHash, samplePeriod, useRange } from '../trace/data';
import { filterParams, type NamesTable, TraceTable, useColumns } from '../trace/table';
import { TraceToolbar } from '../trace/toolbar';
import { ToolbarOrigins } from './colours';
import { functionActions } from './frame_actions';
import { frameHead } from './frame_selection';
import { flameOfFunction } from './flame_tree';
import { useFunctionId } from './function_id';
import { FRAME_KEYS, PeriodField, stackParams, stackQuery, useStackSums } from './parts';
import { ChosenLabels, SampleChoice } from './sample_choice';
import { hasStretches, samplesKey, typeOf } from './sample_types';
import { ThreadSelect } from './threads';
import { transformActions, TransformRow } from './transforms';
import type { StackFunctionRow } from '../../base/rows';

type Column = GridColumn<StackFunctionRow>;

const SORT = { key: 'self', desc: true };

export function StackFunctions(props: NamesTable<StackFunctionRow>) {
    const { run, range, search = NO_SEARCH, narrow = false } = props;
    const { group } = route.value.query;
    const period = samplePeriod(run);
    const hasDecreases = (typeOf(run)?.negative ?? 0) > 0;
    const columns = useColumns(
        () => functionColumns(run, search, narrow, period, hasDecreases),
        [run.id, search, narrow, period, samplesKey(run)],
    );
    return (
        <TraceTable<StackFunctionRow>
            key={samplesKey(run)}
            {...props}
            view="stack_functions"
            label={LABELS.functions}
            columns={columns}
            rowKey={({ name_id }) => String(name_id)}
            sort={SORT}
            params={{ ...stackParams(run), group }}
            actions={(row) => rowActionsOf(run, row)}
            onOpen={({ name_id }) => {
                goTo(tabHash(run, 'sandwich', { fn: String(name_id), ...stackQuery() }, range));
            }}
            empty={
                range
                    ? 'No sample lies in this range. Choose a wider range.'
                    : 'This profile has no stacks.'
            }
        />
    );
}

/* What a frame of the function offers. */
function rowActionsOf(run: Run, row: StackFunctionRow): RowActions {
    const flame = flameOfFunction(row);
    return {
        head: frameHead(flame, 0),
        actions: withUniqueKeys([
            ...transformActions(run, flame, 0, false),
            ...functionActions(run, row.name),
        ]),
    };
}

function functionColumns(
    run: Run,
    search: Matcher,
    narrow: boolean,
    period: number | null,
    hasDecreases: boolean,
): Column[] {
    const columns = [
        nameColumn<StackFunctionRow>(search, 'function', (row) => (
            <Swatch origin={ORIGINS[row.origin] ?? 'unknown'} />
        )),
        weightColumn('self', hasDecreases),
        weightColumn('total', hasDecreases),
    ];
    if (narrow) return columns;
    const estimated = period === null ? [] : [estimateColumn(period, axisOfRun(run).scale)];
    return [
        ...columns,
        ...estimated,
        partColumn('self', hasDecreases, { width: hasDecreases ? 120 : 92, hideBelow: 700 }),
        partColumn('total', hasDecreases, { width: hasDecreases ? 120 : 92, hideBelow: 760 }),
        ...(hasStretches(run)
            ? [
                  countColumn<StackFunctionRow>('slices', 'stretches', {
                      width: 80,
                      hideBelow: 1000,
                      title_tip:
                          'frames of this function in the graph; equal neighbours are merged',
                  }),
              ]
            : []),
    ];
}

const TIPS = {
    self: 'Counted as the innermost frame.',
    total: 'A recursive stack counts once.',
};

/* Share of a row, 0 to 1. If some values are below 0, the sum of all can be near 0, so shares are of the
 * sum of the magnitudes. */
function shareOf(row: StackFunctionRow, key: 'self' | 'total', hasDecreases: boolean): number {
    if (hasDecreases) return row[key] / (axisUnit().whole || 1);
    return ((key === 'self' ? row.self_pct : row.total_pct) ?? 0) / 100;
}

function partColumn(
    key: 'self' | 'total',
    hasDecreases: boolean,
    more: { width: number; hideBelow: number },
): Column {
    if (!hasDecreases) return shareColumn<StackFunctionRow>(`${key}_pct`, key, '% of all', more);
    const share = (row: StackFunctionRow) => 100 * shareOf(row, key, true);
    return percentColumn<StackFunctionRow>(`${key}_pct`, key, '% of Σ |values|', share, more);
}

function weightColumn(key: 'self' | 'total', hasDecreases: boolean): Column {
    return {
        key,
        title: key,
        unit: axisCellUnit(),
        width: 112,
        sortKey: key,
        ...RIGHT_ALIGNED,
        title_tip: TIPS[key],
        term: key === 'self' ? 'self-time' : 'total-time',
        render: (row) => {
            const share = Math.abs(shareOf(row, key, hasDecreases));
            const text = axisCell(row[key]);
            return (
                <ShareBar share={share} tone={hasDecreases && row[key] < 0 ? 'total' : key}>
                    {/[1-9]/.test(text) ? text : <span class="zero">{text}</span>}
                </ShareBar>
            );
        },
    };
}

function estimateColumn(period: number, scale: number): Column {
    return {
        key: 'estimate',
        title: 'total ≈',
        unit: 's',
        width: 88,
        sortKey: 'total',
        ...RIGHT_ALIGNED,
        hideBelow: 800,
        title_tip: `samples of ${period} ms each: an estimate`,
        render: (row) => formatFixed(((row.total / scale) * period) / 1000, 3),
    };
}

/* The choice of samples needs the room of the legend. */
const hasRoomForOrigins = (run: Run): boolean =>
    typeOf(run) === null || viewportWidth.value >= 1400;

export function StackFunctionsTab({ run }: { run: Run }) {
    const range = useRange();
    const filters = readFilters(route.value.query);
    const search = useMemo(() => matcher(filters.q, filters.regex), [filters.q, filters.regex]);
    const [shown, setShown] = useState<number | null>(null);
    const { group } = route.value.query;
    const fn = useFunctionId(run);
    const sums = useStackSums(run);
    const [picked, setPicked] = useState<StackFunctionRow | null>(null);
    const isPicked = picked !== null && String(picked.name_id) === fn;
    useActionKeys('Selected function', isPicked ? rowActionsOf(run, picked).actions : []);
    return (
        <div class="tab-body stacks">
            <TraceToolbar
                run={run}
                range={range}
                view="stack_functions"
                what="functions"
                filters={filters}
                error={search.error}
                params={{ ...filterParams(filters), ...stackParams(run), group }}
                shown={shown}
            >
                <SampleChoice run={run} />
                <ModeSwitch cleared={FRAME_KEYS} />
                <ThreadSelect run={run} />
                <PeriodField run={run} />
                {hasRoomForOrigins(run) && <ToolbarOrigins flame={sums} />}
                <InitialiserSwitch run={run} />
            </TraceToolbar>
            <ChosenLabels run={run} />
            <TransformRow flame={sums} />
            <div class="panes">
                <section class="pane pane-main">
                    <StackFunctions
                        run={run}
                        range={range}
                        filters={filters}
                        search={search}
                        selected={fn ?? null}
                        onSelect={(row) => {
                            setPicked(row);
                            pushQuery({ fn: String(row.name_id), sel: row.name });
                        }}
                        onShown={setShown}
                    />
                </section>
            </div>
        </div>
    );
}

/* Switch to hide the frames of module initialisers; nothing if the run has none. */
function InitialiserSwitch({ run }: { run: Run }) {
    if (!run.summary.initialisers) return null;
    return (
        <label class="soft" title="show frames whose names begin with _GLOBAL__sub_I_ as one row">
            <CheckBox
                label="group C++ static initialisers"
                checked={route.value.query.group === '1'}
                onChange={(on) => replaceQuery({ group: on ? '1' : null })}
            />{' '}
            group C++ initialisers
        </label>
    );
}
