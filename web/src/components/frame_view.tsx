/* SPDX-License-Identifier: MIT
 *
 * The picture of a report: a FrameCanvas with its input. Wheel zooms, drag pans, double click zooms
 * to a frame, right click opens the menu of a frame, arrow keys select neighbours; the path of the
 * zoom covers the first row. The caller stores selection and zoom in the URL.
 */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useLayoutEffectOn } from '../base/hooks';
import { plural } from '../base/units';
import { FRAME_ROW } from '../canvas/frame_canvas';
import { hitFrames } from '../model/frame_hits';
import { coveredPath } from '../model/frames';
import { shownName } from '../model/tree';
import { type Action, useActionKeys } from './actions';
import { useFrameLink } from './frame_panel';
import { FrameCrumb } from './frame_crumb';
import { listenPointer, useFrameKeys } from './frame_input';
import { FrameStage, type FrameViewProps, showFrame } from './frame_stage';
import { hitSteps } from './hit_steps';
import { isSearching } from './search_field';
import { watchTheme } from './theme_watch';

export type { FrameViewProps } from './frame_stage';

const NO_ACTIONS: readonly Action[] = [];

export function FrameView(props: FrameViewProps) {
    const canvas = useRef<HTMLCanvasElement | null>(null);
    const scroller = useRef<HTMLDivElement | null>(null);
    const stage = useRef<FrameStage | null>(null);
    const [path, setPath] = useState<number[]>([]);
    const ticks = useRef<HTMLCanvasElement | null>(null);
    const [rowsBeyond, setRowsBeyond] = useState(0);
    const { layout, paint, match, selected, zoom, hasSteps = false } = props;
    const hits = useMemo(
        () => (hasSteps ? hitFrames(layout, match) : null),
        [hasSteps, layout, match],
    );
    const hit = (hitSteps(hits?.length ?? null).position ?? 0) - 1;

    useLayoutEffectOn(() => {
        if (!canvas.current || !scroller.current) return undefined;
        const now = new FrameStage(canvas.current, scroller.current, props, () => {
            const cover = now.zoomed ? coveredPath(now.props.layout, now.span.x0, now.span.x1) : [];
            setPath((old) => (old.join() === cover.join() ? old : cover));
        });
        stage.current = now;
        now.resize();
        const { linked } = now.props;
        linked?.add(now);
        const observer = new ResizeObserver(() => {
            now.scrollToNearest();
            now.resize();
            setRowsBeyond(now.rowsBeyond);
        });
        observer.observe(scroller.current);
        const unwatch = watchTheme(now.retheme);
        const release = listenPointer(now);
        return () => {
            observer.disconnect();
            unwatch();
            release();
            linked?.delete(now);
            now.dispose();
            stage.current = null;
        };
    }, []);

    useLayoutEffect(() => {
        const now = stage.current;
        if (!now) return;
        now.props = props;
    });
    useLayoutEffectOn(() => {
        const now = stage.current;
        if (!now) return;
        now.hover = -1;
        now.otherHover = -1;
        now.span = now.spanOf(zoom);
        now.onSpan();
        now.scrollToNearest();
        now.redraw();
        setRowsBeyond(now.rowsBeyond);
    }, [layout]);
    const isFading = isSearching.value;
    useLayoutEffect(() => {
        const now = stage.current;
        if (!now) return;
        now.ticks = ticks.current;
        now.hits = hits && { frames: hits, current: hits[hit] ?? -1 };
        now.redraw();
    }, [paint, match, selected, hits, hit, isFading]);
    const shownHit = useRef(hit);
    useEffect(() => {
        const frame = hits?.[hit] ?? -1;
        if (frame >= 0 && shownHit.current !== hit) stage.current?.showFrame(frame);
        shownHit.current = hit;
    }, [hits, hit]);
    useEffect(() => {
        const now = stage.current;
        if (!now || now.sent === zoom) return;
        now.sent = zoom;
        now.easeTo(now.spanOf(zoom));
    }, [zoom]);
    useEffect(() => {
        const frame = selected >= 0 ? layout.frameOf[selected] : -1;
        if (frame !== undefined && frame >= 0) showFrame(stage.current, frame);
    }, [selected, layout]);

    const act = (run: (now: FrameStage) => void) => () => {
        if (stage.current) run(stage.current);
    };
    useFrameLink(stage, props);
    const isPlaced = selected >= 0 && layout.frameOf[selected] >= 0;
    useFrameKeys(act, {
        isZoomed: path.length > 0,
        isSelected: selected >= 0,
        hasActions: props.actions !== undefined,
        canClearSearch: match !== null && props.onClearSearch !== undefined,
        keyless: props.keyless,
    });
    useActionKeys(
        'Selected frame',
        (isPlaced && !props.keyless && props.actions?.(selected)) || NO_ACTIONS,
    );

    const content = layout.rows * FRAME_ROW + 2;
    return (
        <div class="frame-view" style={props.height ? { height: props.height } : { flex: '1 1 0' }}>
            <div
                ref={scroller}
                class="frame-scroll"
                tabIndex={0}
                role="img"
                aria-label={ariaText(props)}
                onScroll={act((now) => {
                    now.redraw();
                    setRowsBeyond(now.rowsBeyond);
                })}
            >
                <div class="frame-space" style={{ height: content }}>
                    <canvas ref={canvas} class="frame-canvas" />
                </div>
            </div>
            {hits && <canvas ref={ticks} class="frame-ticks" aria-hidden="true" />}
            {rowsBeyond > 0 && (
                <div class={`frame-more${props.growsUp ? ' is-above' : ''}`} aria-hidden="true">
                    {plural(rowsBeyond, 'more row')} {props.growsUp ? 'above' : 'below'}
                </div>
            )}
            {layout.total <= 0 && props.empty && <div class="frame-empty">{props.empty}</div>}
            {path.length > 0 && !props.linked && (
                <FrameCrumb
                    path={path.map((f) => ({
                        frame: f,
                        name: crumbName(props, layout.node[f]),
                    }))}
                    onPick={(frame) => stage.current?.zoomTo(frame)}
                />
            )}
        </div>
    );
}

function crumbName({ tree, layout, paint }: FrameViewProps, node: number): string {
    if (node >= 0) return shownName(tree, layout, node);
    return node === -1 ? paint.title : '…';
}

function ariaText({ label, tree, layout, selected }: FrameViewProps): string {
    const selectionText =
        selected >= 0 && layout.frameOf[selected] >= 0
            ? `, at ${shownName(tree, layout, selected)}`
            : '';
    return `${label}, ${layout.count} frames${selectionText}`;
}
