/* SPDX-License-Identifier: MIT */
/* Geometry and painting of the heat map of ranks by steps. */
import type { RanksAnswer } from '../../base/answers';
import { startBrush, type Token } from '../../canvas/brush';
import {
    absoluteBounds,
    absoluteLevel,
    type HeatRow,
    isBinned,
    levelOf,
    meanExcess,
} from '../../model/ranks';

export interface HeatScene {
    answer: RanksAnswer;
    rows: HeatRow[];
    /** whether the colour compares with the median of the step; else it is the absolute time */
    relative: boolean;
    /** index of the selected row and step; -1: none */
    row: number;
    step: number;
}

export interface HeatGeometry {
    left: number;
    top: number;
    /** width of all cells, and of the bars of the means right of them */
    width: number;
    bars: number;
    rowHeight: number;
    rowTops: number[];
    height: number;
}

const AXIS = 26;
const HOST_GAP = 4;
const MAP_HEIGHT = 310;
/** Free space at the right edge, which the bars of the means have, too. */
const RIGHT = 16;

export function layoutHeat({ rows, answer }: HeatScene, width: number): HeatGeometry {
    const hasHosts = rows.some(({ host }) => host !== '');
    const narrow = width < 700;
    const labels = isBinned(answer) ? 64 : 50;
    const left = (hasHosts && !narrow ? 86 : 12) + labels;
    const bars = narrow ? 12 : 150 + RIGHT;
    const fit = Math.floor(MAP_HEIGHT / Math.max(1, rows.length));
    const rowHeight = answer.ranks.length > 64 ? 4 : Math.min(24, Math.max(4, fit));
    const rowTops: number[] = [];
    let top = AXIS;
    for (const { startsHost } of rows) {
        if (startsHost) top += HOST_GAP;
        rowTops.push(top);
        top += rowHeight;
    }
    return {
        left,
        top: AXIS,
        width: Math.max(40, width - left - bars),
        bars,
        rowHeight,
        rowTops,
        height: top + 6,
    };
}

export function rowAt({ rowTops, rowHeight }: HeatGeometry, y: number): number {
    return rowTops.findIndex((top) => y >= top && y < top + rowHeight);
}

export function stepAt({ left, width }: HeatGeometry, nSteps: number, x: number): number {
    const step = Math.floor(((x - left) / width) * nSteps);
    return step >= 0 && step < nSteps ? step : -1;
}

/** The rank of a row with the largest value in a step: bins show their maximum. */
export function rankOfCell(scene: HeatScene, row: number, step: number): number {
    const { rows, answer } = scene;
    const value = (rank: number) => answer.cells[rank * answer.steps.length + step];
    return rows[row].ranks.reduce(
        (best, rank) => (value(rank) > value(best) ? rank : best),
        rows[row].ranks[0],
    );
}

function levelOfCell(scene: HeatScene, bounds: number[], row: number, step: number): number {
    const rank = rankOfCell(scene, row, step);
    const at = rank * scene.answer.steps.length + step;
    if (rank === undefined || scene.answer.cells[at] < 0) return -1;
    return scene.relative
        ? levelOf(scene.rows[row].excess[step])
        : absoluteLevel(scene.answer.cells[at], bounds);
}

function hatch(ctx: CanvasRenderingContext2D, token: Token): CanvasPattern | string {
    const tile = document.createElement('canvas');
    tile.width = tile.height = 6;
    const at = tile.getContext('2d');
    if (!at) return token('inset');
    at.strokeStyle = token('line-strong');
    at.beginPath();
    for (const shift of [-6, 0, 6]) {
        at.moveTo(shift, 6);
        at.lineTo(shift + 6, 0);
    }
    at.stroke();
    return ctx.createPattern(tile, 'repeat') ?? token('inset');
}

