/* SPDX-License-Identifier: MIT
 *
 * Report of one group of runs: header, and a tab for every table that its runs share.
 */
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import type { GroupReport } from '../../base/answers';
import { useKeys } from '../../base/keys';
import { offlineFile } from '../../base/offline';
import { goTo, navigate, route } from '../../base/router';
import { LABELS } from '../../base/terms';
import { int, text } from '../../base/units';
import { CopyButton } from '../../components/copy_button';
import { Notice } from '../../components/notice';
import { setStatus } from '../../components/status_line';
import { Tabs } from '../../components/tabs';
import { FormattedValueText } from '../../components/text';
import { viewportWidth } from '../../components/viewport';
import { formatValueOf, groupName, ledgerOf } from '../../model/compare';
import type { RowName } from './diff_tree';
import { GroupPicture } from './group_picture';
import { GroupStrip } from './group_strip';
import { GroupTable } from './group_table';
import { GroupLine, stripWidth } from './head';
import { ShareComparisonButton } from './share_button';
import { metricOf, perOf, tableOf, tabHref } from './state';

const VALUES_REMARK =
    'values: medians of the runs; spread: median absolute deviation; pictures: means';

function useGroupKeys(hrefs: string[]): void {
    useKeys('Group', [
        ...hrefs.map((href, i) => ({
            key: String(i + 1),
            label: 'switch tabs',
            run: () => goTo(href),
        })),
        ...(offlineFile()
            ? []
            : [{ key: 'u', label: 'back to the shelf', run: () => navigate([], {}) }]),
    ]);
}

export function GroupView({ report, tab }: { report: GroupReport; tab: string | undefined }) {
    const { query } = route.value;
    const table = tableOf(report, tab);
    const [wantedRow, setWantedRow] = useState<RowName | null>(null);
    const tabs = report.tables.map(({ of, title }) => ({
        id: of,
        title,
        href: tabHref(query, of),
    }));
    useGroupKeys(tabs.map(({ href }) => href));
    useEffect(() => {
        document.title = `${groupName(report.new)}, ${int(report.new.length)} runs · perfshelf`;
    }, [report]);
    useLayoutEffect(() => setStatus(ledgerOf('group', report.new), VALUES_REMARK, null), [report]);
    return (
        <>
            <GroupHead report={report} />
            {table ? (
                <>
                    <Tabs current={table.of} items={tabs} label="tables of this group">
                        <ShareComparisonButton title="this group" />
                        {!offlineFile() && (
                            <CopyButton
                                class="quiet"
                                label={LABELS.copyLink}
                                text={() => location.href}
                            />
                        )}
                    </Tabs>
                    <GroupPicture report={report} table={table} wantedRow={wantedRow} />
                    <GroupTable
                        key={`${table.of} ${metricOf(table, query).metric} ${perOf(table, query)}`}
                        report={report}
                        table={table}
                        onPick={setWantedRow}
                    />
                </>
            ) : (
                <Notice kind="info" title={LABELS.noSharedTable}>
                    Only the headline can be compared. Choose runs of the same kind.
                </Notice>
            )}
        </>
    );
}

function GroupHead({ report: { headline, no_headline, new: runs } }: { report: GroupReport }) {
    const width = viewportWidth.value;
    const format = (value: number) => text(formatValueOf(value, headline?.unit ?? ''));
    return (
        <header class="compare-head">
            <div class="compare-who">
                <h1 class="sr-only">{groupName(runs)}, a group of runs</h1>
                <GroupLine label="group" runs={runs} />
                <p class="compare-answer">
                    {headline ? (
                        <HeadlineSummary headline={headline} />
                    ) : (
                        `No common headline: ${no_headline}.`
                    )}
                </p>
            </div>
            {headline && (
                <GroupStrip
                    fresh={headline.new}
                    width={stripWidth(width)}
                    format={format}
                    nameOf={(_side, run) => runs[run]?.name ?? ''}
                />
            )}
        </header>
    );
}

function HeadlineSummary({ headline }: { headline: NonNullable<GroupReport['headline']> }) {
    const { unit, label, new: group } = headline;
    const format = (value: number) => text(formatValueOf(value, unit));
    return (
        <>
            <b class="compare-delta">
                <FormattedValueText value={formatValueOf(group.median, unit)} />
            </b>{' '}
            <span class="soft">
                {label}, median of {int(group.values.length)}; spread ±{format(group.mad)}, range{' '}
                {format(Math.min(...group.values))} – {format(Math.max(...group.values))}
            </span>
        </>
    );
}
