/* SPDX-License-Identifier: MIT
 *
 * Comparison of two groups of runs: header, verdict, and a tab for every table that they share.
 */
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import type { Comparison, ComparisonTable, Page } from '../../base/answers';
import { useKeys } from '../../base/keys';
import { offlineFile } from '../../base/offline';
import { formatHash, goTo, navigate, type Query, replaceQuery, route } from '../../base/router';
import { LABELS } from '../../base/terms';
import { formatFixed } from '../../base/units';
import { CopyButton } from '../../components/copy_button';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import { setStatus } from '../../components/status_line';
import { Tabs } from '../../components/tabs';
import { groupName, ledgerOf } from '../../model/compare';
import { diffSums } from '../../model/snapshot_diff';
import { rememberComparison } from '../shared/comparison_of';
import { cacheRun } from '../shared/shelf_state';
import { StepButton } from '../shared/step_button';
import { useData, useJson } from '../shared/use_json';
import { SIDE_TAB } from '../side/host';
import { SideView } from '../side/view';
import type { RowName } from './diff_tree';
import { CompareGraph, GRAPH_TAB } from './graph';
import { GroupView } from './group_view';
import { CompareHead } from './head';
import { ComparePicture } from './picture';
import { ShareComparisonButton } from './share_button';
import {
    CHANGES_TAB,
    comparePath,
    isSingle,
    metricOf,
    PARTS_TABLE,
    perOf,
    rowParams,
    subjectOf,
    swapGroups,
    tableOf,
    tabHref,
    tabOf,
} from './state';
import { hasPhases, InferenceComparison, PHASES_TAB } from './inference_view';
import { hasRequests, REQUESTS_TAB, RequestsView } from './requests_view';
import { hasSweep, SWEEP_TAB, SweepView } from './sweep_view';
import { hasRooflines, ROOFLINE_TAB, RooflineComparison } from './roofline_view';
import { isSnapshots, MOMENT_TABS, momentOf, useSnapshotDiff } from './snapshot_data';
import { SnapshotView } from './snapshot_view';
import { stepsSentence } from './step_columns';
import { StepsView, useStepOverviews } from './steps_view';
import { CompareTable } from './table';
import { CompareTypeMenu } from './type_menu';

interface CompareProps {
    tab: string | undefined;
    /** view of the tab "Side by side" */
    view: string | undefined;
}

export function CompareView({ tab, view }: CompareProps) {
    const { query } = route.value;
    const path = comparePath(query);
    const { data, error, loading, path: answered } = useJson<Comparison>(path);
    useEffect(() => {
        for (const run of [...(data?.base ?? []), ...(data?.new ?? [])]) cacheRun(run);
        if (data?.base.length) rememberComparison(data.base, data.new);
    }, [data]);
    if (error) return <NoComparison error={error} />;
    const isOneGroup = !query.base;
    // Until the response for other runs or another step arrives, the content must not request its tables
    // of them: the runs may be of another kind, and may lack the step. Swapped groups have the same
    // tables, so their content remains.
    const isCurrent =
        data !== null &&
        (data.base.length === 0) === isOneGroup &&
        subjectOf(answered ?? '') === subjectOf(path);
    return (
        <main class="report compare">
            {isCurrent && isOneGroup && <GroupView report={data} tab={tab} />}
            {isCurrent && !isOneGroup && (
                <ComparisonReport comparison={data} tab={tab} view={view} />
            )}
            <LoadingLine active={loading} />
        </main>
    );
}

function NoComparison({ error }: { error: NonNullable<ReturnType<typeof useJson>['error']> }) {
    useEffect(() => setStatus(null, null, null), []);
    return (
        <main class="no-run">
            <Notice
                kind="error"
                title="These runs cannot be compared"
                error={error}
                actions={
                    <>
                        {route.value.query.sample_type && (
                            <button
                                type="button"
                                class="link"
                                onClick={() => replaceQuery({ sample_type: null })}
                            >
                                Use the default sample type
                            </button>
                        )}
                        {route.value.query.step && (
                            <button
                                type="button"
                                class="link"
                                onClick={() => replaceQuery({ step: null })}
                            >
                                Use the steps of the files
                            </button>
                        )}
                        <a class="link" href={formatHash([])}>
                            Go to the shelf
                        </a>
                    </>
                }
            />
        </main>
    );
}

