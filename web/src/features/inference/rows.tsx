/* SPDX-License-Identifier: MIT
 *
 * The steps as rows of columns that share the horizontal axis: phase, time, tokens and requests.
 */
import { useMemo, useState } from 'preact/hooks';
import { int, THIN_SPACE } from '../../base/units';
import { columnCurve, type Curve, type LineView, type Tick } from '../../components/chart';
import { placeIn, type Token, usePlot } from '../../components/plot';
import {
    layoutSteps,
    mostOf,
    type PhasePiece,
    phasePieces,
    scaleEnd,
    scaleParts,
    stackHeight,
    type StepColumn,
    timesOf,
} from '../../model/inference';
import { ms } from '../../model/trace_range';
import { type InferenceChartProps, stepEvents } from './step_events';

type StepRowsProps = InferenceChartProps & { axis: 'step' | 'time' };
type Scene = Pick<StepRowsProps, 'answer' | 'parts' | 'shown' | 'axis'>;

interface Row {
    bottom: number;
    height: number;
}

/* Where the rows are on the vertical axis, whose unit is about a px. */
const TOP = 248;
const PHASE: Row = { bottom: 228, height: 18 };
const TIME: Row = { bottom: 108, height: 110 };
const PREFILL: Row = { bottom: 62, height: 32 };
const DECODE: Row = { bottom: 48, height: 13 };
const REQUESTS: Row = { bottom: 8, height: 22 };

/** Least distance of two numbers below the columns, and of two values beside cut columns, px. */
const LABEL_PX = 72;
/** Width of a letter of these values, px. */
const LETTER_PX = 6.5;

/** A column that is longer than its scale, with its value; `top`: where it is cut. */
interface Cut {
    left: number;
    right: number;
    top: number;
    text: string;
}

interface Drawing {
    columns: StepColumn[];
    /** The horizontal axis is in px of the plot; colours are names of tokens. */
    curves: Curve[];
    ticks: Tick[];
    phases: PhasePiece[];
    cuts: Cut[];
    /** names of the rows, with remarks */
    names: [title: string, row: Row, remark: string][];
}

const yIn = ({ bottom, height }: Row, share: number): number =>
    bottom + Math.min(1, share) * height;

function spanOf({ x, width }: StepColumn): { left: number; right: number } {
    const gap = width > 6 ? 2 : width > 3 ? 1 : 0;
    return { left: x, right: x + Math.max(1, width - gap) };
}

const barsOf = (columns: StepColumn[], topOf: (column: StepColumn) => number) =>
    columns.map((column) => ({ ...spanOf(column), top: topOf(column) }));

/* Columns beyond the end of a scale that are far enough from each other for their values. */
function cutColumns(
    columns: StepColumn[],
    row: Row,
    end: number,
    valueOf: (column: StepColumn) => number,
    textOf: (value: number) => string,
): Cut[] {
    const cuts: Cut[] = [];
    for (const column of columns) {
        const value = valueOf(column);
        if (value > end * 1.001 && column.x > (cuts.at(-1)?.left ?? -Infinity) + LABEL_PX)
            cuts.push({ ...spanOf(column), top: yIn(row, 1), text: textOf(value) });
    }
    return cuts;
}

