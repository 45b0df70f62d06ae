/* SPDX-License-Identifier: MIT
 *
 * One row of a DataGrid. It is redrawn only when its props change, so scrolling redraws only the
 * rows that come into view.
 */
import { Component, type ComponentChildren } from 'preact';
import { RowMenuButton } from './grid_menu';
import type { GridColumn, GridTree } from './grid_types';

export const ROW_HEIGHT = 24;
const INDENT = 14;

interface RowProps<R> {
    row: R | undefined;
    index: number;
    top: number;
    columns: GridColumn<R>[];
    template: string;
    selected: boolean;
    cursor: boolean;
    extraClass: string;
    tree?: GridTree<R>;
    /** Whether the row was open when it was drawn; null for a leaf. A tree row is redrawn when it
     * opens. */
    open: boolean | null;
    /** The row shows the button of its menu. */
    hasMenu: boolean;
    version: number;
}

export class GridRow<R> extends Component<RowProps<R>> {
    override shouldComponentUpdate(next: RowProps<R>): boolean {
        const now = this.props;
        return (
            now.row !== next.row ||
            now.top !== next.top ||
            now.columns !== next.columns ||
            now.template !== next.template ||
            now.selected !== next.selected ||
            now.cursor !== next.cursor ||
            now.extraClass !== next.extraClass ||
            now.open !== next.open ||
            now.hasMenu !== next.hasMenu ||
            now.index !== next.index
        );
    }

    render({
        row,
        index,
        top,
        columns,
        template,
        selected,
        cursor,
        extraClass,
        tree,
        hasMenu,
    }: RowProps<R>) {
        const menuColumn = hasMenu ? menuColumnOf(columns) : undefined;
        const state = `${selected ? ' is-selected' : ''}${cursor ? ' is-cursor' : ''}`;
        return (
            <div
                role="row"
                id={cursor ? 'grid-cursor' : undefined}
                class={`grid-row${state}${extraClass && ` ${extraClass}`}`}
                data-index={index}
                aria-rowindex={index + 2}
                aria-selected={selected || undefined}
                style={{ transform: `translateY(${top}px)`, gridTemplateColumns: template }}
            >
                {row !== undefined &&
                    columns.map((column) => renderCell(column, row, tree, column === menuColumn))}
            </div>
        );
    }
}

/* A column of names, which may be cut. */
function menuColumnOf<R>(columns: GridColumn<R>[]): GridColumn<R> | undefined {
    return columns.find(({ width }) => width === 'rest') ?? columns.at(-1);
}

function renderCell<R>(
    column: GridColumn<R>,
    row: R,
    tree: GridTree<R> | undefined,
    hasMenu: boolean,
) {
    const side = column.align === 'right' ? ' is-right' : '';
    let body: ComponentChildren = column.render(row);
    if (tree && tree.column === column.key) body = renderTreeCell(tree, row, body);
    return (
        <div
            role="gridcell"
            key={column.key}
            class={`grid-cell${side}${column.cellClass ? ` ${column.cellClass}` : ''}${hasMenu ? ' has-menu' : ''}`}
        >
            {body}
            {hasMenu && <RowMenuButton />}
        </div>
    );
}

function renderTreeCell<R>(tree: GridTree<R>, row: R, body: ComponentChildren) {
    const open = tree.open(row);
    return (
        <>
            <span
                class={`twisty${open === null ? ' is-leaf' : ''}${open ? ' is-open' : ''}`}
                style={{ marginLeft: tree.depth(row) * INDENT }}
                data-twisty
                aria-hidden="true"
            />
            {body}
        </>
    );
}
