/* SPDX-License-Identifier: MIT */
/* Geometry and painting of the steps of a serving engine: rows that share the x axis. Painted by hand,
 * since Chart.js has neither columns as wide as their time nor marks of columns that are cut. */
import type { Inference, PhaseName } from '../../base/answers';
import { int, THIN_SPACE } from '../../base/units';
import { type Brush as CanvasBrush, startBrush } from '../../canvas/brush';
import {
    layoutSteps,
    mostOf,
    phaseRuns,
    phaseShares,
    isHostOnly,
    scaleEnd,
    scaleParts,
    stackHeight,
    type StackPart,
    type StepColumn,
} from '../../model/inference';
import { ms } from '../../model/trace_range';
import { deviceWord } from '../../model/device';

export interface InferenceScene {
    answer: Inference;
    parts: StackPart[];
    shown: number[];
    axis: 'step' | 'time';
    /** index of the selected step; -1: none */
    step: number;
}

export interface InferenceGeometry {
    left: number;
    width: number;
    height: number;
    columns: StepColumn[];
}

/** A round number of ms as short as possible: "0.25", "90". */
const scaleText = (ns: number): string => String(Number((ns / 1e6).toPrecision(6)));

const HEIGHT = 276;
const RIGHT = 16;
const PHASE = { top: 8, height: 18 };
const TIME = { top: 36, height: 110 };
const TOKENS = { top: 160, height: 46 };
const REQUESTS = { top: 224, height: 22 };
const AXIS_TOP = 254;
const LABEL_GAP = 8;

const leftOf = (width: number): number => (width < 700 ? 74 : 152);

export function layoutInference(scene: InferenceScene, total: number): InferenceGeometry {
    const left = leftOf(total);
    const width = Math.max(40, total - left - RIGHT);
    const { answer, shown, axis } = scene;
    return { left, width, height: HEIGHT, columns: layoutSteps(answer, shown, axis, width) };
}

/** Index of the step at a place; -1: none. */
export function stepAt({ left, columns }: InferenceGeometry, x: number): number {
    const at = x - left;
    return columns.find((one) => at >= one.x && at < one.x + Math.max(1, one.width))?.step ?? -1;
}

/* --- Painting --- */

interface Brush extends CanvasBrush {
    scene: InferenceScene;
    geometry: InferenceGeometry;
}

function hatch({ ctx, token }: Brush, x: number, y: number, width: number, height: number): void {
    ctx.save();
    ctx.beginPath();
    ctx.rect(x, y, width, height);
    ctx.clip();
    ctx.fillStyle = token('phase-mixed');
    ctx.fillRect(x, y, width, height);
    ctx.strokeStyle = token('phase-mixed-line');
    ctx.lineWidth = 1;
    ctx.beginPath();
    for (let at = x - height; at < x + width; at += 5) {
        ctx.moveTo(at, y + height);
        ctx.lineTo(at + height, y);
    }
    ctx.stroke();
    ctx.restore();
}

function fillPhase(
    brush: Brush,
    phase: PhaseName,
    x: number,
    y: number,
    width: number,
    height: number,
): void {
    if (phase === 'mixed') {
        hatch(brush, x, y, width, height);
        return;
    }
    brush.ctx.fillStyle = brush.token(phase === 'prefill' ? 'phase-prefill' : 'phase-decode');
    if (phase === 'idle' || phase === 'unknown') brush.ctx.fillStyle = brush.token('inset');
    brush.ctx.fillRect(x, y, width, height);
}

function words({ ctx, token }: Brush, size: number, tone: string, weight = ''): void {
    ctx.font = `${weight} ${size}px ${token('sans') || 'sans-serif'}`.trim();
    ctx.fillStyle = token(tone);
}

