/* SPDX-License-Identifier: MIT
 *
 * Operators of two rooflines: the times in both runs, their difference, and the distance to the limit.
 */
import { useMemo } from 'preact/hooks';
import type { Comparison } from '../../base/answers';
import { formatHash, replaceQuery, route } from '../../base/router';
import { formatFixed, int, signed } from '../../base/units';
import { type Action, runAction } from '../../components/actions';
import { DataGrid, type GridColumn } from '../../components/data_grid';
import { FamilySwatch } from '../../components/family_swatch';
import { arraySource, type GridHandle } from '../../components/grid_types';
import { MarkedName } from '../../components/marked_name';
import { readSort } from '../../model/filter_query';
import { capital } from '../../model/labels';
import type { RooflineBy } from '../../model/roofline';
import { shortName } from '../../model/timeline_names';
import {
    boundText,
    isShared,
    type RooflineDiff,
    type RooflinePer,
    rooflineQuery,
} from '../../model/roofline_diff';
import type { Matcher } from '../../model/search';
import { ms } from '../../model/trace_range';
import { ROW_GROUPS, rowActions } from '../shared/row_actions';
import { tabId } from '../shared/tab_list';
import { RIGHT_ALIGNED } from '../trace/columns';
import { DiffBar } from './columns';
import type { Side } from './diff_tree';
import { SMALL_SHARE } from './waterfall';

type Column = GridColumn<RooflineDiff>;
type Tone = 'slower' | 'faster' | 'faint';

const dash = <span class="zero">–</span>;

function toneOf({ delta }: RooflineDiff, most: number): Tone {
    if (delta === 0 || Math.abs(delta) < SMALL_SHARE * most) return 'faint';
    return delta > 0 ? 'slower' : 'faster';
}

/** The sort of the URL. */
export const rooflineSort = () => readSort(route.value.query, 'size', true);

function nameColumn({ by, search }: RooflineColumns): Column {
    return {
        key: 'name',
        title: 'Operator',
        unit: by === 'shape' ? 'and shapes' : 'and types',
        width: 'rest',
        least: 150,
        sortKey: 'name',
        render: ({ name, shapes, types, family }) => (
            <span class="compare-row-name" title={[name, shapes, types].filter(Boolean).join('\n')}>
                <span class="mono ellipsis">
                    <FamilySwatch family={family} />{' '}
                    <MarkedName text={shortName(name)} search={search} />
                </span>
                <small class="mono faint ellipsis">
                    {shapes} {types}
                </small>
            </span>
        ),
    };
}

export interface RooflineColumns {
    by: RooflineBy;
    /** the largest |difference|, ns */
    most: number;
    per: RooflinePer;
    /** limits are known in one of the runs */
    hasLimits: boolean;
    search: Matcher;
    /** width of the pane beside the table, px */
    paneWidth: number;
}

function percentCell(percent: number | null) {
    if (percent === null) return dash;
    const shown = formatFixed(percent, 1);
    return percent > 100 ? (
        <span class="warn" title="above the limit: check the peak">
            {shown}
        </span>
    ) : (
        shown
    );
}

function callsCell({ base, new: fresh }: RooflineDiff) {
    if (base && fresh && base.calls === fresh.calls) return int(base.calls);
    return [base, fresh].map((side) => (side ? int(side.calls) : '–')).join(' → ');
}

/* A row without a limit: why. */
function noLimitText({ base, new: fresh }: RooflineDiff): string {
    return base?.hasModel || fresh?.hasModel ? '' : 'no model';
}

function timeColumns(of: RooflineColumns): Column[] {
    const { most, per, paneWidth } = of;
    const unit = per === 'call' ? 'ms a call' : 'ms';
    const timeOf = (side: Side): Column => ({
        key: `${side}_ns`,
        title: capital(side),
        unit,
        width: per === 'call' ? 116 : 84,
        sortKey: `${side}_ns`,
        hideBelow: 640 + paneWidth,
        title_tip: 'union of the device work of its calls, added up',
        ...RIGHT_ALIGNED,
        render: (row) => (row[side] ? ms(row[side].ns) : dash),
    });
    return [
        timeOf('base'),
        timeOf('new'),
        {
            key: 'size',
            title: 'Δ',
            unit,
            width: per === 'call' ? 100 : 88,
            sortKey: 'size',
            title_tip: 'new − base, largest change first',
            ...RIGHT_ALIGNED,
            render: (row) => <span class={toneOf(row, most)}>{signed(row.delta / 1e6, 3)}</span>,
        },
        {
            key: 'delta_pct',
            title: 'Δ',
            unit: '%',
            width: 76,
            sortKey: 'delta_pct',
            ...RIGHT_ALIGNED,
            render: (row) =>
                row.delta_pct === null ? (
                    dash
                ) : (
                    <span class={toneOf(row, most)}>{signed(row.delta_pct, 1)}</span>
                ),
        },
        {
            key: 'delta',
            title: 'faster · slower',
            width: 120,
            sortKey: 'delta',
            numeric: true,
            hideBelow: 1560 + paneWidth,
            cellClass: 'diff-cell',
            title_tip: 'sort by Δ with its sign: largest increase or decrease first',
            render: (row) => <DiffBar delta={row.delta} maxDelta={most} tone={toneOf(row, most)} />,
        },
    ];
}