function paintCells(
    ctx: CanvasRenderingContext2D,
    scene: HeatScene,
    geometry: HeatGeometry,
    token: Token,
): void {
    const { rows, answer } = scene;
    const { left, width, rowHeight, rowTops } = geometry;
    const n = answer.steps.length;
    const colours = [token('panel'), ...[1, 2, 3, 4, 5].map((level) => token(`heat-${level}`))];
    const bounds = absoluteBounds(answer);
    const columns = Math.min(n, Math.floor(width));
    const columnWidth = width / columns;
    const gap = columnWidth >= 4 ? 1 : 0;
    const rowGap = rowHeight >= 4 ? 1 : 0;
    const missing = hatch(ctx, token);
    for (let row = 0; row < rows.length; row++) {
        if (rows[row].missing > 0) {
            ctx.fillStyle = missing;
            ctx.fillRect(left, rowTops[row], width - gap, rowHeight - rowGap);
            continue;
        }
        for (let column = 0; column < columns; column++) {
            // Several steps share a column if there are more steps than pixels; the largest counts.
            let level = -1;
            const to = Math.max(Math.floor(((column + 1) * n) / columns), 1);
            for (let step = Math.floor((column * n) / columns); step < to; step++)
                level = Math.max(level, levelOfCell(scene, bounds, row, step));
            ctx.fillStyle = level < 0 ? missing : colours[level];
            ctx.fillRect(
                left + column * columnWidth,
                rowTops[row],
                Math.max(columnWidth - gap, 0.5),
                rowHeight - rowGap,
            );
        }
    }
}

/** Distance of labels of steps: 1, 2 or 5 times a power of ten. */
export function tickDistance(n: number, width: number): number {
    const most = Math.max(1, Math.floor(width / 70));
    for (let power = 1; ; power *= 10)
        for (const factor of [1, 2, 5]) if (n / (factor * power) <= most) return factor * power;
}

/** The number of a step in its name, else its position. */
export function stepNumber(name: string, index: number): string {
    return /#(\d+)$/.exec(name)?.[1] ?? String(index);
}

function paintAxis(
    ctx: CanvasRenderingContext2D,
    { answer, step: selected }: HeatScene,
    { left, width, bars }: HeatGeometry,
    token: Token,
): void {
    const n = answer.steps.length;
    const every = tickDistance(n, width);
    ctx.font = `11px ${token('sans')}`;
    ctx.textBaseline = 'middle';
    ctx.textAlign = 'left';
    ctx.fillStyle = token('text-3');
    const selectedX = left + ((selected + 0.5) / n) * width;
    for (let step = 0; step < n; step += every) {
        const label = stepNumber(answer.steps[step], step);
        const x = left + (step / n) * width;
        if (step === selected || (selected >= 0 && Math.abs(x - selectedX) < 48)) continue;
        ctx.fillText(step === 0 ? `step ${label}` : label, x + 1, 12);
    }
    const title = isBinned(answer) ? 'mean over the steps' : 'mean above the median';
    if (bars > 40) ctx.fillText(title, left + width + 12, 12);
    if (selected < 0) return;
    const label = stepNumber(answer.steps[selected], selected);
    const box = Math.max(22, ctx.measureText(label).width + 12);
    const x = Math.min(Math.max(selectedX - box / 2, left), left + width - box);
    ctx.fillStyle = token('accent');
    ctx.fillRect(x, 3, box, 18);
    ctx.fillStyle = token('on-accent') || '#fff';
    ctx.textAlign = 'center';
    ctx.fillText(label, x + box / 2, 12.5);
}

function paintLabels(
    ctx: CanvasRenderingContext2D,
    { rows, row: selected }: HeatScene,
    { left, rowTops, rowHeight }: HeatGeometry,
    token: Token,
): void {
    ctx.textBaseline = 'middle';
    let lastY = -Infinity;
    let lastHostY = -Infinity;
    const selectedY = selected >= 0 ? rowTops[selected] + rowHeight / 2 : -Infinity;
    rows.forEach(({ label, host }, i) => {
        const y = rowTops[i] + rowHeight / 2;
        const isSelected = i === selected;
        if (isSelected) {
            ctx.font = `600 11px ${token('sans')}`;
            const box = Math.max(24, ctx.measureText(label).width + 10);
            ctx.fillStyle = token('accent');
            ctx.fillRect(left - 6 - box, y - 7.5, box, 15);
            ctx.fillStyle = token('on-accent') || '#fff';
            ctx.textAlign = 'right';
            ctx.fillText(label, left - 11, y + 0.5);
        } else if (y - lastY >= 13 && Math.abs(y - selectedY) >= 14) {
            ctx.font = `11px ${token('sans')}`;
            ctx.fillStyle = token('text-3');
            ctx.textAlign = 'right';
            ctx.fillText(label, left - 8, y + 0.5);
            lastY = y;
        }
        const isFirst = host !== '' && (i === 0 || rows[i - 1].host !== host);
        if (isFirst && left > 100 && y - lastHostY >= 14) {
            ctx.font = `600 11.5px ${token('sans')}`;
            ctx.fillStyle = token('text-1');
            ctx.textAlign = 'left';
            ctx.fillText(host, 12, y + 0.5, left - 72);
            lastHostY = y;
        }
    });
}

