/* SPDX-License-Identifier: MIT
 *
 * The chart of a memory snapshot with its input: a drag moves the cursor; with Shift, or on the axis, it
 * selects a range to zoom to; Ctrl and the wheel or two fingers zoom.
 */
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { useLayoutEffectOn } from '../../base/hooks';
import { bytesText, int, text, formatSeconds } from '../../base/units';
import { bytesAtY, bytesUpTo, viewAtX } from '../../canvas/snapshot_chart';
import { showTip } from '../../components/tip';
import { hideTooltip } from '../../components/tooltip';
import { watchTheme } from '../../components/theme_watch';
import { canScroll, hintAtZoom, readWheel } from '../../components/wheel';
import { runAt } from '../../model/snapshot_bands';
import type { TipData } from '../../model/tip';
import { CHART_HEIGHT, SnapshotStage, type StageProps } from './stage';

/** What lies below the pointer. */
export interface ChartHit {
    event: number;
    /** of the area; null: none */
    part: number | null;
    /** of an area of a stack; null: none */
    group: number | null;
    allocation: number | null;
    stack: number | null | undefined;
}

interface ChartProps extends StageProps {
    stage: { current: SnapshotStage | null };
    /** text for screen readers */
    label: string;
    onCursor: (event: number) => void;
    onPick: (hit: ChartHit) => void;
}

const CLICK_PX = 4;
const HOVER_MS = 60;

function columnAt(now: SnapshotStage, px: number): { answer: number; column: number } | null {
    const scene = now.drawn;
    const p = Math.floor(px - now.box.left);
    if (!scene || p < 0 || p >= scene.pixels.answer.length) return null;
    const answer = scene.pixels.answer[p];
    return answer < 0 ? null : { answer, column: scene.pixels.column[p] };
}

function hitAt(now: SnapshotStage, px: number, py: number): ChartHit {
    const hit: ChartHit = {
        event: now.eventAt(px),
        part: null,
        group: null,
        allocation: null,
        stack: undefined,
    };
    const scene = now.drawn;
    const at = columnAt(now, px);
    if (!scene || !at || py < now.box.top || py > now.box.bottom) return hit;
    const bytes = bytesAtY(now.box, scene, py);
    const columns = scene.answers[at.answer];
    if (scene.mode === 'lifetimes') {
        const { bands } = scene;
        if (!bands) return hit;
        const x = (viewAtX(now.box, now.view, px) - bands.columns.x0) / bands.columns.step;
        const run = runAt(bands.runs, x, bytes);
        const found = run >= 0 ? bands.allocations[bands.runs.index[run]] : null;
        return found
            ? { ...hit, allocation: found.id, group: found.group, stack: found.stack }
            : hit;
    }
    if (scene.mode === 'reserved') return hit;
    for (let part = 0; part < columns.data.parts.length; part++)
        if (bytes < bytesUpTo(columns, at.column, part))
            return { ...hit, part, group: scene.parts === 'stack' ? part : null };
    return hit;
}

function tipAt(now: SnapshotStage, px: number, py: number): TipData | null {
    const scene = now.drawn;
    const at = columnAt(now, px);
    if (!scene || !at) return null;
    const { data } = scene.answers[at.answer];
    const { column } = at;
    const { part, allocation } = hitAt(now, px, py);
    const band = scene.bands?.allocations.find(({ id }) => id === allocation);
    const us = data.t_us[column];
    const first = now.props.device.first_us;
    const rows = [
        { label: 'live', value: bytesText(data.live[column]) },
        { label: 'reserved', value: bytesText(data.reserved[column]) },
    ];
    if (us !== null && first !== null)
        rows.push({ label: 'time', value: text(formatSeconds((us - first) / 1e6)) });
    if (band) rows.push({ label: 'allocation', value: bytesText(band.bytes) });
    else if (part !== null)
        rows.push({ label: data.names[part], value: bytesText(data.parts[part][column]) });
    return {
        title: `event ${int(data.event[column])}`,
        rows,
        foot: band ? [`${data.names[band.group]}, ${lifeText(band.start, band.end)}`] : [],
    };
}

export function lifeText(start: number, end: number | null): string {
    const from = start < 0 ? 'before the recording' : `event ${int(start)}`;
    return `${from} to ${end === null ? 'the end' : `event ${int(end)}`}`;
}

interface Drag {
    kind: 'cursor' | 'range';
    x: number;
    y: number;
    moved: boolean;
}

/* Two fingers: the places that they had on the axis stay below them. */
interface Pinch {
    distance: number;
    from: number;
    to: number;
    middle: number;
}

