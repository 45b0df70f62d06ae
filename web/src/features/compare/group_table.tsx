/* SPDX-License-Identifier: MIT
 *
 * One table of a group with its toolbar, next to a pane with the runs of the group or the selected
 * row.
 */
import { useMemo } from 'preact/hooks';
import type { ComparisonTable, GroupReport, GroupRow, Metric } from '../../base/answers';
import { route } from '../../base/router';
import { viewportWidth } from '../../components/viewport';
import { scaleOf } from '../../model/compare';
import type { Matcher } from '../../model/search';
import type { RowName } from './diff_tree';
import { fitColumns } from './fit_columns';
import { groupColumns } from './group_columns';
import { GroupPane } from './group_pane';
import { useLargestRows } from './largest_rows';
import { CompareRows, NoRowsYet, useSearch } from './rows';
import { sidePaneWidth } from './side_pane';
import { metricOf } from './state';

interface GroupTableProps {
    report: GroupReport;
    table: ComparisonTable;
    /** Called when the user selects a row in the table. */
    onPick: (row: RowName) => void;
}

export function GroupTable(props: GroupTableProps) {
    const { table } = props;
    const metric = metricOf(table, route.value.query);
    const { top, error } = useLargestRows<GroupRow>(table);
    if (!top) return <NoRowsYet error={error} />;
    const base = typeof top.page.sums.whole === 'number' ? 'total' : 'Σ';
    return <TableBody {...props} metric={metric} top={top.rows} base={base} />;
}

/** `base`: what shares are of, the total that the tool states or the sum of the rows. */
type TableBodyProps = GroupTableProps & { metric: Metric; top: GroupRow[]; base: string };

function useColumns({ report, table, metric, top, base }: TableBodyProps, search: Matcher) {
    const room = viewportWidth.value - sidePaneWidth();
    return useMemo(() => {
        const values = top.flatMap(({ median, max }) => [median ?? 0, max ?? 0]);
        const scale = scaleOf(metric.unit, Math.max(0, ...values), values.every(Number.isInteger));
        const runs = report.new.length;
        return {
            scale,
            columns: fitColumns(groupColumns({ table, metric, scale, search, runs, base }), room),
        };
    }, [report, table, metric, search, top, base, room]);
}

function TableBody(props: TableBodyProps) {
    const { report, table, metric, base, onPick } = props;
    const { scale, columns } = useColumns(props, useSearch());
    return (
        <CompareRows<GroupRow> {...{ table, metric, columns, onPick }}>
            <GroupPane {...{ report, table, metric, scale, base }} />
        </CompareRows>
    );
}
