/* SPDX-License-Identifier: MIT
 *
 * Pointer and wheel input of the timeline. The start point of a drag decides its effect: it moves
 * the window in the overview, selects an area on the ruler or with Shift, or pans the lanes.
 */
import { listenContextMenu } from '../../components/context_menu';
import { hideTooltip, showTooltip } from '../../components/tooltip';
import { fitView, panView, widthOf, zoomView } from '../../model/timeline_view';
import type { Area } from '../../model/timeline_area';
import { type AreaHandle, areaHandleAt, handleDrag, newAreaDrag } from './area';
import { laneY } from './bands';
import { sliceTop } from './lanes';
import { OVERVIEW, RULER_END } from './scene';
import type { TimelineStage } from './stage';
import { stepAt } from './steps_row';

const HOVER_MS = 60;
const CLICK_PX = 4;
const EDGE_PX = 5;
const WHEEL_ZOOM = 0.0022;

/** A drag in progress; `move` receives the px moved since the start, and the pointer's x. */
interface Drag {
    x: number;
    y: number;
    moved: boolean;
    move: (dx: number, dy: number, x: number) => void;
    /** called on release; `click`: the pointer did not move */
    end: (click: boolean, x: number, y: number) => void;
}

type Point = { x: number; y: number };

function overviewTime(stage: TimelineStage, x: number): number {
    return stage.whole.from + (x / stage.renderer.width) * widthOf(stage.whole);
}

function overviewX(stage: TimelineStage, t: number): number {
    return ((t - stage.whole.from) / widthOf(stage.whole)) * stage.renderer.width;
}

/** The edge of a window that is at most EDGE_PX from x; null if none is. */
function edgeAt(x: number, left: number, right: number): 'from' | 'to' | null {
    const [a, b] = [Math.abs(x - left), Math.abs(x - right)];
    if (Math.min(a, b) > EDGE_PX) return null;
    return a < b ? 'from' : 'to';
}

function overviewDrag(stage: TimelineStage, { x, y }: Point): Drag {
    const { view, whole } = stage;
    const [left, right] = [overviewX(stage, view.from), overviewX(stage, view.to)];
    const edge = edgeAt(x, left, right);
    const minWidth = 4 * (widthOf(whole) / stage.renderer.width);
    let start = view;
    if (!edge && (x < left || x > right)) {
        start = panView(view, whole, overviewTime(stage, x) - (view.from + view.to) / 2);
        stage.moveTo(start);
    }
    const move = (dx: number): void => {
        const by = overviewTime(stage, dx) - whole.from;
        if (!edge) stage.moveTo(panView(start, whole, by));
        else if (edge === 'from') {
            const from = Math.max(whole.from, Math.min(start.to - minWidth, start.from + by));
            stage.moveTo({ from, to: start.to });
        } else {
            const to = Math.min(whole.to, Math.max(start.from + minWidth, start.to + by));
            stage.moveTo({ from: start.from, to });
        }
    };
    return { x, y, moved: false, move, end: () => undefined };
}

/** Drag that creates an area from the start point, or moves a handle of the existing area. */
function areaDrag(stage: TimelineStage, { x, y }: Point, handle: AreaHandle | null): Drag {
    const { area } = stage.props;
    const areaAt = handle && area ? handleDrag(stage, area, handle) : newAreaDrag(stage, x, y);
    const move = (_dx: number, dy: number, at: number): void => {
        stage.draftArea = areaAt(at, y + dy);
        stage.redraw();
    };
    const end = (click: boolean): void => {
        const drawn: Area | null = stage.draftArea;
        stage.draftArea = null;
        if (!click && drawn) stage.props.onArea(drawn);
        else if (click && !handle) stage.props.onArea(null);
        stage.redraw();
    };
    return { x, y, moved: false, move, end };
}

