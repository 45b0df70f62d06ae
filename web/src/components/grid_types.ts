/* SPDX-License-Identifier: MIT
 *
 * What a table is made of, for those who fill one (views) and those who draw one (data_grid).
 */
import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { ApiError } from '../base/client';
import type { GridSource } from '../base/paged_source';
import type { TermId } from '../base/terms';

export type { GridSource } from '../base/paged_source';

export interface GridColumn<R> {
    key: string;
    title: string;
    /** Shown after the title in the colour of units: 'ms', '% total'. */
    unit?: string;
    /** Pixels; 'rest' shares what is left. */
    width: number | 'rest';
    align?: 'left' | 'right';
    /** The server's sort key; without it the header is not a button. */
    sortKey?: string;
    /** Direction of the first click on the header: numbers start downward. */
    numeric?: boolean;
    /** The column goes when the window is narrower than this, in px. */
    hideBelow?: number;
    title_tip?: string;
    /** Explains the title. */
    term?: TermId;
    /** Extra class of each cell and of the header cell. */
    cellClass?: string;
    /** Replaces the title, for a checkbox or a menu in the header. */
    head?: () => ComponentChildren;
    render: (row: R) => ComponentChildren;
}

export interface GridSort {
    key: string;
    desc: boolean;
}

/** Tree rows: the source holds the rows that are visible now, in order. */
export interface GridTree<R> {
    /** Key of the column that is indented and carries the arrow. */
    column: string;
    depth: (row: R) => number;
    /** null: a leaf. */
    open: (row: R) => boolean | null;
    toggle: (row: R, index: number) => void;
}

/** A heading over rows, or any other row that is not made of cells. */
export interface GridBand {
    height: number;
    body: ComponentChildren;
    class?: string;
    /** The keyboard stops on it, and it counts as a row for click and open. */
    stops?: boolean;
}

export interface GridHandle {
    focus(): void;
    /** Moves the cursor to a row and shows it. */
    moveTo(index: number): void;
    /** The same without selecting: for a row that was selected elsewhere. */
    show(index: number): void;
    cursor(): number;
    /** Handles a key as if the grid had the focus. */
    key(event: KeyboardEvent): void;
}

export type GridKey = string | number;

/** A PagedSource has all three signals; an array has none. */
export type AnyGridSource<R> = GridSource<R> & {
    loading?: Signal<boolean>;
    error?: Signal<ApiError | null>;
    ready?: Signal<boolean>;
};

export interface DataGridProps<R> {
    /** Says to screen readers what the table holds. */
    label: string;
    columns: GridColumn<R>[];
    source: AnyGridSource<R>;
    rowKey: (row: R) => GridKey;
    sort?: GridSort;
    onSort?: (sort: GridSort) => void;
    /** Key of the selected row. */
    selected?: GridKey | null;
    /** The cursor came to this row, by click or key. */
    onSelect?: (row: R, index: number) => void;
    /** Enter or double click (or click, with openOnClick). */
    onOpen?: (row: R, index: number) => void;
    openOnClick?: boolean;
    rowClass?: (row: R) => string;
    tree?: GridTree<R>;
    band?: (row: R) => GridBand | null;
    onHover?: (row: R | null, event: PointerEvent) => void;
    /** Keys the grid itself has no use for. Answers true when it took the key. */
    onKey?: (event: KeyboardEvent, row: R | undefined, index: number) => boolean;
    /** Shown in place of rows when there are none. */
    empty?: ComponentChildren;
    /** Back to the top when this changes (the sort, the filter). */
    resetKey?: string;
    handle?: { current: GridHandle | null };
    /** Rows may be added above what is in view by others: cursor and view stay with their rows. */
    anchored?: boolean;
    class?: string;
}
