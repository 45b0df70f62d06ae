/* SPDX-License-Identifier: MIT
 *
 * State of the timeline between renders: window, scroll position, hover. Input changes the state
 * directly; the next frame is drawn from data in memory. Missing data is requested meanwhile, and
 * the URL is updated after a pause.
 */
import { hideTooltip } from '../../components/tooltip';
import type { Area } from '../../model/timeline_area';
import {
    clampView,
    easeView,
    fitView,
    parseView,
    readableView,
    revealView,
    sameView,
    shifted,
    spanText,
    type TimeView,
    viewText,
    widthOf,
} from '../../model/timeline_view';
import type { RowMark } from '../sql/links';
import { bandOf, laneAtCanvas, pinnedViewHeight, placeBands } from './bands';
import { TimelineCanvas } from './canvas';
import { type WindowRequest, windowRequestOf } from './data';
import { type Hit, hitAt } from './hit';
import { type Lane, sliceTop } from './lanes';
import type { StageParts, TimelineProps } from './props';
import { type Mark, RULER_END, STEPS, type TimelineScene } from './scene';
import { markAt } from './sql_rows';
import { readTimelineTheme } from './theme';

const EASE_MS = 120;
/** px beside the row of an SQL statement in which it is hit */
const MARK_PX = 3;
const SETTLED_MS = 160;
const REQUEST_MS = 50;
const COMMIT_MS = 300;
/** px below the upper edge of a slice that must be visible */
const REVEAL_PX = 20;

/** The initial view: the window of the URL, else the area with a margin, else the complete run. */
function firstView({ at, area }: TimelineProps, whole: TimeView, origin: number): TimeView {
    const urlView = parseView(at, shifted(whole, -origin));
    if (urlView) return shifted(urlView, origin);
    return area ? fitView(area, whole, 0.5) : whole;
}

export class TimelineStage {
    readonly renderer: TimelineCanvas;
    readonly scene: TimelineScene;
    /** position of the pointer over the canvas, in px; null if the pointer is elsewhere */
    pointer: { x: number; y: number } | null = null;
    /** area that the user is dragging; null if none. On release it becomes the selected area. */
    draftArea: Area | null = null;
    /** key of the lane whose label is under the pointer or has the focus; null for none */
    labelKey: string | null = null;
    /** the window in the URL, as this or the other timeline last wrote it */
    sent: string;
    private frame = 0;
    private easing = 0;
    private requestTimer = 0;
    private restTimer = 0;
    private commitTimer = 0;
    private topTimer = 0;
    private isFollowUp = false;
    private spanLabel = '';
    private labelsTop = -1;
    private pinnedLabelsTop = -1;

    constructor(
        readonly parts: StageParts,
        public props: TimelineProps,
        readonly onBand: () => void,
    ) {
        this.renderer = new TimelineCanvas(parts.canvas);
        const { answer, data } = props;
        const runRange = {
            from: answer.start_ns,
            to: Math.max(answer.start_ns + 1, answer.end_ns),
        };
        const whole = props.commonRange ?? runRange;
        this.sent = props.at;
        this.scene = {
            answer,
            whole,
            origin: props.origin ?? 0,

            view: firstView(props, whole, props.origin ?? 0),
            head: RULER_END + (props.steps.length ? STEPS : 0),
            pinnedTop: 0,
            top: 0,
            bands: [
                { top: 0, bottom: 0, offset: 0 },
                { top: 0, bottom: 0, offset: 0 },
            ],
            lanes: props.lanes,
            cache: data.cache,
            names: data.names,
            curves: null,
            steps: props.steps,
            meanStep: props.meanStep,
            parts: null,
            wholeParts: null,
            theme: readTimelineTheme(parts.canvas, props.torch),
            hover: null,
            selected: null,
            flows: [],
            path: null,
            area: null,
            found: null,
            ticks: [],
            isHit: false,
            paintVersion: 0,
        };
    }

    get view(): TimeView {
        return this.scene.view;
    }

