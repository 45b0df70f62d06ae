/* SPDX-License-Identifier: MIT
 *
 * The head of a table: sorts by a column, resizes it at its right edge, moves it by dragging, and opens
 * the list of columns.
 */
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { moveKey } from '../model/columns';
import { ColumnMenu, type MenuPoint } from './column_menu';
import type { StoredLayout } from './grid_columns';
import type { GridColumn, GridSort } from './grid_types';
import type { GridWidths } from './grid_widths';
import { Term, termHandlers } from './term';

interface HeadProps<R> {
    /** shown columns, in the order of the user */
    columns: GridColumn<R>[];
    /** all columns, in their original order and in the order of the user */
    all: readonly GridColumn<R>[];
    ordered: readonly GridColumn<R>[];
    widths: GridWidths;
    stored: StoredLayout;
    sort?: GridSort;
    onSort?: (sort: GridSort) => void;
}

/* A pointer that moves less than this, in px, clicks. */
const DRAG_PX = 6;

const cellsOf = (head: Element): HTMLElement[] => [
    ...head.querySelectorAll<HTMLElement>('[role=columnheader]'),
];

/* Index of the shown column in front of which a column dropped at `x` is inserted. */
function dropIndex(head: Element, x: number): number {
    const middles = cellsOf(head).map((cell) => {
        const { left, width } = cell.getBoundingClientRect();
        return left + width / 2;
    });
    const index = middles.findIndex((middle) => x < middle);
    return index < 0 ? middles.length : index;
}

/* Moves a column by dragging its title. Fingers scroll instead; they have the list of columns. */
function useColumnDrag<R>({ columns, ordered, stored }: HeadProps<R>) {
    const [drop, setDrop] = useState<{ key: string; index: number } | null>(null);

    function onPointerDown(event: PointerEvent): void {
        const head = event.currentTarget as HTMLElement;
        const cell = (event.target as Element).closest<HTMLElement>('[role=columnheader]');
        const isEdge = (event.target as Element).closest('.grid-edge, input');
        if (!cell || isEdge || event.button !== 0 || event.pointerType === 'touch') return;
        const { key } = columns[cellsOf(head).indexOf(cell)];
        const start = event.clientX;
        let index: number | null = null;
        const control = new AbortController();
        const { signal } = control;
        const onMove = (move: PointerEvent) => {
            if (index === null && Math.abs(move.clientX - start) < DRAG_PX) return;
            index = dropIndex(head, move.clientX);
            setDrop({ key, index });
        };
        const end = (isDropped: boolean) => {
            control.abort();
            setDrop(null);
            if (index === null) return;
            // The release after a drag is not a click that sorts.
            const stopClick = (click: Event) => click.stopPropagation();
            addEventListener('click', stopClick, { capture: true, once: true });
            setTimeout(() => removeEventListener('click', stopClick, true));
            const keys = ordered.map((column) => column.key);
            if (isDropped) stored.setOrder(moveKey(keys, key, columns[index]?.key ?? null));
        };
        addEventListener('pointermove', onMove, { signal });
        addEventListener('pointerup', () => end(true), { signal });
        addEventListener('pointercancel', () => end(false), { signal });
    }

    return { drop, onPointerDown };
}

