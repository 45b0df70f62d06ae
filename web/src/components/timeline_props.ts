/* SPDX-License-Identifier: MIT
 *
 * What a timeline is given to show, and whom it tells of what the reader does with it.
 */
import type { ComponentChildren } from 'preact';
import type { Flow, Mark } from '../canvas/timeline_scene';
import type { Need, TimelineData } from '../model/timeline_data';
import type { Hit } from '../model/timeline_hit';
import type { Lane, Lanes } from '../model/timeline_lanes';
import type { TimelineAnswer } from '../model/timeline_types';
import type { TimeView } from '../model/timeline_view';
import type { TimelineStage } from './timeline_stage';

export interface TimelineProps {
    answer: TimelineAnswer;
    /** slices have a family */
    torch: boolean;
    data: TimelineData;
    lanes: Lanes;
    /** `from~to` in ns after the origin; empty: the whole run */
    at: string;
    onAt: (at: string | null) => void;
    /** where another run stands above or below this one, what one may look at of both */
    reach?: TimeView | null;
    /** ns of this run: what its ruler calls 0 */
    origin?: number;
    /** told of what this stage does, so that the other does it in the same frame */
    mate?: StageMate | null;
    /** px that the lanes are scrolled up */
    y: number;
    onY: (y: number | null) => void;
    range: TimeView | null;
    onRange: (range: TimeView | null) => void;
    selected: Mark | null;
    flows: Flow[];
    onSelect: (id: number | null) => void;
    /** text ids that a search hit */
    found: ReadonlySet<number> | null;
    onFold: (keys: string[]) => void;
    onNeed: (need: Need) => void;
    onStep: (forward: boolean) => void;
    onBack: () => void;
    onFind: () => void;
    tip: (hit: Hit) => ComponentChildren;
    /** of a lane with a curve, at a moment; null: nothing to say */
    curveTip: (lane: Lane, t: number) => ComponentChildren;
}

export interface StageMate {
    moved: (stage: TimelineStage) => void;
    scrolled: (stage: TimelineStage) => void;
    /** the pointer is elsewhere, or no longer over it */
    pointed: (stage: TimelineStage) => void;
    /** `sent` is about to stand in the URL of both */
    wrote: (stage: TimelineStage) => void;
}

/** The elements that a stage moves. */
export interface StageParts {
    canvas: HTMLCanvasElement;
    scroller: HTMLElement;
    labels: HTMLElement;
    span: HTMLElement;
    moment: HTMLElement;
}
