/* SPDX-License-Identifier: MIT
 *
 * Data that a timeline has in memory, and the data that it needs for the current view.
 */
import { WindowCache } from '../../model/timeline_cache';
import { NameTable } from '../../model/timeline_names';
import type { TraceMemory } from '../../model/timeline_types';
import type { TimeView } from '../../model/timeline_view';
import type { CurveSet } from './curves';
import { type Lane, laneIndexAt, type Lanes } from './lanes';
import type { PartBand } from './steps_row';

export interface TimelineData {
    cache: WindowCache;
    names: NameTable;
    curves: CurveSet | null;
    /** parts of the step for the last window, and for the complete run */
    parts: PartBand | null;
    wholeParts: PartBand | null;
}

export function timelineData(whole: TimeView): TimelineData {
    return {
        cache: new WindowCache(whole),
        names: new NameTable(),
        curves: null,
        parts: null,
        wholeParts: null,
    };
}

export interface WindowRequest {
    view: TimeView;
    /** width of the view in px */
    px: number;
    /** what the visible lanes show, by kind of data: ids of tracks and counters, keys of devices */
    tracks: number[];
    busy: number[];
    memory: string[];
    counters: number[];
    /** lanes whose curves are in other runs */
    snapshots: TraceMemory[];
    /** true: the view is moving, and approximate data is sufficient */
    moving: boolean;
}

/** px above and below the visible lanes in which the data of lanes is fetched too */
const PREFETCH_PX = 120;

function addLane(wanted: WindowRequest, lane: Lane): void {
    if (lane.memory?.snapshot) wanted.snapshots.push(lane.memory);
    else if (lane.kind === 'memory') wanted.memory.push(lane.key.slice(1));
    else if (lane.kind === 'counter' && lane.counter) wanted.counters.push(lane.counter.id);
    else if (lane.track) (lane.kind === 'busy' ? wanted.busy : wanted.tracks).push(lane.track.id);
}

/** The data that the lanes in some vertical ranges need, in px from the top of the first lane. */
export function windowRequestOf(
    lanes: Lanes,
    view: TimeView,
    px: number,
    ranges: readonly { top: number; height: number; isPinned: boolean }[],
    moving: boolean,
): WindowRequest {
    const wanted: WindowRequest = {
        view,
        px,
        tracks: [],
        busy: [],
        memory: [],
        counters: [],
        snapshots: [],
        moving,
    };
    for (const { top, height, isPinned } of ranges) {
        const first = laneIndexAt(lanes, Math.max(0, top - PREFETCH_PX));
        for (let i = first; i < lanes.lanes.length; i++) {
            const lane = lanes.lanes[i];
            if (lane.top >= top + height + PREFETCH_PX) break;
            if (lane.isPinned === isPinned) addLane(wanted, lane);
        }
    }
    return wanted;
}
