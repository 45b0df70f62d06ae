/* SPDX-License-Identifier: MIT
 *
 * The one tooltip. It stands beside the pointer, inside the window, and takes no events.
 */
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

interface Shown {
    content: ComponentChildren;
    x: number;
    y: number;
}

/** What must stay uncovered, in client px: the frame under the pointer. */
export interface Avoid {
    top: number;
    bottom: number;
}

const shown = signal<(Shown & { avoid?: Avoid }) | null>(null);
const OFFSET = 14;
const EDGE = 8;

/** Client coordinates of the pointer. */
export function showTooltip(content: ComponentChildren, x: number, y: number, avoid?: Avoid): void {
    shown.value = { content, x, y, avoid };
}

export function hideTooltip(): void {
    if (shown.peek()) shown.value = null;
}

function place(box: DOMRect, { x, y, avoid }: Shown & { avoid?: Avoid }): [number, number] {
    const left = x + OFFSET + box.width + EDGE <= innerWidth ? x + OFFSET : x - OFFSET - box.width;
    const below = Math.max(y + OFFSET, (avoid?.bottom ?? 0) + 4);
    const above = Math.min(y - OFFSET, (avoid?.top ?? innerHeight) - 4) - box.height;
    const top = below + box.height + EDGE <= innerHeight ? below : above;
    return [Math.max(EDGE, left), Math.max(EDGE, top)];
}

export function TooltipLayer() {
    const ref = useRef<HTMLDivElement | null>(null);
    const now = shown.value;
    useLayoutEffect(() => {
        if (!now || !ref.current) return;
        const [left, top] = place(ref.current.getBoundingClientRect(), now);
        ref.current.style.left = `${left}px`;
        ref.current.style.top = `${top}px`;
    });
    if (!now) return null;
    return (
        <div ref={ref} class="tooltip" role="tooltip">
            {now.content}
        </div>
    );
}
