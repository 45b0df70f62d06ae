/* SPDX-License-Identifier: MIT
 *
 * The Sandwich tab: functions on the left; on the right, flame graphs of the callers (above) and of
 * the callees (below) of the selected function.
 */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { axisText } from '../../base/axis';
import { useDefaultSelection } from '../../base/panel';
import { pushQuery, route } from '../../base/router';
import type { StackFunctionRow } from '../../base/rows';
import type { FlameAnswer } from '../../base/trace_types';
import type { Run } from '../../base/types';
import { int, pct, THIN_SPACE } from '../../base/units';
import { flamePaint } from '../../canvas/frame_paint';
import { FrameView } from '../../components/frame_view';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import { PaneHead } from '../../components/toolbar';
import { readFilters } from '../../model/filter_query';
import { matcher } from '../../model/search';
import { useJson } from '../shared/use_json';
import { estimateText, rangedPath, useRange } from '../trace/data';
import { filterParams } from '../trace/table';
import { TraceToolbar } from '../trace/toolbar';
import { layoutFlame } from './flame_tree';
import { StackFunctions } from './functions_tab';
import { useFunctionId } from './function_id';
import { FrameLines } from './frame_lines';
import {
    ModeSwitch,
    originSuffix,
    PeriodField,
    stackParams,
    ToolbarLegend,
    useStackSums,
} from './parts';
import { ThreadSelect } from './threads';
import { TransformRow } from './transforms';

interface SandwichAnswer {
    /** weight of all stacks */
    sum: number;
    callers: FlameAnswer;
    callees: FlameAnswer;
}

interface FirstPage {
    rows: [number, string, number][];
}

/* Name id of the selected function; by default of the function with the largest self weight. */
function useSelectedFunction(run: Run): string | null {
    const range = useRange();
    const chosen = useFunctionId(run);
    const first = useJson<FirstPage>(
        chosen !== undefined
            ? null
            : rangedPath(run, 'stack_functions', range, {
                  sort: 'self',
                  desc: 1,
                  limit: 1,
                  ...stackParams(),
              }),
    );
    const costliest = first.data?.rows.length ? String(first.data.rows[0][2]) : null;
    useDefaultSelection('fn', chosen !== undefined ? null : costliest);
    return chosen ?? costliest;
}

export function SandwichTab({ run }: { run: Run }) {
    const range = useRange();
    const { query } = route.value;
    const filters = readFilters(query);
    const search = useMemo(() => matcher(filters.q, filters.regex), [filters.q, filters.regex]);
    const fn = useSelectedFunction(run);
    const [shown, setShown] = useState<number | null>(null);
    const params = { ...filterParams(filters), ...stackParams() };
    const sums = useStackSums(run);
    const select = ({ name_id, name }: StackFunctionRow) =>
        pushQuery({ fn: String(name_id), sel: name, callers_zoom: null, callees_zoom: null });
    return (
        <div class="tab-body stacks">
            <TraceToolbar
                run={run}
                range={range}
                view="stack_functions"
                what="functions"
                filters={filters}
                error={search.error}
                params={params}
                shown={shown}
            >
                <ModeSwitch />
                <ThreadSelect run={run} />
                <PeriodField run={run} />
                <ToolbarLegend flame={sums} />
            </TraceToolbar>
            <TransformRow flame={sums} />
            <div class="panes sandwich-panes">
                <section class="pane pane-sandwich-list">
                    <StackFunctions
                        run={run}
                        range={range}
                        filters={filters}
                        search={search}
                        narrow
                        selected={fn}
                        onSelect={select}
                        onShown={setShown}
                    />
                </section>
                <section class="pane pane-main">{fn && <Sandwich run={run} fn={fn} />}</section>
            </div>
        </div>
    );
}

function Sandwich({ run, fn }: { run: Run; fn: string }) {
    const range = useRange();
    const answer = useJson<SandwichAnswer>(
        rangedPath(run, 'sandwich', range, {
            name_id: fn,
            ...stackParams(),
            limit: 10_000,
        }),
    );
    const { data } = answer;
    if (answer.error) {
        return <Notice kind="error" title="The function could not be read" error={answer.error} />;
    }
    if (!data) return <LoadingLine active />;
    if (!data.callees.n)
        return <div class="sandwich-none">No stack in this range has this function.</div>;
    const share = data.sum > 0 ? `${pct((100 * data.callees.sum) / data.sum)}${THIN_SPACE}%` : '–';
    const totalText = [axisText(data.callees.sum), estimateText(run, data.callees.sum)]
        .filter(Boolean)
        .join(' ');
    return (
        <>
            <PaneHead
                title="Called by"
                remark={`callers of the function; total ${totalText}, ${share} of all`}
            />
            <Half run={run} which="callers" flame={data.callers} whole={data.sum} />
            <PaneHead title="Calls" remark="from the function inward" />
            <Half run={run} which="callees" flame={data.callees} whole={data.sum} />
            <LoadingLine active={answer.loading} />
        </>
    );
}

interface HalfProps {
    run: Run;
    which: 'callers' | 'callees';
    flame: FlameAnswer;
    whole: number;
}

function Half({ run, which, flame, whole }: HalfProps) {
    const layout = useMemo(() => layoutFlame(flame), [flame]);
    const paint = useMemo(
        () => flamePaint(flame, layout, 'all of it', which === 'callees'),
        [flame, layout, which],
    );
    const [selected, setSelected] = useState(-1);
    useEffect(() => setSelected(-1), [flame]);
    const key = `${which}_zoom`;
    return (
        <div class="picture is-filling">
            <FrameView
                label={which === 'callers' ? 'Called by' : 'Calls'}
                layout={layout}
                paint={paint}
                match={null}
                selected={selected < flame.n ? selected : -1}
                onSelect={setSelected}
                zoom={route.value.query[key] ?? ''}
                onZoom={(zoom) => pushQuery({ [key]: zoom })}
                urlKeys={[key]}
                idOf={(node) => node}
                nodeOf={(id) => id}
                nameOf={(node) => flame.names[flame.name[node]]}
                rootName="all of it"
                tip={(node) => <HalfTip run={run} flame={flame} node={node} whole={whole} />}
                keyless={which === 'callers'}
            />
        </div>
    );
}

interface TipProps {
    run: Run;
    flame: FlameAnswer;
    node: number;
    whole: number;
}

function HalfTip({ run, flame, node, whole }: TipProps) {
    if (node < 0) return <div>all of this function: {axisText(flame.sum)}</div>;
    const total = flame.total[node];
    const share = (of: number) => (of > 0 ? `${pct((100 * total) / of)}${THIN_SPACE}%` : '–');
    return (
        <>
            <div class="tooltip-title tip-long">{flame.names[flame.name[node]]}</div>
            <dl>
                <dt>on this path</dt>
                <dd>{axisText(total)}</dd>
                <dd>{share(flame.sum)} of the function</dd>
                <dt />
                <dd>{estimateText(run, total)}</dd>
                <dd>{share(whole)} of all</dd>
                <FrameLines flame={flame} node={node} />
            </dl>
            <div class="tooltip-foot">
                {int(flame.count[node])} ×{originSuffix(flame, node)}
            </div>
        </>
    );
}
