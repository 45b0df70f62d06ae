/* SPDX-License-Identifier: MIT
 *
 * The two areas of the canvas with lanes: the pinned lanes, and below them the others. Each scrolls
 * by itself.
 */
import { type Lane, laneAt, laneIndexAt, type Lanes } from './lanes';
import type { TimelineScene } from './scene';

/** maximum share of the height of all lanes that the pinned lanes take; more of them scroll */
const MAX_PINNED_SHARE = 0.4;
/** height of the double line below the pinned lanes, px */
export const PINNED_EDGE = 3;

/** y of the area on the canvas; `offset` is added to the y of a lane to get its y on the canvas. */
export interface Band {
    top: number;
    bottom: number;
    offset: number;
}

/** Height of the area of pinned lanes, without the line below. */
export function pinnedViewHeight({ pinnedHeight }: Lanes, head: number, height: number): number {
    return Math.min(pinnedHeight, Math.round(Math.max(0, height - head) * MAX_PINNED_SHARE));
}

/** Computes the areas for a canvas of this height, and clamps the scroll positions to them. */
export function placeBands(scene: TimelineScene, height: number): void {
    const { lanes, head, bands } = scene;
    const [pinned, rest] = bands;
    const pinnedView = pinnedViewHeight(lanes, head, height);
    scene.pinnedTop = clampTop(scene.pinnedTop, lanes.pinnedHeight - pinnedView);
    pinned.top = head;
    pinned.bottom = head + pinnedView;
    pinned.offset = head - scene.pinnedTop;
    rest.top = pinned.bottom + (pinnedView > 0 ? PINNED_EDGE : 0);
    rest.bottom = Math.max(rest.top, height);
    scene.top = clampTop(scene.top, lanes.height - lanes.pinnedHeight - (rest.bottom - rest.top));
    rest.offset = rest.top - lanes.pinnedHeight - scene.top;
}

const clampTop = (top: number, max: number): number => Math.max(0, Math.min(top, max));

export const bandOf = ({ bands }: TimelineScene, lane: Lane): Band => bands[lane.isPinned ? 0 : 1];

/** y of the upper edge of a lane on the canvas. */
export const laneY = (scene: TimelineScene, lane: Lane): number =>
    bandOf(scene, lane).offset + lane.top;

/** The visible lanes of an area are those from the returned index on, until a lane begins below the
 * area or is in the other one. */
export const firstLaneOf = (lanes: Lanes, band: Band): number =>
    laneIndexAt(lanes, band.top - band.offset);

/** Whether a lane of the index order is still visible in the area. */
export const isInBand = ({ bands }: TimelineScene, band: Band, lane: Lane): boolean =>
    lane.isPinned === (band === bands[0]) && lane.top + band.offset < band.bottom;

/** The lane at a y of the canvas, and its y from the top of the first lane; null if there is none. */
export function laneAtCanvas(scene: TimelineScene, y: number): { lane: Lane; y: number } | null {
    for (const band of scene.bands) {
        if (y < band.top || y >= band.bottom) continue;
        const lane = laneAt(scene.lanes, y - band.offset);
        return lane && isInBand(scene, band, lane) ? { lane, y: y - band.offset } : null;
    }
    return null;
}
