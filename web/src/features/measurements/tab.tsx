/* SPDX-License-Identifier: MIT
 *
 * Measurements: a ranking of commands or benchmarks, then one row each: the tool's value, its spread, and a box plot on a scale that the rows
 * of a group share. The pane next to it has the samples of the selected row.
 */
import type { Run } from '../../base/answers';
import { useKeys } from '../../base/keys';
import { route, setQuery } from '../../base/router';
import type { MeasurementRow } from '../../base/rows';
import { LABELS } from '../../base/terms';
import { formatFixed, int, text, THIN_SPACE } from '../../base/units';
import type { GridColumn } from '../../components/data_grid';
import { MarkedName } from '../../components/marked_name';
import type { Matcher } from '../../model/search';
import { rowActions } from '../shared/row_actions';
import { TableTab } from '../shared/table_tab';
import { BoxPlot } from './box_plot';
import { MeasurementPane } from './pane';
import { Rankings } from './ranking';
import { boxScale, formatSpread, formatNumber } from './values';

type Column = GridColumn<MeasurementRow>;

/* Minimum window width in px at which a column is shown next to the pane, by column key. */
const HIDE_BELOW_WITH_PANE: Record<string, number> = {
    group: 1400,
    statistic: 1200,
    stddev: 1100,
    plot: 1000,
};
const RIGHT_ALIGNED = { align: 'right' as const, numeric: true };

const selectMeasurement = (id: number | null): void =>
    setQuery({ m: id === null ? null : String(id) }, { replace: true });

export function MeasurementsTab({ run }: { run: Run }) {
    const selected = Number(route.value.query.m) || null;
    useKeys(
        'Measurement',
        selected
            ? [{ key: 'Escape', label: 'clear selection', run: () => selectMeasurement(null) }]
            : [],
    );
    return (
        <>
            <Rankings run={run} selected={selected} onSelect={selectMeasurement} />
            <TableTab<MeasurementRow>
                run={run}
                view="measurements"
                title={LABELS.measurements}
                sort="id"
                isAscending
                narrow={selected !== null}
                remark="Plots in a group share one scale: linear from 0, or logarithmic where marked “log”"
                selectKey="m"
                rowKey={(row) => row.id}
                columns={columnsOf}
                onOpen={(row) => selectMeasurement(row.id)}
                actions={({ name }) =>
                    rowActions(run, { name, row: { of: 'measurements', row: name } })
                }
                empty={(filtered) =>
                    filtered
                        ? 'No measurement matches the filter. Clear it to see all.'
                        : 'This run has no measurements.'
                }
                pane={
                    selected && (
                        <MeasurementPane
                            run={run}
                            id={selected}
                            onClose={() => selectMeasurement(null)}
                        />
                    )
                }
            />
        </>
    );
}

/** Cell of a value. The unit has a column of its own inside the cell, so that the numbers are
 * aligned. */
function valueCell(value: number | null, row: MeasurementRow) {
    if (value === null) return <span class="zero">–</span>;
    const shown = formatNumber(value, row.unit, row.resolution);
    const tip =
        row.resolution === null
            ? String(value)
            : `${value}, printed to ${text(formatNumber(row.resolution, row.unit))}`;
    return (
        <span class={`measure-figure${value === 0 ? ' zero' : ''}`} title={tip}>
            {shown.value}
            <span class="measure-unit">{shown.unit}</span>
        </span>
    );
}

function spreadCell({ stddev, value, unit }: MeasurementRow) {
    if (stddev === null || value === null) return <span class="zero">–</span>;
    const share = value > 0 ? `${formatFixed((100 * stddev) / value, 1)}${THIN_SPACE}%` : '';
    return (
        <span class="measure-figure">
            {text(formatSpread(stddev, value, unit))}
            <span class="measure-share">{share}</span>
        </span>
    );
}

function plotCell(row: MeasurementRow) {
    const { value, n, unit } = row;
    if (value === null || row.group_max === null) return '';
    const scale = boxScale(row.group_min, row.group_max);
    const format = (at: number | null) => (at === null ? '–' : text(formatNumber(at, unit)));
    const summary = `least ${format(row.min ?? value)}, quartiles ${format(row.q1)} and ${format(row.q3)}, median ${format(row.median)}, most ${format(row.max ?? value)}${n ? ` of ${int(n)}` : ''}`;
    return (
        <span
            class="box-cell"
            title={`${summary}; scale ${scale.log ? 'logarithmic' : 'from 0'} to ${format(row.group_max)}`}
        >
            <BoxPlot {...row} scale={scale} label={summary} />
            {scale.log && <span class="box-log">log</span>}
        </span>
    );
}

function valueColumn(key: 'median' | 'min' | 'max', title: string, hideBelow: number): Column {
    return {
        key,
        title,
        width: 104,
        sortKey: key,
        ...RIGHT_ALIGNED,
        hideBelow,
        render: (row) => valueCell(row[key], row),
    };
}

function columnsOf(search: Matcher, narrow: boolean): Column[] {
    const all = [...nameColumns(search), ...valueColumns()];
    if (narrow) {
        return [...all, ...spreadColumns()].map((column) => ({
            ...column,
            hideBelow: HIDE_BELOW_WITH_PANE[column.key] ?? column.hideBelow,
        }));
    }
    return [
        ...all,
        ...spreadColumns(),
        valueColumn('median', 'median', 1300),
        valueColumn('min', 'least', 1200),
        valueColumn('max', 'most', 1200),
    ];
}

function nameColumns(search: Matcher): Column[] {
    return [
        {
            key: 'name',
            title: 'name',
            width: 'rest',
            sortKey: 'name',
            render: (row) => (
                <span class="mono" title={row.name}>
                    <MarkedName text={row.name} search={search} />
                </span>
            ),
        },
        {
            key: 'group',
            title: 'group',
            width: 140,
            sortKey: 'group',
            hideBelow: 1100,
            render: (row) => <span class="soft">{row.grp}</span>,
        },
    ];
}

function valueColumns(): Column[] {
    return [
        {
            key: 'value',
            title: 'value',
            width: 112,
            sortKey: 'value',
            ...RIGHT_ALIGNED,
            render: (row) => valueCell(row.value, row),
        },
        {
            key: 'statistic',
            title: 'is the',
            width: 68,
            hideBelow: 900,
            render: (row) => <span class="soft">{row.statistic}</span>,
        },
        {
            key: 'n',
            title: 'n',
            width: 72,
            sortKey: 'n',
            ...RIGHT_ALIGNED,
            title_tip: 'samples behind the figure',
            render: (row) => (row.n === null ? <span class="zero">–</span> : int(row.n)),
        },
    ];
}

function spreadColumns(): Column[] {
    return [
        {
            key: 'stddev',
            title: 'std dev',
            unit: '% of value',
            width: 156,
            sortKey: 'relative',
            ...RIGHT_ALIGNED,
            hideBelow: 900,
            title_tip: 'standard deviation; sorts by its share of the mean',
            render: spreadCell,
        },
        {
            key: 'plot',
            title: 'min, quartiles, max',
            width: 220,
            title_tip:
                'scale from 0, or logarithmic if the maximum of a group exceeds 30 times its minimum',
            render: plotCell,
        },
    ];
}
