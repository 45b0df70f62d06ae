/* SPDX-License-Identifier: MIT
 *
 * Source lines with figures beside them, as groups of columns behind strong lines. Rows are drawn
 * as they come into view; one line is current, by click, keys or from outside.
 */
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { railMarks } from '../model/heat';
import type { Token } from '../model/python_syntax';
import { rowAt, rowOffsets } from '../model/row_offsets';
import type { BandRow, LineRow, SourceRow } from '../model/source';
import { HeatRail } from './heat_rail';
import { type SourceColumn, SourceRowView } from './source_row';
import { viewportWidth } from './viewport';

export type { SourceColumn } from './source_row';

export const SOURCE_ROW = 21;
const BAND = 26;
const OVERSCAN = 14;
/** The range of rows moves in steps, so that most scroll events redraw nothing. */
const STEP = 6;
/** Room for the digits of the largest line number. */
const DIGIT_WIDTH = 8;
const NUMBER_PAD = 28;

const SIDEWAYS = 48;
const RAIL_SLOT = 3;

export interface SourceGridHandle {
    focus: () => void;
    /** Brings the row of this key to the middle. */
    centre: (key: string) => void;
}

interface SourceGridProps {
    label: string;
    columns: SourceColumn[];
    rows: SourceRow[];
    text: readonly (string | null)[];
    tokens: (line: number) => Token[] | null;
    levelOf: (row: LineRow) => number;
    isCold: (row: LineRow) => boolean;
    band: (row: BandRow) => ComponentChildren;
    remark?: (row: LineRow) => ComponentChildren;
    /** Key of the current row. */
    current: string | null;
    onCurrent: (row: LineRow) => void;
    onHover?: (row: LineRow | null, event: PointerEvent) => void;
    /** A second line of the head, over groups of columns. */
    groups?: { title: ComponentChildren; columns: number }[];
    empty?: ComponentChildren;
    handle?: { current: SourceGridHandle | null };
}

function useRange(offsets: Float64Array, scroller: { current: HTMLDivElement | null }) {
    const [range, setRange] = useState({ from: 0, to: 60 });
    const [height, setHeight] = useState(0);
    const window = useRef<HTMLDivElement | null>(null);

    function follow(): void {
        const box = scroller.current;
        if (!box) return;
        const first = rowAt(offsets, box.scrollTop);
        const last = rowAt(offsets, box.scrollTop + box.clientHeight);
        const from = Math.max(0, Math.floor((first - OVERSCAN) / STEP) * STEP);
        const to = Math.ceil((last + OVERSCAN) / STEP) * STEP;
        setRange((old) => (old.from === from && old.to === to ? old : { from, to }));
        const whole = Math.max(1, box.scrollHeight);
        const mark = window.current;
        if (!mark) return;
        mark.style.top = `${(100 * box.scrollTop) / whole}%`;
        mark.style.height = `${(100 * box.clientHeight) / whole}%`;
        mark.hidden = box.scrollHeight <= box.clientHeight + 1;
    }
    useLayoutEffect(follow, [offsets, height]);
    useLayoutEffect(() => {
        const box = scroller.current;
        if (!box) return undefined;
        const watch = new ResizeObserver(() => setHeight(box.clientHeight));
        watch.observe(box);
        setHeight(box.clientHeight);
        return () => watch.disconnect();
    }, []);
    return { range, follow, height, window };
}

/* Keys walk over lines and jump over headings. */
function step(rows: SourceRow[], from: number, by: 1 | -1): number {
    let index = from;
    while (index >= 0 && index < rows.length) {
        if (rows[index].kind === 'line') return index;
        index += by;
    }
    return -1;
}

