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
import { hideTooltip, showTooltip } from './tooltip';

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
    keyless?: boolean;
}

export function useFrameKeys(
    act: Act,
    { isZoomed, isSelected, hasActions, keyless }: KeyOptions,
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
        if (now.zoomed) now.zoomTo(enclosingFrame(now.props.layout, now.span));
        else now.props.onSelect(-1);
    });
    const menu = act((now) => now.openMenu(now.props.selected, null));
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
        ...(isZoomed ? [{ key: 'Backspace', label: 'zoom out one level', run: back }] : []),
        ...(isSelected && hasActions
            ? [
                  { key: 'shift+F10', label: 'menu of the selected frame', run: menu },
                  { key: 'ContextMenu', label: '', run: menu },
              ]
            : []),
        ...(isZoomed || isSelected
            ? [
                  {
                      key: 'Escape',
                      label: isZoomed ? 'zoom out one level' : 'clear selection',
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

/** Handles pointer and wheel; returns a function that removes the listeners. The wheel zooms only
 * on the canvas; over the scroll bar it scrolls. */
export function listenPointer(now: FrameStage): () => void {
    const { canvas, scroller } = now;
    let drag: { x: number; y: number; top: number; span: Span; moved: boolean } | null = null;
    let hoverTimer = 0;

    const point = (event: ClientPoint): [number, number] => {
        const box = canvas.getBoundingClientRect();
        return [event.clientX - box.left, event.clientY - box.top];
    };
    const hitAt = (event: ClientPoint): number => now.renderer.hit(now.scene(), ...point(event));
    const perPx = (): number => (now.span.x1 - now.span.x0) / Math.max(1, canvas.clientWidth);

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
        const postTooltip = (): void =>
            showTooltip(
                now.props.tip(now.props.layout.node[frame]),
                event.clientX,
                event.clientY,
                avoid,
            );
        hoverTimer = setTimeout(postTooltip, HOVER_MS);
    }

    function onWheel(event: WheelEvent): void {
        event.preventDefault();
        const unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
        const [dx, dy] = [event.deltaX * unit, event.deltaY * unit];
        const sideways = event.shiftKey ? dx || dy : Math.abs(dx) > Math.abs(dy) ? dx : 0;
        if (sideways !== 0) now.moveTo(panSpan(now.span, now.whole.x1, sideways * perPx()));
        else {
            const at = now.span.x0 + point(event)[0] * perPx();
            const factor = Math.exp(Math.max(-300, Math.min(300, dy)) * 0.0022);
            now.moveTo(zoomSpan(now.span, now.whole.x1, factor, at));
        }
        hideTooltip();
    }

    function onDown(event: PointerEvent): void {
        if (event.button !== 0) return;
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
        const click = drag !== null && !drag.moved;
        drag = null;
        if (!click) return;
        const frame = hitAt(event);
        now.props.onSelect(frame >= 0 ? now.props.layout.node[frame] : -1);
    }

    function onDouble(event: MouseEvent): void {
        const frame = hitAt(event);
        if (frame < 0) return;
        now.zoomTo(frame);
    }

    function onLeave(): void {
        setHover(-1);
    }

    function onMenu(at: { x: number; y: number } | null): void {
        drag = null;
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
    canvas.addEventListener('pointerleave', onLeave);
    canvas.addEventListener('dblclick', onDouble);
    return () => {
        unlistenMenu();
        clearTimeout(hoverTimer);
    };
}
