/* SPDX-License-Identifier: MIT
 *
 * The picture of requests: a head that stays, tracks that scroll, and their pointer, wheel and
 * tooltips. The tab handles keys.
 */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { int, plural } from '../../base/units';
import { usePaint, useWidth } from '../../components/painting';
import { showTip } from '../../components/tip';
import { hideTooltip, showTooltip } from '../../components/tooltip';
import {
    requestTip,
    stepColumnAt,
    stepTip,
    timeText,
    trackAt,
    trackHeight,
} from '../../model/requests';
import { panView, type TimeView, widthOf, zoomView } from '../../model/timeline_view';
import {
    headLayout,
    paintHead,
    paintTracks,
    type PictureSize,
    type RequestScene,
    timeOfX,
} from './paint';

interface PictureProps {
    scene: Omit<RequestScene, 'hover' | 'hoverStep'>;
    whole: TimeView;
    onView: (view: TimeView) => void;
    onRequest: (id: number) => void;
    onStep: (id: number) => void;
    /** a double click shows the request or step in the whole width */
    onFit: (range: TimeView) => void;
}

const GUTTER = { wide: 124, narrow: 92 };
const NARROW_PX = 640;
/** Height of the visible tracks; more scroll. */
const MAX_TRACKS_PX = 336;
const CLICK_PX = 4;
const SLACK_PX = 3;
const WHEEL_ZOOM = 0.0022;

interface Spot {
    /** index of a track; -1: none */
    row: number;
    /** index of a step; -1: none */
    step: number;
    /** index of a column of arrivals; -1: none */
    arrival: number;
    isHead: boolean;
}

const NO_SPOT: Spot = { row: -1, step: -1, arrival: -1, isHead: false };

function arrivalAt({ window }: PictureProps['scene'], ns: number, slack: number): number {
    const { arrivals, from_ns, to_ns, px } = window;
    const columnNs = (to_ns - from_ns) / Math.max(1, px);
    let best = -1;
    let nearest = slack + columnNs;
    arrivals.column.forEach((column, i) => {
        const away = Math.abs(from_ns + (column + 0.5) * columnNs - ns);
        if (away < nearest) [best, nearest] = [i, away];
    });
    return best;
}