function panDrag(stage: TimelineStage, { x, y }: Point): Drag {
    const { view, whole } = stage;
    const { top } = stage.scene;
    const move = (dx: number, dy: number): void => {
        stage.scrollTo(top - dy);
        stage.moveTo(panView(view, whole, -dx * (widthOf(view) / stage.renderer.width)));
    };
    const end = (click: boolean, atX: number, atY: number): void => {
        if (!click) return;
        const hit = stage.hit(atX, atY);
        if (hit && hit.id < 0) {
            // A group of slices: zoom in.
            const middle = (hit.start + hit.end) / 2;
            stage.easeTo(zoomView(stage.view, whole, 0.25, middle));
            return;
        }
        const mark = hit ? null : stage.rowMarkAt(atX, atY);
        if (mark) stage.props.onRowMark(mark);
        else stage.props.onSelect(hit ? hit.id : null);
    };
    return { x, y, moved: false, move, end };
}

const isInSteps = ({ scene }: TimelineStage, { y }: Point): boolean =>
    y >= RULER_END && y < scene.head;

/** Press on the row of steps: a click selects the step, a drag pans. */
function stepsDrag(stage: TimelineStage, { x, y }: Point): Drag {
    const { view, whole } = stage;
    const move = (dx: number): void =>
        stage.moveTo(panView(view, whole, -dx * (widthOf(view) / stage.renderer.width)));
    const end = (click: boolean): void => {
        if (!click) return;
        const step = stepAt(stage.scene.steps, stage.timeAt(x));
        stage.props.onArea(step && { from: step.start_ns, to: step.end_ns });
    };
    return { x, y, moved: false, move, end };
}

function startDrag(stage: TimelineStage, point: Point, shift: boolean): Drag {
    if (point.y < OVERVIEW) return overviewDrag(stage, point);
    if (isInSteps(stage, point)) return stepsDrag(stage, point);
    const handle = areaHandleAt(stage, point.x, point.y);
    if (point.y < RULER_END || shift || handle) return areaDrag(stage, point, handle);
    return panDrag(stage, point);
}

function cursorAt(stage: TimelineStage, point: Point): string {
    const handle = areaHandleAt(stage, point.x, point.y);
    if (handle) return handle === 'bottom' ? 'row-resize' : 'col-resize';
    if (point.y >= OVERVIEW) return 'default';
    const { view } = stage;
    const edge = edgeAt(point.x, overviewX(stage, view.from), overviewX(stage, view.to));
    return edge ? 'col-resize' : 'default';
}

/* Over pinned lanes that are all visible, the wheel scrolls the other lanes. */
function scrollPinnedOrRest(stage: TimelineStage, by: number): void {
    if (stage.scene.lanes.pinnedHeight > stage.pinnedViewHeight) stage.scrollPinned(by);
    else stage.scrollTo(stage.parts.scroller.scrollTop + by);
}

function onWheel(stage: TimelineStage, event: WheelEvent, { x, y }: Point): void {
    event.preventDefault();
    const unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
    const [dx, dy] = [event.deltaX * unit, event.deltaY * unit];
    const { view, whole } = stage;
    if (event.ctrlKey || event.metaKey || y < RULER_END) {
        const at = y < OVERVIEW ? overviewTime(stage, x) : stage.timeAt(x);
        const factor = Math.exp(Math.max(-300, Math.min(300, dy)) * WHEEL_ZOOM);
        stage.moveTo(zoomView(view, whole, factor, Math.min(view.to, Math.max(view.from, at))));
        return;
    }
    const sideways = event.shiftKey ? dx || dy : Math.abs(dx) > Math.abs(dy) ? dx : 0;
    if (sideways !== 0) stage.moveTo(panView(view, whole, sideways * stage.nsPerPx));
    else if (y < stage.scene.bands[0].bottom) scrollPinnedOrRest(stage, dy);
    else stage.scrollTo(stage.parts.scroller.scrollTop + dy);
}

/* Returns a function that updates the hover: the outline immediately, the tooltip after
 * HOVER_MS. */