/* The parts of a step upon each other; over columns of several steps the range of their times. */
function drawTimes(drawing: Drawing, { answer, parts }: Scene): void {
    const { columns } = drawing;
    const timeOf = ({ step }: StepColumn): number => stackHeight(parts, step);
    const end = scaleEnd(columns.map(timeOf));
    const yOf = (ns: number): number => yIn(TIME, ns / end);
    const range: Curve = { x: [], y: [], colour: 'text-2', width: 1 };
    const grouped = columns.filter(({ steps }) => steps.length > 1);
    for (const column of grouped) {
        const { left, right } = spanOf(column);
        const tops = column.steps.map((step) => yOf(stackHeight(parts, step)));
        const low = Math.min(...tops);
        range.x.push(...Array<number>(3).fill((left + right) / 2));
        range.y.push(low, Math.max(low + 1, ...tops), NaN);
    }
    const stacks = parts.map(({ key }, i) => {
        const upTo = parts.slice(0, i + 1);
        const bars = barsOf(columns, ({ step }) => yOf(stackHeight(upTo, step)));
        return columnCurve(bars, `family-${key}`, TIME.bottom);
    });
    const cuts = cutColumns(columns, TIME, end, timeOf, (ns) => `${ms(ns)}${THIN_SPACE}ms`);
    drawing.names.push([
        `${timesOf(answer)} time`,
        TIME,
        `${grouped.length > 0 ? 'ms, median step' : 'ms a step, by part'}\n${cuts.length > 0 ? 'longer ones are cut' : ''}`,
    ]);
    drawing.cuts.push(...cuts);
    drawing.curves.push(range, ...stacks);
    const ticks = scaleParts(end);
    for (let i = 0; i <= ticks; i++) {
        const ns = (end * i) / ticks;
        drawing.ticks.push({ value: yOf(ns), text: String(Number((ns / 1e6).toPrecision(6))) });
    }
}

const most = (columns: StepColumn[], values: (number | null)[]): number =>
    columns.reduce((sum, column) => Math.max(sum, mostOf(column, values)), 0);

/* Prefill above a line, decode below it. */
function drawTokens({ columns, curves, ticks, cuts }: Drawing, { answer }: Scene): void {
    const { prefill_tokens, decode_tokens } = answer.columns;
    const prefillOf = (column: StepColumn): number => mostOf(column, prefill_tokens);
    const up = scaleEnd(columns.map(prefillOf));
    const down = most(columns, decode_tokens);
    const middle = yIn(DECODE, 1);
    const prefill = barsOf(columns, (column) => yIn(PREFILL, prefillOf(column) / up));
    const decode = barsOf(columns, (column) => {
        const share = mostOf(column, decode_tokens) / Math.max(1, down);
        return share > 0 ? middle - Math.max(1, share * DECODE.height) : middle;
    });
    curves.push(
        columnCurve(prefill, 'phase-prefill', PREFILL.bottom),
        columnCurve(decode, 'phase-decode-bar', middle),
    );
    cuts.push(...cutColumns(columns, PREFILL, up, prefillOf, int));
    if (most(columns, prefill_tokens) > 0) ticks.push({ value: yIn(PREFILL, 1), text: int(up) });
    ticks.push({ value: PREFILL.bottom, text: '' });
    if (down > 0) ticks.push({ value: DECODE.bottom, text: int(down) });
}

/* A line, and above it an outline up to the size that the engine padded the batch to. */
function drawRequests({ columns, curves, ticks }: Drawing, { answer }: Scene): void {
    const { requests, padded } = answer.columns;
    const end = Math.max(most(columns, requests), most(columns, padded));
    const yOf = (value: number | null): number =>
        value === null ? NaN : yIn(REQUESTS, value / Math.max(1, end));
    const line: Curve = { x: [], y: [], colour: 'text-1', width: 1.25 };
    const outlines: Curve = { x: [], y: [], colour: 'text-3', width: 1 };
    for (const { step, x, width } of columns) {
        const [own, full] = [yOf(requests[step]), yOf(padded[step])];
        line.x.push(x, x + width);
        line.y.push(own, own);
        if (!(full > own)) continue;
        outlines.x.push(x, x, x + width, x + width, x + width);
        outlines.y.push(own, full, full, own, NaN);
    }
    curves.push(outlines, line);
    ticks.push({ value: yIn(REQUESTS, 1), text: int(end) }, { value: REQUESTS.bottom, text: '' });
}

/* A zigzag through each cut column. */
function zigzag(cuts: Cut[]): Curve {
    const steps = [0, 1, 2, 3, 4, 4];
    return {
        x: cuts.flatMap(({ left, right }) => steps.map((i) => left + ((right - left) * i) / 4)),
        y: cuts.flatMap(({ top }) => [8, 4, 8, 4, 8, NaN].map((depth) => top - depth)),
        colour: 'bg',
        width: 2,
    };
}

