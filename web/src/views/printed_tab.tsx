/* SPDX-License-Identifier: MIT
 *
 * Functions and files of printed pstats reports. A log may hold several: one is shown at a time.
 */
import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { API } from '../base/client';
import { route, setQuery } from '../base/router';
import type { Page, Run } from '../base/types';
import { fig, int, THIN } from '../base/units';
import { Menu } from '../components/menu';
import { Notice } from '../components/notice';
import { LoadingLine } from '../components/progress';
import { readFilters } from '../model/filter_query';
import { matcher } from '../model/search';
import { FilesOf } from './files_tab';
import { FunctionsByFile } from './functions_by_file';
import { objectsOf } from './functions_data';
import { FunctionsTable } from './functions_table';
import { FunctionsToolbar } from './functions_toolbar';
import { printedOf } from './printed_words';
import { useJson } from './use_json';

export interface ReportRow {
    id: number;
    stage: string | null;
    title: string | null;
    ordered_by: string | null;
    ncalls: number | null;
    primitive_calls: number | null;
    seconds: number | null;
    functions: number;
    listed_of: number | null;
    total_s: number;
}

const MOST = 1000;

/** All printed tables of the run, and the one that is shown. */
function useReports(run: Run): { reports: ReportRow[]; shown: ReportRow | null; ready: boolean } {
    const { data, error } = useJson<Page>(`${API}/runs/${run.id}/reports?sort=id&limit=${MOST}`);
    const reports = useMemo(() => objectsOf<ReportRow>(data), [data]);
    const asked = Number(route.value.query.report ?? printedOf(run).report);
    const shown = reports.find(({ id }) => id === asked) ?? reports[0] ?? null;
    return { reports, shown, ready: data !== null || error !== null };
}

function nameOf({ id, stage, title, ordered_by }: ReportRow): string {
    if (title) return stage ? `${stage} · ${title}` : title;
    return `report ${int(id)}${ordered_by ? `, by ${ordered_by}` : ''}`;
}

/** How to choose another; null where there is none. */
function picker(reports: ReportRow[], shown: ReportRow | null): VNode | null {
    if (!shown || reports.length < 2) return null;
    return (
        <Menu
            ariaLabel="report"
            tip="which of the printed tables is shown"
            filter={reports.length > 12}
            label={<span class="report-picker">{nameOf(shown)} ▾</span>}
            items={reports.map((report) => {
                const { value, unit } = fig(report.total_s);
                return {
                    text: nameOf(report),
                    note: `${value}${THIN}${unit}`,
                    checked: report.id === shown.id,
                    onPick: () => setQuery({ report: String(report.id), fn: null }),
                };
            })}
        />
    );
}

function Reduced({ report }: { report: ReportRow }) {
    if (report.listed_of === null || report.listed_of <= report.functions) return null;
    return (
        <Notice kind="warning">
            The report was printed with a restriction: {int(report.functions)} of{' '}
            {int(report.listed_of)} functions are in it.
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
                of={shown?.functions ?? 0}
                report={shown?.id}
                picker={picker(reports, shown)}
            />
            {shown && <Reduced report={shown} />}
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
            picker={picker(reports, shown)}
        />
    );
}
