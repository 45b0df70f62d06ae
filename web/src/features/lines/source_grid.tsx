/* SPDX-License-Identifier: MIT
 *
 * Source lines with measured values, in groups of columns separated by strong lines. Rows are drawn
 * when they scroll into view. One line is current: the user selects it by click or key, or the
 * caller sets it.
 */
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { useMemoOn } from '../../base/hooks';
import { viewportWidth } from '../../components/viewport';
import { dropRanked } from '../../model/columns';
import { type RailMarker, railMarkers } from '../../model/heat';
import { HeatRail } from './heat_rail';
import type { Token } from './python_syntax';
import type { BandRow, LineRow, SourceRow } from './source';
import { HEAD_HEIGHT, type SourceGroup, SourceHead } from './source_head';
import { type SourceColumn, SourceRowView } from './source_row';
import {
    SOURCE_ROW_HEIGHT,
    type SourceScroll,
    nextLineRow,
    targetRow,
    useSourceScroll,
} from './source_scroll';

export type { SourceColumn } from './source_row';

/** Width of one digit of the line number, px. */
const DIGIT_WIDTH_PX = 8;
const NUMBER_PADDING_PX = 28;
const SCROLL_STEP_PX = 48;
const RAIL_SLOT_PX = 3;
/** Minimum width of the source column in px, for one run and for several; a wider grid scrolls
 * sideways. */
const MIN_SOURCE_WIDTH = 160;
const MIN_SOURCE_WIDTH_MULTI_RUN = 340;

export interface SourceGridHandle {
    focus: () => void;
    /** Scrolls the row with this key to the middle. */
    centre: (key: string) => void;
}

interface SourceGridProps {
    label: string;
    columns: SourceColumn[];
    rows: SourceRow[];
    text: readonly (string | null)[];
    tokens: (line: number) => Token[] | null;
    heatLevelOf: (row: LineRow) => number;
    isCold: (row: LineRow) => boolean;
    band: (row: BandRow) => ComponentChildren;
    remark?: (row: LineRow) => ComponentChildren;
    /** Key of the current row. */
    current: string | null;
    onCurrent: (row: LineRow) => void;
    onHover?: (row: LineRow | null, event: PointerEvent) => void;
    /** A second header line, above the columns' titles. */
    groups?: SourceGroup[];
    empty?: ComponentChildren;
    handle?: { current: SourceGridHandle | null };
}

/* Width of the column of line numbers, px. */
function useNumberWidth(rows: SourceRow[]): number {
    return useMemo(() => {
        const last = rows[nextLineRow(rows, rows.length - 1, -1)];
        const digits = last?.kind === 'line' ? Math.max(3, String(last.line).length) : 3;
        return NUMBER_PADDING_PX + digits * DIGIT_WIDTH_PX;
    }, [rows]);
}

function useRailMarkers(
    props: SourceGridProps,
    scroll: SourceScroll,
    headHeight: number,
): RailMarker[] {
    const { rows, heatLevelOf } = props;
    const { offsets, height } = scroll;
    return useMemoOn(() => {
        const level = (i: number) => {
            const row = rows[i];
            return row.kind === 'line' ? heatLevelOf(row) : 0;
        };
        return railMarkers(offsets, level, Math.floor(height / RAIL_SLOT_PX), height - headHeight);
    }, [offsets, rows, height, heatLevelOf]);
}

function useHandle(
    handle: SourceGridProps['handle'],
    scroller: { current: HTMLDivElement | null },
    scroll: SourceScroll,
): void {
    useEffect(() => {
        if (!handle) return undefined;
        handle.current = {
            focus: () => scroller.current?.focus({ preventScroll: true }),
            centre: (key) => scroll.reveal(scroll.indexOf(key), true),
        };
        return () => {
            handle.current = null;
        };
    });
}

/* Scrolls the text of the current line sideways; other lines do not move. */
function scrollSideways(box: HTMLElement | null, by: number): void {
    const code = box?.querySelector('.source-row.is-current .source-text');
    if (code) code.scrollLeft += by;
}

function rowOf(event: Event, rows: SourceRow[]): LineRow | null {
    const element = (event.target as Element).closest('[data-row]');
    const row = element ? rows[Number(element.getAttribute('data-row'))] : undefined;
    return row?.kind === 'line' ? row : null;
}

