/* SPDX-License-Identifier: MIT
 *
 * Every step of two runs as stacked columns on one scale. The tooltip names step and part; a click
 * opens the step in the timeline of its run.
 */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Run, TraceOverview } from '../../base/answers';
import type { Definition } from '../../base/trace_types';
import { goTo } from '../../base/router';
import { formatSeconds, int, text } from '../../base/units';
import { columnCurve, type Curve, type LineView } from '../../components/chart';
import { placeIn, type Token, usePlot } from '../../components/plot';
import { showTip } from '../../components/tip';
import { hideTooltip } from '../../components/tooltip';
import { type DefinitionText, partText } from '../../model/breakdown';
import { mix } from '../../model/tint';
import { shareText, type TipData } from '../../model/tip';
import { timelineHash } from '../trace/timeline_link';
import { type StepColumn, type StepColumns, stepColumns, stepsText } from './step_columns';

/** Between the columns of both sides, px. */
const GAP_PX = 18;
/** Share of the background in the colour of parts that are not selected, and of steps that are not counted. */
const FADED = 0.7;

export interface StepSide {
    side: 'base' | 'new';
    /** as it is written below the columns: 'base, first run' */
    label: string;
    run: Run;
    overview: TraceOverview;
}

interface StepChartProps {
    sides: readonly [StepSide, StepSide];
    definition: DefinitionText;
    /** name of the selected part, whose colour stays; null: all */
    part: string | null;
}

interface PlacedSide extends StepSide, StepColumns {
    /** px from the left edge of the plot */
    left: number;
}

interface Layout {
    sides: PlacedSide[];
    /** of the plot, px: the unit of its horizontal axis */
    width: number;
    /** the largest value of the axis, ms */
    top: number;
}

function layoutOf(sides: readonly StepSide[], definition: Definition, width: number): Layout {
    const half = Math.max(1, (width - GAP_PX) / 2);
    const placed = sides.map((side, i) => ({
        ...side,
        ...stepColumns(side.overview, definition, half),
        left: i * (half + GAP_PX),
    }));
    const heights = placed.flatMap(({ columns }) =>
        columns.map(({ total_ns, band }) => Math.max(total_ns, band?.high ?? 0)),
    );
    return { sides: placed, width, top: Math.max(1, ...heights) / 1e6 };
}

interface Hit {
    side: PlacedSide;
    index: number;
}

function hitAt({ sides }: Layout, x: number): Hit | null {
    for (const side of sides) {
        const index = Math.floor((x - side.left) / side.pitch);
        if (x >= side.left && index < side.columns.length) return { side, index };
    }
    return null;
}

/* The part of a column at a time above the axis; null: none. */
function partAt({ parts }: StepColumn, ns: number): string | null {
    let sum = 0;
    for (const [name, own] of parts) {
        sum += own;
        if (ns <= sum && ns >= sum - own) return name;
    }
    return null;
}

/* Curves of one side that stack the parts of each step into a column. */
function partCurves(side: PlacedSide, part: string | null, token: Token): Curve[] {
    const names = new Set(side.columns.flatMap(({ parts }) => parts.map(([name]) => name)));
    const faded = (name: string, times: number): string => {
        let colour = token(`family-${partText(name).family}`);
        for (let i = 0; i < times; i++) colour = mix(colour, token('bg'), FADED);
        return colour;
    };
    return [...names].flatMap((name) =>
        [true, false].map((isCounted) =>
            columnCurve(
                side.columns.flatMap((column, i) => {
                    const at = column.parts.findIndex(([one]) => one === name);
                    if (at < 0 || column.isCounted !== isCounted) return [];
                    const ns = column.parts.slice(0, at + 1).reduce((sum, [, own]) => sum + own, 0);
                    const left = side.left + i * side.pitch;
                    return [{ left, right: left + side.width, top: ns / 1e6 }];
                }),
                faded(name, Number(!isCounted) + Number(part !== null && part !== name)),
            ),
        ),
    );
}

/* The range of most steps of each column, and their median. */
function bandCurves({ columns, left, pitch }: PlacedSide, token: Token): Curve[] {
    if (!columns.some(({ band }) => band)) return [];
    const x = columns.flatMap((_, i) => [left + i * pitch, left + (i + 1) * pitch]);
    const curve = (of: 'low' | 'median' | 'high', more: Partial<Curve>): Curve => ({
        x,
        y: columns.flatMap(({ band }) => Array<number>(2).fill((band?.[of] ?? NaN) / 1e6)),
        colour: 'transparent',
        width: 0,
        ...more,
    });
    return [
        curve('median', { colour: token('text-1'), width: 1 }),
        curve('high', { fill: `${token('text-1')}47`, fillTo: 'next' }),
        curve('low', {}),
    ];
}

