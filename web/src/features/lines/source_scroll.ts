/* SPDX-License-Identifier: MIT
 *
 * Scrolling of a SourceGrid: visible rows, navigation keys, and scrolling to a row.
 */
import { useMemo, useRef, useState } from 'preact/hooks';
import { useLayoutEffectOn } from '../../base/hooks';
import { rowAt, rowOffsets } from './row_offsets';
import type { SourceRow } from './source';

export const SOURCE_ROW_HEIGHT = 21;
export const BAND_HEIGHT = 26;
const OVERSCAN = 14;
/** The range of drawn rows changes in steps of this size, so that most scroll events redraw nothing. */
const STEP = 6;

type Box = { current: HTMLDivElement | null };

function useRange(offsets: Float64Array, scroller: Box, headHeight: number) {
    const whole = offsets[offsets.length - 1] + headHeight;
    const [range, setRange] = useState({ from: 0, to: 60 });
    const [{ width, height }, setSize] = useState({ width: 0, height: 0 });
    const visiblePart = useRef<HTMLDivElement | null>(null);

    function follow(): void {
        const box = scroller.current;
        if (!box) return;
        const first = rowAt(offsets, box.scrollTop);
        const last = rowAt(offsets, box.scrollTop + box.clientHeight);
        const from = Math.max(0, Math.floor((first - OVERSCAN) / STEP) * STEP);
        const to = Math.ceil((last + OVERSCAN) / STEP) * STEP;
        setRange((old) => (old.from === from && old.to === to ? old : { from, to }));
        const mark = visiblePart.current;
        if (!mark) return;
        // Setting a transform, unlike `top`, causes no page layout on each scroll event.
        mark.style.transform = `translateY(${box.scrollTop * (height / Math.max(height, whole))}px)`;
    }
    useLayoutEffectOn(() => {
        follow();
        const mark = visiblePart.current;
        if (!mark) return;
        mark.style.height = `${(100 * height) / Math.max(1, height, whole)}%`;
        mark.hidden = whole <= height;
    }, [offsets, height]);
    useLayoutEffectOn(() => {
        const box = scroller.current;
        if (!box) return undefined;
        const measure = () => setSize({ width: box.clientWidth, height: box.clientHeight });
        const watch = new ResizeObserver(measure);
        watch.observe(box);
        measure();
        return () => watch.disconnect();
    }, []);
    return { range, follow, width, height, visiblePart };
}

/** Index of the first line at or after row `from` in direction `by`; skips headings. -1 if there is
 * none. */
export function nextLineRow(rows: SourceRow[], from: number, by: 1 | -1): number {
    let index = from;
    while (index >= 0 && index < rows.length) {
        if (rows[index].kind === 'line') return index;
        index += by;
    }
    return -1;
}

/** Index of the row that a navigation key moves to, -1 if there is none; null if `key` is no
 * navigation key. */
export function targetRow(key: string, rows: SourceRow[], at: number, page: number): number | null {
    const last = rows.length - 1;
    switch (key) {
        case 'ArrowDown':
            return nextLineRow(rows, at + 1, 1);
        case 'ArrowUp':
            return at < 0 ? nextLineRow(rows, 0, 1) : nextLineRow(rows, at - 1, -1);
        case 'PageDown':
            return nextLineRow(rows, Math.min(last, at + page), -1);
        case 'PageUp':
            return nextLineRow(rows, Math.max(0, at - page), 1);
        case 'Home':
            return nextLineRow(rows, 0, 1);
        case 'End':
            return nextLineRow(rows, last, -1);
        default:
            return null;
    }
}

export interface SourceScroll {
    range: { from: number; to: number };
    offsets: Float64Array;
    /** px of the grid without its scroll bars; 0 before it is in the page */
    width: number;
    height: number;
    /** element that marks the visible part, on the rail */
    visiblePart: Box;
    follow: () => void;
    indexOf: (key: string | null) => number;
    reveal: (index: number, centre: boolean) => void;
}

/** Scrolls to the row with key `current` when `current` changes and the row is not in view. */
export function useSourceScroll(
    rows: SourceRow[],
    scroller: Box,
    headHeight: number,
    current: string | null,
): SourceScroll {
    const offsets = useMemo(
        () =>
            rowOffsets(rows.length, (i) =>
                rows[i].kind === 'band' ? BAND_HEIGHT : SOURCE_ROW_HEIGHT,
            ),
        [rows],
    );
    const indexByKey = useMemo(() => new Map(rows.map((row, i) => [row.key, i])), [rows]);
    const indexOf = (key: string | null): number =>
        key === null ? -1 : (indexByKey.get(key) ?? -1);
    const { range, follow, width, height, visiblePart } = useRange(offsets, scroller, headHeight);

    function reveal(index: number, centre: boolean): void {
        const box = scroller.current;
        if (!box || index < 0) return;
        const viewHeight = box.clientHeight - headHeight;
        const top = offsets[index];
        const bottom = offsets[index + 1];
        if (centre) box.scrollTop = Math.max(0, top - (viewHeight - SOURCE_ROW_HEIGHT) / 2);
        else if (top < box.scrollTop + BAND_HEIGHT) box.scrollTop = Math.max(0, top - BAND_HEIGHT);
        else if (bottom > box.scrollTop + viewHeight - SOURCE_ROW_HEIGHT) {
            box.scrollTop = bottom - viewHeight + SOURCE_ROW_HEIGHT;
        }
        follow();
    }
    function inView(index: number): boolean {
        const box = scroller.current;
        if (!box || index < 0) return true;
        const viewHeight = box.clientHeight - headHeight;
        return offsets[index] >= box.scrollTop && offsets[index + 1] <= box.scrollTop + viewHeight;
    }
    useLayoutEffectOn(() => {
        const at = indexOf(current);
        if (height > 0 && !inView(at)) reveal(at, true);
    }, [current, rows, height > 0]);
    return { range, offsets, width, height, visiblePart, follow, indexOf, reveal };
}