export function SourceGrid(props: SourceGridProps) {
    const { rows, current, onHover } = props;
    const scroller = useRef<HTMLDivElement | null>(null);
    const width = viewportWidth.value;
    const headHeight = props.groups ? 2 * HEAD_HEIGHT : HEAD_HEIGHT;
    const scroll = useSourceScroll(rows, scroller, headHeight, current);
    const numberWidth = useNumberWidth(rows);
    const columns = useMemo(() => {
        const inWindow = props.columns.filter((c) => !c.hideBelow || width >= c.hideBelow);
        return scroll.width ? dropRanked(inWindow, scroll.width - 2 * numberWidth) : inWindow;
    }, [props.columns, width, scroll.width, numberWidth]);
    const minSourceWidth = props.groups ? MIN_SOURCE_WIDTH_MULTI_RUN : MIN_SOURCE_WIDTH;
    const widths = columns.map((column) => `${column.width}px`).join(' ');
    const template = `${numberWidth}px ${widths} minmax(${minSourceWidth}px, 1fr)`;
    const marks = useRailMarkers(props, scroll, headHeight);
    useHandle(props.handle, scroller, scroll);
    const at = scroll.indexOf(current);

    function onKeyDown(event: KeyboardEvent): void {
        if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
        if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') {
            scrollSideways(
                scroller.current,
                event.key === 'ArrowLeft' ? -SCROLL_STEP_PX : SCROLL_STEP_PX,
            );
            event.preventDefault();
            return;
        }
        const page = Math.max(1, Math.floor(scroll.height / SOURCE_ROW_HEIGHT) - 3);
        const next = targetRow(event.key, rows, at, page);
        if (next === null) return;
        event.preventDefault();
        const row = rows[next];
        if (row?.kind !== 'line') return;
        scroll.reveal(next, false);
        props.onCurrent(row);
    }
    function onClick(event: MouseEvent): void {
        const row = rowOf(event, rows);
        if (row && String(getSelection() ?? '') === '') props.onCurrent(row);
    }
    function onGo(share: number): void {
        const box = scroller.current;
        if (box) box.scrollTop = share * box.scrollHeight - box.clientHeight / 2;
    }
    return (
        <div class="source-grid">
            <div
                ref={scroller}
                class={props.groups ? 'source-scroll is-wide' : 'source-scroll'}
                role="grid"
                tabIndex={0}
                aria-label={props.label}
                aria-rowcount={rows.length + 1}
                aria-activedescendant={at >= 0 ? 'source-current' : undefined}
                onScroll={scroll.follow}
                onKeyDown={onKeyDown}
                onClick={onClick}
                onPointerOver={onHover && ((event) => onHover(rowOf(event, rows), event))}
                onPointerLeave={onHover && ((event) => onHover(null, event))}
            >
                <div class="source-inner">
                    <SourceHead columns={columns} template={template} groups={props.groups} />
                    <Body
                        {...props}
                        columns={columns}
                        template={template}
                        scroll={scroll}
                        at={at}
                    />
                </div>
                {rows.length === 0 && props.empty && <div class="grid-empty">{props.empty}</div>}
            </div>
            <HeatRail marks={marks} visiblePart={scroll.visiblePart} onGo={onGo} />
        </div>
    );
}

interface BodyProps extends SourceGridProps {
    template: string;
    scroll: SourceScroll;
    /** index of the current row */
    at: number;
}

function Body(props: BodyProps) {
    const { rows, columns, template, scroll, at } = props;
    const { range, offsets } = scroll;
    return (
        <div class="source-body" style={{ height: offsets[rows.length] }}>
            {rows.slice(range.from, range.to).map((row, i) => {
                const index = range.from + i;
                const top = offsets[index];
                if (row.kind === 'band') {
                    return (
                        <div
                            key={row.key}
                            role="row"
                            class="source-band"
                            style={{ transform: `translateY(${top}px)` }}
                        >
                            {props.band(row)}
                        </div>
                    );
                }
                return (
                    <SourceRowView
                        key={row.key}
                        row={row}
                        index={index}
                        top={top}
                        columns={columns}
                        template={template}
                        text={props.text[row.line - 1] ?? null}
                        tokens={props.tokens(row.line)}
                        level={props.heatLevelOf(row)}
                        cold={props.isCold(row)}
                        current={index === at}
                        remark={props.remark?.(row) ?? null}
                    />
                );
            })}
        </div>
    );
}
