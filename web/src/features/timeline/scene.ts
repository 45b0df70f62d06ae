/* SPDX-License-Identifier: MIT
 *
 * The data from which the timeline is drawn. The stage fills a scene, the painters read it. A view
 * reuses one scene for all its frames, so that drawing a frame allocates nothing.
 */
import type { CriticalEdges, TimelineAnswer } from '../../base/answers';
import type { TraceStepRow } from '../../base/rows';
import type { WindowCache } from '../../model/timeline_cache';
import type { NameTable } from '../../model/timeline_names';
import type { Area } from '../../model/timeline_area';
import type { TimeView } from '../../model/timeline_view';
import type { CurveSet } from './curves';
import type { Band } from './bands';
import type { Hit } from './hit';
import type { Lanes } from './lanes';
import type { PartBand } from './steps_row';
import type { TimelineTheme } from './theme';

export const OVERVIEW = 30;
export const RULER = 22;
/** the row of steps, in traces that have steps */
export const STEPS = 30;
/** px above the row of steps */
export const RULER_END = OVERVIEW + RULER;

/** A slice that is drawn individually, even if the window has only a density for it. Times in
 * ns. */
export interface Mark {
    id: number;
    track: number;
    depth: number;
    start: number;
    end: number;
}

export interface Flow {
    from: Mark;
    to: Mark;
    /** times of the start and the end of the arrow, ns */
    fromNs: number;
    toNs: number;
}

export interface TimelineScene {
    answer: TimelineAnswer;
    /** navigable range: the run; if another run is aligned with it, the range that covers both
     * runs */
    whole: TimeView;
    /** the time that the ruler shows as 0, ns */
    origin: number;
    view: TimeView;
    /** y of the first lane on the canvas, below overview, ruler and steps */
    head: number;
    /** vertical scroll positions of the pinned lanes and of the others, px */
    pinnedTop: number;
    top: number;
    /** the areas of the pinned lanes and of the others */
    bands: readonly [Band, Band];
    lanes: Lanes;
    cache: WindowCache;
    names: NameTable;
    curves: CurveSet | null;
    steps: readonly TraceStepRow[];
    /** mean duration of a step, ns; null if there are no steps */
    meanStep: number | null;
    /** what counts at each moment of the window, and of the complete run; null until it is loaded */
    parts: PartBand | null;
    wholeParts: PartBand | null;
    theme: TimelineTheme;
    hover: Hit | null;
    selected: Mark | null;
    flows: Flow[];
    /** the critical path of a step; null: not shown */
    path: CriticalEdges | null;
    /** the selected area, or the one that the user is dragging */
    area: Area | null;
    /** ids of the names that the search matches; null if there is no search */
    found: ReadonlySet<number> | null;
    /** where hits of the search start, as shares of the run */
    ticks: readonly number[];
    /** true: the selected slice is a hit of the search */
    isHit: boolean;
    /** incremented when `found` or the theme changes, so that the density is painted again */
    paintVersion: number;
}

/** The drawing surface of the tracks: context, size in px, device pixels per px, and text
 * measurement. */
export interface Surface {
    ctx: CanvasRenderingContext2D;
    width: number;
    height: number;
    ratio: number;
    measure: (text: string) => number;
}

export const xOf = (scene: TimelineScene, width: number, t: number): number =>
    ((t - scene.view.from) / (scene.view.to - scene.view.from)) * width;
