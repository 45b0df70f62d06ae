/* SPDX-License-Identifier: MIT */
import type { GridColumn, GridSort } from './grid_types';
import type { GridWidths } from './grid_widths';
import { Term, termHandlers } from './term';

interface HeadProps<R> {
    columns: GridColumn<R>[];
    widths: GridWidths;
    sort?: GridSort;
    onSort?: (sort: GridSort) => void;
}

export function GridHead<R>({ columns, widths, sort, onSort }: HeadProps<R>) {
    return (
        <div
            role="row"
            class="grid-head"
            style={{ gridTemplateColumns: widths.template, minWidth: `${widths.least}px` }}
        >
            {columns.map((column) => (
                <HeadCell key={column.key} column={column} sort={sort} onSort={onSort} />
            ))}
        </div>
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
    sort?: GridSort;
    onSort?: (sort: GridSort) => void;
}

function HeadCell<R>({ column, sort, onSort }: HeadCellProps<R>) {
    const active = sort !== undefined && column.sortKey === sort.key;
    const side = column.align === 'right' ? ' is-right' : '';
    const order = active ? (sort.desc ? 'descending' : 'ascending') : undefined;
    return (
        <div
            role="columnheader"
            aria-sort={order}
            title={column.term ? undefined : column.title_tip}
            class={`grid-cell${side}${active ? ' is-sorted' : ''}${column.cellClass ? ` ${column.cellClass}` : ''}`}
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