/* Right of the cells: the mean of each row above the median, as a bar from a common line. */
function paintMeans(
    ctx: CanvasRenderingContext2D,
    scene: HeatScene,
    { left, width, bars, rowTops, rowHeight }: HeatGeometry,
    token: Token,
): void {
    if (bars <= 40) return;
    const means = scene.rows.map(meanExcess);
    const most = Math.max(0.01, ...means.filter((mean) => !Number.isNaN(mean)).map(Math.abs));
    const zero = left + width + 46;
    const scale = (bars - RIGHT - 46 - 58) / most;
    ctx.font = `600 11px ${token('sans')}`;
    ctx.textAlign = 'left';
    ctx.textBaseline = 'middle';
    const largest = means.reduce(
        (best, mean, i) =>
            best < 0 || mean > means[best] ? (Number.isNaN(mean) ? best : i) : best,
        -1,
    );
    means.forEach((mean, i) => {
        if (Number.isNaN(mean)) return;
        const level = levelOf(mean);
        const length = Math.max(-34, mean * scale);
        ctx.fillStyle = level > 0 ? token(`heat-${Math.max(3, level)}`) : token('bar-2');
        ctx.fillRect(
            Math.min(zero, zero + length),
            rowTops[i],
            Math.max(1, Math.abs(length)),
            Math.max(1, rowHeight - 2),
        );
        if (i === largest && level > 0) {
            ctx.fillStyle = token('slower');
            ctx.fillText(
                `+${(100 * mean).toFixed(1)}\u202f%`,
                zero + length + 5,
                rowTops[i] + rowHeight / 2,
            );
        }
    });
    ctx.fillStyle = token('line-strong');
    ctx.fillRect(zero, rowTops[0] ?? 0, 1, (rowTops.at(-1) ?? 0) + rowHeight - (rowTops[0] ?? 0));
}

function paintSelection(
    ctx: CanvasRenderingContext2D,
    { row, step, answer }: HeatScene,
    { left, width, rowTops, rowHeight, top, height }: HeatGeometry,
    token: Token,
): void {
    ctx.strokeStyle = token('accent');
    ctx.lineWidth = 1;
    const n = answer.steps.length;
    if (row >= 0) ctx.strokeRect(left - 0.5, rowTops[row] - 1.5, width, rowHeight + 2);
    if (step >= 0) {
        const x = left + (step / n) * width;
        ctx.strokeRect(x - 0.5, top - 2.5, Math.max(width / n, 2), height - top - 2);
    }
    if (row >= 0 && step >= 0) {
        ctx.lineWidth = 2;
        const x = left + (step / n) * width;
        ctx.strokeRect(x, rowTops[row] - 1, Math.max(width / n - 1, 2), rowHeight + 1);
    }
}

export function paintHeat(
    canvas: HTMLCanvasElement,
    scene: HeatScene,
    geometry: HeatGeometry,
): void {
    const width = geometry.left + geometry.width + geometry.bars;
    const brush = startBrush(canvas, width, geometry.height);
    if (!brush) return;
    const { ctx, token } = brush;
    paintCells(ctx, scene, geometry, token);
    paintAxis(ctx, scene, geometry, token);
    paintLabels(ctx, scene, geometry, token);
    paintMeans(ctx, scene, geometry, token);
    paintSelection(ctx, scene, geometry, token);
}
