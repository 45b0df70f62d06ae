/* SPDX-License-Identifier: MIT
 *
 * Every step of two runs as stacked columns on one scale. The tooltip names step and part; a click
 * opens the step in the timeline of its run.
 */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Run, TraceOverview } from '../../base/answers';
import { goTo } from '../../base/router';
import { formatSeconds, int, pct, text, THIN_SPACE } from '../../base/units';
import { watchTheme } from '../../components/theme_watch';
import { hideTooltip, showTooltip } from '../../components/tooltip';
import { type DefinitionText, partText } from '../../model/breakdown';
import { timelineHash } from '../trace/timeline_link';
import { type StepColumn, type StepColumns, stepColumns, stepsText } from './step_columns';
import { niceTicks } from './strip';

const AXIS_PX = 34;
const GAP_PX = 18;
const HEIGHT = 236;
const BOTTOM = 22;
const TOP = 10;
const FADED = 0.3;

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
    /** px */
    width: number;
}

interface PlacedSide extends StepSide, StepColumns {
    left: number;
}

interface Layout {
    sides: PlacedSide[];
    /** the largest value of the axis, ns */
    top_ns: number;
    width: number;
}

function layoutOf({ sides, definition, width }: StepChartProps): Layout {
    const half = (width - AXIS_PX - GAP_PX) / 2;
    const placed = sides.map((side, i) => ({
        ...side,
        ...stepColumns(side.overview, definition.id, half),
        left: AXIS_PX + i * (half + GAP_PX),
    }));
    const heights = placed.flatMap(({ columns }) =>
        columns.map(({ total_ns, band }) => Math.max(total_ns, band?.high ?? 0)),
    );
    return { sides: placed, top_ns: Math.max(1, ...heights), width };
}

const yOf = ({ top_ns }: Layout, ns: number): number =>
    HEIGHT - BOTTOM - (ns / top_ns) * (HEIGHT - BOTTOM - TOP);

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

/* The part of a column at a height of the chart; null: none. */
function partAt(layout: Layout, column: StepColumn, y: number): string | null {
    let sum = 0;
    for (const [name, ns] of column.parts) {
        if (y <= yOf(layout, sum) && y >= yOf(layout, sum + ns)) return name;
        sum += ns;
    }
    return null;
}

function draw(canvas: HTMLCanvasElement, layout: Layout, part: string | null, hit: Hit | null) {
    const context = canvas.getContext('2d');
    if (!context) return;
    const { sides, top_ns, width } = layout;
    const style = getComputedStyle(canvas);
    const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
    const scale = devicePixelRatio || 1;
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(HEIGHT * scale);
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, HEIGHT);
    context.font = `11px ${style.fontFamily}`;
    context.textAlign = 'right';
    context.textBaseline = 'middle';
    for (const tick of niceTicks(0, top_ns / 1e6, 5)) {
        const y = Math.round(yOf(layout, tick * 1e6)) + 0.5;
        context.fillStyle = colour('line');
        context.fillRect(AXIS_PX, y - 0.5, width - AXIS_PX, 1);
        context.fillStyle = colour('text-2');
        context.fillText(String(Number(tick.toPrecision(6))), AXIS_PX - 8, y);
    }
    for (const side of sides) {
        side.columns.forEach((column, i) => {
            const x = side.left + i * side.pitch;
            let sum = 0;
            for (const [name, ns] of column.parts) {
                const [bottom, top] = [yOf(layout, sum), yOf(layout, sum + ns)];
                const isFaded = part !== null && part !== name;
                context.globalAlpha = (column.isCounted ? 1 : FADED) * (isFaded ? FADED : 1);
                context.fillStyle = colour(`family-${partText(name).family}`);
                context.fillRect(x, top, side.width, bottom - top);
                sum += ns;
            }
            context.globalAlpha = 1;
            if (column.band) drawBand(context, layout, column.band, x, side.width, colour);
        });
    }
    if (!hit) return;
    const { side, index } = hit;
    const top = yOf(layout, side.columns[index].total_ns);
    context.strokeStyle = colour('text-1');
    context.strokeRect(
        side.left + index * side.pitch - 0.5,
        top - 0.5,
        side.width + 1,
        HEIGHT - BOTTOM - top + 1,
    );
}

function drawBand(
    context: CanvasRenderingContext2D,
    layout: Layout,
    { low, median, high }: NonNullable<StepColumn['band']>,
    x: number,
    width: number,
    colour: (name: string) => string,
): void {
    context.fillStyle = colour('text-1');
    context.globalAlpha = 0.28;
    context.fillRect(
        x,
        yOf(layout, high),
        width,
        Math.max(1, yOf(layout, low) - yOf(layout, high)),
    );
    context.globalAlpha = 1;
    context.fillRect(x, yOf(layout, median) - 0.5, width, 1);
}

