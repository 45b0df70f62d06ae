/* SPDX-License-Identifier: MIT
 *
 * The pane of a selected operator, kernel or other name of a trace: the durations of all slices of
 * the name, and what the flame graph says about it.
 */
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import type { FlameAnswer, NameStatistics, Page, Run } from '../../base/answers';
import { axisText } from '../../base/axis';
import type { Params } from '../../base/client';
import { replaceQuery, route } from '../../base/router';
import { int } from '../../base/units';
import { type Action, useActionKeys } from '../../components/actions';
import { HistogramView } from '../../components/histogram_view';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import { type PaneValue, SelectionPane } from '../../components/selection_pane';
import { escapeRegex } from '../../model/filter_query';
import { frameParts } from '../../model/frame_names';
import { widestNode } from '../../model/selection';
import { isDeviceWork } from '../../model/timeline_types';
import { nameOf } from '../../model/tree';
import { type Flame, treeOf } from '../../model/tree_answers';
import { useFrameSource } from '../lines/frame_source';
import { OtherRuns } from '../shared/other_runs';
import { objectsOf } from '../shared/paged_source';
import { useData, useJson } from '../shared/use_json';
import { frameHead, useFrameFacts } from '../stacks/frame_selection';
import { rangedPath, searchedSlice, useRange } from '../trace/data';
import { traceNameActions } from '../trace/name_actions';

interface NamedPaneProps {
    run: Run;
    /** `name_id.kind`, as in the URL; any further part only distinguishes rows of the same name */
    selected: string;
    /** true: the name is that of an operation; slices with different names can belong to one
     * operation */
    isOperation?: boolean;
    /** further actions */
    actionsOf?: (name: string) => readonly Action[];
    /** sections between the callees and the other runs */
    children?: ComponentChildren;
}

const BINS = 40;
const FLAME_LIMIT = 20_000;
const NO_FLAME: Flame = {
    n: 0,
    unit: 'ns',
    sum: 0,
    cut: 0,
    parent: [],
    frame: [],
    frames: { name: [] },
    self: [],
    total: [],
    count: [],
    family: [],
    kind: [],
};

/** The selected row of a table of names: that of the URL, or the row of the name that was selected
 * in another tab (`sel`). */
export function useSelectedRow<R>(
    pathOf: (filter: Params) => string,
    keyOf: (row: R) => string,
): string | null {
    const { op, sel } = route.value.query;
    const q = `^${escapeRegex(sel ?? '')}$`;
    const data = useData<Page>(op || !sel ? null : pathOf({ q, regex: 1, limit: 1 }));
    if (op || !sel) return op ?? null;
    const row = objectsOf<R>(data)[0];
    return row === undefined ? null : keyOf(row);
}

/** Selects a row, also for the other tabs. */
export function selectRow(op: string | null, name: string | null): void {
    replaceQuery({ op, sel: name });
}

export function NamedPane(props: NamedPaneProps) {
    const { run, selected, isOperation } = props;
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
    const on = isDeviceWork(Number(kind)) ? 'device' : 'cpu';
    const flame = useData<FlameAnswer>(
        isOperation ? null : rangedPath(run, 'flame', range, { on, limit: FLAME_LIMIT }),
    );
    if (error) return <Notice kind="error" title="The slices could not be read" error={error} />;
    if (!data) return <LoadingLine active={loading} />;
    return (
        <NameFacts
            {...props}
            data={data}
            flame={flame ? treeOf(flame) : NO_FLAME}
            kind={Number(kind)}
        />
    );
}

interface NameFactsProps extends NamedPaneProps {
    data: NameStatistics;
    flame: Flame;
    kind: number;
}

function NameFacts(props: NameFactsProps) {
    const { run, data, flame, kind, isOperation } = props;
    const { name, count, histogram, median_ns, total_ns } = data;
    const node = useMemo(() => widestNode(flame, flame.frames.name.indexOf(name)), [flame, name]);
    const { facts, ...sections } = useFrameFacts(flame, node, (at) =>
        selectRow(null, nameOf(flame, at)),
    );
    const row = searchedSlice(name, kind);
    const source = useFrameSource(run, frameParts(name));
    // The flame graph colours device work by the operator that launched it, the table by its name.
    const isDevice = isDeviceWork(kind);
    const named = {
        name,
        of: row?.of,
        isOperation,
        on: isDevice ? ('device' as const) : undefined,
    };
    const actions = [...traceNameActions(run, named).actions, ...(props.actionsOf?.(name) ?? [])];
    useActionKeys('Selected row', actions);
    const where = useRange() ? 'in range' : 'in trace';
    // A self time is only known if no frame of the flame graph is left out.
    const hasSelf = node >= 0 && flame.cut === 0 && !isDevice;
    const values: PaneValue[] = [
        { label: 'Total', text: axisText(total_ns), value: node >= 0 ? total_ns : undefined },
        ...(hasSelf
            ? [
                  {
                      label: 'Self',
                      text: axisText(facts.self),
                      value: facts.self,
                      tone: 'self' as const,
                  },
              ]
            : []),
        { label: 'Mean', text: axisText(data.mean_ns) },
        { label: 'Median', text: axisText(median_ns) },
        { label: 'p95', text: axisText(data.p95_ns) },
        { label: 'Min', text: axisText(data.min_ns) },
        { label: 'Max', text: axisText(data.max_ns) },
    ];
    const base = `${axisText(flame.sum)} ${isDevice ? 'on the device' : 'on the host'}`;
    return (
        <SelectionPane
            head={{ name, swatch: node >= 0 && !isDevice && frameHead(flame, node).swatch }}
            actions={actions}
            base={node >= 0 ? { value: flame.sum, text: base } : null}
            instance={{
                title: `All ${int(count)} ${where}`,
                values: count ? values : [],
                children: count ? (
                    <div class="named-durations">
                        <HistogramView
                            histogram={histogram}
                            marks={[{ ns: median_ns, label: 'median' }]}
                        />
                    </div>
                ) : (
                    <p class="selection-none">
                        No slice has exactly this name. Search for a part of it in the timeline.
                    </p>
                ),
            }}
            {...sections}
            source={source}
            otherRuns={<OtherRuns run={run} row={row} />}
            onClose={() => selectRow(null, null)}
        >
            {props.children}
        </SelectionPane>
    );
}
