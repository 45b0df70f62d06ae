/* SPDX-License-Identifier: MIT
 *
 * The picture of a sandwich: the callers of a function, the function as a row over the full width,
 * its callees. The halves have one range of the width and scroll by themselves, from the row
 * outward.
 */
import { useMemo, useRef, useState } from 'preact/hooks';
import type { FlameAnswer, Run, SandwichAnswer } from '../../base/answers';
import { axisText } from '../../base/axis';
import { useLayoutEffectOn } from '../../base/hooks';
import { useKeys } from '../../base/keys';
import { pushQuery, route } from '../../base/router';
import { plural } from '../../base/units';
import { FRAME_ROW } from '../../canvas/frame_canvas';
import { flameColours } from '../../canvas/tree_paint';
import { fillVariable } from '../../canvas/theme';
import { type Action, useActionKeys, withUniqueKeys } from '../../components/actions';
import type { FrameStage } from '../../components/frame_stage';
import { FrameView } from '../../components/frame_view';
import { SelectionLayout } from '../../components/selection_layout';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import { PaneHead } from '../../components/toolbar';
import type { FrameLayout } from '../../model/frames';
import { spanText } from '../../model/span';
import { shareText } from '../../model/tip';
import { nameOf, type Tree } from '../../model/tree';
import { treeOf } from '../../model/tree_answers';
import { idOfNode, nodeOfId } from '../../model/tree_ids';
import { idOf, shortFrameName } from '../../model/stack_transforms';
import type { Answer } from '../shared/use_json';
import { estimateText, isStacks } from '../trace/data';
import { colourMode } from './colours';
import { flamePaint } from './flame_paint';
import { frameActions } from './frame_actions';
import { frameHead, FrameSelection, selectedNode } from './frame_selection';
import { sandwichTip } from './frame_tip';
import { layoutSandwich, shareRoom } from './sandwich_layout';
import { transformActions } from './transforms';

const childrenOf = ({ parent }: FlameAnswer): number => parent.filter((up) => up === 0).length;

const MIN_ROWS = 5;
const LINE = 20;

/* Height of a half with all of its rows; one without rows has a sentence. */
const heightOf = (layout: FrameLayout): number => Math.max(LINE, layout.rows * FRAME_ROW + 2);

/* px that the halves of the picture have. */
function useRoom(needed: number) {
    const box = useRef<HTMLDivElement | null>(null);
    const [room, setRoom] = useState(needed);
    useLayoutEffectOn(() => {
        const element = box.current;
        if (!element) return undefined;
        const least = 2 * MIN_ROWS * FRAME_ROW;
        const observer = new ResizeObserver(() =>
            setRoom(Math.max(least, element.clientHeight - FRAME_ROW - 2 * LINE - 24)),
        );
        observer.observe(element);
        return () => observer.disconnect();
    }, []);
    return { box, room };
}

interface PictureProps {
    run: Run;
    answer: SandwichAnswer;
    /** makes a frame the function; id: of a function of stacks */
    onOpen: (id: number, name: string) => void;
}

interface SandwichProps extends Omit<PictureProps, 'answer'> {
    answer: Answer<SandwichAnswer>;
    /** what is said if nothing has the function */
    none: string;
}

/** The picture of an answer, or why there is none. */
export function Sandwich({ run, answer, none, onOpen }: SandwichProps) {
    const { data } = answer;
    if (answer.error) {
        return <Notice kind="error" title="The function could not be read" error={answer.error} />;
    }
    if (!data) return <LoadingLine active />;
    if (!data.callees.n) return <div class="sandwich-none">{none}</div>;
    return (
        <>
            <SandwichPicture run={run} answer={data} onOpen={onOpen} />
            <LoadingLine active={answer.loading} />
        </>
    );
}