function rowLabel(brush: Brush, top: number, title: string, lines: string[]): void {
    const { ctx, geometry } = brush;
    ctx.textAlign = 'left';
    ctx.textBaseline = 'top';
    words(brush, 12, 'text-1', '600');
    const isNarrow = geometry.left < 100;
    ctx.fillText(title, isNarrow ? 8 : 16, isNarrow && title !== 'Phase' ? top + 8 : top);
    if (isNarrow) return;
    words(brush, 11, 'text-2');
    lines.forEach((line, i) => ctx.fillText(line, 16, top + 16 + 13 * i));
}

/** A tick of a vertical scale: a number left of the rows and a line through them. */
function tick(brush: Brush, y: number, text: string, isBase: boolean): void {
    const { ctx, geometry, token } = brush;
    ctx.strokeStyle = token(isBase ? 'line-strong' : 'line');
    ctx.lineWidth = 1;
    ctx.beginPath();
    ctx.moveTo(geometry.left, Math.round(y) + 0.5);
    ctx.lineTo(geometry.left + geometry.width, Math.round(y) + 0.5);
    ctx.stroke();
    if (!text) return;
    words(brush, 10.5, 'text-2');
    ctx.textAlign = 'right';
    ctx.textBaseline = 'middle';
    ctx.fillText(text, geometry.left - LABEL_GAP, y);
}

function paintPhases(brush: Brush): void {
    const { ctx, geometry, scene } = brush;
    rowLabel(brush, PHASE.top + 2, 'Phase', []);
    if (geometry.columns.some(({ steps }) => steps.length > 1)) {
        for (const column of geometry.columns) {
            let { top } = PHASE;
            for (const [phase, share] of phaseShares(scene.answer, column)) {
                const height = share * PHASE.height;
                fillPhase(brush, phase, geometry.left + column.x, top, column.width, height);
                top += height;
            }
        }
        return;
    }
    for (const { phase, count, x, end } of phaseRuns(scene.answer, geometry.columns)) {
        const width = Math.max(1, end - x - 1);
        fillPhase(brush, phase, geometry.left + x, PHASE.top, width, PHASE.height);
        const text = count > 1 ? `${phase} × ${int(count)}` : phase;
        words(brush, 11, phase === 'prefill' ? 'bg' : 'text-1', '600');
        ctx.textAlign = 'left';
        ctx.textBaseline = 'middle';
        if (ctx.measureText(text).width + 10 < width)
            ctx.fillText(text, geometry.left + x + 5, PHASE.top + PHASE.height / 2 + 0.5);
    }
}

const gapOf = (width: number): number => (width > 6 ? 2 : width > 3 ? 1 : 0);

/** The mark of a column that is longer than the scale, with its length. */
function cutMark(brush: Brush, x: number, width: number, top: number, text: string): void {
    const { ctx, token, geometry } = brush;
    ctx.strokeStyle = token('bg');
    ctx.lineWidth = 2;
    ctx.beginPath();
    ctx.moveTo(x, top + 8);
    for (let i = 1; i <= 4; i++) ctx.lineTo(x + (width * i) / 4, top + (i % 2 ? 4 : 8));
    ctx.stroke();
    words(brush, 11, 'text-1', '600');
    const beyond = x + width + 4 + ctx.measureText(text).width > geometry.left + geometry.width;
    ctx.textAlign = beyond ? 'right' : 'left';
    ctx.textBaseline = 'top';
    ctx.fillText(text, beyond ? x - 4 : x + width + 4, top + 1);
}

