/* SPDX-License-Identifier: MIT
 *
 * The Sandwich tab: functions on the left; on the right one picture of the selected function, with
 * its callers above and its callees below.
 */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { axisText } from '../../base/axis';
import { useMemoOn } from '../../base/hooks';
import { useDefaultSelection } from '../../base/panel';
import { pushQuery, route } from '../../base/router';
import type { StackFunctionRow } from '../../base/rows';
import type { FlameAnswer } from '../../base/trace_types';
import type { Run } from '../../base/types';
import { int, pct, plural, THIN_SPACE } from '../../base/units';
import type { FramePaint } from '../../canvas/frame_canvas';
import { flamePaint } from '../../canvas/frame_paint';
import { FrameView } from '../../components/frame_view';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import { viewportWidth } from '../../components/viewport';
import { PaneHead } from '../../components/toolbar';
import { readFilters } from '../../model/filter_query';
import { matcher } from '../../model/search';
import { shortFrameName } from '../../model/stack_transforms';
import { type Answer, useJson } from '../shared/use_json';
import { estimateText, rangedPath, useRange } from '../trace/data';
import { filterParams } from '../trace/table';
import { TraceToolbar } from '../trace/toolbar';
import { StackFunctions } from './functions_tab';
import { useFunctionId } from './function_id';
import { FrameLines } from './frame_lines';
import { layoutSandwich } from './sandwich_layout';
import { ColourLegend, colourMode, ColourSwitch, ToolbarOrigins } from './colours';
import { ModeSwitch, originSuffix, PeriodField, stackParams, useStackSums } from './parts';
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
    const answer = useJson<SandwichAnswer>(
        fn && rangedPath(run, 'sandwich', range, { name_id: fn, ...stackParams(), limit: 10_000 }),
    );
    const select = ({ name_id, name }: StackFunctionRow) =>
        pushQuery({ fn: String(name_id), sel: name, sandwich_zoom: null });
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
                <ColourSwitch hasOrigins />
                {colourMode() === 'origin' ? (
                    <ToolbarOrigins flame={sums} />
                ) : (
                    viewportWidth.value >= 1000 && (
                        <ColourLegend flame={answer.data?.callees} of="this function" />
                    )
                )}
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
                <section class="pane pane-main">
                    {fn && <Sandwich run={run} answer={answer} />}
                </section>
            </div>
        </div>
    );
}

function Sandwich({ run, answer }: { run: Run; answer: Answer<SandwichAnswer> }) {
    const { data } = answer;
    if (answer.error) {
        return <Notice kind="error" title="The function could not be read" error={answer.error} />;
    }
    if (!data) return <LoadingLine active />;
    if (!data.callees.n)
        return <div class="sandwich-none">No stack in this range has this function.</div>;
    return (
        <>
            <SandwichPicture run={run} answer={data} />
            <LoadingLine active={answer.loading} />
        </>
    );
}

const shareText = (part: number, whole: number): string =>
    whole > 0 ? `${pct((100 * part) / whole)}${THIN_SPACE}%` : '–';

const childrenOf = ({ parent }: FlameAnswer): number => parent.filter((up) => up === 0).length;

/* "2 callers, 3 callees"; that there are none is worth a sentence. */
function neighboursText({ callers, callees }: SandwichAnswer): string {
    const [above, below] = [childrenOf(callers), childrenOf(callees)];
    const aboveText = above ? `${plural(above, 'caller')}.` : 'Nothing calls it: a root.';
    const belowText = below
        ? `${plural(below, 'callee')}.`
        : 'Calls nothing: all of its time is self.';
    return `${aboveText} ${belowText}`;
}

function SandwichPicture({ run, answer }: { run: Run; answer: SandwichAnswer }) {
    const { sum } = answer;
    const colours = colourMode();
    const { flame, layout, fn } = useMemo(
        () => layoutSandwich(answer.callers, answer.callees),
        [answer],
    );
    const total = flame.total[fn];
    const nameOf = (node: number) => flame.names[flame.name[node]];
    const totalText = [
        `total ${axisText(total)}`,
        estimateText(run, total),
        `${shareText(total, sum)} of ${axisText(sum)}`,
    ].filter(Boolean);
    const paint = useMemoOn(() => {
        const frames = flamePaint(flame, layout, nameOf(fn), colours);
        const value = `${totalText.join(', ')} · self ${axisText(flame.self[fn])}`;
        const label: FramePaint['label'] = (frame, maxWidth, measure) => {
            if (layout.node[frame] !== fn) return frames.label(frame, maxWidth, measure);
            const name = frames.label(frame, maxWidth - measure(value) - 14, measure).name;
            return name ? { name, value } : frames.label(frame, maxWidth, measure);
        };
        return { ...frames, label };
    }, [flame, layout, colours]);
    const [selected, setSelected] = useState(fn);
    useEffect(() => setSelected(fn), [flame, fn]);
    const showFunction = (node: number) => {
        const id = flame.ids?.[flame.name[node]] ?? 0;
        if (id > 0) pushQuery({ fn: String(id), sel: nameOf(node), sandwich_zoom: null });
    };
    return (
        <>
            <PaneHead
                title={<span title={nameOf(fn)}>{shortFrameName(nameOf(fn))}</span>}
                remark={`${neighboursText(answer)} Full width: ${axisText(total)}`}
            />
            <div class="picture is-filling">
                <FrameView
                    label="Sandwich"
                    layout={layout}
                    paint={paint}
                    match={null}
                    selected={selected < flame.n ? selected : -1}
                    onSelect={setSelected}
                    onOpen={showFunction}
                    zoom={route.value.query.sandwich_zoom ?? ''}
                    onZoom={(zoom) => pushQuery({ sandwich_zoom: zoom })}
                    urlKeys={['sandwich_zoom']}
                    idOf={(node) => node}
                    nodeOf={(id) => id}
                    nameOf={nameOf}
                    rootName={nameOf(fn)}
                    tip={(node) => <FrameTip run={run} flame={flame} node={node} whole={sum} />}
                />
            </div>
        </>
    );
}

interface TipProps {
    run: Run;
    flame: FlameAnswer;
    node: number;
    whole: number;
}

function FrameTip({ run, flame, node, whole }: TipProps) {
    if (node < 0) return <div>all of this function: {axisText(flame.sum)}</div>;
    const total = flame.total[node];
    const share = (of: number) => shareText(total, of);
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