function hrefOf({ side, index }: Hit): string {
    const { start_ns, end_ns } = side.columns[index];
    return timelineHash(side.run, { range: { from_ns: start_ns, to_ns: end_ns } });
}

export function StepChart(props: StepChartProps) {
    const { sides, definition, part, width } = props;
    const canvas = useRef<HTMLCanvasElement | null>(null);
    const [hit, setHit] = useState<Hit | null>(null);
    const layout = useMemo(
        () => layoutOf({ sides, definition, part: null, width }),
        [sides, definition, width],
    );
    useLayoutEffect(() => {
        const element = canvas.current;
        if (!element) return undefined;
        const redraw = () => draw(element, layout, part, hit);
        redraw();
        return watchTheme(redraw);
    }, [layout, part, hit]);
    useEffect(() => () => void hideTooltip(), []);

    function show(next: Hit | null, x: number, y: number): void {
        setHit((old) => (old?.side === next?.side && old?.index === next?.index ? old : next));
        const box = canvas.current?.getBoundingClientRect();
        if (!next || !box) {
            hideTooltip();
            return;
        }
        const column = next.side.columns[next.index];
        const name = partAt(layout, column, y - box.top);
        showTooltip(<ColumnTip side={next.side.side} column={column} part={name} />, x, y);
    }
    function onPointer(event: PointerEvent): void {
        const left = canvas.current?.getBoundingClientRect().left ?? 0;
        show(hitAt(layout, event.clientX - left), event.clientX, event.clientY);
    }
    function onKey(event: KeyboardEvent): void {
        const all = layout.sides.flatMap((side) =>
            side.columns.map((_, index): Hit => ({ side, index })),
        );
        const now = all.findIndex(({ side, index }) => side === hit?.side && index === hit.index);
        const moves: Record<string, number> = { ArrowLeft: now - 1, ArrowRight: now + 1 };
        const next = all[moves[event.key]];
        if (next) {
            const box = canvas.current?.getBoundingClientRect();
            const x = next.side.left + (next.index + 1) * next.side.pitch;
            show(next, (box?.left ?? 0) + x, (box?.top ?? 0) + HEIGHT / 2);
        } else if (event.key === 'Enter' && hit) goTo(hrefOf(hit));
        else return;
        event.preventDefault();
        event.stopPropagation();
    }
    const words = layout.sides.map(({ label, overview }) => `${label}, ${stepsText(overview)}`);
    return (
        <div class="step-chart">
            <canvas
                ref={canvas}
                style={{ width, height: HEIGHT }}
                role="img"
                tabIndex={0}
                aria-label={`time of every step: ${words.join('; ')}`}
                onPointerMove={onPointer}
                onPointerLeave={() => show(null, 0, 0)}
                onBlur={() => show(null, 0, 0)}
                onKeyDown={onKey}
                onClick={(event) => {
                    const left = event.currentTarget.getBoundingClientRect().left;
                    const clicked = hitAt(layout, event.clientX - left);
                    if (clicked) goTo(hrefOf(clicked));
                }}
            />
            {layout.sides.map(({ side, left }, i) => (
                <span key={side} class="step-chart-name" style={{ left }}>
                    {words[i]}
                </span>
            ))}
        </div>
    );
}

const timeText = (ns: number): string => text(formatSeconds(ns / 1e9));

interface ColumnTipProps {
    side: string;
    column: StepColumn;
    part: string | null;
}

function ColumnTip({ side, column, part }: ColumnTipProps) {
    const { name, n, total_ns, parts, band, isCounted } = column;
    const ns = parts.find(([one]) => one === part)?.[1] ?? 0;
    return (
        <>
            <div class="tooltip-title">
                {side} · {name}
            </div>
            <dl>
                <dt>{n > 1 ? `mean of ${int(n)} steps` : 'step'}</dt>
                <dd>{timeText(total_ns)}</dd>
                <dd />
                {part !== null && (
                    <>
                        <dt>{partText(part).label}</dt>
                        <dd>{timeText(ns)}</dd>
                        <dd>{`${pct((100 * ns) / (total_ns || 1))}${THIN_SPACE}% of step`}</dd>
                    </>
                )}
                {band && (
                    <>
                        <dt>p10 – median – p90</dt>
                        <dd>{[band.low, band.median, band.high].map(timeText).join(' – ')}</dd>
                        <dd />
                    </>
                )}
            </dl>
            <div class="tooltip-foot">
                {isCounted ? 'click: in the timeline' : 'not counted in the mean'}
            </div>
        </>
    );
}