function listen(now: SnapshotStage, latest: { current: ChartProps }): () => void {
    const { canvas } = now;
    const touches = new Map<number, PointerEvent>();
    let drag: Drag | null = null;
    let pinch: Pinch | null = null;
    let cursorFrame = 0;
    let hoverTimer: ReturnType<typeof setTimeout> | undefined;

    const pointOf = (event: MouseEvent): { x: number; y: number } => {
        const { left, top } = canvas.getBoundingClientRect();
        return { x: event.clientX - left, y: event.clientY - top };
    };
    const moveCursor = (x: number): void => {
        cancelAnimationFrame(cursorFrame);
        cursorFrame = requestAnimationFrame(() => latest.current.onCursor(now.eventAt(x)));
    };
    const startPinch = (): Pinch => {
        const [a, b] = [...touches.values()].map((touch) => pointOf(touch).x);
        const { from, to } = now.view;
        const middle = viewAtX(now.box, now.view, (a + b) / 2);
        return { distance: Math.max(8, Math.abs(a - b)), from, to, middle };
    };
    const movePinch = ({ distance, from, to, middle }: Pinch): void => {
        const [a, b] = [...touches.values()].map((touch) => pointOf(touch).x);
        const width = ((to - from) * distance) / Math.max(8, Math.abs(a - b));
        const share = ((a + b) / 2 - now.box.left) / (now.box.right - now.box.left);
        now.moveTo({ from: middle - width * share, to: middle + width * (1 - share) });
    };

    const onDown = (event: PointerEvent): void => {
        if (event.button !== 0) return;
        clearTimeout(hoverTimer);
        hideTooltip();
        canvas.setPointerCapture(event.pointerId);
        if (event.pointerType === 'touch') touches.set(event.pointerId, event);
        if (touches.size === 2) {
            drag = null;
            pinch = startPinch();
            return;
        }
        const { x, y } = pointOf(event);
        const isRange = event.shiftKey || (y > now.box.bottom && event.pointerType === 'mouse');
        drag = { kind: isRange ? 'range' : 'cursor', x, y, moved: false };
        if (!isRange && event.pointerType !== 'touch') moveCursor(x);
    };
    const onMove = (event: PointerEvent): void => {
        if (touches.has(event.pointerId)) touches.set(event.pointerId, event);
        if (pinch && touches.size === 2) {
            movePinch(pinch);
            return;
        }
        const { x, y } = pointOf(event);
        if (!drag) {
            hover(event, x, y);
            return;
        }
        if (!drag.moved && Math.abs(x - drag.x) < CLICK_PX) return;
        drag.moved = true;
        if (drag.kind === 'cursor') {
            moveCursor(x);
            return;
        }
        const ends = [drag.x, x].map((px) =>
            viewAtX(now.box, now.view, Math.max(now.box.left, Math.min(now.box.right, px))),
        );
        now.drag = { from: Math.min(...ends), to: Math.max(...ends) };
        now.redraw();
    };
    const onUp = (event: PointerEvent): void => {
        touches.delete(event.pointerId);
        if (touches.size < 2) pinch = null;
        const { x, y } = pointOf(event);
        if (drag?.kind === 'range') {
            if (now.drag && drag.moved) now.moveTo(now.drag);
            now.drag = null;
            now.redraw();
        } else if (drag && !drag.moved && event.type === 'pointerup') {
            moveCursor(x);
            latest.current.onPick(hitAt(now, x, y));
        }
        drag = null;
    };
    const hover = (event: PointerEvent, x: number, y: number): void => {
        clearTimeout(hoverTimer);
        if (event.pointerType === 'touch') return;
        if (!columnAt(now, x) || y > now.box.bottom) {
            hideTooltip();
            return;
        }
        hoverTimer = setTimeout(() => showTip(tipAt(now, x, y), event), HOVER_MS);
    };
    const onLeave = (): void => {
        clearTimeout(hoverTimer);
        hideTooltip();
    };
    const onWheel = (event: WheelEvent): void => {
        const turn = readWheel(event);
        if (turn.kind === 'scroll') {
            if (!canScroll(canvas, turn.px)) hintAtZoom();
            return;
        }
        event.preventDefault();
        const { left, right } = now.box;
        if (turn.kind === 'pan') now.pan(turn.px / (right - left));
        else now.zoom(turn.factor, viewAtX(now.box, now.view, pointOf(event).x));
    };
    const onDouble = (): void => now.fit();
    canvas.addEventListener('pointerdown', onDown);
    canvas.addEventListener('pointermove', onMove);
    canvas.addEventListener('pointerup', onUp);
    canvas.addEventListener('pointercancel', onUp);
    canvas.addEventListener('pointerleave', onLeave);
    canvas.addEventListener('wheel', onWheel, { passive: false });
    canvas.addEventListener('dblclick', onDouble);
    return () => {
        clearTimeout(hoverTimer);
        cancelAnimationFrame(cursorFrame);
        hideTooltip();
    };
}

export function SnapshotChart(props: ChartProps) {
    const canvas = useRef<HTMLCanvasElement | null>(null);
    const box = useRef<HTMLDivElement | null>(null);
    const latest = useRef(props);
    useLayoutEffectOn(() => {
        if (!canvas.current || !box.current) return undefined;
        const now = new SnapshotStage(canvas.current, latest.current, box.current.clientWidth);
        const { stage } = latest.current;
        stage.current = now;
        const observer = new ResizeObserver(([{ contentRect }]) => now.resize(contentRect.width));
        observer.observe(box.current);
        const unwatch = watchTheme(now.retheme);
        const release = listen(now, latest);
        return () => {
            observer.disconnect();
            unwatch();
            release();
            now.dispose();
            stage.current = null;
        };
    }, []);
    useLayoutEffect(() => {
        const now = props.stage.current;
        latest.current = props;
        if (!now) return;
        const old = now.props;
        now.props = props;
        now.follow(old);
    });
    useEffect(() => () => hideTooltip(), []);
    return (
        <div ref={box} class="snapshot-chart" style={{ height: CHART_HEIGHT }}>
            <canvas ref={canvas} role="img" aria-label={props.label} />
        </div>
    );
}