    get whole(): TimeView {
        return this.scene.whole;
    }

    /** height of the area of the lanes that are not pinned, px */
    get lanesHeight(): number {
        const [, rest] = this.scene.bands;
        return rest.bottom - rest.top;
    }

    /** height of the area of the pinned lanes, px */
    get pinnedViewHeight(): number {
        return pinnedViewHeight(this.props.lanes, this.scene.head, this.renderer.height);
    }

    get nsPerPx(): number {
        return widthOf(this.view) / Math.max(1, this.renderer.width);
    }

    timeAt(x: number): number {
        return this.view.from + x * this.nsPerPx;
    }

    hit(x: number, y: number): Hit | null {
        const found = laneAtCanvas(this.scene, y);
        if (!found) return null;
        const { cache, view } = this.scene;
        return hitAt(cache, found.lane, view, this.renderer.width, x, found.y);
    }

    /** The lane under the pointer, or the lane whose label is; null if there is none. */
    get hoveredLane(): Lane | null {
        const { scene, pointer, labelKey } = this;
        if (labelKey) return scene.lanes.lanes.find(({ key }) => key === labelKey) ?? null;
        return pointer && (laneAtCanvas(scene, pointer.y)?.lane ?? null);
    }

    /** A point of the selected slice on the canvas; null if it is not visible. */
    selectedPoint(): { x: number; y: number } | null {
        const { selected } = this.props;
        const lane = selected && this.scene.lanes.byTrack.get(selected.track);
        if (!lane) return null;
        const from = Math.max(selected.start, this.view.from);
        const to = Math.min(selected.end, this.view.to);
        const y = bandOf(this.scene, lane).offset + sliceTop(lane, selected.depth);
        return { x: ((from + to) / 2 - this.view.from) / this.nsPerPx, y: y + lane.rowHeight / 2 };
    }

    /** The row of an SQL statement at a point of the canvas; null if there is none. */
    rowMarkAt(x: number, y: number): RowMark | null {
        const marks = laneAtCanvas(this.scene, y)?.lane.marks;
        return marks ? markAt(marks, this.timeAt(x), MARK_PX * this.nsPerPx) : null;
    }

    /** The lane with a curve at y; null if there is none. */
    curveAt(y: number): Lane | null {
        const lane = laneAtCanvas(this.scene, y)?.lane;
        return lane && lane.kind !== 'track' ? lane : null;
    }

    redraw = (): void => {
        if (!this.frame) this.frame = requestAnimationFrame(this.paint);
    };

    private paint = (): void => {
        cancelAnimationFrame(this.frame);
        this.frame = 0;
        const { scene, props } = this;
        if (scene.found !== props.found) scene.paintVersion++;
        scene.found = props.found;
        scene.ticks = props.ticks;
        scene.isHit = props.isHit;
        scene.lanes = props.lanes;
        scene.curves = props.data.curves;
        scene.parts = props.data.parts;
        scene.wholeParts = props.data.wholeParts;
        scene.selected = props.selected;
        scene.flows = props.flows;
        scene.path = props.path;
        scene.area = this.draftArea ?? props.area;
        this.renderer.draw(scene);
        if (scene.top !== this.labelsTop) this.moveLabels(scene.top);
        if (scene.pinnedTop !== this.pinnedLabelsTop) {
            this.pinnedLabelsTop = scene.pinnedTop;
            this.parts.pinnedLabels.style.transform = `translateY(${-scene.pinnedTop}px)`;
        }
        const label = spanText(shifted(scene.view, -scene.origin), this.renderer.width);
        if (label !== this.spanLabel) this.parts.span.textContent = label;
        this.spanLabel = label;
        props.onFrame(this);
    };

    /** Shows a line at the time under the pointer of the other timeline; null hides it. */
    showTimeLine(t: number | null): void {
        const { timeLine } = this.parts;
        const x = t === null ? -1 : Math.round((t - this.view.from) / this.nsPerPx);
        timeLine.hidden = x < 0 || x > this.renderer.width;
        timeLine.style.transform = `translateX(${x}px)`;
    }

