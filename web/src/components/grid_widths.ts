/* SPDX-License-Identifier: MIT
 *
 * Widths of the columns of a DataGrid. Columns have the widths that the user chose, or else those that
 * their view asks for. They grow until their title and the numbers of the drawn rows fit, because a number that is cut is a wrong
 * number. A table that is wider than its place scrolls sideways; names in the first column stay.
 */
import type { RefObject } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import { useLayoutEffectOn } from '../base/hooks';
import { growWidths } from '../model/columns';
import type { GridColumn } from './grid_types';
import { viewportWidth } from './viewport';

/** Minimum width of a column of names in px, in narrow and in wide windows. */
const REST_MIN = { narrow: 140, wide: 200 };
const NARROW_PX = 900;

export interface GridWidths {
    /** grid-template-columns of the header and of each row */
    template: string;
    /** px below which the table scrolls sideways */
    least: number;
    /** width in px at which nothing is cut in the drawn rows of the column with this index */
    fit: (index: number) => number;
}

type Grown = ReadonlyMap<string, number>;

function tracksOf<R>(
    columns: GridColumn<R>[],
    grown: Grown,
    chosen: Readonly<Record<string, number>>,
    restMin: number,
): { tracks: string[]; least: number } {
    const parts = columns.map(({ key, width, least: ownLeast }) => {
        const isElastic = width === 'rest' && chosen[key] === undefined;
        const wished = chosen[key] ?? (width === 'rest' ? (ownLeast ?? restMin) : width);
        const least = Math.max(wished, grown.get(key) ?? 0);
        return { least, text: isElastic ? `minmax(${least}px, 1fr)` : `${least}px` };
    });
    return {
        tracks: parts.map(({ text }) => text),
        least: parts.reduce((sum, { least }) => sum + least, 0),
    };
}

/* Each row is a grid of its own, so its track can show how wide its content is. */
function fitWidth(scroller: HTMLElement, tracks: string[], index: number): number {
    const rows = [...scroller.querySelectorAll<HTMLElement>('.grid-head, .grid-row')];
    const template = tracks.map((track, i) => (i === index ? 'max-content' : track)).join(' ');
    const before = rows.map((row) => row.style.gridTemplateColumns);
    rows.forEach((row) => (row.style.gridTemplateColumns = template));
    const widths = rows.map((row) => row.children[index]?.getBoundingClientRect().width ?? 0);
    rows.forEach((row, i) => (row.style.gridTemplateColumns = before[i]));
    return Math.ceil(Math.max(...widths));
}

/* Width that the title of a header cell needs: it may overflow to either side. The last child of the
 * cell is the edge of the column, which does not count. */
function headNeed(cell: HTMLElement): number {
    const range = document.createRange();
    range.selectNodeContents(cell);
    if (cell.lastChild) range.setEndBefore(cell.lastChild);
    const { paddingLeft, paddingRight } = getComputedStyle(cell);
    return range.getBoundingClientRect().width + parseFloat(paddingLeft) + parseFloat(paddingRight);
}

/* Widths of the columns whose titles or numbers do not fit. */
function needsOf<R>(scroller: HTMLElement, columns: GridColumn<R>[]): Map<string, number> {
    const needs = new Map<string, number>();
    const note = (index: number, cell: HTMLElement, need: number) => {
        const key = columns[index]?.key;
        if (key === undefined || need <= cell.clientWidth + 0.5) return;
        needs.set(key, Math.max(needs.get(key) ?? 0, Math.ceil(need)));
    };
    scroller
        .querySelectorAll<HTMLElement>('.grid-head > .grid-cell')
        .forEach((cell, index) => note(index, cell, headNeed(cell)));
    for (const row of scroller.querySelectorAll('.grid-row')) {
        [...row.children].forEach((cell, index) => {
            if (!(cell instanceof HTMLElement) || columns[index]?.align !== 'right') return;
            note(index, cell, cell.scrollWidth);
        });
    }
    return needs;
}

/** Widths of the columns. `chosen` has those of the user by key; `drawn` lists the values on which the
 * cells depend. */
export function useGridWidths<R>(
    scroller: RefObject<HTMLElement>,
    columns: GridColumn<R>[],
    chosen: Readonly<Record<string, number>>,
    drawn: unknown[],
): GridWidths {
    const [grown, setGrown] = useState<Grown>(new Map());
    const growths = useRef(new Map<string, number>());
    useLayoutEffectOn(() => {
        if (!scroller.current) return;
        const next = growWidths(grown, needsOf(scroller.current, columns), growths.current);
        if (next) setGrown(next);
    }, [columns, grown, chosen, ...drawn]);
    const restMin = viewportWidth.value < NARROW_PX ? REST_MIN.narrow : REST_MIN.wide;
    return useMemo(() => {
        const { tracks, least } = tracksOf(columns, grown, chosen, restMin);
        const fit = (index: number) =>
            scroller.current ? fitWidth(scroller.current, tracks, index) : 0;
        return { template: tracks.join(' '), least, fit };
    }, [scroller, columns, grown, chosen, restMin]);
}
