/* SPDX-License-Identifier: MIT */
/* Charts on the time axis of the slices: busy share, memory, counters. */
import { type CurveSet, firstPointAtOrAfter, type StepCurve } from './curves';
import { type Band, firstLaneOf, isInBand, laneY } from './bands';
import { byteScale, type Lane } from './lanes';
import type { Surface, TimelineScene } from './scene';

const HEADROOM = 6;

interface PlotRange {
    top: number;
    bottom: number;
    min: number;
    max: number;
}

export function paintCharts(surface: Surface, scene: TimelineScene, band: Band): void {
    const { curves, lanes } = scene;
    if (!curves) return;
    for (let i = firstLaneOf(lanes, band); i < lanes.lanes.length; i++) {
        const lane = lanes.lanes[i];
        if (!isInBand(scene, band, lane)) break;
        if (lane.kind === 'busy') paintBusy(surface, scene, curves, lane);
        else if (lane.kind === 'memory') paintMemory(surface, scene, curves, lane);
        else if (lane.kind === 'counter') paintCounter(surface, scene, curves, lane);
    }
}

/* Neighbouring pixels are joined by lines, so that a busy stream looks like an area and not like a
 * comb. */
function paintBusy(
    { ctx, width }: Surface,
    scene: TimelineScene,
    curves: CurveSet,
    lane: Lane,
): void {
    const share = curves.busy.get(lane.track?.id ?? -1);
    if (!share) return;
    const y = laneY(scene, lane) + lane.height - 3;
    const height = lane.height - 6;
    const { view, theme } = scene;
    const scale = width / (view.to - view.from);
    const from = Math.max(0, Math.floor((view.from - curves.from) / curves.nsPerPx) - 1);
    const to = Math.min(share.length, Math.ceil((view.to - curves.from) / curves.nsPerPx) + 1);
    if (to <= from) return;
    const x = (i: number): number => (curves.from + i * curves.nsPerPx - view.from) * scale;
    ctx.beginPath();
    ctx.moveTo(x(from), y);
    for (let i = from; i < to; i++) ctx.lineTo(x(i + 0.5), y - (share[i] / 255) * height);
    ctx.lineTo(x(to), y);
    ctx.closePath();
    ctx.fillStyle = theme.busy;
    ctx.fill();
}

function paintMemory(surface: Surface, scene: TimelineScene, curves: CurveSet, lane: Lane): void {
    const curve = curves.memory.get(lane.key);
    if (!curve || !lane.memory) return;
    const plot = plotRangeOf(scene, lane, 0, byteScale(lane.memory.peak_bytes).top);
    paintArea(surface, scene, curve, plot);
    // Reserved memory may exceed the scale; the line is then clipped at the top.
    if (curve.reserved && !lane.isFolded) {
        const { ctx } = surface;
        ctx.save();
        ctx.beginPath();
        ctx.rect(0, plot.top - 2, surface.width, plot.bottom - plot.top + 4);
        ctx.clip();
        ctx.strokeStyle = scene.theme.text3;
        ctx.lineWidth = 1;
        ctx.setLineDash([3, 3]);
        traceSteps(surface, scene, curve.t, curve.reserved, plot, false);
        ctx.stroke();
        ctx.restore();
    }
}

function paintCounter(surface: Surface, scene: TimelineScene, curves: CurveSet, lane: Lane): void {
    const of = lane.counter;
    const curve = of ? curves.counters.get(of.id) : undefined;
    if (!of || !curve) return;
    const min = Math.min(0, of.least);
    const plot = plotRangeOf(scene, lane, min, Math.max(of.greatest, min + 1e-12));
    paintArea(surface, scene, curve, plot);
}

function plotRangeOf(scene: TimelineScene, lane: Lane, min: number, max: number): PlotRange {
    const y = laneY(scene, lane);
    return { top: y + HEADROOM, bottom: y + lane.height - 3, min, max };
}

function paintArea(
    surface: Surface,
    scene: TimelineScene,
    curve: StepCurve,
    plot: PlotRange,
): void {
    const { ctx } = surface;
    const { theme } = scene;
    traceSteps(surface, scene, curve.t, curve.value, plot, true);
    ctx.fillStyle = theme.memoryArea;
    ctx.globalAlpha = 0.75;
    ctx.fill();
    ctx.globalAlpha = 1;
    traceSteps(surface, scene, curve.t, curve.value, plot, false);
    ctx.strokeStyle = theme.memory;
    ctx.lineWidth = 1.5;
    ctx.stroke();
}

/* Traces a step curve as a path. Each value holds until the next point, the last value until the
 * end of the run. The path starts at the first point. `closed`: the path encloses the area down to
 * zero. */
function traceSteps(
    { ctx, width }: Surface,
    { view, answer }: TimelineScene,
    t: Float64Array,
    value: Float64Array,
    plot: PlotRange,
    closed: boolean,
): void {
    const scale = width / (view.to - view.from);
    const height = (plot.bottom - plot.top) / (plot.max - plot.min);
    // Areas start at zero, which is not the minimum of a counter with negative values.
    const zeroY = plot.bottom + Math.min(0, plot.min) * height;
    const first = Math.max(0, firstPointAtOrAfter(t, view.from) - 1);
    const last = Math.min(t.length, firstPointAtOrAfter(t, view.to) + 1);
    let [open, y] = [false, 0];
    ctx.beginPath();
    for (let i = first; i < last; i++) {
        if (Number.isNaN(value[i])) continue;
        const x = (t[i] - view.from) * scale;
        const next = Math.max(plot.top - 8, plot.bottom - (value[i] - plot.min) * height);
        if (!open) ctx.moveTo(x, closed ? zeroY : next);
        else ctx.lineTo(x, y);
        ctx.lineTo(x, next);
        [open, y] = [true, next];
    }
    if (!open) return;
    const end = last === t.length ? Math.max(answer.end_ns, t[last - 1]) : t[last - 1];
    const edge = Math.min(width + 4, (end - view.from) * scale);
    ctx.lineTo(Math.max(edge, 0), y);
    if (closed) {
        ctx.lineTo(Math.max(edge, 0), zeroY);
        ctx.closePath();
    }
}