    private moveLabels(top: number): void {
        this.labelsTop = top;
        const above = this.scene.lanes.pinnedHeight;
        this.parts.labels.style.transform = `translateY(${-top - above}px)`;
        this.parts.labels.style.setProperty('--top', String(top + above));
    }

    retheme = (): void => {
        this.scene.theme = readTimelineTheme(this.parts.canvas, this.props.torch);
        this.scene.paintVersion++;
        this.redraw();
    };

    resize(): void {
        const { canvas } = this.parts;
        const box = canvas.parentElement?.getBoundingClientRect();
        if (!box) return;
        const [width, height] = [Math.floor(box.width), Math.floor(box.height)];
        canvas.style.width = `${width}px`;
        canvas.style.height = `${height}px`;
        this.renderer.resize(width, height, devicePixelRatio || 1);
        this.paint();
        this.onBand();
        this.requestData();
    }

    /** Requests missing data: soon while the view moves, and again after it has stopped. */
    requestData(): void {
        this.requestTimer ||= setTimeout(() => {
            this.requestTimer = 0;
            this.props.onNeed(this.dataNeeds(true));
        }, REQUEST_MS);
        clearTimeout(this.restTimer);
        this.restTimer = setTimeout(() => this.props.onNeed(this.dataNeeds(false)), SETTLED_MS);
    }

    dataNeeds(moving: boolean): WindowRequest {
        const { lanes, view, top, pinnedTop } = this.scene;
        const ranges = [
            { top: pinnedTop, height: this.pinnedViewHeight, isPinned: true },
            { top: lanes.pinnedHeight + top, height: this.lanesHeight, isPinned: false },
        ];
        return windowRequestOf(lanes, view, Math.max(1, this.renderer.width), ranges, moving);
    }

    /** Applies user input immediately; the URL is updated after a pause. `isFollowUp`: the movement
     * is part of another change, such as a selection, with which Back undoes it. */
    moveTo(view: TimeView, isFollowUp = false): void {
        this.isFollowUp = isFollowUp;
        this.show(view);
        hideTooltip();
        this.props.observer?.onMoved(this);
        this.commit();
    }

    /** Shows a view without changing the other timeline or the URL. */
    show(view: TimeView): void {
        cancelAnimationFrame(this.easing);
        this.scene.view = view;
        this.scene.hover = null;
        this.redraw();
        this.requestData();
    }

    /** Applies a scroll position that the other timeline sent, without sending it back. */
    showTop(top: number): void {
        this.parts.scroller.scrollTop = top;
        this.scene.top = this.parts.scroller.scrollTop;
        this.scene.hover = null;
        this.redraw();
        this.onBand();
        this.requestData();
        clearTimeout(this.topTimer);
        this.topTimer = setTimeout(() => this.commitTop(), COMMIT_MS);
    }

    private commitTop(): void {
        this.props.onY(Math.round(this.scene.top) || null);
    }

    /** Applies a changed alignment. The view keeps its times on the ruler, so it shows another part
     * of the run; if the URL has a new window, the view shows that window. */
    changeAlignment({ commonRange, origin = 0, at }: TimelineProps): void {
        const { scene } = this;
        if (!commonRange || (sameView(scene.whole, commonRange) && scene.origin === origin)) return;
        const shiftedView = shifted(this.view, origin - scene.origin);
        const all = sameView(this.view, this.whole);
        scene.whole = commonRange;
        scene.origin = origin;
        if (at !== this.sent) this.show(firstView(this.props, commonRange, origin));
        else this.show(all ? commonRange : clampView(shiftedView, commonRange));
        this.sent = at;
    }

    scrollTo(top: number): void {
        this.parts.scroller.scrollTop = top;
        this.onScroll();
    }

    /** Scrolls the pinned lanes. */
    scrollPinned(by: number): void {
        this.scene.pinnedTop += by;
        placeBands(this.scene, this.renderer.height);
        this.scene.hover = null;
        this.redraw();
        this.onBand();
        this.requestData();
    }