function viewOf({ sides, width, top }: Layout, part: string | null, token: Token): LineView {
    return {
        from: 0,
        to: width,
        top,
        yText: (ms) => String(Number(ms.toPrecision(6))),
        curves: sides.flatMap((side) => [
            ...bandCurves(side, token),
            ...partCurves(side, part, token),
        ]),
    };
}

function hrefOf({ side, index }: Hit): string {
    const { start_ns, end_ns } = side.columns[index];
    return timelineHash(side.run, { range: { from_ns: start_ns, to_ns: end_ns } });
}

export function StepChart({ sides, definition, part }: StepChartProps) {
    const [hit, setHit] = useState<Hit | null>(null);
    const [width, setWidth] = useState(1);
    const layout = useMemo(() => layoutOf(sides, definition.id, width), [sides, definition, width]);
    const { canvas, area } = usePlot(
        (token) => viewOf(layout, part, token),
        [layout, part],
        ({ left, right }) => setWidth(Math.max(1, right - left)),
    );
    useEffect(() => () => void hideTooltip(), []);
    const left = area?.left ?? 0;
    const { yOf } = placeIn(area, { from: 0, to: width, top: layout.top });

    function show(next: Hit | null, event: Pick<MouseEvent, 'clientX' | 'clientY'>): void {
        setHit((old) => (old?.side === next?.side && old?.index === next?.index ? old : next));
        const box = canvas.current?.getBoundingClientRect();
        if (!next || !box || !area) {
            hideTooltip();
            return;
        }
        const column = next.side.columns[next.index];
        const share = (area.bottom - event.clientY + box.top) / (area.bottom - area.top);
        showTip(columnTip(next.side.side, column, partAt(column, share * layout.top * 1e6)), event);
    }
    const hitOf = (event: MouseEvent): Hit | null =>
        hitAt(layout, event.clientX - (canvas.current?.getBoundingClientRect().left ?? 0) - left);
    function onKey(event: KeyboardEvent): void {
        const all = layout.sides.flatMap((side) =>
            side.columns.map((_, index): Hit => ({ side, index })),
        );
        const now = all.findIndex(({ side, index }) => side === hit?.side && index === hit.index);
        const moves: Record<string, number> = { ArrowLeft: now - 1, ArrowRight: now + 1 };
        const next = all[moves[event.key]];
        const box = canvas.current?.getBoundingClientRect();
        if (next && box) {
            const x = next.side.left + (next.index + 1) * next.side.pitch;
            show(next, { clientX: box.left + left + x, clientY: box.top + box.height / 2 });
        } else if (event.key === 'Enter' && hit) goTo(hrefOf(hit));
        else return;
        event.preventDefault();
        event.stopPropagation();
    }
    const words = layout.sides.map(({ label, overview }) => `${label}, ${stepsText(overview)}`);
    const top = hit && yOf(hit.side.columns[hit.index].total_ns / 1e6);
    return (
        <div
            class="step-chart"
            role="img"
            tabIndex={0}
            aria-label={`time of every step: ${words.join('; ')}`}
            onPointerMove={(event) => show(hitOf(event), event)}
            onPointerLeave={(event) => show(null, event)}
            onBlur={() => show(null, { clientX: 0, clientY: 0 })}
            onKeyDown={onKey}
            onClick={(event) => {
                const clicked = hitOf(event);
                if (clicked) goTo(hrefOf(clicked));
            }}
        >
            <canvas ref={canvas} />
            {layout.sides.map(({ side, left: at }, i) => (
                <span key={side} class="step-chart-name" style={{ left: left + at }}>
                    {words[i]}
                </span>
            ))}
            {hit && area && (
                <span
                    class="step-chart-hit"
                    style={{
                        left: left + hit.side.left + hit.index * hit.side.pitch,
                        width: hit.side.width,
                        top,
                        height: area.bottom - (top ?? 0),
                    }}
                />
            )}
        </div>
    );
}

const timeText = (ns: number): string => text(formatSeconds(ns / 1e9));

function columnTip(side: string, column: StepColumn, part: string | null): TipData {
    const { name, n, total_ns, parts, band, isCounted } = column;
    const ns = parts.find(([one]) => one === part)?.[1] ?? 0;
    const rows = [
        { label: n > 1 ? `mean of ${int(n)} steps` : 'step', value: timeText(total_ns), share: '' },
    ];
    if (part !== null) {
        const share = shareText(ns, total_ns, 'of step');
        rows.push({ label: partText(part).label, value: timeText(ns), share });
    }
    if (band) {
        const value = [band.low, band.median, band.high].map(timeText).join(' – ');
        rows.push({ label: 'p10 – median – p90', value, share: '' });
    }
    return {
        title: `${side} · ${name}`,
        rows,
        foot: [isCounted ? 'click: in the timeline' : 'not counted in the mean'],
    };
}
