/* SPDX-License-Identifier: MIT
 *
 * Columns of a table of one group: median, spread, and the number of runs that have the row.
 */
import type { ComparisonTable, GroupRow, Metric } from '../../base/answers';
import { DASH, formatFixed, int, text } from '../../base/units';
import type { GridColumn } from '../../components/grid_types';
import { ShareBar } from '../../components/share_bar';
import { cellText, formatValueOf, type Scale } from '../../model/compare';
import { capital } from '../../model/labels';
import type { Matcher } from '../../model/search';
import { RowName, unitOf, shortPlaceText } from './columns';

type Column = GridColumn<GroupRow>;
const RIGHT_ALIGNED = { align: 'right' as const, numeric: true };

interface GroupColumnsOf {
    table: ComparisonTable;
    metric: Metric;
    scale: Scale;
    search: Matcher;
    runs: number;
    base: string;
}

/** Returns a formatter for values of a row, in the unit of the table or, if rows differ, of the
 * row. */
function formatIn(of: Pick<GroupColumnsOf, 'table' | 'metric' | 'scale'>) {
    return (row: { place: string | null }, value: number): string =>
        of.table.place === 'unit'
            ? text(formatValueOf(value, unitOf(of.table, of.metric, row)))
            : cellText(value, of.scale);
}

export function groupColumns(of: GroupColumnsOf): Column[] {
    const { table, metric, runs } = of;
    const format = formatIn(of);
    const unit = table.place === 'unit' ? undefined : of.scale.unit || undefined;
    const statisticColumn = (
        key: 'median' | 'mad' | 'min' | 'max',
        title: string,
        tip: string,
    ): Column => ({
        key,
        title,
        unit,
        width: 104,
        sortKey: key === 'median' ? 'size' : key,
        ...RIGHT_ALIGNED,
        title_tip: tip,
        term: key === 'mad' ? 'median-absolute-deviation' : undefined,
        render: (row) => {
            const value = row[key];
            if (value === null) return <span class="zero">{DASH}</span>;
            const shown = format(row, value);
            return /[1-9]/.test(shown) ? <>{shown}</> : <span class="zero">{shown}</span>;
        },
    });
    return [
        nameColumn(of),
        statisticColumn('median', 'Median', `${metric.title.toLowerCase()}, median of the runs`),
        statisticColumn('mad', 'Spread ±', 'Over the runs.'),
        statisticColumn('min', 'Min', 'of all runs; a run without the row counts as 0'),
        statisticColumn('max', 'Max', 'of all runs'),
        ...(metric.adds_up ? [shareColumn(metric, of.base)] : []),
        {
            key: 'in',
            title: 'Runs',
            width: 88,
            sortKey: 'in',
            ...RIGHT_ALIGNED,
            title_tip: 'number of runs that have the row',
            render: (row) => (
                <span class={row.in === runs ? 'soft' : 'warn'}>
                    {int(row.in)} of {int(runs)}
                </span>
            ),
        },
    ];
}

function shareColumn(metric: Metric, base: string): Column {
    return {
        key: 'share',
        title: 'Share',
        unit: `% of ${base}`,
        width: 112,
        sortKey: 'share',
        ...RIGHT_ALIGNED,
        title_tip:
            base === 'Σ'
                ? `of the sum of the medians of ${metric.title.toLowerCase()}`
                : `of the ${metric.title.toLowerCase()} that the tool states for all`,
        render: ({ share }) =>
            share === null ? null : (
                <ShareBar share={share / 100} tone="self">
                    {formatFixed(share, 1)}
                </ShareBar>
            ),
    };
}

function nameColumn({ table, search }: GroupColumnsOf): Column {
    return {
        key: 'name',
        title: capital(table.row),
        width: 'rest',
        sortKey: 'name',
        render: (row) => (
            <span class="compare-row-name" title={placeText(row)}>
                <RowName table={table} name={row.name} search={search} />
                <small class="faint ellipsis">{shortPlaceText(table, row)}</small>
            </span>
        ),
    };
}

function placeText({ name, place, line, within, by }: GroupRow): string {
    const where = place && line !== null ? `${place}:${line}` : place;
    return [name, where, within && `in ${within}`, by && `first imported by ${by}`]
        .filter(Boolean)
        .join('\n');
}