function createHover(stage: TimelineStage): (event: PointerEvent | null, point: Point) => void {
    let timer = 0;
    return (event, point) => {
        const hit = event ? stage.hit(point.x, point.y) : null;
        const old = stage.scene.hover;
        const same =
            hit?.lane === old?.lane && hit?.start === old?.start && hit?.depth === old?.depth;
        stage.scene.hover = hit;
        if (!same) stage.redraw();
        clearTimeout(timer);
        const curve = event && !hit ? stage.curveAt(point.y) : null;
        if (curve && event) {
            const tooltipText = stage.props.curveTip(curve, point);
            showTooltip(tooltipText, event.clientX, event.clientY);
            return;
        }
        if (!hit || !event) {
            hideTooltip();
            return;
        }
        const box = stage.parts.canvas.getBoundingClientRect();
        const inLane = sliceTop(hit.lane, hit.depth) - hit.lane.top;
        const top = box.top + laneY(stage.scene, hit.lane) + inLane;
        const [x, y] = [event.clientX, event.clientY];
        const bottom = top + hit.lane.rowHeight;
        const show = (): void => showTooltip(stage.props.tip(hit), x, y, { top, bottom });
        timer = setTimeout(show, HOVER_MS);
    };
}

/* Opens the menu of the slice at a point of the window; by key that of the selected slice. */
function openMenu(stage: TimelineStage, point: Point | null): void {
    const box = stage.parts.canvas.getBoundingClientRect();
    const at = point ?? stage.selectedPoint();
    const hit = at && stage.hit(at.x - (point ? box.left : 0), at.y - (point ? box.top : 0));
    if (!at || !hit) return;
    stage.props.onMenu(hit, at.x + (point ? 0 : box.left), at.y + (point ? 0 : box.top));
}

export function listenTimeline(stage: TimelineStage): () => void {
    const { canvas } = stage.parts;
    let drag: Drag | null = null;
    const hover = createHover(stage);

    const pointOf = (event: MouseEvent): Point => {
        const box = canvas.getBoundingClientRect();
        return { x: event.clientX - box.left, y: event.clientY - box.top };
    };

    function onDown(event: PointerEvent): void {
        if (event.button !== 0) return;
        canvas.setPointerCapture(event.pointerId);
        drag = startDrag(stage, pointOf(event), event.shiftKey);
        hover(null, drag);
    }

    function onMove(event: PointerEvent): void {
        const point = pointOf(event);
        stage.pointer = point;
        stage.props.observer?.onPointed(stage);
        if (!drag) {
            canvas.style.cursor = cursorAt(stage, point);
            hover(event, point);
            return;
        }
        const [dx, dy] = [point.x - drag.x, point.y - drag.y];
        if (!drag.moved && Math.hypot(dx, dy) < CLICK_PX) return;
        drag.moved = true;
        drag.move(dx, dy, point.x);
    }

    function onUp(event: PointerEvent): void {
        const { x, y } = pointOf(event);
        drag?.end(!drag.moved, x, y);
        drag = null;
    }

    function onDouble(event: MouseEvent): void {
        const { x, y } = pointOf(event);
        const step = isInSteps(stage, { x, y }) ? stepAt(stage.scene.steps, stage.timeAt(x)) : null;
        if (step) {
            stage.easeTo(fitView({ from: step.start_ns, to: step.end_ns }, stage.whole));
            return;
        }
        const hit = stage.hit(x, y);
        if (hit && hit.id >= 0) {
            stage.easeTo(fitView({ from: hit.start, to: hit.end }, stage.whole));
        }
    }

    function onLeave(event: PointerEvent): void {
        if (drag) return;
        stage.pointer = null;
        stage.props.observer?.onPointed(stage);
        hover(null, pointOf(event));
    }

    const wheel = (event: WheelEvent): void => onWheel(stage, event, pointOf(event));
    // A click must not show the focus ring; keys typed afterwards are for the timeline.
    const onMouseDown = (event: MouseEvent): void => {
        event.preventDefault();
        if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    };
    canvas.addEventListener('mousedown', onMouseDown);
    const surface = canvas.closest<HTMLElement>('.timeline-stage') ?? canvas;
    surface.addEventListener('wheel', wheel, { passive: false });
    canvas.addEventListener('pointerdown', onDown);
    canvas.addEventListener('pointermove', onMove);
    canvas.addEventListener('pointerup', onUp);
    canvas.addEventListener('pointercancel', onUp);
    canvas.addEventListener('pointerleave', onLeave);
    canvas.addEventListener('dblclick', onDouble);
    const stopMenu = listenContextMenu(canvas, (point) => openMenu(stage, point));
    return () => {
        stopMenu();
        surface.removeEventListener('wheel', wheel);
        hover(null, { x: 0, y: 0 });
    };
}
