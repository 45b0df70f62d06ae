/* SPDX-License-Identifier: MIT
 *
 * The table of all views: virtual rows under a fixed header, one cursor, sorting by header, tree
 * rows, group headings. It draws from a GridSource and requests the rows that come into view.
 */
import {
    Virtualizer,
    elementScroll,
    observeElementOffset,
    observeElementRect,
} from '@tanstack/virtual-core';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useEffectOn, useLayoutEffectOn } from '../base/hooks';
import { isColumnShown, orderColumns, phoneColumns } from '../model/columns';
import { gridLayout } from './grid_columns';
import { GridHead } from './grid_head';
import { nextCursor } from './grid_keys';
import { showsMenuButton, useGridMenu } from './grid_menu';
import { GridRow, ROW_HEIGHT } from './grid_row';
import { useGridWidths } from './grid_widths';
import type { AnyGridSource, DataGridProps, GridBand, GridColumn, GridKey } from './grid_types';
import { Notice } from './notice';
import { LoadingLine } from './progress';
import { PHONE_PX, viewportWidth } from './viewport';

export * from './grid_types';

const HEAD_HEIGHT = 28;
const OVERSCAN = 8;

type Rows = Virtualizer<HTMLDivElement, Element>;

/* Virtualizer of one grid; the component is redrawn when its range changes. */
function useVirtualRows(
    scroller: { current: HTMLDivElement | null },
    count: number,
    sizeOf: (index: number) => number,
): Rows {
    const [, redraw] = useState(0);
    const options = {
        count,
        getScrollElement: () => scroller.current,
        estimateSize: sizeOf,
        overscan: OVERSCAN,
        scrollMargin: HEAD_HEIGHT,
        scrollPaddingStart: HEAD_HEIGHT,
        observeElementRect,
        observeElementOffset,
        scrollToFn: elementScroll,
        onChange: () => redraw((n) => n + 1),
    };
    const rows = useRef<Rows | null>(null);
    rows.current ??= new Virtualizer<HTMLDivElement, Element>(options);
    rows.current.setOptions(options);
    useLayoutEffect(() => rows.current?._didMount(), []);
    useLayoutEffect(() => rows.current?._willUpdate());
    return rows.current;
}

/* The columns as the user arranged them. The arrays change only if the columns do, not with widths. */
function useColumns<R>({ columns: all, label, layoutKey, sort }: DataGridProps<R>) {
    const stored = gridLayout(layoutKey ?? label, layoutKey === undefined);
    const { order, shown } = stored.layout;
    const width = viewportWidth.value;
    // Columns that the user asked for, as those of a query, are all shown.
    const isPhone = width < PHONE_PX && layoutKey === undefined;
    const arranged = useMemo(() => {
        const ordered = orderColumns(all, order);
        const isShown = (column: GridColumn<R>) => isColumnShown(column, shown, width);
        const columns = isPhone ? phoneColumns(ordered, shown, sort?.key) : ordered.filter(isShown);
        return { ordered, columns };
    }, [all, order, shown, width, isPhone, sort?.key]);
    return { all, stored, ...arranged };
}

function bandAt<R>(props: DataGridProps<R>, index: number): GridBand | null {
    if (!props.band) return null;
    const row = props.source.rowAt(index);
    return row === undefined ? null : props.band(row);
}

/* The cursor and its inputs: keys, clicks, and the handle for the view. */
function useCursor<R>(
    props: DataGridProps<R>,
    rows: Rows,
    scroller: { current: HTMLDivElement | null },
) {
    const [cursor, setCursor] = useState(-1);
    const latest = useRef({ props, cursor });
    latest.current = { props, cursor };

    function moveTo(index: number): void {
        const { source, onSelect } = latest.current.props;
        if (index < 0 || index >= source.total) return;
        setCursor(index);
        latest.current.cursor = index;
        rows.scrollToIndex(index, { align: 'auto' });
        const row = source.rowAt(index);
        if (row !== undefined) onSelect?.(row, index);
    }

    function handleKey(event: KeyboardEvent): void {
        const { props: now, cursor: index } = latest.current;
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const row = now.source.rowAt(index);
        if (event.key === 'Enter' && row !== undefined && now.onOpen) {
            event.preventDefault();
            now.onOpen(row, index);
            return;
        }
        const page = Math.max(1, Math.floor((rows.scrollRect?.height ?? 0) / ROW_HEIGHT) - 2);
        const stops = (i: number) => {
            const band = bandAt(now, i);
            return !band || (band.stops ?? false);
        };
        const next = nextCursor(
            event.key,
            { source: now.source, tree: now.tree, stops, page },
            index,
        );
        if (next !== undefined) {
            event.preventDefault();
            moveTo(next);
        } else if (now.onKey?.(event, row, index)) {
            event.preventDefault();
        }
    }

    useEffectOn(() => {
        const { handle } = props;
        if (!handle) return undefined;
        handle.current = {
            focus: () => scroller.current?.focus(),
            moveTo,
            show: (index) => {
                setCursor(index);
                rows.scrollToIndex(index, { align: 'auto' });
            },
            cursor: () => latest.current.cursor,
            key: handleKey,
        };
        return () => {
            handle.current = null;
        };
    }, [props.handle]);

    const onKeyDown = (event: KeyboardEvent) => {
        if (!event.defaultPrevented) handleKey(event);
    };
    return { cursor, setCursor, moveTo, onKeyDown };
}