function target(key: string, rows: SourceRow[], at: number, page: number): number | null {
    const last = rows.length - 1;
    switch (key) {
        case 'ArrowDown':
            return step(rows, at + 1, 1);
        case 'ArrowUp':
            return at < 0 ? step(rows, 0, 1) : step(rows, at - 1, -1);
        case 'PageDown':
            return step(rows, Math.min(last, at + page), -1);
        case 'PageUp':
            return step(rows, Math.max(0, at - page), 1);
        case 'Home':
            return step(rows, 0, 1);
        case 'End':
            return step(rows, last, -1);
        default:
            return null;
    }
}

export function SourceGrid(props: SourceGridProps) {
    const { rows, current, label, handle } = props;
    const scroller = useRef<HTMLDivElement | null>(null);
    const columns = useMemo(
        () => props.columns.filter((c) => !c.hideBelow || viewportWidth.value >= c.hideBelow),
        [props.columns, viewportWidth.value],
    );
    const digits = useMemo(() => {
        const last = rows[step(rows, rows.length - 1, -1)];
        return last?.kind === 'line' ? Math.max(3, String(last.line).length) : 3;
    }, [rows]);
    const template = useMemo(
        () =>
            `${NUMBER_PAD + digits * DIGIT_WIDTH}px ${columns.map(({ width }) => `${width}px`).join(' ')} minmax(160px, 1fr)`,
        [columns, digits],
    );
    const offsets = useMemo(
        () => rowOffsets(rows.length, (i) => (rows[i].kind === 'band' ? BAND : SOURCE_ROW)),
        [rows],
    );
    const byKey = useMemo(() => new Map(rows.map((row, i) => [row.key, i])), [rows]);
    const { range, follow, height, window } = useRange(offsets, scroller);
    const at = current === null ? -1 : (byKey.get(current) ?? -1);

    function reveal(index: number, centre: boolean): void {
        const box = scroller.current;
        if (!box || index < 0) return;
        const room = box.clientHeight - headHeight(props);
        const top = offsets[index];
        const bottom = offsets[index + 1];
        if (centre) box.scrollTop = Math.max(0, top - (room - SOURCE_ROW) / 2);
        else if (top < box.scrollTop + BAND) box.scrollTop = Math.max(0, top - BAND);
        else if (bottom > box.scrollTop + room - SOURCE_ROW) {
            box.scrollTop = bottom - room + SOURCE_ROW;
        }
        follow();
    }
    function inView(index: number): boolean {
        const box = scroller.current;
        if (!box || index < 0) return true;
        const room = box.clientHeight - headHeight(props);
        return offsets[index] >= box.scrollTop && offsets[index + 1] <= box.scrollTop + room;
    }
    useEffect(() => {
        if (!handle) return undefined;
        handle.current = {
            focus: () => scroller.current?.focus({ preventScroll: true }),
            centre: (key) => reveal(byKey.get(key) ?? -1, true),
        };
        return () => {
            handle.current = null;
        };
    });
    // What became current from outside (a link, the list of hot lines) comes into view.
    useLayoutEffect(() => {
        if (height > 0 && !inView(at)) reveal(at, true);
    }, [current, rows, height > 0]);

    function sideways(by: number): void {
        const code = scroller.current?.querySelector('.source-row.is-current .source-text');
        if (code) code.scrollLeft += by;
    }
    function onKeyDown(event: KeyboardEvent): void {
        if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
        if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') {
            sideways(event.key === 'ArrowLeft' ? -SIDEWAYS : SIDEWAYS);
            event.preventDefault();
            return;
        }
        const page = Math.max(1, Math.floor(height / SOURCE_ROW) - 3);
        const next = target(event.key, rows, at, page);
        if (next === null) return;
        event.preventDefault();
        const row = rows[next];
        if (row?.kind !== 'line') return;
        reveal(next, false);
        props.onCurrent(row);
    }
    function rowOf(event: Event): LineRow | null {
        const element = (event.target as Element).closest('[data-row]');
        const row = element ? rows[Number(element.getAttribute('data-row'))] : undefined;
        return row?.kind === 'line' ? row : null;
    }
    function onClick(event: MouseEvent): void {
        const row = rowOf(event);
        if (row && String(getSelection() ?? '') === '') props.onCurrent(row);
    }
    const slots = Math.floor(height / RAIL_SLOT);
    const marks = useMemo(
        () =>
            railMarks(
                offsets,
                (i) => {
                    const row = rows[i];
                    return row.kind === 'line' ? props.levelOf(row) : 0;
                },
                slots,
                height - headHeight(props),
            ),
        [offsets, rows, slots, height, props.levelOf],
    );
    const { onHover } = props;
    return (
        <div class="source-grid">
            <div
                ref={scroller}
                class="source-scroll"
                role="grid"
                tabIndex={0}
                aria-label={label}
                aria-rowcount={rows.length + 1}
                aria-activedescendant={at >= 0 ? 'source-current' : undefined}
                onScroll={follow}
                onKeyDown={onKeyDown}
                onClick={onClick}
                onPointerOver={onHover && ((event) => onHover(rowOf(event), event))}
                onPointerLeave={onHover && ((event) => onHover(null, event))}
            >
                <div class="source-inner">
                    <Head columns={columns} template={template} groups={props.groups} />
                    <div class="source-body" style={{ height: offsets[rows.length] }}>
                        {rows.slice(range.from, range.to).map((row, i) => {
                            const index = range.from + i;
                            return row.kind === 'band' ? (
                                <div
                                    key={row.key}
                                    role="row"
                                    class="source-band"
                                    style={{ transform: `translateY(${offsets[index]}px)` }}
                                >
                                    {props.band(row)}
                                </div>
                            ) : (
                                <SourceRowView
                                    key={row.key}
                                    row={row}
                                    index={index}
                                    top={offsets[index]}
                                    columns={columns}
                                    template={template}
                                    text={props.text[row.line - 1] ?? null}
                                    tokens={props.tokens(row.line)}
                                    level={props.levelOf(row)}
                                    cold={props.isCold(row)}
                                    current={index === at}
                                    remark={props.remark?.(row) ?? null}
                                />
                            );
                        })}
                    </div>
                </div>
                {rows.length === 0 && props.empty && <div class="grid-empty">{props.empty}</div>}
            </div>
            <HeatRail
                marks={marks}
                window={window}
                onGo={(share) => {
                    const box = scroller.current;
                    if (box) box.scrollTop = share * box.scrollHeight - box.clientHeight / 2;
                }}
            />
        </div>
    );
}

