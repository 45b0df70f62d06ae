/* SPDX-License-Identifier: MIT
 *
 * Pane next to a table of operators or kernels: the durations of all slices of the selected name,
 * and a link to them in the timeline.
 */
import type { ComponentChildren } from 'preact';
import { LABELS } from '../../base/terms';
import type { NameStatistics } from '../../base/trace_types';
import type { Run } from '../../base/types';
import { formatSeconds, int } from '../../base/units';
import { replaceQuery } from '../../base/router';
import { CopyButton } from '../../components/copy_button';
import { HistogramView } from '../../components/histogram_view';
import { Notice } from '../../components/notice';
import { Pairs } from '../../components/pairs';
import { LoadingLine } from '../../components/progress';
import { Term } from '../../components/term';
import { FormattedValueText } from '../../components/text';
import { PaneHead } from '../../components/toolbar';
import { useJson } from '../shared/use_json';
import { rangedPath, useRange } from './data';
import { timelineHash } from './timeline_link';

interface NamedPaneProps {
    run: Run;
    title: string;
    /** `name_id.kind`, as in the URL; any further part only distinguishes rows of the same name */
    selected: string;
    /** the row, if it is loaded */
    row: { first_ns: number } | null;
    /** true: the name is that of an operation; slices with different names can belong to one
     * operation */
    isOperation?: boolean;
    onShapes?: (name: string) => void;
    children?: ComponentChildren;
}

const BINS = 40;

export function NamedPane(props: NamedPaneProps) {
    const { run, title, selected, row, isOperation, onShapes, children } = props;
    const [name, kind] = selected.split('.');
    const range = useRange();
    const { data, error, loading } = useJson<NameStatistics>(
        rangedPath(run, 'named', range, {
            name,
            kind,
            operation: isOperation ? 1 : undefined,
            px: BINS,
        }),
    );
    return (
        <section class="pane pane-named" aria-label={title}>
            <PaneHead title={title} remark="selected">
                <button type="button" class="quiet" onClick={() => replaceQuery({ op: null })}>
                    <kbd>Esc</kbd>
                </button>
            </PaneHead>
            {error && <Notice kind="error" title="The slices could not be read" error={error} />}
            {data && !error && (
                <div class="named-body">
                    <div class="named-name mono">{data.name}</div>
                    <div class="named-links">
                        <a class="link" href={timelineHash(run, { find: data.name, isOperation })}>
                            Show in timeline
                        </a>
                        {onShapes && (
                            <button type="button" class="link" onClick={() => onShapes(data.name)}>
                                by input shape
                            </button>
                        )}
                        <CopyButton text={data.name} label={LABELS.copyName} />
                    </div>
                    {children}
                    <NamedValues
                        data={data}
                        where={range ? 'in range' : 'in trace'}
                        first={row?.first_ns ?? null}
                    />
                </div>
            )}
            <LoadingLine active={loading} />
        </section>
    );
}

const durationText = (ns: number) => <FormattedValueText value={formatSeconds(ns / 1e9)} />;

interface ValuesProps {
    data: NameStatistics;
    where: string;
    first: number | null;
}

function NamedValues({ data, where, first }: ValuesProps) {
    if (data.count === 0) {
        return <p class="soft">Its slices have other names. Search for them in the timeline.</p>;
    }
    return (
        <>
            <div class="named-head">
                <b>All with this name</b>
                <span class="soft">
                    {int(data.count)} {where}
                </span>
            </div>
            <HistogramView
                histogram={data.histogram}
                marks={[{ ns: data.median_ns, label: 'median' }]}
            />
            <Pairs
                rows={[
                    ['Total', durationText(data.total_ns)],
                    ['Mean', durationText(data.mean_ns)],
                    ['Median', durationText(data.median_ns)],
                    [<Term of="percentile" />, durationText(data.p95_ns)],
                    ['Min', durationText(data.min_ns)],
                    ['Max', durationText(data.max_ns)],
                    ...(first === null
                        ? []
                        : [
                              ['First starts at', durationText(first)] as [
                                  string,
                                  ComponentChildren,
                              ],
                          ]),
                ]}
            />
        </>
    );
}
