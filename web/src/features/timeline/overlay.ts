/* SPDX-License-Identifier: MIT */
/* Outlines and arrows over the slices: hover, selection, and the arrows of the selected slice. */
import type { Hit } from './hit';
import { type Band, bandOf, isInBand, laneY } from './bands';
import { boxHeight, type Lane, sliceTop } from './lanes';
import { type Flow, type Mark, type Surface, type TimelineScene, xOf } from './scene';

const ARROW_LENGTH = 7;
const ARROW_HALF_WIDTH = 3.5;
const BEND_PX = 26;

interface Edges {
    left: number;
    right: number;
    y: number;
    height: number;
}

function edgesOf({ width }: Surface, scene: TimelineScene, lane: Lane, mark: Mark | Hit): Edges {
    const left = Math.max(-4, xOf(scene, width, mark.start));
    const right = Math.min(width + 4, xOf(scene, width, mark.end));
    const depth = Math.min(mark.depth, Math.max(0, lane.rows - 1));
    const y = bandOf(scene, lane).offset + sliceTop(lane, depth);
    return { left, right: Math.max(left + 1, right), y, height: boxHeight(lane) };
}

function strokeOutline(
    surface: Surface,
    colour: string,
    { left, right, y, height }: Edges,
    line: number,
): void {
    const { ctx } = surface;
    const wide = Math.max(4, right - left);
    const x = right - left < 4 ? (left + right) / 2 - 2 : left;
    ctx.strokeStyle = colour;
    ctx.lineWidth = line;
    ctx.strokeRect(x, y, wide, height);
}

/** Outlines the slices in one area of the lanes. */
export function paintMarks(surface: Surface, scene: TimelineScene, band: Band): void {
    const { hover, selected, theme, lanes } = scene;
    if (hover && bandOf(scene, hover.lane) === band) {
        const edges = edgesOf(surface, scene, hover.lane, hover);
        strokeOutline(surface, hover.count > 1 ? theme.text3 : theme.text1, edges, 1.5);
    }
    const lane = selected && lanes.byTrack.get(selected.track);
    if (selected && lane && bandOf(scene, lane) === band) {
        const colour = scene.isHit ? theme.tick : theme.text1;
        strokeOutline(surface, colour, edgesOf(surface, scene, lane, selected), 2);
    }
}

/** Draws the rows of an SQL statement, whose lane is the first of the pinned ones. */
export function paintRowMarks({ ctx, width }: Surface, scene: TimelineScene, band: Band): void {
    const lane = scene.lanes.lanes.at(0);
    if (!lane?.marks || !isInBand(scene, band, lane)) return;
    const y = laneY(scene, lane) + 4;
    ctx.fillStyle = scene.theme.tick;
    ctx.globalAlpha = 0.7;
    let last = -1;
    for (const { from, to } of lane.marks) {
        if (from > scene.view.to) break;
        const left = Math.max(0, Math.round(xOf(scene, width, from)));
        const right = Math.min(width, Math.max(left + 2, Math.round(xOf(scene, width, to))));
        // Marks in the same pixels are drawn once.
        if (to < scene.view.from || right <= last) continue;
        ctx.fillRect(left, y, right - left, lane.height - 9);
        last = right;
    }
    ctx.globalAlpha = 1;
}

/** Draws the arrows of the selected slice. An end that is scrolled out of its area is drawn at the
 * edge of the area. */
export function paintFlows(surface: Surface, scene: TimelineScene): void {
    for (const flow of scene.flows) paintFlow(surface, scene, flow);
}

function visibleEdges(surface: Surface, scene: TimelineScene, lane: Lane, mark: Mark): Edges {
    const edges = edgesOf(surface, scene, lane, mark);
    const { top, bottom } = bandOf(scene, lane);
    return { ...edges, y: Math.max(top - edges.height, Math.min(bottom, edges.y)) };
}

/* Draws an arrow between two slices, from the lower edge of the upper slice to the upper edge of
 * the lower slice, or in the opposite direction. */
function paintFlow(surface: Surface, scene: TimelineScene, flow: Flow): void {
    const { width, ctx } = surface;
    const [a, b] = [
        scene.lanes.byTrack.get(flow.from.track),
        scene.lanes.byTrack.get(flow.to.track),
    ];
    if (!a || !b) return;
    const [x0, x1] = [xOf(scene, width, flow.fromNs), xOf(scene, width, flow.toNs)];
    if (Math.max(x0, x1) < -20 || Math.min(x0, x1) > width + 20) return;
    const from = visibleEdges(surface, scene, a, flow.from);
    const to = visibleEdges(surface, scene, b, flow.to);
    const down = to.y >= from.y;
    const y0 = down ? from.y + from.height : from.y;
    const y1 = down ? to.y : to.y + to.height;
    ctx.strokeStyle = scene.theme.text1;
    ctx.fillStyle = scene.theme.text1;
    ctx.lineWidth = 1.5;
    ctx.beginPath();
    ctx.arc(x0, y0, 2.5, 0, 2 * Math.PI);
    ctx.fill();
    const tip = down ? y1 - ARROW_LENGTH : y1 + ARROW_LENGTH;
    const bend = (tip - y0) / 2;
    // A nearly vertical arrow is bent, because a straight one would look like the edge of a range.
    const swing = BEND_PX * Math.max(0, 1 - Math.abs(x1 - x0) / 40);
    ctx.beginPath();
    ctx.moveTo(x0, y0);
    ctx.bezierCurveTo(x0 + swing / 3, y0 + bend, x1 - swing, tip - bend, x1, tip);
    ctx.stroke();
    ctx.beginPath();
    ctx.moveTo(x1, y1);
    ctx.lineTo(x1 - ARROW_HALF_WIDTH, tip);
    ctx.lineTo(x1 + ARROW_HALF_WIDTH, tip);
    ctx.closePath();
    ctx.fill();
}