function limitColumns({ per, paneWidth }: RooflineColumns): Column[] {
    const percentOf = (side: Side): Column => ({
        key: `${side}_percent`,
        title: '% of limit',
        unit: side,
        width: 112,
        sortKey: `${side}_percent`,
        hideBelow: 780 + paneWidth,
        title_tip: `time at the limit by the measured time, in the ${side} run`,
        ...RIGHT_ALIGNED,
        render: (row) => percentCell(row[side]?.percent ?? null),
    });
    const aboveOf = (side: Side): Column => ({
        key: `${side}_above`,
        title: 'Above limit',
        unit: `${side}, ms`,
        width: 132,
        sortKey: `${side}_above`,
        hideBelow: 1180 + paneWidth,
        title_tip: `time minus the time at the limit, ${per === 'call' ? 'of one call ' : ''}in the ${side} run`,
        ...RIGHT_ALIGNED,
        render: (row) => (row[side]?.above_ns == null ? dash : ms(row[side].above_ns)),
    });
    return [
        percentOf('base'),
        percentOf('new'),
        aboveOf('base'),
        aboveOf('new'),
        {
            key: 'bound',
            title: 'Bound by',
            width: 172,
            sortKey: 'bound',
            hideBelow: 960 + paneWidth,
            title_tip: 'memory or compute: what the limit is; base → new where the runs differ',
            render: (row) => boundText(row) || <span class="soft">{noLimitText(row)}</span>,
        },
    ];
}

function columnsOf(of: RooflineColumns): Column[] {
    return [
        nameColumn(of),
        ...timeColumns(of),
        ...(of.hasLimits ? limitColumns(of) : []),
        {
            key: 'calls',
            title: 'Calls',
            width: 92,
            sortKey: 'calls',
            hideBelow: 1320 + of.paneWidth,
            title_tip: 'base → new where the runs differ',
            ...RIGHT_ALIGNED,
            render: callsCell,
        },
    ];
}

/** Links to the row in the tab Roofline of each run. */
export function rooflineLinks(comparison: Comparison, row: RooflineDiff, by: RooflineBy): Action[] {
    return (['base', 'new'] as const).map((side) => {
        const query = rooflineQuery(row, side, by);
        return {
            text: `Show in ${side} run`,
            key: side === 'base' ? 'b' : 'n',
            group: ROW_GROUPS.view,
            disabled: query ? undefined : `the ${side} run does not have it`,
            href: formatHash(['run', comparison[side][0].id, tabId('roofline')], query ?? {}),
        };
    });
}

interface RooflineDiffTableProps {
    comparison: Comparison;
    columns: RooflineColumns;
    rows: RooflineDiff[];
    selected: string | null;
    onSelect: (key: string) => void;
    handle: { current: GridHandle | null };
    empty: string;
}

export function RooflineDiffTable(props: RooflineDiffTableProps) {
    const { comparison, rows, selected, onSelect, handle, empty } = props;
    const { by, most, per, hasLimits, search, paneWidth } = props.columns;
    const columns = useMemo(
        () => columnsOf({ by, most, per, hasLimits, search, paneWidth }),
        [by, most, per, hasLimits, search, paneWidth],
    );
    const source = useMemo(() => arraySource(rows), [rows]);
    return (
        <DataGrid<RooflineDiff>
            label="operators of both runs and their limits"
            columns={columns}
            source={source}
            rowKey={({ key }) => key}
            sort={rooflineSort()}
            onSort={({ key, desc }) => replaceQuery({ sort: key, desc: desc ? '1' : '0' })}
            selected={selected}
            onSelect={({ key }) => onSelect(key)}
            onOpen={(row) => {
                const [base, fresh] = rooflineLinks(comparison, row, by);
                runAction(row.new ? fresh : base);
            }}
            handle={handle}
            rowClass={(row) => (isShared(row) ? '' : 'is-quiet')}
            actions={(row) =>
                rowActions(
                    comparison[row.new ? 'new' : 'base'][0],
                    { name: row.name },
                    rooflineLinks(comparison, row, by),
                )
            }
            empty={empty}
        />
    );
}
