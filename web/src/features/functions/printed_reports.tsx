/* SPDX-License-Identifier: MIT
 *
 * A log may contain several printed tables: the page shows one, which the user selects in the
 * toolbar.
 */
import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Page, Run } from '../../base/answers';
import { API } from '../../base/client';
import { route, setQuery } from '../../base/router';
import { formatSeconds, int, THIN_SPACE } from '../../base/units';
import { Menu } from '../../components/menu';
import { objectsOf } from '../shared/paged_source';
import { useJson } from '../shared/use_json';
import { printedOf } from './printed_facts';
import type { ReportRow } from '../../base/rows';

const MAX_ROWS = 1000;

/** All printed tables of the run, and the selected one. */
export function useReports(run: Run): {
    reports: ReportRow[];
    shown: ReportRow | null;
    ready: boolean;
} {
    const { data, error } = useJson<Page>(
        `${API}/runs/${run.id}/reports?sort=id&limit=${MAX_ROWS}`,
    );
    const reports = useMemo(() => objectsOf<ReportRow>(data), [data]);
    const urlReport = Number(route.value.query.report ?? printedOf(run).report);
    const shown = reports.find(({ id }) => id === urlReport) ?? reports[0] ?? null;
    return { reports, shown, ready: data !== null || error !== null };
}

function reportName({ id, stage, title, ordered_by, by }: ReportRow): string {
    if (title) return stage ? `${stage} · ${title}` : title;
    const order = ordered_by ? `, sorted by ${ordered_by}` : '';
    return `report ${int(id)}${by ? `, by ${by}` : ''}${order}`;
}

/** Menu to select another table; null if the run has only one. */
export function reportPicker(reports: ReportRow[], shown: ReportRow | null): VNode | null {
    if (!shown || reports.length < 2) return null;
    return (
        <Menu
            ariaLabel="report"
            tip="which of the printed tables is shown"
            filter={reports.length > 12}
            label={<span class="report-picker">{reportName(shown)} ▾</span>}
            items={reports.map((report) => {
                const { value, unit } = formatSeconds(report.total_s);
                return {
                    text: reportName(report),
                    note: `${value}${THIN_SPACE}${unit}`,
                    checked: report.id === shown.id,
                    onPick: () => setQuery({ report: String(report.id), fn: null }),
                };
            })}
        />
    );
}
