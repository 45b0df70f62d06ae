/* SPDX-License-Identifier: MIT
 *
 * Types of a table, for the views that fill one and for data_grid, which draws it.
 */
import { type Signal, signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { ApiError } from '../base/client';
import type { TermId } from '../base/terms';
import type { RowActions } from './actions';

export interface GridColumn<R> {
    key: string;
    title: string;
    /** Shown after the title in the colour of units: 'ms', '% total'. */
    unit?: string;
    /** Pixels; 'rest' columns share the remaining width. A column grows if its title, or a number that
     * is aligned to the right, does not fit. */
    width: number | 'rest';
    /** Minimum width in px of a 'rest' column in a narrow pane. */
    least?: number;
    align?: 'left' | 'right';
    /** The server's sort key; without it the header does not sort. */
    sortKey?: string;
    /** Numeric columns are sorted in descending order at the first click on the header. */
    numeric?: boolean;
    /** The column is hidden if the window is narrower than this, in px. */
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

/** Tree rows: the source has the currently visible rows, in order. */
export interface GridTree<R> {
    /** Key of the column that is indented and has the arrow. */
    column: string;
    depth: (row: R) => number;
    /** null for a leaf. */
    open: (row: R) => boolean | null;
    toggle: (row: R, index: number) => void;
}

/** A group heading, or any other row without cells. */
export interface GridBand {
    height: number;
    body: ComponentChildren;
    class?: string;
    /** The keyboard cursor stops on it, and it can be clicked and opened like a row. */
    stops?: boolean;
}

export interface GridHandle {
    focus(): void;
    /** Moves the cursor to a row, selects it and scrolls to it. */
    moveTo(index: number): void;
    /** Like moveTo, without selecting: for a row that was selected elsewhere. */
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
    /** Label of the table for screen readers. The arrangement of its columns is stored under it. */
    label: string;
    /** Name of the arrangement of a table whose columns vary; it is kept until the page is closed. */
    layoutKey?: string;
    columns: GridColumn<R>[];
    source: AnyGridSource<R>;
    rowKey: (row: R) => GridKey;
    sort?: GridSort;
    onSort?: (sort: GridSort) => void;
    /** Key of the selected row. */
    selected?: GridKey | null;
    /** The cursor moved to this row, by click or key. */
    onSelect?: (row: R, index: number) => void;
    /** Enter or double click (or click, with openOnClick). */
    onOpen?: (row: R, index: number) => void;
    openOnClick?: boolean;
    rowClass?: (row: R) => string;
    tree?: GridTree<R>;
    band?: (row: R) => GridBand | null;
    onHover?: (row: R | null, event: PointerEvent) => void;
    /** Handles keys that the grid does not use; returns true if it handled the key. */
    onKey?: (event: KeyboardEvent, row: R | undefined, index: number) => boolean;
    /** What a person can do with a row: in its context menu. null: the row names nothing. */
    actions?: (row: R) => RowActions | null;
    /** Shown in place of rows when there are none. */
    empty?: ComponentChildren;
    /** The grid scrolls to the top when this changes (sort, filter). */
    resetKey?: string;
    handle?: { current: GridHandle | null };
    /** Rows may be inserted above the visible ones: cursor and scroll position stay with their rows. */
    anchored?: boolean;
    class?: string;
}

/** Rows of a DataGrid. `rowAt` returns undefined for a row that is not loaded yet. A component that
 * reads total, rows or sums while it renders is rendered again when they change. */
export interface GridSource<R> {
    readonly total: number;
    rowAt(index: number): R | undefined;
    /** Reports that rows [from, to) are in view; loads them if needed. */
    ensure(from: number, to: number): void;
    /** Changes whenever the total or any row changes. */
    readonly version: Signal<number>;
}

/** Source over rows that are all in memory. */
export function arraySource<R>(rows: readonly R[]): GridSource<R> {
    return { total: rows.length, rowAt: (i) => rows[i], ensure: () => {}, version: signal(0) };
}
