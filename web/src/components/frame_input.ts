/* SPDX-License-Identifier: MIT
 *
 * Keys, pointer and wheel of a frame view.
 */
import { useKeys } from '../base/keys';
import { type Step, stepFrame } from '../model/frames';
import { type Span, enclosingFrame, panSpan, zoomSpan } from '../model/span';
import { postHover } from './frame_panel';
import type { FrameStage } from './frame_stage';
import { listenContextMenu } from './context_menu';
import { showTip } from './tip';
import { hideTooltip } from './tooltip';
import { canScroll, hintAtZoom, readWheel } from './wheel';

const HOVER_MS = 60;
const KEY_ZOOM = 0.8;
const KEY_PAN = 0.12;

type ClientPoint = Pick<MouseEvent, 'clientX' | 'clientY'>;

export type Act = (run: (now: FrameStage) => void) => () => void;

interface KeyOptions {
    isZoomed: boolean;
    isSelected: boolean;
    /** The actions of frames use `s` and `f`. */
    hasActions: boolean;
    canClearSearch: boolean;
    keyless?: boolean;
}

export function useFrameKeys(
    act: Act,
    { isZoomed, isSelected, hasActions, canClearSearch, keyless }: KeyOptions,
): void {
    const width = (now: FrameStage): number => now.span.x1 - now.span.x0;
    const zoom = (factor: number) =>
        act((now) => {
            const at = (now.span.x0 + now.span.x1) / 2;
            now.moveTo(zoomSpan(now.span, now.whole.x1, factor, at));
        });
    const pan = (by: number) =>
        act((now) => now.moveTo(panSpan(now.span, now.whole.x1, by * width(now))));
    const moveSelection = (step: Step) =>
        act((now) => {
            const { layout, selected: node, onSelect } = now.props;
            const frame = node >= 0 ? layout.frameOf[node] : -1;
            const next =
                frame >= 0 ? stepFrame(layout, frame, step) : Math.min(1, layout.count - 1);
            if (layout.node[next] >= 0) onSelect(layout.node[next]);
        });
    const back = act((now) => {
        if (now.props.match && now.props.onClearSearch) now.props.onClearSearch();
        else if (now.zoomed) now.zoomTo(enclosingFrame(now.props.layout, now.span));
        else now.props.onSelect(-1);
    });
    const menu = act((now) => now.openMenu(now.props.selected, null));
    const zoomOut = act((now) => now.zoomTo(enclosingFrame(now.props.layout, now.span)));
    const keys = [
        { key: 'w', label: 'zoom in', run: zoom(KEY_ZOOM) },
        { key: '+', label: 'zoom in', run: zoom(KEY_ZOOM) },
        { key: '=', label: '', run: zoom(KEY_ZOOM) },
        { key: '-', label: 'zoom out', run: zoom(1 / KEY_ZOOM) },
        { key: 'a', label: 'pan left', run: pan(-KEY_PAN) },
        { key: 'd', label: 'pan right', run: pan(KEY_PAN) },
        { key: '0', label: 'reset zoom', run: act((now) => now.zoomTo(-1)) },
        ...(hasActions
            ? []
            : [
                  { key: 's', label: 'zoom out', run: zoom(1 / KEY_ZOOM) },
                  { key: 'f', label: 'zoom to the selected frame', run: act(fitSelection) },
              ]),
        { key: 'ArrowUp', label: 'frame above', run: moveSelection('up') },
        { key: 'ArrowDown', label: 'widest frame below', run: moveSelection('down') },
        { key: 'ArrowLeft', label: 'frame on the left', run: moveSelection('left') },
        { key: 'ArrowRight', label: 'frame on the right', run: moveSelection('right') },
        { key: 'Enter', label: 'open the selected frame', run: act(openSelection) },
        ...(isZoomed ? [{ key: 'Backspace', label: 'zoom out one level', run: zoomOut }] : []),
        ...(isSelected && hasActions
            ? [
                  { key: 'shift+F10', label: 'menu of the selected frame', run: menu },
                  { key: 'ContextMenu', label: '', run: menu },
              ]
            : []),
        ...(isZoomed || isSelected || canClearSearch
            ? [
                  {
                      key: 'Escape',
                      label: canClearSearch
                          ? 'clear the search'
                          : isZoomed
                            ? 'zoom out one level'
                            : 'clear selection',
                      run: back,
                  },
              ]
            : []),
    ];
    useKeys('Picture', keyless ? [] : keys);
}

function fitSelection(now: FrameStage): void {
    const { layout, selected } = now.props;
    const frame = selected >= 0 ? layout.frameOf[selected] : -1;
    if (frame >= 0) now.zoomTo(frame);
}

function openSelection(now: FrameStage): void {
    if (now.props.selected < 0) return;
    if (now.props.onOpen) now.props.onOpen(now.props.selected);
    else fitSelection(now);
}

