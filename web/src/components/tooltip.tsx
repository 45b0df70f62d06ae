/* SPDX-License-Identifier: MIT
 *
 * The only tooltip of the page. It is shown next to the pointer, inside the window, and ignores
 * pointer events. The explanation of a term is shown below the term instead. It has a link, so it
 * accepts events until the pointer leaves it.
 */
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

interface TooltipState {
    content: ComponentChildren;
    x: number;
    y: number;
    /** Element of the term that is explained. */
    anchor?: Element;
}

/** Vertical range that must not be covered, in client px: the frame under the pointer. */
export interface AvoidedRange {
    top: number;
    bottom: number;
}

const shown = signal<(TooltipState & { avoid?: AvoidedRange }) | null>(null);
const OFFSET = 14;
const EDGE = 8;
const GAP = 2;

/** x and y are client coordinates of the pointer. */
export function showTooltip(
    content: ComponentChildren,
    x: number,
    y: number,
    avoid?: AvoidedRange,
): void {
    shown.value = { content, x, y, avoid };
}

/** Hides the tooltip; returns whether there was one. */
export function hideTooltip(): boolean {
    clearTimeout(leaveTimer);
    const wasShown = shown.peek() !== null;
    if (wasShown) shown.value = null;
    return wasShown;
}

const LEAVE_MS = 200;
let leaveTimer: ReturnType<typeof setTimeout> | undefined;

/** Shows a tooltip below `anchor` until `leaveTooltip`; the pointer and the focus may move into it. */
export function pinTooltip(content: ComponentChildren, anchor: Element): void {
    clearTimeout(leaveTimer);
    const { left, top, bottom } = anchor.getBoundingClientRect();
    shown.value = {
        content,
        x: left - OFFSET,
        y: bottom - OFFSET + GAP,
        avoid: { top, bottom },
        anchor,
    };
}

/** Hides the tooltip after a delay, unless the pointer or the focus has moved into it. */
export function leaveTooltip(): void {
    const current = shown.peek();
    if (!current?.anchor) return;
    clearTimeout(leaveTimer);
    leaveTimer = setTimeout(() => {
        if (
            shown.peek() === current &&
            !document.querySelector('.tooltip:hover, .tooltip:focus-within')
        ) {
            shown.value = null;
        }
    }, LEAVE_MS);
}

/* Escape and Tab move the focus back to the term. */
function leaveByKey(event: KeyboardEvent, anchor: Element): void {
    if (event.key !== 'Escape' && event.key !== 'Tab') return;
    if (event.key === 'Escape') {
        event.preventDefault();
        event.stopPropagation();
    }
    const linkLabel = anchor.matches('[tabindex], button')
        ? anchor
        : anchor.querySelector('button, [tabindex]');
    (linkLabel as HTMLElement | null)?.focus();
    hideTooltip();
}

function tooltipPosition(
    box: DOMRect,
    { x, y, avoid }: TooltipState & { avoid?: AvoidedRange },
): [number, number] {
    const left = x + OFFSET + box.width + EDGE <= innerWidth ? x + OFFSET : x - OFFSET - box.width;
    const below = Math.max(y + OFFSET, (avoid?.bottom ?? 0) + 4);
    const above = Math.min(y - OFFSET, (avoid?.top ?? innerHeight) - 4) - box.height;
    const top = below + box.height + EDGE <= innerHeight ? below : above;
    return [Math.max(EDGE, left), Math.max(EDGE, top)];
}

/** Drags of fewer px are clicks. */
const CLICK_PX = 4;

/* A tooltip at the pointer describes what is below the pointer. Keys, the wheel and drags move the
 * picture, so it is hidden until the pointer moves again. */
function hideWhenPictureMoves(): () => void {
    let down: PointerEvent | null = null;
    const hide = () => {
        if (!shown.peek()?.anchor) hideTooltip();
    };
    const press = (event: PointerEvent) => {
        down = event;
    };
    const release = ({ clientX, clientY }: PointerEvent) => {
        if (!down) return;
        if (Math.hypot(clientX - down.clientX, clientY - down.clientY) > CLICK_PX) hide();
        down = null;
    };
    addEventListener('keydown', hide, true);
    addEventListener('wheel', hide, { capture: true, passive: true });
    addEventListener('pointerdown', press, true);
    addEventListener('pointerup', release, true);
    return () => {
        removeEventListener('keydown', hide, true);
        removeEventListener('wheel', hide, true);
        removeEventListener('pointerdown', press, true);
        removeEventListener('pointerup', release, true);
    };
}

export function TooltipLayer() {
    const ref = useRef<HTMLDivElement | null>(null);
    const now = shown.value;
    useEffect(hideWhenPictureMoves, []);
    useLayoutEffect(() => {
        if (!now || !ref.current) return;
        const [left, top] = tooltipPosition(ref.current.getBoundingClientRect(), now);
        ref.current.style.left = `${left}px`;
        ref.current.style.top = `${top}px`;
    });
    if (!now) return null;
    const { anchor } = now;
    if (anchor) {
        return (
            <div
                ref={ref}
                class="tooltip is-held"
                role="tooltip"
                onPointerLeave={leaveTooltip}
                onFocusOut={leaveTooltip}
                onKeyDown={(event) => leaveByKey(event, anchor)}
            >
                {now.content}
            </div>
        );
    }
    return (
        <div ref={ref} class="tooltip" role="tooltip">
            {now.content}
        </div>
    );
}