function drawRows(scene: Scene, width: number): Drawing {
    const { answer, shown, axis } = scene;
    const columns = layoutSteps(answer, shown, axis, width);
    const per = axis === 'step' ? (columns.at(0)?.steps.length ?? 1) : 1;
    const drawing: Drawing = {
        columns,
        curves: [],
        ticks: [],
        phases: phasePieces(answer, columns),
        cuts: [],
        names: [
            ['Phase', PHASE, ''],
            ['Tokens', PREFILL, 'prefill, decode'],
            ['Requests', REQUESTS, `in the batch${per > 1 ? `\n${int(per)} steps a column` : ''}`],
        ],
    };
    drawTimes(drawing, scene);
    drawTokens(drawing, scene);
    drawRequests(drawing, scene);
    drawing.curves.unshift(zigzag(drawing.cuts));
    return drawing;
}

function stepTicks(columns: StepColumn[]): Tick[] {
    const ticks: Tick[] = [];
    for (const { steps, x, width } of columns) {
        const value = x + width / 2;
        if (value < (ticks.at(-1)?.value ?? -Infinity) + LABEL_PX) continue;
        ticks.push({ value, text: `${ticks.length === 0 ? 'step ' : ''}${int(steps[0])}` });
    }
    return ticks;
}

const viewOf = ({ columns, curves, ticks }: Drawing, width: number, token: Token): LineView => ({
    from: 0,
    to: width,
    top: TOP,
    xTicks: stepTicks(columns),
    yTicks: ticks,
    curves: curves.map(({ colour, fill, ...curve }) => ({
        ...curve,
        colour: token(colour),
        fill: fill && token(fill),
    })),
});

/* Index of the step at px from the left edge of the plot; -1: none. */
const stepAt = (columns: StepColumn[], x: number): number =>
    columns.find((one) => x >= one.x && x < one.x + Math.max(1, one.width))?.step ?? -1;

export function StepRows(props: StepRowsProps) {
    const { answer, parts, shown, axis, step } = props;
    const [width, setWidth] = useState(1);
    const drawing = useMemo(
        () => drawRows({ answer, parts, shown, axis }, width),
        [answer, parts, shown, axis, width],
    );
    const { columns, phases, cuts } = drawing;
    const { canvas, area } = usePlot(
        (token) => viewOf(drawing, width, token),
        [drawing],
        ({ left, right }) => setWidth(Math.max(1, right - left)),
    );
    const { xOf, yOf } = placeIn(area, { from: 0, to: width, top: TOP });
    const selected = columns.find(({ steps }) => steps.includes(step));
    return (
        <div class="inference-rows" {...stepEvents(props, (x) => stepAt(columns, x - xOf(0)))}>
            <canvas ref={canvas} />
            {drawing.names.map(([title, row, remark]) => (
                <span key={title} class="inference-row" style={{ top: yOf(yIn(row, 1)) }}>
                    <b>{title}</b>
                    <small>{remark}</small>
                </span>
            ))}
            {phases.map(({ phase, count, x, end, top, height }) => (
                <b
                    class={`inference-phase is-phase-${phase}`}
                    style={{
                        left: xOf(x),
                        width: Math.max(1, end - x - 1),
                        top: yOf(yIn(PHASE, 1 - top)),
                        height: yOf(0) - yOf(height * PHASE.height),
                    }}
                >
                    {end - x > 24 && (count > 1 ? `${phase} × ${int(count)}` : phase)}
                </b>
            ))}
            {cuts.map(({ left, right, top, text }) => {
                const before = left - text.length * LETTER_PX - 4;
                const isBefore = right + left - before > width;
                return (
                    <b
                        style={{
                            left: xOf(isBefore ? Math.max(0, before) : right + 4),
                            top: yOf(top - 1),
                        }}
                    >
                        {text}
                    </b>
                );
            })}
            {selected && area && (
                <span
                    class="inference-selected"
                    style={{
                        left: xOf(selected.x),
                        width: Math.max(3, selected.width),
                        top: area.top,
                        height: area.bottom - area.top,
                    }}
                >
                    <b>{int(step)}</b>
                </span>
            )}
        </div>
    );
}
