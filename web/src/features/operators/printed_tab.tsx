/* SPDX-License-Identifier: MIT
 *
 * The Operators tab of a printed key_averages() table: torch's columns and its rounded values.
 */
import { useMemo, useState } from 'preact/hooks';
import type { Run } from '../../base/answers';
import { replaceQuery, route } from '../../base/router';
import type { OperatorRow, PrintedOperatorRow } from '../../base/rows';
import { LABELS } from '../../base/terms';
import { LoadingLine } from '../../components/progress';
import { viewportWidth } from '../../components/viewport';
import { readFilters } from '../../model/filter_query';
import { matcher } from '../../model/search';
import { reportPicker, useReports } from '../functions/printed_reports';
import { textColumn } from '../trace/columns';
import { traceOf } from '../trace/data';
import { traceNameActions } from '../trace/name_actions';
import { filterParams, sortParams, TraceTable, useColumns } from '../trace/table';
import { TraceToolbar } from '../trace/toolbar';
import { operatorColumns } from './columns';
import { operatorSort } from './table';

/* Printed tables lack some columns of operators; `operatorColumns` then omits these columns. */
type PrintedRow = OperatorRow & Pick<PrintedOperatorRow, 'source' | 'cut'>;

const SOURCE_COLUMN = textColumn<PrintedRow>('source', 'source location', {
    width: 320,
    hideBelow: 1000,
    mono: true,
});

export function PrintedOperatorsTab({ run }: { run: Run }) {
    const { reports, shown, ready } = useReports(run);
    const query = route.value.query;
    const filters = readFilters(query);
    const search = useMemo(() => matcher(filters.q, filters.regex), [filters.q, filters.regex]);
    const [rows, setRows] = useState<number | null>(null);
    const isWide = viewportWidth.value >= 1200;
    const columns = useColumns(() => {
        const summary = { ...traceOf(run), torch: 1 };
        const byShape = shown?.by === 'shape';
        const common = operatorColumns({ summary, search, byShape, side: 'host', isWide });
        return shown?.by === 'stack' ? [...common, SOURCE_COLUMN] : common;
    }, [run.id, search, isWide, shown]);
    if (!ready) return <LoadingLine active />;
    const params = { ...filterParams(filters), report: shown?.id };
    return (
        <div class="tab-body">
            <TraceToolbar
                run={run}
                range={null}
                view="operators"
                what="operators"
                filters={filters}
                error={search.error}
                params={{ ...sortParams(operatorSort(run)), ...params }}
                shown={rows}
            >
                {reportPicker(reports, shown)}
            </TraceToolbar>
            <div class="panes">
                <section class="pane pane-main">
                    <TraceTable<PrintedRow>
                        run={run}
                        range={null}
                        view="operators"
                        label={LABELS.operators}
                        columns={columns}
                        rowKey={(row) => String(row.id)}
                        sort={operatorSort(run)}
                        filters={filters}
                        params={{ report: shown?.id }}
                        selected={query.op}
                        onSelect={(row) => replaceQuery({ op: String(row.id) })}
                        actions={({ name }) => traceNameActions(run, { name, of: 'operators' })}
                        onShown={setRows}
                        empty="The table that was printed has no row."
                    />
                </section>
            </div>
        </div>
    );
}
