/* SPDX-License-Identifier: MIT
 *
 * Functions and files of printed pstats reports. A log may contain several reports: the page shows
 * one at a time.
 */
import { useMemo, useState } from 'preact/hooks';
import type { Run } from '../../base/answers';
import { route } from '../../base/router';
import type { ReportRow } from '../../base/rows';
import { int, plural } from '../../base/units';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import { readFilters } from '../../model/filter_query';
import { matcher } from '../../model/search';
import { FunctionsByFile } from './by_file';
import { FilesOf } from './files_tab';
import { reportPicker, useReports } from './printed_reports';
import { FunctionsTable } from './table';
import { FunctionsToolbar } from './toolbar';

function ReducedListNotice({ report }: { report: ReportRow }) {
    if (report.listed_of === null || report.listed_of <= report.functions) return null;
    return (
        <Notice kind="warning">
            The report was printed with a restriction. It lists {int(report.functions)} of{' '}
            {plural(report.listed_of, 'function')}.
        </Notice>
    );
}

export function PrintedFunctionsTab({ run }: { run: Run }) {
    const { reports, shown, ready } = useReports(run);
    const query = route.value.query;
    const filters = readFilters(query);
    const search = useMemo(() => matcher(filters.q, filters.regex), [filters.q, filters.regex]);
    const [rows, setRows] = useState<number | null>(null);
    if (!ready) return <LoadingLine active />;
    const props = {
        run,
        filters,
        search,
        total: shown?.total_s ?? 0,
        selected: query.fn ? Number(query.fn) : null,
        report: shown?.id,
        onShown: setRows,
    };
    return (
        <div class="tab-body">
            <FunctionsToolbar
                run={run}
                filters={filters}
                error={search.error}
                shown={rows}
                total={shown?.functions ?? 0}
                report={shown?.id}
                picker={reportPicker(reports, shown)}
            />
            {shown && <ReducedListNotice report={shown} />}
            <div class="panes">
                <section class="pane pane-main">
                    {query.group === 'file' ? (
                        <FunctionsByFile key={shown?.id} {...props} />
                    ) : (
                        <FunctionsTable {...props} />
                    )}
                </section>
            </div>
        </div>
    );
}

export function PrintedFilesTab({ run }: { run: Run }) {
    const { reports, shown, ready } = useReports(run);
    if (!ready) return <LoadingLine active />;
    return (
        <FilesOf
            run={run}
            total={shown?.total_s ?? 0}
            report={shown?.id}
            picker={reportPicker(reports, shown)}
        />
    );
}
