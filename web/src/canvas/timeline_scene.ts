/* SPDX-License-Identifier: MIT
 *
 * What one picture of the timeline is made of. The stage fills it, the painters read it; it lives as
 * long as the view, so that a frame allocates nothing.
 */
import type { WindowCache } from '../model/timeline_cache';
import type { CurveSet } from '../model/timeline_curves';
import type { Hit } from '../model/timeline_hit';
import type { Lanes } from '../model/timeline_lanes';
import type { NameTable } from '../model/timeline_names';
import type { TimelineAnswer } from '../model/timeline_types';
import type { TimeView } from '../model/timeline_view';
import type { TimelineTheme } from './timeline_theme';

export const OVERVIEW = 46;
export const RULER = 22;
/** px above the first lane */
export const HEAD = OVERVIEW + RULER;

/** A slice that is drawn although the window may count it only. */
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
    /** ns: where the arrow leaves and ends */
    fromNs: number;
    toNs: number;
}

export interface TimelineScene {
    answer: TimelineAnswer;
    /** what one may look at: the run, and beside it more where another stands above or below it */
    whole: TimeView;
    /** ns: what the ruler calls 0 */
    origin: number;
    view: TimeView;
    /** px that the lanes are scrolled up */
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
    /** text ids that a search hit; null: no search */
    found: ReadonlySet<number> | null;
    /** changes with `found` and the theme: density is painted anew */
    paintVersion: number;
}

/** The surface: px of the tracks, and what a painter needs to write text. */
export interface Surface {
    ctx: CanvasRenderingContext2D;
    width: number;
    height: number;
    ratio: number;
    measure: (text: string) => number;
}

export const xOf = (scene: TimelineScene, width: number, t: number): number =>
    ((t - scene.view.from) / (scene.view.to - scene.view.from)) * width;
