/* SPDX-License-Identifier: MIT
 *
 * The rows of a table that changed most over a trend. A row opens its own trend.
 */
import { useMemo } from 'preact/hooks';
import type { GrowthRow, TrendRows } from '../../base/answers';
import { API, withParams } from '../../base/client';
import { replaceQuery, type Query } from '../../base/router';
import { text } from '../../base/units';
import { DataGrid, type GridColumn } from '../../components/data_grid';
import { arraySource } from '../../components/grid_types';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import { formatDelta, formatValueOf } from '../../model/compare';
import { capital } from '../../model/labels';
import { useJson } from '../shared/use_json';
import { Sparkline } from './link';
import { changeText, pctText } from './points';

/* Results of benchmarks remain in the memory of the server, so many runs are fast. */
const RESULT_RUNS = '2000';

function rowsPath({ runs, by, of, metric, step, kind, names }: Query): string {
    const limit = of === 'measurements' ? RESULT_RUNS : '';
    const asked = { runs, by, of, metric, step, kind, names, limit };
    const given = Object.entries(asked).filter((entry): entry is [string, string] => !!entry[1]);
    return withParams(`${API}/trend/rows`, Object.fromEntries(given));
}

export function GrowthTable({ query }: { query: Query }) {
    const { data, error, loading } = useJson<TrendRows>(rowsPath(query));
    if (error) return <Notice kind="error" title="The rows could not be read" error={error} />;
    if (!data) return <LoadingLine active={loading} />;
    return <Growth growth={data} />;
}

function Growth({ growth }: { growth: TrendRows }) {
    const source = useMemo(() => arraySource(growth.rows), [growth]);
    const columns = useMemo(() => columnsOf(growth), [growth]);
    if (growth.rows.length === 0) {
        return <Notice kind="info" title="No run has a row in this table" />;
    }
    return (
        <DataGrid<GrowthRow>
            label="rows by change"
            class="trend-table"
            columns={columns}
            source={source}
            rowKey={(row) => `${row.name}\n${row.place}`}
            selected={null}
            onSelect={openRow}
            onOpen={openRow}
        />
    );
}

function openRow({ name, place }: GrowthRow): void {
    replaceQuery({ row: name, place: place || null, names: null });
}

function columnsOf(growth: TrendRows): GridColumn<GrowthRow>[] {
    const unitOf = (row: GrowthRow) => (growth.place_is_unit ? row.place : growth.unit);
    const value = (key: 'first' | 'last', title: string): GridColumn<GrowthRow> => ({
        key,
        title,
        width: 104,
        align: 'right',
        hideBelow: key === 'first' ? 600 : undefined,
        render: (row) => text(formatValueOf(row[key], unitOf(row))),
    });
    return [
        {
            key: 'name',
            title: capital(growth.of),
            unit: `by ${growth.title.toLowerCase()}`,
            width: 'rest',
            render: ({ name, place }) => (
                <span title={`${name} ${place}`}>
                    <span class="row-name">{name}</span> <span class="soft">{place}</span>
                </span>
            ),
        },
        {
            key: 'values',
            title: 'Values',
            width: 88,
            hideBelow: 600,
            render: ({ values }) => <Sparkline values={values} />,
        },
        value('first', 'First'),
        value('last', 'Last'),
        {
            key: 'delta',
            title: 'Δ',
            width: 112,
            align: 'right',
            render: (row) => (row.delta ? text(formatDelta(row.delta, unitOf(row))) : null),
        },
        {
            key: 'pct',
            title: 'Δ',
            unit: '% first',
            width: 96,
            align: 'right',
            hideBelow: 600,
            render: ({ found, delta, first }) => found ?? (delta ? pctText(delta, first) : null),
        },
        {
            key: 'step',
            title: 'Change point',
            term: 'change-point',
            width: 208,
            hideBelow: 1000,
            render: (row) => <GreatestChange growth={growth} row={row} />,
        },
    ];
}

/** The greatest change of level of a row, and the point where it begins. */
function GreatestChange({ growth, row }: { growth: TrendRows; row: GrowthRow }) {
    const [change] = [...row.changes].sort((a, b) => Math.abs(b.delta) - Math.abs(a.delta));
    if (!change) return null;
    const { tone, short, long } = changeText(
        change,
        growth.place_is_unit ? row.place : growth.unit,
    );
    const point = growth.points[change.index];
    return (
        <span class="ellipsis" title={long}>
            <span class={tone}>{short}</span> <span class="soft">{point.by ?? point.name}</span>
        </span>
    );
}