function SandwichPicture({ run, answer, onOpen }: PictureProps) {
    const { sum } = answer;
    const mode = colourMode();
    const { flame, callers, callees, fn } = useMemo(
        () => layoutSandwich(answer.callers, answer.callees),
        [answer],
    );
    const shownColours = useMemo(() => flameColours(flame, mode), [flame, mode]);
    const paints = useMemo(
        () => ({
            callers: flamePaint(flame, callers, shownColours, ''),
            callees: flamePaint(flame, callees, shownColours, ''),
        }),
        [flame, callers, callees, shownColours],
    );
    const total = flame.total[fn];
    const name = shortFrameName(nameOf(flame, fn));
    const linked = useRef(new Set<FrameStage>()).current;
    const { sandwich_zoom: zoom = '', sandwich_frame, sandwich_name } = route.value.query;
    const shown = useMemo(
        () => selectedNode(flame, sandwich_frame, sandwich_name),
        [flame, sandwich_frame, sandwich_name],
    );
    const setSelected = (node: number) =>
        pushQuery({
            sandwich_frame: node >= 0 ? idOfNode(flame, node) : null,
            sandwich_name: node >= 0 ? nameOf(flame, node) : null,
        });
    const setZoom = (next: string | null) => pushQuery({ sandwich_zoom: next });
    const open = (node: number) => {
        const id = idOf(flame, node);
        if (id > 0 || !isStacks(run)) onOpen(id, nameOf(flame, node));
    };
    const actionsOf = (node: number): Action[] =>
        withUniqueKeys([
            ...(isStacks(run) ? transformActions(run, flame, node, false) : []),
            ...frameActions(run, flame, node, node < fn),
        ]);
    useActionKeys('Selected frame', shown >= 0 ? actionsOf(shown) : []);
    useKeys('Picture', [
        ...(shown >= 0
            ? [{ key: 'Enter', label: 'show callers and callees', run: () => open(shown) }]
            : []),
        ...(zoom ? [{ key: '0', label: 'reset zoom', run: () => setZoom(null) }] : []),
        ...(zoom || shown >= 0
            ? [
                  {
                      key: 'Escape',
                      label: zoom ? 'reset zoom' : 'clear selection',
                      run: () => (zoom ? setZoom(null) : setSelected(-1)),
                  },
              ]
            : []),
    ]);
    const { box, room } = useRoom(heightOf(callers) + heightOf(callees));
    const [above, below] = shareRoom(room, heightOf(callers), heightOf(callees));
    const half = (side: 'callers' | 'callees', layout: FrameLayout, height: number) => (
        <FrameView
            label={side === 'callers' ? 'Callers' : 'Callees'}
            tree={flame}
            layout={layout}
            paint={paints[side]}
            match={null}
            selected={shown}
            onSelect={setSelected}
            onOpen={open}
            opensOnDouble
            growsUp={side === 'callers'}
            linked={linked}
            height={height}
            zoom={zoom}
            onZoom={(next) => setZoom(zoomText(flame, layout, next))}
            tip={(node) => sandwichTip(run, flame, layout, node, { of: name, sum })}
            actions={actionsOf}
            head={(node) => frameHead(flame, node)}
            keyless
        />
    );
    const rowText = [
        `total ${axisText(total)}`,
        estimateText(run, total),
        `${shareText(total, sum)} of ${axisText(sum)}`,
    ].filter(Boolean);
    const isCaller = shown >= 0 && shown < fn;
    const counts = [
        plural(childrenOf(answer.callers), 'caller'),
        plural(childrenOf(answer.callees), 'callee'),
    ];
    return (
        <>
            <PaneHead
                title={<span title={nameOf(flame, fn)}>{name}</span>}
                remark={counts.join(', ')}
            />
            <SelectionLayout
                what="a frame"
                pane={
                    shown >= 0 && (
                        <FrameSelection
                            run={run}
                            flame={
                                isCaller
                                    ? {
                                          ...treeOf(answer.callers),
                                          self: answer.callers.self.map(() => 0),
                                      }
                                    : treeOf(answer.callees)
                            }
                            node={isCaller ? shown : shown - fn}
                            of={name}
                            leadsOut={isCaller}
                            actions={actionsOf(shown)}
                            onSelect={(node) =>
                                setSelected(node < 0 || isCaller ? node : node + fn)
                            }
                            onOpen={(node) => open(isCaller ? node : node + fn)}
                        />
                    )
                }
            >
                <div class="sandwich-picture" ref={box}>
                    <div class="sandwich-caption">
                        <b>Callers</b> outermost on top, width: share of {axisText(total)} in {name}
                    </div>
                    {callers.rows > 0 ? (
                        half('callers', callers, above)
                    ) : (
                        <div class="sandwich-empty">Nothing calls it: a root.</div>
                    )}
                    <button
                        type="button"
                        class="sandwich-row"
                        aria-pressed={shown === fn}
                        style={{
                            background: fillVariable(shownColours.fillOf(shownColours.keyOf(fn))),
                        }}
                        onClick={() => setSelected(fn)}
                    >
                        <b>{name}</b>
                        <span>
                            {rowText.join(', ')} · self {axisText(flame.self[fn])}
                        </span>
                    </button>
                    {callees.rows > 0 ? (
                        half('callees', callees, below)
                    ) : (
                        <div class="sandwich-empty">Calls nothing: its total is its self.</div>
                    )}
                    <div class="sandwich-caption">
                        <b>Callees</b> same scale, dashed: self of the frame above
                    </div>
                </div>
            </SelectionLayout>
        </>
    );
}

/* A zoom of one half as shares, which both halves understand. */
function zoomText(tree: Tree, layout: FrameLayout, zoom: string | null): string | null {
    const node = nodeOfId(tree, zoom ?? undefined);
    if (node < 0) return zoom;
    const frame = layout.frameOf[node];
    return spanText({ x0: layout.x0[frame], x1: layout.x1[frame] }, layout.total);
}