export function RequestPicture(props: PictureProps) {
    const { scene, whole, onView, onRequest, onStep, onFit } = props;
    const head = useRef<HTMLCanvasElement | null>(null);
    const tracks = useRef<HTMLCanvasElement | null>(null);
    const scroller = useRef<HTMLDivElement | null>(null);
    const { box, width } = useWidth();
    const [top, setTop] = useState(0);
    const [spot, setSpot] = useState<Spot>(NO_SPOT);
    const count = scene.rows.id.length;
    const contentPx = count * trackHeight(count);
    const height = Math.min(MAX_TRACKS_PX, contentPx);
    const gutter = width < NARROW_PX ? GUTTER.narrow : GUTTER.wide;
    const size: PictureSize = { gutter, width };
    const drawn: RequestScene = { ...scene, hover: spot.row, hoverStep: spot.step };
    const layout = headLayout(drawn);
    usePaint(() => {
        if (width <= 0) return;
        if (head.current) paintHead(head.current, drawn, size);
        if (tracks.current && height > 0) paintTracks(tracks.current, drawn, size, { top, height });
    });
    useRevealed(scroller, scene, height);

    const nsPerPx = widthOf(scene.view) / Math.max(1, width - gutter);
    const spotAt = (event: MouseEvent): Spot => {
        const inHead = head.current?.getBoundingClientRect();
        const x = event.clientX - (inHead?.left ?? 0);
        const y = event.clientY - (inHead?.top ?? 0);
        const ns = timeOfX(scene.view, size, x);
        if (y >= layout.height) return { ...NO_SPOT, row: trackAt(y - layout.height + top, count) };
        const { steps, arrivals } = layout;
        const slack = SLACK_PX * nsPerPx;
        const isIn = (row: { top: number; height: number } | null): boolean =>
            row !== null && x >= gutter && y >= row.top && y <= row.top + row.height + 4;
        return {
            row: -1,
            step: isIn(steps) ? stepColumnAt(scene.window.steps, ns, slack) : -1,
            arrival: isIn(arrivals) ? arrivalAt(scene, ns, slack) : -1,
            isHead: true,
        };
    };
    const drag = useRef<{ x: number; view: TimeView; moved: boolean } | null>(null);
    const pick = (at: Spot): void => {
        if (at.row >= 0) onRequest(scene.rows.id[at.row]);
        else if (at.step >= 0) onStep(scene.window.steps.id[at.step]);
        else if (at.arrival >= 0) onRequest(scene.window.arrivals.worst[at.arrival]);
    };
    const showSpot = (at: Spot, event: PointerEvent): void => {
        setSpot((old) => (old.row === at.row && old.step === at.step ? old : at));
        if (at.row >= 0) showTip(requestTip(scene.rows, at.row), event);
        else if (at.step >= 0) showTip(stepTip(scene.window.steps, at.step), event);
        else if (at.arrival >= 0) {
            const { arrivals } = scene.window;
            showTooltip(
                `${plural(arrivals.count[at.arrival], 'request')} sent here, longest time to first token ${timeText(arrivals.worst_ns[at.arrival])}`,
                event.clientX,
                event.clientY,
            );
        } else hideTooltip();
    };
    const latest = useRef({ scene, whole, size, onView, layout });
    latest.current = { scene, whole, size, onView, layout };
    useWheel(box, latest, head);
    return (
        <div
            ref={box}
            class="request-picture"
            role="img"
            aria-label={pictureLabel(scene)}
            onPointerDown={(event) => {
                if (event.button !== 0) return;
                drag.current = { x: event.clientX, view: scene.view, moved: false };
            }}
            onPointerMove={(event) => {
                const from = drag.current;
                if (!from || event.buttons === 0) {
                    drag.current = null;
                    showSpot(spotAt(event), event);
                    return;
                }
                const dx = event.clientX - from.x;
                if (!from.moved && Math.abs(dx) < CLICK_PX) return;
                if (!from.moved) event.currentTarget.setPointerCapture(event.pointerId);
                from.moved = true;
                hideTooltip();
                onView(panView(from.view, whole, -dx * nsPerPx));
            }}
            onPointerUp={(event) => {
                const wasClick = drag.current !== null && !drag.current.moved;
                drag.current = null;
                if (wasClick) pick(spotAt(event));
            }}
            onPointerCancel={() => {
                drag.current = null;
            }}
            onPointerLeave={() => {
                hideTooltip();
                setSpot(NO_SPOT);
            }}
            onDblClick={(event) => {
                const at = spotAt(event);
                const range = rangeOf(scene, at);
                if (range) onFit(range);
            }}
        >
            <canvas ref={head} style={{ width: `${width}px`, height: `${layout.height}px` }} />
            <HeadNames scene={scene} layout={layout} />
            <div
                ref={scroller}
                class="request-tracks"
                style={{ height: `${height}px` }}
                onScroll={(event) => setTop(event.currentTarget.scrollTop)}
            >
                <div style={{ height: `${contentPx}px` }}>
                    <canvas ref={tracks} style={{ width: `${width}px`, height: `${height}px` }} />
                </div>
            </div>
        </div>
    );
}

function pictureLabel({ rows, window, request, step }: PictureProps['scene']): string {
    const chosen =
        request !== null
            ? ` Selected: request ${int(request)}.`
            : step !== null
              ? ` Selected: a step.`
              : '';
    const steps = window.steps.count.reduce((a, b) => a + b, 0);
    return `${plural(rows.id.length, 'request')} over ${plural(steps, 'step')} of the scheduler.${chosen}`;
}

function rangeOf({ rows, window }: PictureProps['scene'], at: Spot): TimeView | null {
    if (at.step >= 0)
        return { from: window.steps.start_ns[at.step], to: window.steps.end_ns[at.step] };
    if (at.row < 0) return null;
    const times = [
        rows.start_ns,
        rows.arrival_ns,
        rows.scheduled_ns,
        rows.first_token_ns,
        rows.last_token_ns,
        rows.end_ns,
    ]
        .map((column) => column[at.row])
        .filter((ns): ns is number => ns !== null);
    return times.length > 1 ? { from: Math.min(...times), to: Math.max(...times) } : null;
}