/** Handles pointer and wheel; returns a function that removes the listeners. */
export function listenPointer(now: FrameStage): () => void {
    const { canvas, scroller } = now;
    let drag: { x: number; y: number; top: number; span: Span; moved: boolean } | null = null;
    let hoverTimer = 0;
    const touches = new Map<number, PointerEvent>();
    let pinch: { distance: number; span: Span } | null = null;

    const point = (event: ClientPoint): [number, number] => {
        const box = canvas.getBoundingClientRect();
        return [event.clientX - box.left, event.clientY - box.top];
    };
    const hitAt = (event: ClientPoint): number => now.renderer.hit(now.scene(), ...point(event));
    const perPx = (): number => (now.span.x1 - now.span.x0) / Math.max(1, canvas.clientWidth);

    /* Distance of two fingers, and the px of the canvas between them. */
    function spread(): { distance: number; middle: number } {
        const [a, b] = [...touches.values()];
        const distance = Math.max(8, Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY));
        return { distance, middle: (point(a)[0] + point(b)[0]) / 2 };
    }

    function setHover(frame: number, event?: PointerEvent): void {
        const changed = frame !== now.hover;
        now.hover = frame;
        if (changed) {
            now.redraw();
            postHover(now);
        }
        clearTimeout(hoverTimer);
        if (frame < 0 || !event) {
            hideTooltip();
            return;
        }
        const box = now.renderer.boxOf(now.scene(), frame);
        const top = canvas.getBoundingClientRect().top + box.y;
        const avoid = { top, bottom: top + box.h };
        // Meanwhile another tree may have come, which need not have this frame, or has it elsewhere.
        const postTooltip = (): void => {
            if (hitAt(event) === frame)
                showTip(now.props.tip(now.props.layout.node[frame]), event, avoid);
        };
        hoverTimer = setTimeout(postTooltip, HOVER_MS);
    }

    function onWheel(event: WheelEvent): void {
        const turn = readWheel(event);
        if (turn.kind === 'scroll') {
            if (!canScroll(scroller, event.deltaY)) hintAtZoom();
            return;
        }
        event.preventDefault();
        if (turn.kind === 'pan') now.moveTo(panSpan(now.span, now.whole.x1, turn.px * perPx()));
        else {
            const at = now.span.x0 + point(event)[0] * perPx();
            now.moveTo(zoomSpan(now.span, now.whole.x1, turn.factor, at));
        }
        hideTooltip();
    }

    function onDown(event: PointerEvent): void {
        if (event.button !== 0) return;
        touches.set(event.pointerId, event);
        if (touches.size === 2) {
            pinch = { distance: spread().distance, span: now.span };
            drag = null;
            return;
        }
        drag = {
            x: event.clientX,
            y: event.clientY,
            top: scroller.scrollTop,
            span: now.span,
            moved: false,
        };
        canvas.setPointerCapture(event.pointerId);
    }

    function onMove(event: PointerEvent): void {
        if (touches.has(event.pointerId)) touches.set(event.pointerId, event);
        if (pinch) {
            const { distance, middle } = spread();
            const scale = (pinch.span.x1 - pinch.span.x0) / Math.max(1, canvas.clientWidth);
            const at = pinch.span.x0 + middle * scale;
            now.moveTo(zoomSpan(pinch.span, now.whole.x1, pinch.distance / distance, at));
            return;
        }
        if (!drag) {
            setHover(hitAt(event), event);
            return;
        }
        const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
        if (!drag.moved && Math.hypot(dx, dy) < 4) return;
        drag.moved = true;
        setHover(-1);
        scroller.scrollTop = drag.top - dy;
        if (now.zoomed) now.moveTo(panSpan(drag.span, now.whole.x1, -dx * perPx()));
    }

    function onUp(event: PointerEvent): void {
        touches.delete(event.pointerId);
        pinch = null;
        const click = drag !== null && !drag.moved;
        drag = null;
        if (!click) return;
        const frame = hitAt(event);
        now.props.onSelect(frame >= 0 ? now.props.layout.node[frame] : -1);
    }

    function onDouble(event: MouseEvent): void {
        const frame = hitAt(event);
        if (frame < 0) return;
        const node = now.props.layout.node[frame];
        if (now.props.opensOnDouble && node >= 0) now.props.onOpen?.(node);
        else now.zoomTo(frame);
    }

    function onLeave(): void {
        setHover(-1);
    }

    function onCancel(event: PointerEvent): void {
        touches.delete(event.pointerId);
        pinch = null;
        drag = null;
    }

    function onMenu(at: { x: number; y: number } | null): void {
        drag = null;
        touches.clear();
        setHover(-1);
        const frame = at ? hitAt({ clientX: at.x, clientY: at.y }) : -1;
        const node = at ? (frame >= 0 ? now.props.layout.node[frame] : -1) : now.props.selected;
        now.openMenu(node, at);
    }

    const unlistenMenu = listenContextMenu(scroller, onMenu);
    canvas.addEventListener('wheel', onWheel, { passive: false });
    canvas.addEventListener('pointerdown', onDown);
    canvas.addEventListener('pointermove', onMove);
    canvas.addEventListener('pointerup', onUp);
    canvas.addEventListener('pointercancel', onCancel);
    canvas.addEventListener('pointerleave', onLeave);
    canvas.addEventListener('dblclick', onDouble);
    return () => {
        unlistenMenu();
        clearTimeout(hoverTimer);
    };
}