const RESULTS_RULE =
    'medians; significant by Student’s t of the ratio, corrected for many rows (Benjamini and Hochberg, 1 %)';

function ruleText({ rules }: Comparison, table: ComparisonTable): string {
    if (table.place === 'unit') return RESULTS_RULE;
    const factor = formatFixed(rules.factor, rules.factor % 1 ? 1 : 0);
    return `medians; noise ≥ ${factor} × √(MAD² + MAD²); significant if |Δ| > noise and p < ${rules.alpha}, corrected for many rows`;
}

function useCompareKeys(hrefs: string[]): void {
    useKeys('Compare', [
        { key: 'x', label: 'swap base and new', run: swapGroups },
        ...hrefs.map((href, i) => ({
            key: String(i + 1),
            label: 'switch tabs',
            run: () => {
                goTo(href);
            },
        })),
        ...(offlineFile()
            ? []
            : [{ key: 'u', label: 'back to the shelf', run: () => navigate([], {}) }]),
    ]);
}

/* Number of rows that one of the groups lacks; null while unknown. */
function useChangeCount(table: ComparisonTable | undefined, ready: boolean): number | null {
    const { query } = route.value;
    const path =
        table && ready
            ? comparePath(query, `/${table.of}`, {
                  ...rowParams(table, query),
                  change: 'added,removed',
                  limit: 1,
              })
            : null;
    return useData<Page>(path)?.total ?? null;
}

/* `changed`: number of rows that one group lacks; null: not known yet. */
function tabsOf(comparison: Comparison, query: Query, changed: number | null) {
    const [first] = comparison.tables;
    return [
        ...(isSnapshots(comparison)
            ? MOMENT_TABS.map((one) => ({
                  id: one.tab,
                  title: one.title,
                  href: tabHref(query, one.tab),
              }))
            : []),
        ...(hasRequests(comparison)
            ? [{ id: REQUESTS_TAB, title: 'Requests', href: tabHref(query, REQUESTS_TAB) }]
            : []),
        ...(hasSweep(comparison)
            ? [{ id: SWEEP_TAB, title: 'Load', href: tabHref(query, SWEEP_TAB) }]
            : []),
        ...(hasPhases(comparison)
            ? [{ id: PHASES_TAB, title: 'Phases', href: tabHref(query, PHASES_TAB) }]
            : []),
        ...comparison.tables.map((one) => ({
            id: tabOf(one),
            title: one.of === PARTS_TABLE ? 'Steps' : one.title,
            href: tabHref(query, tabOf(one)),
        })),
        ...(hasRooflines(comparison)
            ? [{ id: ROOFLINE_TAB, title: 'Roofline', href: tabHref(query, ROOFLINE_TAB) }]
            : []),
        ...(first
            ? [
                  {
                      id: CHANGES_TAB,
                      title: 'Added and removed',
                      count: changed,
                      href: tabHref(query, CHANGES_TAB),
                  },
              ]
            : []),
        ...(comparison.pictures.includes('graph')
            ? [{ id: GRAPH_TAB, title: LABELS.callGraph, href: tabHref(query, GRAPH_TAB) }]
            : []),
        { id: SIDE_TAB, title: 'Side by side', href: tabHref(query, SIDE_TAB) },
    ];
}

