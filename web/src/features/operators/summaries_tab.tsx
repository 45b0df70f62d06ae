/* SPDX-License-Identifier: MIT
 *
 * The Summaries tab: the reports of `nsys stats` for the run or the range, one at a time. Next to
 * the report, all slices of the selected name.
 */
import { useMemo, useState } from 'preact/hooks';
import type { Run, Summaries } from '../../base/answers';
import { useKeys } from '../../base/keys';
import { kindHas } from '../../base/kinds';
import { goTo, replaceQuery, route } from '../../base/router';
import type { SummaryRow } from '../../base/trace_types';
import { formatSeconds, formatFixed, int } from '../../base/units';
import { Menu } from '../../components/menu';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import { Segmented } from '../../components/segmented';
import { FormattedValueText } from '../../components/text';
import { isPaneBeside, SelectionLayout } from '../../components/selection_layout';
import { PaneSection, PaneValues } from '../../components/selection_pane';
import { viewportWidth } from '../../components/viewport';
import { readFilters } from '../../model/filter_query';
import { matcher } from '../../model/search';
import { useJson } from '../shared/use_json';
import { rangedPath, useRange, viewPath } from '../trace/data';
import { traceNameActions } from '../trace/name_actions';
import { filterParams, sortParams, TraceTable, useColumns } from '../trace/table';
import { timelineHash } from '../trace/timeline_link';
import { TraceToolbar } from '../trace/toolbar';
import { NamedPane, selectRow, useSelectedRow } from './named_pane';
import {
    reportsOf,
    type SummaryReport,
    summaryColumns,
    summaryKey,
    summarySort,
} from './summaries_columns';

export function SummariesTab({ run }: { run: Run }) {
    const { data, error } = useJson<Summaries>(viewPath(run, 'summaries'));
    const reports = useMemo(() => reportsOf(data?.reports ?? []), [data]);
    const urlReport = route.value.query.report;
    const shown = reports.find(({ id }) => id === urlReport) ?? reports[0];
    if (error) return <Notice kind="error" title="The reports could not be read" error={error} />;
    if (!data) return <LoadingLine active />;
    if (!shown) return <Notice kind="info">This run has no data for these reports.</Notice>;
    return <Summary key={shown.id} run={run} reports={reports} report={shown} />;
}

interface SummaryProps {
    run: Run;
    reports: SummaryReport[];
    report: SummaryReport;
}

function Summary({ run, reports, report }: SummaryProps) {
    const query = route.value.query;
    const range = useRange();
    const filters = readFilters(query);
    const search = useMemo(() => matcher(filters.q, filters.regex), [filters.q, filters.regex]);
    const [shown, setShown] = useState<number | null>(null);
    const [row, setRow] = useState<SummaryRow | null>(null);
    const selected = useSelectedRow<SummaryRow>(
        (filter) => rangedPath(run, 'summary', range, { report: report.id, ...filter }),
        summaryKey,
    );
    const pane = selected !== null && isPaneBeside();
    const nvtx = kindHas(run.kind, 'nvtx');
    const columns = useColumns(
        () => summaryColumns(report, search, { nvtx, pane }),
        [report, search, nvtx, pane],
    );
    const sort = summarySort(report);
    const isOperation = report.rowsAreOperations;
    useKeys(
        'Summary',
        selected
            ? [{ key: 'Escape', label: 'clear selection', run: () => selectRow(null, null) }]
            : [],
    );
    return (
        <div class="tab-body">
            <TraceToolbar
                run={run}
                range={range}
                view="summary"
                what={report.what}
                filters={filters}
                error={search.error}
                params={{ report: report.id, ...sortParams(sort), ...filterParams(filters) }}
                shown={shown}
                rowsAreNames
            >
                <ReportSwitch reports={reports} shown={report} />
            </TraceToolbar>
            <SelectionLayout
                pane={
                    selected && (
                        <NamedPane run={run} selected={selected} isOperation={isOperation}>
                            {row && summaryKey(row) === selected && (
                                <ExtraFacts report={report} row={row} />
                            )}
                        </NamedPane>
                    )
                }
            >
                <TraceTable<SummaryRow>
                    run={run}
                    range={range}
                    view="summary"
                    label={report.title}
                    columns={columns}
                    rowKey={summaryKey}
                    sort={sort}
                    filters={filters}
                    params={{ report: report.id }}
                    selected={selected}
                    onSelect={(next) => {
                        setRow(next);
                        selectRow(summaryKey(next), next.name);
                    }}
                    onOpen={({ name }) => {
                        goTo(timelineHash(run, { find: name, isOperation }));
                    }}
                    actions={({ name }) =>
                        traceNameActions(run, {
                            name,
                            isOperation,
                            of: report.what === 'kernels' ? 'kernels' : undefined,
                        })
                    }
                    onShown={setShown}
                    empty={range ? report.none : 'This run has none.'}
                />
            </SelectionLayout>
        </div>
    );
}

/** Values of a report's row that do not follow from the durations of the slices. */
function ExtraFacts({ report, row }: { report: SummaryReport; row: SummaryRow }) {
    const number = (key: string) => Number(row[key] ?? 0);
    if (report.quantity === 'time') return null;
    const values =
        report.quantity === 'projected'
            ? [
                  {
                      label: 'On the GPU',
                      text: (
                          <FormattedValueText
                              value={formatSeconds(number('proj_total_ns') / 1e9)}
                          />
                      ),
                  },
                  { label: 'With GPU work', text: `${int(row.calls)} of them` },
                  { label: 'GPU operations', text: int(number('works')) },
              ]
            : [{ label: 'Moved', text: `${formatFixed(number('total_bytes') / 1e6, 3)} MB` }];
    return (
        <PaneSection title="This row">
            <PaneValues values={values} base={null} />
        </PaneSection>
    );
}

/** Minimum width in px for a button per report; narrower windows have a menu. */
const BUTTONS_MIN_WIDTH = 1280;

function selectReport(report: string): void {
    replaceQuery({ report, op: null, sort: null, desc: null });
}

function ReportSwitch({ reports, shown }: { reports: SummaryReport[]; shown: SummaryReport }) {
    if (viewportWidth.value >= BUTTONS_MIN_WIDTH) {
        return (
            <Segmented
                label="report"
                value={shown.id}
                options={reports.map(({ id, title, tip }) => ({
                    value: id,
                    text: title,
                    tip: `${tip} (${id} of nsys stats)`,
                }))}
                onChange={selectReport}
            />
        );
    }
    return (
        <Menu
            ariaLabel="report"
            tip="which report is shown"
            label={<span class="report-picker">{shown.title} ▾</span>}
            items={reports.map(({ id, title }) => ({
                text: title,
                note: id,
                checked: id === shown.id,
                onPick: () => selectReport(id),
            }))}
        />
    );
}
