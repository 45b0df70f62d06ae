/* SPDX-License-Identifier: MIT
 *
 * The data from which the timeline is drawn. The stage fills a scene, the painters read it. A view
 * reuses one scene for all its frames, so that drawing a frame allocates nothing.
 */
import type { WindowCache } from '../../model/timeline_cache';
import type { NameTable } from '../../model/timeline_names';
import type { TimelineAnswer } from '../../model/timeline_types';
import type { TimeView } from '../../model/timeline_view';
import type { CurveSet } from './curves';
import type { Hit } from './hit';
import type { Lanes } from './lanes';
import type { TimelineTheme } from './theme';

export const OVERVIEW = 46;
export const RULER = 22;
/** px above the first lane */
export const HEAD = OVERVIEW + RULER;

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
    /** vertical scroll position of the lanes, px */
    top: number;
    lanes: Lanes;
    cache: WindowCache;
    names: NameTable;
    curves: CurveSet | null;
    theme: TimelineTheme;
    hover: Hit | null;
    selected: Mark | null;
    flows: Flow[];
    range: TimeView | null;
    /** ids of the names that the search matches; null if there is no search */
    found: ReadonlySet<number> | null;
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