    /** The lanes changed: another order, other pinned lanes, other heights. */
    relayout(): void {
        this.scene.lanes = this.props.lanes;
        this.scene.hover = null;
        this.labelsTop = -1;
        placeBands(this.scene, this.renderer.height);
        this.paint();
        this.onBand();
        this.onScroll();
        this.requestData();
    }

    onScroll(): void {
        const { scrollTop } = this.parts.scroller;
        if (scrollTop === this.scene.top) return;
        this.scene.top = scrollTop;
        this.scene.hover = null;
        this.redraw();
        this.onBand();
        this.requestData();
        this.props.observer?.onScrolled(this);
        this.commit();
    }

    private commit(): void {
        clearTimeout(this.commitTimer);
        this.commitTimer = setTimeout(() => {
            // If an area is selected, an empty value would mean the area, so the complete run is
            // written explicitly.
            const short = sameView(this.view, this.whole) && !this.props.area;
            const at = short ? null : viewText(shifted(this.view, -this.scene.origin));
            const isMoved = (at ?? '') !== this.sent;
            this.sent = at ?? '';
            this.props.observer?.onWritten(this);
            if (isMoved) this.props.onAt(at, this.isFollowUp);
            this.commitTop();
        }, COMMIT_MS);
    }

    easeTo(target: TimeView, isFollowUp = false): void {
        const from = this.view;
        const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
        if (still || sameView(from, target)) {
            this.moveTo(target, isFollowUp);
            return;
        }
        cancelAnimationFrame(this.easing);
        const start = performance.now();
        const step = (now: number): void => {
            const t = (now - start) / EASE_MS;
            const view = t >= 1 ? target : clampView(easeView(from, target, t), this.whole);
            this.moveTo(view, isFollowUp);
            if (t < 1) this.easing = requestAnimationFrame(step);
        };
        step(start);
    }

    /** Shows a window from the URL, unless it equals `sent`. */
    follow(at: string): void {
        if (at === this.sent) return;
        this.sent = at;
        this.easeTo(firstView(this.props, this.whole, this.scene.origin), true);
    }

    /** Key F: shows the selected slice; pressed again, the selected area, then the complete run,
     * then starts over. Skips the slice or the area if none is selected. */
    fit(): void {
        const { selected, area } = this.props;
        const targets = [selected && { from: selected.start, to: selected.end }, area, this.whole];
        const views = targets.flatMap((one) =>
            one ? [one === this.whole ? one : fitView(one, this.whole)] : [],
        );
        const now = views.findIndex((one) => sameView(one, this.view));
        this.easeTo(views[(now + 1) % views.length] ?? this.whole);
    }

    /** Makes a slice visible, with as little movement as possible; `readable`: wide enough for a
     * label. */
    reveal(mark: Omit<Mark, 'id'>, readable = false): void {
        const span = { from: mark.start, to: mark.end };
        const px = readable ? this.renderer.width : Infinity;
        const view = readableView(span, revealView(span, this.view, this.whole), this.whole, px);
        if (!sameView(view, this.view)) this.easeTo(view, true);
        const lane = this.scene.lanes.byTrack.get(mark.track);
        if (!lane) return;
        placeBands(this.scene, this.renderer.height);
        const band = bandOf(this.scene, lane);
        const y = band.offset + sliceTop(lane, Math.min(mark.depth, Math.max(0, lane.rows - 1)));
        if (y >= band.top && y + REVEAL_PX <= band.bottom) return;
        const by = y - (band.top + band.bottom) / 2;
        if (lane.isPinned) this.scrollPinned(by);
        else this.scrollTo(this.scene.top + by);
    }

    dispose(): void {
        cancelAnimationFrame(this.frame);
        cancelAnimationFrame(this.easing);
        const { requestTimer, restTimer, commitTimer, topTimer } = this;
        for (const timer of [requestTimer, restTimer, commitTimer, topTimer]) clearTimeout(timer);
        hideTooltip();
    }
}