function paintTimes(brush: Brush): void {
    const { ctx, token, geometry, scene } = brush;
    const { parts, answer } = scene;
    const end = scaleEnd(geometry.columns.map(({ step }) => stackHeight(parts, step)));
    const perColumn = geometry.columns.some(({ steps }) => steps.length > 1);
    const isCut = geometry.columns.some(({ step }) => stackHeight(parts, step) > end * 1.001);
    const isHost = isHostOnly(answer);
    rowLabel(brush, TIME.top, isHost ? 'Host time' : `${deviceWord()} time`, [
        perColumn ? 'ms, median step' : isHost ? 'ms a step' : 'ms a step, by part',
        isCut ? 'longer ones are cut' : '',
    ]);
    const yOf = (ns: number): number => TIME.top + TIME.height * (1 - Math.min(ns, end) / end);
    const ticks = scaleParts(end);
    for (let i = 0; i <= ticks; i++)
        tick(brush, yOf((end * i) / ticks), scaleText((end * i) / ticks), i === 0);
    let lastCut = -Infinity;
    for (const { step, steps, x, width } of geometry.columns) {
        const inner = Math.max(1, width - gapOf(width));
        let below = 0;
        for (const { key, ns } of parts) {
            const [low, high] = [yOf(below), yOf(below + ns[step])];
            below += ns[step];
            if (low <= high) continue;
            ctx.fillStyle = token(`family-${key}`);
            ctx.fillRect(geometry.left + x, high, inner, low - high);
        }
        if (steps.length > 1) {
            const sorted = steps.map((one) => stackHeight(parts, one)).sort((a, b) => a - b);
            ctx.fillStyle = token('text-2');
            const [top, bottom] = [yOf(sorted[sorted.length - 1]), yOf(sorted[0])];
            ctx.fillRect(geometry.left + x + inner / 2, top, 1, Math.max(1, bottom - top));
        }
        if (below > end * 1.001 && x > lastCut + 60) {
            cutMark(brush, geometry.left + x, inner, TIME.top, `${ms(below)}${THIN_SPACE}ms`);
            lastCut = x;
        }
    }
}

const largest = (columns: readonly StepColumn[], values: (number | null)[]): number =>
    columns.reduce((most, column) => Math.max(most, mostOf(column, values)), 0);

function paintTokens(brush: Brush): void {
    const { geometry, scene, token, ctx } = brush;
    const { columns } = scene.answer;
    rowLabel(brush, TOKENS.top, 'Tokens', ['prefill, decode']);
    const up = scaleEnd(geometry.columns.map((column) => mostOf(column, columns.prefill_tokens)));
    const down = largest(geometry.columns, columns.decode_tokens);
    const middle = TOKENS.top + TOKENS.height * 0.68;
    const [above, under] = [middle - TOKENS.top, TOKENS.top + TOKENS.height - middle];
    const hasPrefill = largest(geometry.columns, columns.prefill_tokens) > 0;
    if (hasPrefill) tick(brush, TOKENS.top, int(up), false);
    tick(brush, middle, '', true);
    words(brush, 10.5, 'text-2');
    ctx.textAlign = 'right';
    ctx.textBaseline = 'middle';
    if (down > 0) ctx.fillText(int(down), geometry.left - LABEL_GAP, middle + under);
    let lastCut = -Infinity;
    for (const column of geometry.columns) {
        const { x, width } = column;
        const inner = Math.max(1, width - gapOf(width));
        const prefill = mostOf(column, columns.prefill_tokens);
        const decode = mostOf(column, columns.decode_tokens);
        const height = Math.min(1, prefill / up) * above;
        ctx.fillStyle = token('phase-prefill');
        ctx.fillRect(geometry.left + x, middle - height, inner, height);
        if (prefill > up * 1.001 && x > lastCut + 60) {
            cutMark(brush, geometry.left + x, inner, TOKENS.top, int(prefill));
            lastCut = x;
        }
        if (decode > 0) {
            ctx.fillStyle = token('phase-decode-bar');
            ctx.fillRect(
                geometry.left + x,
                middle + 1,
                inner,
                Math.max(1, (decode / down) * (under - 1)),
            );
        }
    }
}

