/* SPDX-License-Identifier: MIT
 *
 * The flame graph of a run or range: self time on the host, time on the device below the operators
 * or the Python frames that launched the work, or wall time with the Python frames. The pane is also used in the dock of
 * the timeline.
 */
import { useMemo } from 'preact/hooks';
import type { FlameAnswer, Run } from '../../base/answers';
import { useEffectOn } from '../../base/hooks';
import { useNames } from '../../base/panel';
import { pushQuery, replaceQuery, route } from '../../base/router';
import { plural } from '../../base/units';
import { flameColours } from '../../canvas/tree_paint';
import { type Action, withUniqueKeys } from '../../components/actions';
import { FrameView } from '../../components/frame_view';
import { setSearch } from '../../components/hit_steps';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import { Segmented } from '../../components/segmented';
import { SelectionLayout } from '../../components/selection_layout';
import { instancesOf } from '../../model/selection';
import { type Matcher, NO_SEARCH } from '../../model/search';
import { layoutTree, matchedTotal, nameOf, searchTree } from '../../model/tree';
import { type Flame, treeOf } from '../../model/tree_answers';
import { idOfNode } from '../../model/tree_ids';
import type { TraceRange } from '../../model/trace_range';
import { useJson } from '../shared/use_json';
import { isStacks, rangedPath, traceOf } from '../trace/data';
import { withModuleCounts } from '../../model/python_flame';
import { colourMode } from './colours';
import { type FlameOn, flameOn } from './flame_on';
import { flamePaint } from './flame_paint';
import { frameActions } from './frame_actions';
import { frameHead, FrameSelection, selectedNode } from './frame_selection';
import { flameTip } from './frame_tip';
import { stackParams } from './parts';
import { showsDecreases, signParams } from './sample_types';
import { Attribution, isPythonFlame, pythonActions, pythonParams } from './python_flame';
import { aroundAction } from './trace_sandwich';
import { AllDropped, transformActions } from './transforms';

function flamePath(run: Run, range: TraceRange | null, on: FlameOn): string {
    if (!isStacks(run)) {
        const more = on === 'python' ? pythonParams() : {};
        return rangedPath(run, 'flame', range, { on, limit: 20_000, ...more });
    }
    return rangedPath(run, 'stack_flame', range, {
        ...stackParams(run),
        ...signParams(run),
        limit: 20_000,
    });
}

/* Name of the whole. Times of several threads or streams can add up to more than the span. */
function rootText(run: Run, on: FlameOn, tracks: number): string {
    if (isStacks(run)) return showsDecreases(run) ? 'all decreases' : 'all stacks';
    const summed = (noun: string) => (tracks > 1 ? `, ${tracks} ${noun} added up` : '');
    if (on === 'device' || on === 'python') return `time on the device${summed('streams')}`;
    const time = on === 'wall' ? 'wall time with Python frames' : 'self time on the host';
    return time + summed('threads');
}

interface FlamePaneProps {
    run: Run;
    range: TraceRange | null;
    search?: Matcher;
    /** true in the Flame tab, which has the switch in its toolbar and handles the keys; false in
     * the dock */
    isInTab?: boolean;
    onMatched?: (count: number | null, share: number) => void;
    /** called with each answer that is shown */
    onFlame?: (flame: Flame) => void;
}

const wallOption = (stacks: number) => ({
    value: 'wall' as const,
    text: 'Wall',
    disabled: !stacks,
    tip: stacks
        ? 'with the Python frames around the operators'
        : 'no Python frames in this trace; record with with_stack=True',
});

const pythonOption = (devices: number) => ({
    value: 'python' as const,
    text: 'Device by Python',
    disabled: devices === 0,
    tip: devices
        ? 'kernels and copies below the Python frames and modules that launched them'
        : 'nothing ran on a device',
});

export function FlameSwitch({ run }: { run: Run }) {
    const { devices, stacks, torch } = traceOf(run);
    if (!torch && !devices) return null;
    return (
        <Segmented<FlameOn>
            label="time"
            value={flameOn(run)}
            options={[
                { value: 'cpu', text: 'Host', tip: 'self time on the host' },
                {
                    value: 'device',
                    text: 'Device',
                    disabled: devices === 0,
                    tip: devices
                        ? 'kernels and copies below the operators that launched them'
                        : 'nothing ran on a device',
                },
                ...(torch ? [pythonOption(devices), wallOption(stacks)] : []),
            ]}
            onChange={(on) =>
                replaceQuery({
                    flame_on: on === 'cpu' ? null : on,
                    flame_zoom: null,
                    flame_frame: null,
                })
            }
        />
    );
}

