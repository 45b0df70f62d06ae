/* SPDX-License-Identifier: MIT
 *
 * Pane next to the table of a group: the runs of the group, or the selected row in each run.
 */
import type { ComponentChildren } from 'preact';
import type { ComparisonTable, GroupReport, GroupRowDetail, Metric } from '../../base/answers';
import { formatHash, route } from '../../base/router';
import { LABELS } from '../../base/terms';
import { DASH, formatFixed, int, text, THIN_SPACE } from '../../base/units';
import { CopyButton } from '../../components/copy_button';
import { Pairs } from '../../components/pairs';
import { PaneHead } from '../../components/toolbar';
import { viewportWidth } from '../../components/viewport';
import { formatValueOf, type Scale } from '../../model/compare';
import { rowHref } from '../shared/row_link';
import { unitOf } from './columns';
import { GroupStrip } from './group_strip';
import { Mono, RowPane, RunsHead, RunValues } from './row';
import { PANE_BESIDE, SidePane, sidePaneContent } from './side_pane';

interface GroupPaneProps {
    report: GroupReport;
    table: ComparisonTable;
    metric: Metric;
    scale: Scale;
    /** what shares are of: total or Σ */
    base: string;
}

export function GroupPane(props: GroupPaneProps) {
    const { row } = route.value.query;
    if (row === undefined)
        return viewportWidth.value >= PANE_BESIDE ? <RunsPane {...props} /> : null;
    return (
        <RowPane<GroupRowDetail> {...props} row={row}>
            {(data) => <RowBody {...props} data={data} />}
        </RowPane>
    );
}

function RunsPane({ report: { new: runs, headline }, table }: GroupPaneProps) {
    const { label = '', unit = '' } = headline ?? {};
    return (
        <SidePane label="The runs">
            <PaneHead title="Runs" remark={label} />
            <div class="compare-body">
                <dl class="compare-values">
                    <RunValues
                        runs={runs}
                        href={(run) => formatHash(['run', run.id])}
                        format={(i) =>
                            headline ? text(formatValueOf(headline.new.values[i], unit)) : ''
                        }
                    />
                </dl>
                <p class="compare-note">
                    Each {table.row} compared with the median. A run without it counts as 0.
                </p>
            </div>
        </SidePane>
    );
}

function RowBody(props: GroupPaneProps & { data: GroupRowDetail }) {
    const { report, table, metric, base, data } = props;
    const unit = unitOf(table, metric, data);
    const format = (value: number | null) =>
        value === null ? DASH : text(formatValueOf(value, unit));
    const { median, mad } = data;
    const values = data.values.filter((value) => value !== null);
    return (
        <>
            <div class="named-name mono">{data.name}</div>
            <div class="named-links">
                <CopyButton text={data.name} label={LABELS.copyName} />
            </div>
            {median !== null && mad !== null && (
                <GroupStrip
                    fresh={{ values, median, mad }}
                    width={sidePaneContent()}
                    format={format}
                    nameOf={(_side, run) => report.new[run].name}
                />
            )}
            <Pairs
                rows={groupValues(data, format, { metric, base, isUnit: table.place === 'unit' })}
            />
            <RunsHead>{`in ${int(data.in)} of ${int(data.values.length)}`}</RunsHead>
            <dl class="compare-values">
                <RunValues
                    runs={report.new}
                    href={(run) => rowHref(run, table.of, data)}
                    format={(i) => format(data.values[i])}
                />
            </dl>
        </>
    );
}

function groupValues(
    row: GroupRowDetail,
    format: (value: number | null) => string,
    { metric, base, isUnit }: { metric: Metric; base: string; isUnit: boolean },
): [label: string, value: ComponentChildren][] {
    const where = [row.place, row.line].filter((part) => part !== null).join(':');
    const pairs: [label: string, value: ComponentChildren][] = [
        [`median ${metric.title.toLowerCase()}`, format(row.median)],
        ['spread ± (MAD)', format(row.mad)],
        ['range', `${format(row.min)} – ${format(row.max)}`],
    ];
    if (row.share !== null)
        pairs.push(['share', `${formatFixed(row.share, 1)}${THIN_SPACE}% of ${base}`]);
    if (where && !isUnit) pairs.push(['where', <Mono>{where}</Mono>]);
    if (row.within) pairs.push(['within', <Mono>{row.within}</Mono>]);
    if (row.by) pairs.push(['first imported by', <Mono>{row.by}</Mono>]);
    return pairs;
}