function paintRequests(brush: Brush): void {
    const { geometry, scene, token, ctx } = brush;
    const { requests, padded } = scene.answer.columns;
    const most = Math.max(largest(geometry.columns, requests), largest(geometry.columns, padded));
    rowLabel(brush, REQUESTS.top, 'Requests', ['in the batch']);
    const bottom = REQUESTS.top + REQUESTS.height;
    const yOf = (value: number): number =>
        bottom - (most > 0 ? (value / most) * REQUESTS.height : 0);
    tick(brush, REQUESTS.top, int(most), false);
    tick(brush, bottom, '', true);
    ctx.lineWidth = 1.25;
    ctx.strokeStyle = token('text-1');
    ctx.beginPath();
    let isDrawing = false;
    for (const { step, x, width } of geometry.columns) {
        const value = requests[step];
        if (value === null) {
            isDrawing = false;
            continue;
        }
        if (isDrawing) ctx.lineTo(geometry.left + x, yOf(value));
        else ctx.moveTo(geometry.left + x, yOf(value));
        ctx.lineTo(geometry.left + x + width, yOf(value));
        isDrawing = true;
    }
    ctx.stroke();
    ctx.strokeStyle = token('text-3');
    ctx.lineWidth = 1;
    for (const { step, x, width } of geometry.columns) {
        const [own, full] = [requests[step], padded[step]];
        if (own === null || full === null || full <= own) continue;
        ctx.strokeRect(
            geometry.left + x + 0.5,
            yOf(full),
            Math.max(1, width - 1),
            yOf(own) - yOf(full),
        );
    }
}

function paintAxis(brush: Brush): void {
    const { geometry, scene, ctx } = brush;
    const { columns } = geometry;
    words(brush, 10.5, 'text-2');
    ctx.textBaseline = 'top';
    const per = Math.max(0, ...columns.slice(0, 1).map(({ steps }) => steps.length));
    let free = -Infinity;
    columns.forEach(({ steps, x }, i) => {
        const text = `${i === 0 ? 'step ' : ''}${int(steps[0])}`;
        if (x < free) return;
        const width = ctx.measureText(text).width;
        if (x + width > geometry.width) return;
        ctx.textAlign = 'left';
        ctx.fillText(text, geometry.left + x, AXIS_TOP);
        free = x + Math.max(72, width + 24);
    });
    if (scene.axis === 'step' && per > 1) {
        ctx.textAlign = 'right';
        const text = `${int(per)} steps a column`;
        if (geometry.width > 300) ctx.fillText(text, geometry.left - LABEL_GAP, AXIS_TOP);
    }
}

function paintSelection(brush: Brush): void {
    const { geometry, scene, token, ctx } = brush;
    const column = geometry.columns.find(({ steps }) => steps.includes(scene.step));
    if (!column) return;
    const x = geometry.left + column.x;
    const width = Math.max(3, column.width);
    ctx.strokeStyle = token('accent');
    ctx.lineWidth = 1;
    ctx.strokeRect(Math.round(x) - 0.5, 2.5, Math.round(width), AXIS_TOP - 3);
    const text = int(scene.step);
    words(brush, 10.5, 'bg', '600');
    const box = Math.max(width, ctx.measureText(text).width + 8);
    const from = Math.max(
        geometry.left,
        Math.min(x + width / 2 - box / 2, geometry.left + geometry.width - box),
    );
    ctx.fillStyle = token('accent');
    ctx.fillRect(from, AXIS_TOP - 2, box, 15);
    ctx.fillStyle = token('bg');
    ctx.textAlign = 'center';
    ctx.textBaseline = 'middle';
    ctx.fillText(text, from + box / 2, AXIS_TOP + 6);
}

export function paintInference(
    canvas: HTMLCanvasElement,
    scene: InferenceScene,
    geometry: InferenceGeometry,
): void {
    const started = startBrush(canvas, geometry.left + geometry.width + RIGHT, geometry.height);
    if (!started) return;
    const brush: Brush = { ...started, scene, geometry };
    paintPhases(brush);
    paintTimes(brush);
    paintTokens(brush);
    paintRequests(brush);
    paintAxis(brush);
    paintSelection(brush);
}
