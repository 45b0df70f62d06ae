/* SPDX-License-Identifier: MIT
 *
 * Properties of a timeline and callbacks for the user's actions.
 */
import type { ComponentChildren } from 'preact';
import type { CriticalEdges, TimelineAnswer } from '../../base/answers';
import type { TraceStepRow } from '../../base/rows';
import type { Area } from '../../model/timeline_area';
import type { TimeView } from '../../model/timeline_view';
import type { RowMark } from '../sql/links';
import type { WindowRequest, TimelineData } from './data';
import type { Hit } from './hit';
import type { Lane, Lanes } from './lanes';
import type { Flow, Mark } from './scene';
import type { TimelineStage } from './stage';

export interface TimelineProps {
    answer: TimelineAnswer;
    /** true: slices have families */
    torch: boolean;
    data: TimelineData;
    lanes: Lanes;
    /** `from~to` in ns after the origin; '' for the complete run */
    at: string;
    /** isFollowUp: the view moved because of another change, which has an entry of the history */
    onAt: (at: string | null, isFollowUp: boolean) => void;
    /** range that covers both runs, in ns of this run, if another run is aligned with it */
    commonRange?: TimeView | null;
    /** the time, in ns of this run, that the ruler shows as 0 */
    origin?: number;
    /** steps of the first worker that has some, by time */
    steps: readonly TraceStepRow[];
    /** mean duration of a step, ns; null if there are no steps */
    meanStep: number | null;
    /** callbacks that repeat the user's actions in the other timeline, in the same frame */
    observer?: StageObserver | null;
    /** vertical scroll position of the lanes, px */
    y: number;
    onY: (y: number | null) => void;
    /** the selected area */
    area: Area | null;
    onArea: (area: Area | null) => void;
    /** false: the tables of an area count all tracks, so it always has all lanes */
    hasTracks: boolean;
    selected: Mark | null;
    flows: Flow[];
    /** the critical path of a step; null: not shown */
    path: CriticalEdges | null;
    onSelect: (id: number | null) => void;
    /** true: a note is selected */
    hasNote: boolean;
    /** key N: a note at a time, or on the selected area */
    onNote: (t_ns: number) => void;
    /** called after each frame */
    onFrame: (stage: TimelineStage) => void;
    /** ids of the names that the search matches; null if there is no search */
    found: ReadonlySet<number> | null;
    /** where hits of the search start, as shares of the run */
    ticks: readonly number[];
    /** true: the selected slice is a hit of the search */
    isHit: boolean;
    /** the user asked for the menu of a lane, at a point of the window */
    onLabelMenu: (lane: Lane, x: number, y: number) => void;
    onArrange: (change: ArrangementChange) => void;
    /** the user asked for the menu of a slice; the point is in px of the window */
    onMenu: (hit: Hit, x: number, y: number) => void;
    onNeed: (need: WindowRequest) => void;
    onStep: (forward: boolean) => void;
    onBack: () => void;
    onFind: () => void;
    tip: (hit: Hit) => ComponentChildren;
    /** tooltip of a lane without slices at a point of the canvas; null for none */
    curveTip: (lane: Lane, point: { x: number; y: number }) => ComponentChildren;
    /** the user clicked a row of an SQL statement */
    onRowMark: (mark: RowMark) => void;
}

/** What the user does with the lanes. */
export type ArrangementChange =
    | { pin: string }
    | { fold: readonly string[] }
    | { foldAll: true }
    /** above the lane `before`; '' is the end */
    | { move: string; before: string }
    /** null: its own height */
    | { resize: string; px: number | null };

export interface StageObserver {
    onMoved: (stage: TimelineStage) => void;
    onScrolled: (stage: TimelineStage) => void;
    /** called when the pointer moved, or left the canvas */
    onPointed: (stage: TimelineStage) => void;
    /** called before the stage's `sent` is written to the URL, which both timelines share */
    onWritten: (stage: TimelineStage) => void;
}

/** Elements that a stage moves or updates. */
export interface StageParts {
    canvas: HTMLCanvasElement;
    scroller: HTMLElement;
    labels: HTMLElement;
    pinnedLabels: HTMLElement;
    span: HTMLElement;
    timeLine: HTMLElement;
}
