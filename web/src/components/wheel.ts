/* SPDX-License-Identifier: MIT
 *
 * What a turn of the wheel does in every picture: it scrolls; with Ctrl, or as a pinch on a touch pad,
 * it zooms; with Shift, or sideways, it pans.
 */
import { confirm } from './context_menu';

export type WheelTurn =
    | { kind: 'scroll'; px: number }
    | { kind: 'pan'; px: number }
    /** below 1: zoom in */
    | { kind: 'zoom'; factor: number };

const LINE_PX = 16;
const PAGE_PX = 400;
const ZOOM_PER_PX = 0.0022;
/** Browsers report a pinch as turns with Ctrl whose deltas are about 10 times smaller. */
const PINCH_PER_PX = 0.01;
const PINCH_MAX_PX = 50;
const MAX_PX = 300;

export function readWheel(event: WheelEvent): WheelTurn {
    const unit = event.deltaMode === 1 ? LINE_PX : event.deltaMode === 2 ? PAGE_PX : 1;
    const [dx, dy] = [event.deltaX * unit, event.deltaY * unit];
    if (event.ctrlKey || event.metaKey) {
        const isPinch = event.deltaMode === 0 && Math.abs(dy) < PINCH_MAX_PX;
        const px = Math.max(-MAX_PX, Math.min(MAX_PX, dy));
        return { kind: 'zoom', factor: Math.exp(px * (isPinch ? PINCH_PER_PX : ZOOM_PER_PX)) };
    }
    if (event.shiftKey) return { kind: 'pan', px: dx || dy };
    return Math.abs(dx) > Math.abs(dy) ? { kind: 'pan', px: dx } : { kind: 'scroll', px: dy };
}

/** Whether an element, or one around it, still has content in the direction of the turn. */
export function canScroll(element: HTMLElement, deltaY: number): boolean {
    for (let at: HTMLElement | null = element; at; at = at.parentElement) {
        const rest = deltaY < 0 ? at.scrollTop : at.scrollHeight - at.clientHeight - at.scrollTop;
        const { overflowY } = getComputedStyle(at);
        if (rest > 1 && overflowY !== 'visible' && overflowY !== 'hidden') return true;
    }
    return false;
}

const HINT_KEY = 'perfshelf.hint.wheel';

/** Says once per browser how to zoom, when the wheel turned over a picture that cannot scroll. */
export function hintAtZoom(): void {
    try {
        if (localStorage.getItem(HINT_KEY)) return;
        localStorage.setItem(HINT_KEY, '1');
    } catch {
        return; // Storage is disabled: the hint would appear at every turn.
    }
    confirm('Ctrl + wheel zooms, Shift + wheel pans');
}
