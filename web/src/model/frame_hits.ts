/* SPDX-License-Identifier: MIT */
/* The hits of a search in a picture of frames, their order, and where the view moves to show one. */
import type { FrameLayout } from './frames';
import { type Span, clampSpan } from './span';

/** Frames of the matching nodes, from the left, outer ones first; null if there is no search. */
export function hitFrames(layout: FrameLayout, match: Uint8Array | null): Int32Array | null {
    if (!match) return null;
    const frames: number[] = [];
    for (let f = 0; f < layout.count; f++)
        if (layout.node[f] >= 0 && match[layout.node[f]] === 1) frames.push(f);
    const { x0, row } = layout;
    return Int32Array.from(frames).sort((a, b) => x0[a] - x0[b] || row[a] - row[b]);
}

/** 1 for each px column of a strip of `width` px in which a hit begins or, if it is wider, is centred. */
export function hitColumns(layout: FrameLayout, hits: Int32Array, width: number): Uint8Array {
    const columns = new Uint8Array(Math.max(1, Math.ceil(width)));
    for (const f of hits) columns[columnOf(layout, f, columns.length)] = 1;
    return columns;
}

/** The px column of a frame's middle in a strip over the complete picture. */
export function columnOf({ x0, x1, total }: FrameLayout, frame: number, width: number): number {
    const share = total > 0 ? (x0[frame] + x1[frame]) / 2 / total : 0;
    return Math.max(0, Math.min(width - 1, Math.floor(share * width)));
}

/** Width in px from which the name of a frame can be read. */
const READABLE_PX = 80;

/** The range that shows a frame so that its name can be read; null if `span` does already. */
export function spanToRead(
    layout: FrameLayout,
    frame: number,
    span: Span,
    widthPx: number,
): Span | null {
    const [x0, x1] = [layout.x0[frame], layout.x1[frame]];
    const shown = span.x1 - span.x0;
    const visible = Math.min(x1, span.x1) - Math.max(x0, span.x0);
    const needed = Math.min(READABLE_PX / Math.max(1, widthPx), 0.5) * shown;
    if (visible >= needed) return null;
    const width = Math.min(shown, ((x1 - x0) * widthPx) / (2 * READABLE_PX));
    const middle = (x0 + x1) / 2;
    return clampSpan({ x0: middle - width / 2, x1: middle + width / 2 }, layout.total);
}

/** Number of the hit that a step leads to, from 1; `position` null: none is current. */
export function steppedHit(position: number | null, by: 1 | -1, count: number): number {
    if (position === null) return by > 0 ? 1 : Math.max(1, count);
    return ((position - 1 + by + count) % Math.max(1, count)) + 1;
}
