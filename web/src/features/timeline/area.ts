/* SPDX-License-Identifier: MIT
 *
 * The selected area on the canvas: its boxes, its handles, and the drags that create and change it.
 */
import { axisText } from '../../base/axis';
import { plural } from '../../base/units';
import type { Area } from '../../model/timeline_area';
import { roundRange, widthOf } from '../../model/timeline_view';
import { type Band, firstLaneOf, isInBand, PINNED_EDGE } from './bands';
import { areaKey, type Lane } from './lanes';
import { OVERVIEW, RULER, RULER_END, type Surface, type TimelineScene, xOf } from './scene';
import type { TimelineStage } from './stage';

const EDGE_PX = 5;
/** side of a handle, px */
const HANDLE = 6;

export type AreaHandle = 'from' | 'to' | 'bottom';

interface Box {
    top: number;
    bottom: number;
}

export const isInArea = (lanes: ReadonlySet<string> | null | undefined, lane: Lane): boolean =>
    !lanes || lanes.has(areaKey(lane));

/** Keys of all lanes of the timeline. */
export const allKeys = ({ lanes }: TimelineScene): string[] => [
    ...new Set(lanes.lanes.filter(({ kind }) => kind !== 'rows').map(areaKey)),
];

function* lanesOf(scene: TimelineScene, band: Band): Generator<Lane> {
    const { lanes } = scene.lanes;
    for (let i = firstLaneOf(scene.lanes, band); i < lanes.length; i++) {
        if (!isInBand(scene, band, lanes[i])) return;
        yield lanes[i];
    }
}

/* Keys of the visible lanes between two heights of the canvas. Without a track among them, null:
 * an area of curves is one of all lanes. */
function lanesBetween(scene: TimelineScene, y0: number, y1: number): ReadonlySet<string> | null {
    const [top, bottom] = [Math.min(y0, y1), Math.max(y0, y1)];
    const keys = new Set<string>();
    let hasTrack = false;
    for (const band of scene.bands) {
        for (const lane of lanesOf(scene, band)) {
            const y = band.offset + lane.top;
            if (y > bottom || y + lane.height <= top || lane.kind === 'rows') continue;
            keys.add(areaKey(lane));
            hasTrack ||= lane.track !== null;
        }
    }
    return hasTrack ? keys : null;
}

/* Vertical parts of the canvas that the area covers, from top to bottom; adjacent lanes are one,
 * also across the line below the pinned lanes. */
function boxesOf(scene: TimelineScene, height: number): Box[] {
    const lanes = scene.area?.lanes;
    if (!lanes) return [{ top: RULER_END, bottom: height }];
    const boxes: Box[] = [];
    for (const band of scene.bands) {
        for (const lane of lanesOf(scene, band)) {
            if (!isInArea(lanes, lane)) continue;
            const y = band.offset + lane.top;
            const top = Math.max(band.top, y);
            const bottom = Math.min(band.bottom, y + lane.height);
            const last = boxes.at(-1);
            if (last && top - last.bottom <= PINNED_EDGE) last.bottom = bottom;
            else boxes.push({ top, bottom });
        }
    }
    return boxes;
}

interface Edges {
    x0: number;
    x1: number;
}

function edgesOf(scene: TimelineScene, width: number, area: Area): Edges {
    const left = xOf(scene, width, area.from);
    return { x0: Math.round(left), x1: Math.round(Math.max(left + 1, xOf(scene, width, area.to))) };
}

/** Draws the selected area: its length on the ruler, a box over its lanes, and handles. */
export function paintArea(surface: Surface, scene: TimelineScene): void {
    const { ctx, width, height } = surface;
    const { area, theme } = scene;
    if (!area) return;
    const edges = edgesOf(scene, width, area);
    if (edges.x1 < 0 || edges.x0 > width) return;
    const [x0, x1] = [Math.max(-2, edges.x0), Math.min(width + 2, edges.x1)];
    const boxes = boxesOf(scene, height);
    ctx.fillStyle = theme.accent;
    ctx.globalAlpha = theme.dark ? 0.1 : 0.07;
    for (const { top, bottom } of boxes) ctx.fillRect(x0, top, x1 - x0, bottom - top);
    ctx.globalAlpha = 1;
    ctx.fillRect(x0, OVERVIEW, x1 - x0, RULER - 1);
    ctx.strokeStyle = theme.accent;
    ctx.lineWidth = 1.5;
    for (const { top, bottom } of boxes) {
        ctx.strokeRect(x0 + 0.75, top + 0.75, x1 - x0 - 1.5, bottom - top - 1.5);
    }
    paintHandles(surface, boxes, { x0, x1 }, area);
    paintLength(surface, scene, area, { x0: Math.max(0, x0), x1: Math.min(width, x1) });
}