const MAX_SHIFT = 300;

/* New index of the row with this key, which was at `index`; `index` if the row is not within
 * MAX_SHIFT rows. */
function findShiftedRow<R>(
    { source, rowKey }: DataGridProps<R>,
    key: GridKey,
    index: number,
): number {
    for (let away = 0; away <= MAX_SHIFT; away++) {
        for (const candidate of [index + away, index - away]) {
            const row = candidate >= 0 ? source.rowAt(candidate) : undefined;
            if (row !== undefined && rowKey(row) === key) return candidate;
        }
    }
    return index;
}

/* Keeps the scroll position and the cursor on their rows when rows are inserted above them. */
function useAnchor<R>(
    props: DataGridProps<R>,
    scroller: { current: HTMLDivElement | null },
    items: { index: number; start: number }[],
    cursor: number,
    setCursor: (index: number) => void,
): void {
    const seen = useRef<{ cursor?: GridKey; top?: GridKey; topIndex: number }>({
        topIndex: 0,
    });
    const version = props.source.version.value;
    const keyAt = (index: number) => {
        const row = index >= 0 ? props.source.rowAt(index) : undefined;
        return row === undefined ? undefined : props.rowKey(row);
    };
    useLayoutEffectOn(() => {
        const { cursor: cursorKey, top, topIndex } = seen.current;
        const box = scroller.current;
        if (!props.anchored || !box) return;
        if (cursor >= 0 && cursorKey !== undefined)
            setCursor(findShiftedRow(props, cursorKey, cursor));
        if (box.scrollTop > 0 && top !== undefined) {
            box.scrollTop += (findShiftedRow(props, top, topIndex) - topIndex) * ROW_HEIGHT;
        }
    }, [version]);
    useLayoutEffect(() => {
        // Reading the scroll position computes the layout of the page at once.
        if (!props.anchored) return;
        const box = scroller.current;
        const first = items.find(({ start }) => start - HEAD_HEIGHT >= (box?.scrollTop ?? 0));
        const topIndex = first?.index ?? 0;
        seen.current = { cursor: keyAt(cursor), top: keyAt(topIndex), topIndex };
    });
}

function indexAt(event: Event): number {
    const row = (event.target as Element).closest('[data-index]');
    return row ? Number(row.getAttribute('data-index')) : -1;
}

function isControl(event: Event): boolean {
    return (event.target as Element).closest('a, button, input, label') !== null;
}