function headHeight({ groups }: SourceGridProps): number {
    return groups ? 56 : 28;
}

interface HeadProps {
    columns: SourceColumn[];
    template: string;
    groups?: SourceGridProps['groups'];
}

function Head({ columns, template, groups }: HeadProps) {
    let at = 2;
    return (
        <div class="source-head">
            {groups && (
                <div class="source-groups" style={{ gridTemplateColumns: template }}>
                    {groups.map(({ title, columns: span }, i) => {
                        const from = at;
                        at += span;
                        return (
                            <div
                                key={i}
                                class="source-group"
                                style={{ gridColumn: `${from} / ${at}` }}
                            >
                                {title}
                            </div>
                        );
                    })}
                </div>
            )}
            <div role="row" class="source-titles" style={{ gridTemplateColumns: template }}>
                <div role="columnheader" class="source-number">
                    Line
                </div>
                {columns.map(({ key, title, unit, tip, group, main, cellClass }) => (
                    <div
                        role="columnheader"
                        key={key}
                        title={tip}
                        class={`source-cell${group ? ' is-group' : ''}${main ? ' is-main' : ''}${cellClass ? ` ${cellClass}` : ''}`}
                    >
                        {title}
                        {unit && <span class="unit"> {unit}</span>}
                    </div>
                ))}
                <div role="columnheader" class="source-text">
                    Source
                </div>
            </div>
        </div>
    );
}