function paintHandles(surface: Surface, boxes: Box[], { x0, x1 }: Edges, area: Area): void {
    const first = boxes.at(0);
    const last = boxes.at(-1);
    if (!first || !last) return;
    const { ctx } = surface;
    const handle = (x: number, y: number): void =>
        ctx.fillRect(Math.round(x - HANDLE / 2), Math.round(y - HANDLE / 2), HANDLE, HANDLE);
    const middle = (first.top + last.bottom) / 2;
    const box = boxes.find(({ bottom }) => bottom >= middle) ?? last;
    const y = Math.max(box.top, middle);
    handle(x0 + 0.5, y);
    handle(x1 - 0.5, y);
    if (area.lanes) handle((x0 + x1) / 2, last.bottom - 1);
}

/** The length and the number of tracks, as the ruler shows them; the shorter text if it is narrow. */
export function areaLabels({ lanes, ...area }: Area): string[] {
    const length = axisText(widthOf(area));
    if (!lanes) return [`${length} selected`, length];
    const tracks = [...lanes].filter((key) => key.startsWith('t')).length;
    return [`${length} × ${plural(tracks, 'track')}`, length];
}

function paintLength({ ctx }: Surface, { theme }: TimelineScene, area: Area, at: Edges): void {
    ctx.font = theme.fontStrong;
    ctx.fillStyle = theme.onAccent;
    for (const label of areaLabels(area)) {
        const wide = ctx.measureText(label).width;
        if (wide + 8 > at.x1 - at.x0) continue;
        ctx.fillText(label, (at.x0 + at.x1 - wide) / 2, OVERVIEW + 15);
        return;
    }
}

/** The handle of the selected area at a point of the canvas; null if there is none. */
export function areaHandleAt(stage: TimelineStage, x: number, y: number): AreaHandle | null {
    const { scene, renderer } = stage;
    if (!scene.area || y < OVERVIEW) return null;
    const { x0, x1 } = edgesOf(scene, renderer.width, scene.area);
    const boxes = boxesOf(scene, renderer.height);
    const last = boxes.at(-1);
    if (scene.area.lanes && last && Math.abs(y - last.bottom) <= EDGE_PX) {
        if (Math.abs(x - (x0 + x1) / 2) <= HANDLE) return 'bottom';
    }
    const isBeside = y < RULER_END || boxes.some(({ top, bottom }) => y >= top && y <= bottom);
    const [a, b] = [Math.abs(x - x0), Math.abs(x - x1)];
    if (!isBeside || Math.min(a, b) > EDGE_PX) return null;
    return a < b ? 'from' : 'to';
}

/** Computes the area while the pointer moves, from the point where it was pressed. */
export type AreaDrag = (x: number, y: number) => Area;

/** A drag that creates an area: on the ruler of all lanes, else of the lanes it passes. */
export function newAreaDrag(stage: TimelineStage, x: number, y: number): AreaDrag {
    const fixed = stage.timeAt(x);
    return (toX, toY) => ({
        ...roundRange(fixed, timeIn(stage, toX), stage.whole),
        lanes:
            y < RULER_END || !stage.props.hasTracks
                ? null
                : lanesBetween(stage.scene, y, Math.max(stage.scene.head, toY)),
    });
}

/** A drag of a handle of the selected area. */
export function handleDrag(stage: TimelineStage, area: Area, handle: AreaHandle): AreaDrag {
    if (handle === 'bottom') {
        const top = (boxesOf(stage.scene, stage.renderer.height).at(0)?.top ?? 0) + 1;
        return (_x, y) => ({ ...area, lanes: lanesBetween(stage.scene, top, Math.max(top, y)) });
    }
    const fixed = handle === 'from' ? area.to : area.from;
    return (x) => ({ ...area, ...roundRange(fixed, timeIn(stage, x), stage.whole) });
}

const timeIn = (stage: TimelineStage, x: number): number =>
    stage.timeAt(Math.max(0, Math.min(stage.renderer.width, x)));