function ComparisonReport({ comparison, tab, view }: CompareProps & { comparison: Comparison }) {
    const { query } = route.value;
    const table = tableOf(comparison, tab);
    const [first] = comparison.tables;
    const [ready, setReady] = useState(false);
    const [wantedRow, setWantedRow] = useState<RowName | null>(null);
    const moment = isSnapshots(comparison) ? momentOf(tab) : null;
    const peaks = useSnapshotDiff(comparison, 'peak');
    const chosen = useSnapshotDiff(comparison, moment === 'peak' ? null : moment);
    const shown = moment === null || moment === 'peak' ? peaks : chosen;
    const changedRows = useChangeCount(isSnapshots(comparison) ? undefined : first, ready);
    const overviews = useStepOverviews(comparison);
    const changed = peaks.data ? diffSums(peaks.data).changed : changedRows;
    const tabs = tabsOf(comparison, query, changed);
    const isRooflineTab = hasRooflines(comparison) && tab === ROOFLINE_TAB;
    const isSteps =
        table?.of === PARTS_TABLE && tab !== CHANGES_TAB && tab !== SIDE_TAB && !isRooflineTab;
    const isSideTab = tab === SIDE_TAB;
    const isChangesTab = tab === CHANGES_TAB;
    const isFirst = tab === undefined || tab === '';
    const isRequestsTab = hasRequests(comparison) && (tab === REQUESTS_TAB || isFirst);
    const isSweepTab = hasSweep(comparison) && tab === SWEEP_TAB;
    const isPhasesTab =
        hasPhases(comparison) && (tab === PHASES_TAB || (isFirst && !isRequestsTab));
    const isGraphTab = tab === GRAPH_TAB && comparison.pictures.includes('graph');
    const current = isRequestsTab
        ? REQUESTS_TAB
        : isPhasesTab
          ? PHASES_TAB
          : isChangesTab || isSideTab || isGraphTab || isRooflineTab || isSweepTab
            ? (tab as string)
            : moment
              ? (tab ?? MOMENT_TABS[0].tab)
              : table
                ? tabOf(table)
                : '';
    useCompareKeys(tabs.map(({ href }) => href));
    useEffect(() => {
        document.title = `${groupName(comparison.base)} → ${groupName(comparison.new)} · perfshelf`;
    }, [comparison]);
    useLayoutEffect(() => {
        if (moment) return; // the view says more
        const left = `${ledgerOf('base', comparison.base)} · ${ledgerOf('new', comparison.new)}`;
        const rule =
            !table || isSingle(comparison, table)
                ? 'one run each: significance unknown'
                : ruleText(comparison, table);
        const steps = overviews && isSteps ? stepsSentence(overviews.base, overviews.fresh) : '';
        const per = steps ? 'per step: sum over the steps, divided by their number' : null;
        setStatus(left, [rule, steps].filter(Boolean).join('; '), per);
    }, [comparison, table, overviews, isSteps, moment]);
    return (
        <>
            <CompareHead
                comparison={comparison}
                overviews={overviews}
                snapshots={peaks.data && { peaks: peaks.data, shown: shown.data ?? peaks.data }}
            />
            <Tabs current={current} items={tabs} label="tables of this comparison">
                {comparison.step && (
                    <StepButton
                        step={comparison.step}
                        runs={[...comparison.base, ...comparison.new]}
                    />
                )}
                <CompareTypeMenu comparison={comparison} />
                <button type="button" class="quiet" onClick={swapGroups}>
                    Swap <kbd>x</kbd>
                </button>
                <ShareComparisonButton title="this comparison" />
                {!offlineFile() && (
                    <CopyButton class="quiet" label={LABELS.copyLink} text={() => location.href} />
                )}
            </Tabs>
            {isSideTab ? (
                <SideView comparison={comparison} view={view} />
            ) : isGraphTab ? (
                <CompareGraph comparison={comparison} />
            ) : isRequestsTab ? (
                <RequestsView comparison={comparison} />
            ) : isSweepTab ? (
                <SweepView comparison={comparison} />
            ) : isPhasesTab ? (
                <InferenceComparison comparison={comparison} />
            ) : isRooflineTab ? (
                <RooflineComparison comparison={comparison} />
            ) : moment ? (
                <SnapshotView
                    key={current}
                    comparison={comparison}
                    answer={shown}
                    moment={moment}
                    onlyChanges={isChangesTab}
                />
            ) : table && isSteps ? (
                <StepsView
                    comparison={comparison}
                    table={table}
                    overviews={overviews}
                    onReady={() => setReady(true)}
                />
            ) : table ? (
                <>
                    {!isChangesTab && <ComparePicture {...{ comparison, table, wantedRow }} />}
                    <CompareTable
                        key={`${table.of} ${current} ${metricOf(table, query).metric} ${perOf(table, query)}`}
                        comparison={comparison}
                        table={table}
                        onlyChanges={isChangesTab}
                        onReady={() => setReady(true)}
                        onPick={setWantedRow}
                    />
                </>
            ) : (
                <Notice kind="info" title={LABELS.noSharedTable}>
                    Only the headline can be compared. Choose runs of the same kind to compare
                    tables.
                </Notice>
            )}
        </>
    );
}