export function GridHead<R>(props: HeadProps<R>) {
    const { columns, all, ordered, widths, stored, sort, onSort } = props;
    const head = useRef<HTMLDivElement | null>(null);
    const [menu, setMenu] = useState<MenuPoint | null>(null);
    const { drop, onPointerDown } = useColumnDrag(props);
    const widthOf = (key: string): number => {
        const index = columns.findIndex((column) => column.key === key);
        return head.current && index >= 0 ? cellsOf(head.current)[index].offsetWidth : 0;
    };

    function closeMenu(): void {
        setMenu(null);
        const button = head.current?.querySelector<HTMLElement>('.grid-columns');
        button?.focus({ preventScroll: true });
    }

    const dropClass = (index: number): string => {
        if (!drop) return '';
        const dragged = columns[index].key === drop.key ? ' is-dragged' : '';
        const isLast = index === columns.length - 1 && drop.index === columns.length;
        return dragged + (drop.index === index ? ' is-drop-left' : isLast ? ' is-drop-right' : '');
    };

    return (
        <>
            <div
                ref={head}
                role="row"
                class="grid-head"
                style={{ gridTemplateColumns: widths.template, minWidth: `${widths.least}px` }}
                onPointerDown={onPointerDown}
                onContextMenu={(event) => {
                    event.preventDefault();
                    setMenu({ x: event.clientX, y: event.clientY });
                }}
            >
                {columns.map((column, index) => (
                    <HeadCell
                        key={column.key}
                        column={column}
                        place={index + 1}
                        extraClass={dropClass(index)}
                        sort={sort}
                        onSort={onSort}
                    >
                        <ColumnEdge
                            width={() => widthOf(column.key)}
                            onResize={(px) => stored.setWidth(column.key, px)}
                            onFit={() => stored.setWidth(column.key, widths.fit(index))}
                        />
                    </HeadCell>
                ))}
                <button
                    type="button"
                    class="grid-columns"
                    aria-label="Columns"
                    aria-haspopup="menu"
                    aria-expanded={menu !== null}
                    title="Columns: show, hide, move, resize"
                    onClick={(event) => {
                        const { left, bottom } = event.currentTarget.getBoundingClientRect();
                        setMenu({ x: left, y: bottom });
                    }}
                />
            </div>
            {menu && (
                <ColumnMenu
                    columns={all}
                    ordered={ordered}
                    isShown={(column) => columns.includes(column)}
                    widthOf={widthOf}
                    stored={stored}
                    point={menu}
                    onClose={closeMenu}
                />
            )}
        </>
    );
}

interface ColumnEdgeProps {
    width: () => number;
    onResize: (px: number) => void;
    onFit: () => void;
}

/* The right edge of a column. The list of columns resizes by keyboard. */
function ColumnEdge({ width, onResize, onFit }: ColumnEdgeProps) {
    const start = useRef<{ x: number; width: number } | null>(null);
    const stop = () => {
        start.current = null;
    };
    return (
        <span
            class="grid-edge"
            title="Drag to resize, double-click to fit"
            onPointerDown={(event) => {
                event.currentTarget.setPointerCapture(event.pointerId);
                start.current = { x: event.clientX, width: width() };
            }}
            onPointerMove={(event) => {
                const { current } = start;
                if (current && event.clientX !== current.x)
                    onResize(current.width + event.clientX - current.x);
            }}
            onPointerUp={stop}
            onPointerCancel={stop}
            onDblClick={onFit}
        />
    );
}

/* The first click sorts numbers in descending and text in ascending order. */
function nextSort<R>(column: GridColumn<R>, sort: GridSort | undefined): GridSort {
    const key = column.sortKey ?? column.key;
    if (sort?.key === key) return { key, desc: !sort.desc };
    return { key, desc: column.numeric ?? false };
}

interface HeadCellProps<R> {
    column: GridColumn<R>;
    /** number of the track of the grid, from 1 */
    place: number;
    extraClass: string;
    sort?: GridSort;
    onSort?: (sort: GridSort) => void;
    children: ComponentChildren;
}

function HeadCell<R>({ column, place, extraClass, sort, onSort, children }: HeadCellProps<R>) {
    const active = sort !== undefined && column.sortKey === sort.key;
    const side = column.align === 'right' ? ' is-right' : '';
    const order = active ? (sort.desc ? 'descending' : 'ascending') : undefined;
    return (
        <div
            role="columnheader"
            aria-sort={order}
            title={column.term ? undefined : column.title_tip}
            class={`grid-cell${side}${active ? ' is-sorted' : ''}${column.cellClass ? ` ${column.cellClass}` : ''}${extraClass}`}
            style={{ gridColumn: place }}
        >
            {column.head ? (
                column.head()
            ) : column.sortKey && onSort ? (
                <button
                    type="button"
                    onClick={() => onSort(nextSort(column, sort))}
                    {...(column.term ? termHandlers(column.term, column.title_tip) : {})}
                >
                    <Title column={column} sorts />
                    {active && <span class="sort-arrow">{sort.desc ? '↓' : '↑'}</span>}
                </button>
            ) : (
                <Title column={column} />
            )}
            {children}
        </div>
    );
}

/* Title of a column. If it sorts, the button around it has the focus and shows the explanation. */
function Title<R>({ column, sorts }: { column: GridColumn<R>; sorts?: boolean }) {
    const { term, title, title_tip } = column;
    return (
        <>
            {!term ? (
                title
            ) : sorts ? (
                <span class="term">{title}</span>
            ) : (
                <Term of={term} details={title_tip}>
                    {title}
                </Term>
            )}
            {column.unit && <span class="unit"> {column.unit}</span>}
        </>
    );
}
