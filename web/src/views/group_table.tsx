/* SPDX-License-Identifier: MIT
 *
 * One table of a group with its toolbar, beside it its runs or the selected row.
 */
import { useMemo, useRef } from 'preact/hooks';
import type { ComparedTable, GroupReport, GroupRow, Metric } from '../base/compare_types';
import { type Params, withParams } from '../base/client';
import { useKeys } from '../base/keys';
import { route } from '../base/router';
import { DataGrid } from '../components/data_grid';
import type { GridHandle } from '../components/grid_types';
import { Notice } from '../components/notice';
import { LoadingLine } from '../components/progress';
import { scaleOf } from '../model/compare';
import type { RowName } from '../model/diff_tree';
import { readFilters, readSort } from '../model/filter_query';
import { matcher, type Matcher } from '../model/search';
import { useReveal } from './compare_link';
import { comparePath, groupsOf, metricOf, put } from './compare_state';
import { CompareToolbar } from './compare_toolbar';
import { useTop } from './compare_top';
import { groupColumns } from './group_columns';
import { GroupPane } from './group_pane';
import { useSource } from './use_source';

interface GroupTableProps {
    report: GroupReport;
    table: ComparedTable;
    /** A row was picked here. */
    onPick: (row: RowName) => void;
}

export function GroupTable(props: GroupTableProps) {
    const { table } = props;
    const metric = metricOf(table, route.value.query);
    const { top, error } = useTop<GroupRow>(table, metric);
    if (top) return <TableBody {...props} metric={metric} top={top.rows} />;
    return (
        <div class="tab-body">
            {error && <Notice kind="error" title="The rows could not be read" error={error} />}
            <LoadingLine active={!error} />
        </div>
    );
}

type TableBodyProps = GroupTableProps & { metric: Metric; top: GroupRow[] };

function useColumns({ report, table, metric, top }: TableBodyProps, search: Matcher) {
    return useMemo(() => {
        const values = top.flatMap(({ median, max }) => [median, max]);
        const scale = scaleOf(metric.unit, Math.max(0, ...values), values.every(Number.isInteger));
        const runs = report.new.length;
        return { scale, columns: groupColumns({ table, metric, scale, search, runs }) };
    }, [report, table, metric, search, top]);
}

function TableBody(props: TableBodyProps) {
    const { report, table, metric } = props;
    const { query } = route.value;
    const filters = readFilters(query);
    const search = useMemo(() => matcher(filters.q, filters.regex), [filters.q, filters.regex]);
    const sort = readSort(query, 'size', true);
    const params = {
        ...groupsOf(query),
        metric: metric.metric,
        sort: sort.key,
        desc: sort.desc,
        q: filters.q || undefined,
        regex: filters.regex ? 1 : undefined,
    };
    const path = comparePath({}, `/${table.of}`);
    const source = useSource<GroupRow>(path, params, filters.broken);
    const grid = useRef<GridHandle | null>(null);
    const own = useReveal(grid, source, path, params);
    const { scale, columns } = useColumns(props, search);
    useKeys('Group', [{ key: 'Escape', label: 'close the row', run: () => put({ row: null }) }]);
    return (
        <div class="tab-body">
            <CompareToolbar
                {...{ table, metric, source, filters }}
                error={search.error}
                csv={withParams(path, { ...params, format: 'csv' })}
            />
            <div class="panes">
                <section class="pane pane-main">
                    <DataGrid<GroupRow>
                        label={table.title}
                        columns={columns}
                        source={source}
                        rowKey={(row) => String(row.id)}
                        sort={sort}
                        onSort={({ key, desc }) => put({ sort: key, desc: desc ? '1' : '0' })}
                        selected={query.row ?? null}
                        onSelect={(row) => {
                            own(row.id);
                            put({ row: String(row.id) });
                            props.onPick(row);
                        }}
                        handle={grid}
                        resetKey={withParams('', params as Params)}
                        empty={
                            filters.q ? `No ${table.row} matches.` : 'None of the runs holds a row.'
                        }
                    />
                </section>
                <GroupPane {...{ report, table, metric, scale }} />
            </div>
        </div>
    );
}
