/* SPDX-License-Identifier: MIT
 *
 * Widths of the columns of a DataGrid. Columns have the widths that their view asks for. They grow
 * until their title and the numbers of the drawn rows fit, because a number that is cut is a wrong
 * number. A table that is wider than its place scrolls sideways; names in the first column stay.
 */
import type { RefObject } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { useLayoutEffectOn } from '../base/hooks';
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
}

type Grown = ReadonlyMap<string, number>;

function widthsOf<R>(columns: GridColumn<R>[], grown: Grown, restMin: number): GridWidths {
    const parts = columns.map(({ key, width }) => {
        const least = Math.max(width === 'rest' ? restMin : width, grown.get(key) ?? 0);
        return { least, text: width === 'rest' ? `minmax(${least}px, 1fr)` : `${least}px` };
    });
    return {
        template: parts.map(({ text }) => text).join(' '),
        least: parts.reduce((sum, { least }) => sum + least, 0),
    };
}

/* Width that the content of a header cell needs: it may overflow to either side. */
function headNeed(cell: HTMLElement): number {
    const range = document.createRange();
    range.selectNodeContents(cell);
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

/** Widths of the columns. `drawn` lists the values on which the cells depend. */
export function useGridWidths<R>(
    scroller: RefObject<HTMLElement>,
    columns: GridColumn<R>[],
    drawn: unknown[],
): GridWidths {
    const [grown, setGrown] = useState<Grown>(new Map());
    useLayoutEffectOn(() => {
        const needs = scroller.current ? needsOf(scroller.current, columns) : new Map();
        if (needs.size) setGrown(new Map([...grown, ...needs]));
    }, [columns, grown, ...drawn]);
    const restMin = viewportWidth.value < NARROW_PX ? REST_MIN.narrow : REST_MIN.wide;
    return useMemo(() => widthsOf(columns, grown, restMin), [columns, grown, restMin]);
}