/* Scrolls to the selected request when it changes. */
function useRevealed(
    scroller: { current: HTMLDivElement | null },
    { rows, request }: PictureProps['scene'],
    height: number,
): void {
    const index = request === null ? -1 : rows.id.indexOf(request);
    useLayoutEffect(() => {
        const element = scroller.current;
        if (!element || index < 0) return;
        const each = trackHeight(rows.id.length);
        const y = index * each;
        if (y < element.scrollTop) element.scrollTop = y;
        else if (y + each > element.scrollTop + height) element.scrollTop = y + each - height;
    }, [scroller, index, height, rows.id.length]);
}

interface WheelTarget {
    scene: PictureProps['scene'];
    whole: TimeView;
    size: PictureSize;
    onView: (view: TimeView) => void;
    layout: { height: number };
}

/* As in the timeline: with Ctrl, or over the head, the wheel zooms; sideways or with Shift it pans. */
function useWheel(
    box: { current: HTMLDivElement | null },
    latest: { current: WheelTarget },
    head: { current: HTMLCanvasElement | null },
): void {
    useEffect(() => {
        const element = box.current;
        if (!element) return undefined;
        const onWheel = (event: WheelEvent): void => {
            const { scene, whole, size, onView, layout } = latest.current;
            const unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
            const [dx, dy] = [event.deltaX * unit, event.deltaY * unit];
            const rect = head.current?.getBoundingClientRect();
            const y = event.clientY - (rect?.top ?? 0);
            if (event.ctrlKey || event.metaKey) {
                event.preventDefault();
                const at = timeOfX(scene.view, size, event.clientX - (rect?.left ?? 0));
                const { from, to } = scene.view;
                const factor = Math.exp(Math.max(-300, Math.min(300, dy)) * WHEEL_ZOOM);
                onView(zoomView(scene.view, whole, factor, Math.min(to, Math.max(from, at))));
                return;
            }
            const sideways = event.shiftKey ? dx || dy : Math.abs(dx) > Math.abs(dy) ? dx : 0;
            if (sideways === 0 || y < 0 || y > layout.height + MAX_TRACKS_PX) return;
            event.preventDefault();
            const nsPerPx = widthOf(scene.view) / Math.max(1, size.width - size.gutter);
            onView(panView(scene.view, whole, sideways * nsPerPx));
        };
        element.addEventListener('wheel', onWheel, { passive: false });
        return () => element.removeEventListener('wheel', onWheel);
    }, [box, latest, head]);
}

/* Names of the rows of the head, with their largest values. */
function HeadNames({
    scene,
    layout,
}: {
    scene: PictureProps['scene'];
    layout: ReturnType<typeof headLayout>;
}) {
    const { load, arrivals } = scene.window;
    const most = (values: readonly number[]): number => values.reduce((a, b) => Math.max(a, b), 0);
    const hasRunning = load.running.some((n) => n > 0);
    return (
        <>
            {layout.load && (
                <span class="request-name" style={{ top: `${layout.load.top}px` }}>
                    <span>
                        <i class="request-line is-running" />
                        {hasRunning
                            ? `running, max ${int(most(load.running))}`
                            : `in flight, max ${int(most(load.in_flight))}`}
                    </span>
                    {hasRunning && (
                        <span>
                            <i class="request-line is-waiting" />
                            waiting, max {int(most(load.waiting))}
                        </span>
                    )}
                </span>
            )}
            {layout.arrivals && (
                <span class="request-name" style={{ top: `${layout.arrivals.top}px` }}>
                    <span>All requests</span>
                    <span class="soft">to {timeText(most(arrivals.worst_ns))}</span>
                </span>
            )}
            {layout.steps && (
                <span class="request-name" style={{ top: `${layout.steps.top}px` }}>
                    <span>Steps</span>
                    <span class="soft" title="the height of a step is the logarithm of its tokens">
                        by tokens, log
                    </span>
                </span>
            )}
        </>
    );
}