export function DataGrid<R>(props: DataGridProps<R>) {
    const { source, sort, onSort, label, resetKey } = props;
    const version = source.version.value;
    const scroller = useRef<HTMLDivElement | null>(null);
    const { columns, ...arranged } = useColumns(props);
    const sizeOf = (index: number) => bandAt(props, index)?.height ?? ROW_HEIGHT;
    const rows = useVirtualRows(scroller, source.total, sizeOf);
    const { cursor, setCursor, moveTo, onKeyDown } = useCursor(props, rows, scroller);
    const openMenu = useGridMenu(scroller, { props, cursor, moveTo });

    // Headings have a different height, so measured sizes are stale after the rows change.
    useLayoutEffectOn(() => {
        if (props.band) rows.measure();
    }, [version, source, source.total]);

    const first = useRef(true);
    useLayoutEffectOn(() => {
        if (first.current) first.current = false;
        else {
            scroller.current?.scrollTo({ top: 0 });
            setCursor(-1);
        }
    }, [resetKey]);

    const items = rows.getVirtualItems();
    useAnchor(props, scroller, items, cursor, setCursor);
    const from = items.length ? items[0].index : 0;
    const to = items.length ? items[items.length - 1].index + 1 : 1;
    useEffect(() => source.ensure(from, to), [source, from, to, version]);
    const drawn = [source, from, to, version];
    const { widths: chosen } = arranged.stored.layout;
    const widths = useGridWidths(scroller, columns, chosen, drawn);
    const { template, least } = widths;

    function onClick(event: MouseEvent): void {
        const index = indexAt(event);
        const row = source.rowAt(index);
        if (row === undefined) return;
        if ((event.target as Element).closest('[data-twisty]')) {
            props.tree?.toggle(row, index);
            return;
        }
        const menuButton = (event.target as Element).closest('[data-menu]');
        if (menuButton) openMenu(index, menuButton);
        if (isControl(event) || bandAt(props, index)) return;
        setCursor(index);
        props.onSelect?.(row, index);
        const selecting = String(getSelection() ?? '') !== '';
        if (props.openOnClick && !selecting) props.onOpen?.(row, index);
    }

    function onDblClick(event: MouseEvent): void {
        const index = indexAt(event);
        const row = source.rowAt(index);
        if (row === undefined || isControl(event) || bandAt(props, index)) return;
        if (!props.openOnClick) props.onOpen?.(row, index);
    }

    function hover(event: PointerEvent): void {
        props.onHover?.(source.rowAt(indexAt(event)) ?? null, event);
    }

    return (
        <div
            class={`grid${props.class ? ` ${props.class}` : ''}${columns[0]?.width === 'rest' ? ' is-named' : ''}`}
        >
            <div
                ref={scroller}
                class={cursor >= 0 ? 'grid-scroll has-cursor' : 'grid-scroll'}
                role="grid"
                tabIndex={0}
                aria-label={label}
                aria-rowcount={source.total + 1}
                aria-activedescendant={cursor >= 0 ? 'grid-cursor' : undefined}
                onKeyDown={onKeyDown}
                onClick={onClick}
                onDblClick={onDblClick}
                onPointerOver={props.onHover && hover}
                onPointerLeave={props.onHover && ((event) => props.onHover?.(null, event))}
            >
                <GridHead
                    {...arranged}
                    columns={columns}
                    widths={widths}
                    sort={sort}
                    onSort={onSort}
                />
                <div
                    class="grid-body"
                    style={{ height: rows.getTotalSize(), minWidth: `${least}px` }}
                >
                    {items.map((item) => {
                        const top = item.start - HEAD_HEIGHT;
                        const row = source.rowAt(item.index);
                        const band = row !== undefined && props.band ? props.band(row) : null;
                        if (band) return bandRow(band, item.index, top, cursor === item.index);
                        const selected = row !== undefined && isSelected(props, row);
                        const isPicked = selected || cursor === item.index;
                        return (
                            <GridRow<R>
                                key={item.index}
                                row={row}
                                index={item.index}
                                top={top}
                                columns={columns}
                                template={template}
                                selected={selected}
                                cursor={cursor === item.index}
                                extraClass={row !== undefined ? (props.rowClass?.(row) ?? '') : ''}
                                tree={props.tree}
                                open={row !== undefined ? (props.tree?.open(row) ?? null) : null}
                                hasMenu={props.actions !== undefined && showsMenuButton(isPicked)}
                                version={version}
                            />
                        );
                    })}
                </div>
                <GridMessage source={source} total={source.total} empty={props.empty} />
            </div>
            <LoadingLine active={source.loading?.value ?? false} />
        </div>
    );
}

function isSelected<R>(props: DataGridProps<R>, row: R): boolean {
    return props.selected !== null && props.selected !== undefined
        ? props.rowKey(row) === props.selected
        : false;
}

function bandRow(band: GridBand, index: number, top: number, cursor: boolean) {
    return (
        <div
            role="row"
            key={`band${index}`}
            class={`grid-band${band.class ? ` ${band.class}` : ''}${cursor ? ' is-cursor' : ''}`}
            data-index={index}
            style={{ transform: `translateY(${top}px)`, height: band.height }}
        >
            {band.body}
        </div>
    );
}

interface GridMessageProps<R> {
    source: AnyGridSource<R>;
    /** total of the source; passed separately, because the same source object later has another total */
    total: number;
    empty: unknown;
}

/* Error message or empty state, in place of the rows. */
function GridMessage<R>({ source, total, empty }: GridMessageProps<R>) {
    const error = source.error?.value ?? null;
    if (error) {
        return <Notice kind="error" title="The rows could not be read" error={error} />;
    }
    const answered = source.ready?.value ?? true;
    if (total > 0 || !answered || !empty) return null;
    return <div class="grid-empty">{empty as never}</div>;
}