export function FlamePane({
    run,
    range,
    search,
    isInTab = false,
    onMatched,
    onFlame,
}: FlamePaneProps) {
    const on = flameOn(run);
    const colours = colourMode();
    const answer = useJson<FlameAnswer>(flamePath(run, range, on));
    const flame = useMemo(() => {
        const tree = answer.data && treeOf(answer.data);
        return tree && isPythonFlame(tree) ? withModuleCounts(tree) : tree;
    }, [answer.data]);
    const rootName = rootText(run, on, flame?.tracks ?? 0);
    const layout = useMemo(() => flame && layoutTree(flame), [flame]);
    const paint = useMemo(
        () => flame && layout && flamePaint(flame, layout, flameColours(flame, colours), rootName),
        [flame, layout, rootName, colours],
    );
    const match = useMemo(() => flame && searchTree(flame, search ?? NO_SEARCH), [flame, search]);
    useEffectOn(() => {
        const share = flame && match ? matchedTotal(flame, match.set) / (flame.sum || 1) : 0;
        onMatched?.(match?.count ?? null, share);
    }, [flame, match]);
    useEffectOn(() => {
        if (flame) onFlame?.(flame);
    }, [flame]);
    const { flame_frame, flame_zoom, sel } = route.value.query;
    const selected = useMemo(
        () => (flame ? selectedNode(flame, flame_frame, sel) : -1),
        [flame, flame_frame, sel],
    );
    const actionsOf = (node: number): Action[] =>
        flame
            ? withUniqueKeys([
                  ...(isStacks(run)
                      ? transformActions(run, flame, node)
                      : [aroundAction(run, flame, node)]),
                  ...pythonActions(flame, node),
                  ...frameActions(run, flame, node),
              ])
            : [];
    // The name of the selected function is the same in the other panel.
    useNames(isInTab ? ['sel'] : [], { nameOf: (name) => name, valueOf: (name) => name });
    const select = (node: number) =>
        pushQuery({
            flame_frame: flame && node >= 0 ? idOfNode(flame, node) : null,
            ...(isInTab && { sel: node >= 0 && flame ? nameOf(flame, node) : null }),
        });
    const instances = useMemo(() => flame && instancesOf(flame, selected), [flame, selected]);
    const picture = (
        <div class="picture is-filling">
            {!isInTab && (
                <div class="flame-switch">
                    <FlameSwitch run={run} />
                </div>
            )}
            {answer.error && (
                <Notice
                    kind="error"
                    title="The flame graph could not be read"
                    error={answer.error}
                />
            )}
            {flame && isPythonFlame(flame) && !answer.error && <Attribution flame={flame} />}
            {flame && layout && paint && !answer.error && (
                <FrameView
                    label="Flame graph"
                    tree={flame}
                    layout={layout}
                    paint={paint}
                    match={match?.set ?? null}
                    hasSteps
                    onClearSearch={() => setSearch({ q: null })}
                    selected={selected}
                    instances={instances}
                    onSelect={select}
                    zoom={flame_zoom ?? ''}
                    onZoom={(zoom) => pushQuery({ flame_zoom: zoom })}
                    urlKeys={['flame_frame', 'flame_zoom']}
                    tip={(node) => flameTip(run, flame, layout, node, rootName)}
                    actions={actionsOf}
                    head={(node) => frameHead(flame, node)}
                    keyless={!isInTab}
                    empty={flame.selected ? <AllDropped /> : emptyText(on, range !== null)}
                />
            )}
            {flame && flame.cut > 0 && (
                <div class="picture-note">
                    {isStacks(run)
                        ? 'Smaller frames are not drawn; their weight'
                        : `${plural(flame.cut, 'smaller frame')} not drawn; their time`}{' '}
                    counts in the frames above
                </div>
            )}
            <LoadingLine active={answer.loading} />
        </div>
    );
    if (!isInTab) return picture;
    return (
        <SelectionLayout
            what="a frame"
            pane={
                flame &&
                selected >= 0 && (
                    <FrameSelection
                        run={run}
                        flame={flame}
                        node={selected}
                        actions={actionsOf(selected)}
                        onSelect={select}
                        onOpen={(node) => pushQuery({ flame_zoom: flame && idOfNode(flame, node) })}
                    />
                )
            }
        >
            {picture}
        </SelectionLayout>
    );
}

function emptyText(on: FlameOn, ranged: boolean): string {
    const where =
        on === 'device' || on === 'python'
            ? 'Nothing ran on a device'
            : 'No slice with a duration starts';
    return `${where} in this ${ranged ? 'range' : 'trace'}.`;
}
