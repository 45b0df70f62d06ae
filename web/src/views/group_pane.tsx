/* SPDX-License-Identifier: MIT
 *
 * Beside the table of a group: its runs, or the selected row in each of them.
 */
import type { ComponentChildren } from 'preact';
import type { ComparedTable, GroupOne, GroupReport, Metric } from '../base/compare_types';
import { formatHash, route } from '../base/router';
import type { Run } from '../base/types';
import { fmtFixed, int, text, THIN } from '../base/units';
import { CopyButton } from '../components/copy_button';
import { GroupStrip } from '../components/group_strip';
import { Notice } from '../components/notice';
import { LoadingLine } from '../components/progress';
import { PaneHead } from '../components/toolbar';
import { viewportWidth } from '../components/viewport';
import { figOf, type Scale } from '../model/compare';
import { unitOf } from './compare_columns';
import { rowHref } from './compare_pane';
import { comparePath, put } from './compare_state';
import { Pairs } from './named_pane';
import { useJson } from './use_json';

interface GroupPaneProps {
    report: GroupReport;
    table: ComparedTable;
    metric: Metric;
    scale: Scale;
}

export function GroupPane(props: GroupPaneProps) {
    const { row } = route.value.query;
    if (row !== undefined) return <RowPane {...props} row={row} />;
    return viewportWidth.value >= 1000 ? <RunsPane {...props} /> : null;
}

function RunsPane({ report: { new: runs, headline }, table }: GroupPaneProps) {
    const { label = '', unit = '' } = headline ?? {};
    return (
        <section class="pane pane-compare" aria-label="The runs">
            <PaneHead title="Runs" remark={label} />
            <div class="compare-body">
                <ValueList
                    runs={runs}
                    href={(run) => formatHash(['run', run.id])}
                    say={(i) => (headline ? text(figOf(headline.new.values[i], unit)) : '')}
                />
                <p class="compare-note">
                    Each {table.row} with the median of the runs. A run that lacks it counts as 0.
                </p>
            </div>
        </section>
    );
}

function RowPane(props: GroupPaneProps & { row: string }) {
    const { table, metric, row } = props;
    const { data, error, loading } = useJson<GroupOne>(
        comparePath(route.value.query, `/${table.of}/${encodeURIComponent(row)}`, {
            metric: metric.metric,
        }),
    );
    return (
        <section class="pane pane-compare" aria-label={`The selected ${table.row}`}>
            <PaneHead
                title={table.row.charAt(0).toUpperCase() + table.row.slice(1)}
                remark="selected"
            >
                <button type="button" class="quiet" onClick={() => put({ row: null })}>
                    <kbd>Esc</kbd>
                </button>
            </PaneHead>
            {error && <Notice kind="error" title="The row could not be read" error={error} />}
            {data && !error && <RowBody {...props} data={data} />}
            <LoadingLine active={loading} />
        </section>
    );
}

function RowBody({ report, table, metric, data }: GroupPaneProps & { data: GroupOne }) {
    const unit = unitOf(table, metric, data);
    const say = (value: number) => text(figOf(value, unit));
    const { median, mad, values } = data;
    return (
        <div class="compare-body">
            <div class="named-name mono">{data.name}</div>
            <div class="named-links">
                <CopyButton text={data.name} label="copy name" />
            </div>
            <GroupStrip
                fresh={{ values, median, mad }}
                width={396}
                say={say}
                nameOf={(_side, run) => report.new[run].name}
            />
            <Pairs rows={figures(data, metric, say, table.place === 'unit')} />
            <div class="named-head">
                <b>Runs</b>
                <span class="soft">
                    in {int(data.in)} of {int(values.length)}
                </span>
            </div>
            <ValueList
                runs={report.new}
                href={(run) => rowHref(run, table.of, data)}
                say={(i) => say(values[i])}
            />
        </div>
    );
}

function figures(
    row: GroupOne,
    metric: Metric,
    say: (value: number) => string,
    isUnit: boolean,
): [label: string, value: ComponentChildren][] {
    const where = [row.place, row.line].filter((part) => part !== null).join(':');
    const pairs: [label: string, value: ComponentChildren][] = [
        [`median ${metric.title.toLowerCase()}`, say(row.median)],
        ['spread ± (MAD)', say(row.mad)],
        ['range', `${say(row.min)} – ${say(row.max)}`],
    ];
    if (row.share !== null) pairs.push(['share', `${fmtFixed(row.share, 1)}${THIN}% of Σ`]);
    if (where && !isUnit) pairs.push(['where', <span class="mono break">{where}</span>]);
    if (row.within) pairs.push(['within', <span class="mono break">{row.within}</span>]);
    if (row.by) pairs.push(['first imported by', <span class="mono break">{row.by}</span>]);
    return pairs;
}

interface ValueListProps {
    runs: Run[];
    href: (run: Run) => string;
    say: (at: number) => string;
}

function ValueList({ runs, href, say }: ValueListProps) {
    return (
        <dl class="compare-values">
            {runs.map((run, i) => (
                <dd key={run.id}>
                    <a class="link ellipsis" href={href(run)} title={run.name}>
                        {run.name}
                    </a>
                    <span>{say(i)}</span>
                </dd>
            ))}
        </dl>
    );
}
