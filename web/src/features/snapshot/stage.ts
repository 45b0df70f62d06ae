/* SPDX-License-Identifier: MIT
 *
 * State of the chart between renders: what is visible, and the columns that the server answered. Input
 * changes it directly and is drawn in the next frame; what is missing is requested then, and what was
 * there stays until the answer.
 */
import type { Lifetimes, Run, SnapshotDevice, SnapshotTimeline } from '../../base/answers';
import { type ApiError, asApiError, getJson, isAbort } from '../../base/client';
import {
    type Bands,
    type ChartAnnotation,
    type ChartBox,
    chartBox,
    type ChartMark,
    type ChartMode,
    type ChartScene,
    paintChart,
    viewAtX,
} from '../../canvas/snapshot_chart';
import { type PartsBy, readSnapshotTheme } from '../../canvas/snapshot_theme';
import {
    type AxisView,
    axisText,
    clampAxis,
    columnsOfPixels,
    coversView,
    eventAtX,
    eventsToAsk,
    parseAxis,
    placeColumns,
    type PlacedColumns,
    revealOnAxis,
    type SnapshotX,
    wholeAxis,
    xOfEvent,
    zoomAxis,
} from '../../model/snapshot_axis';
import type { Pick } from '../../model/snapshot_pick';
import { layoutBands } from '../../model/snapshot_bands';
import { snapshotPath } from './data';

export interface StageProps {
    run: Run;
    device: SnapshotDevice;
    mode: ChartMode;
    parts: PartsBy;
    x: SnapshotX;
    /** from the URL; undefined: the complete axis */
    zoom: string | undefined;
    cursor: number;
    /** live bytes at the cursor */
    cursorBytes: number | null;
    title: string;
    /** the first is the cursor; `at` are events */
    marks: readonly ChartMark[];
    /** from and to are events */
    annotations: readonly ChartAnnotation[];
    groups: readonly number[];
    pick: Pick | null;
    allocation: number | null;
    /** as of the stacks of other views, which have other numbers with plumbing */
    plumbing: 0 | 1;
    onZoom: (zoom: string | null) => void;
    onError: (error: ApiError | null) => void;
    onLoading: (loading: boolean) => void;
    /** bands that are drawn, and allocations that live in their range */
    onBands: (drawn: number, total: number) => void;
}

export const CHART_HEIGHT = 222;
const COMMIT_MS = 250;
const MAX_COLUMNS = 4096;
/** An answer with fewer columns per px than this share is replaced by a finer one. */
const COARSE = 0.9;
const HEADROOM = 1.08;
/** Bands of less than this are joined. */
const THIN_PX = 1;
/** A band that moves by less stays. */
const STILL_PX = 0.4;
const MAX_LIFETIMES = 1000;
/** Allocations of less are part of the grey area below the bands. */
const LEAST_PX = 0.1;

export class SnapshotStage {
    view: AxisView;
    box: ChartBox;
    drag: AxisView | null = null;
    sentZoom: string | undefined;
    private overview: PlacedColumns | null = null;
    private detail: PlacedColumns | null = null;
    private lifetimes: Lifetimes | null = null;
    private bands: Bands | null = null;
    private lifetimesOf = '';
    private frame = 0;
    private commitTimer = 0;
    private theme;
    private request: AbortController | null = null;
    private asked = '';
    private scene: ChartScene | null = null;

    constructor(
        readonly canvas: HTMLCanvasElement,
        public props: StageProps,
        private width: number,
    ) {
        this.theme = readSnapshotTheme(canvas);
        this.view = this.viewOfZoom(props.zoom);
        this.sentZoom = props.zoom;
        this.box = this.newBox();
    }

    private newBox(): ChartBox {
        return chartBox(this.width, CHART_HEIGHT, this.props.annotations.length > 0);
    }

    get whole(): AxisView {
        return wholeAxis(this.props.device, this.props.x);
    }

    get isZoomed(): boolean {
        return this.view.to - this.view.from < (this.whole.to - this.whole.from) * (1 - 1e-9);
    }

    private viewOfZoom(zoom: string | undefined): AxisView {
        const { device, x } = this.props;
        return parseAxis(zoom, device, x) ?? wholeAxis(device, x);
    }

    /** The most detailed answer first. */
    get answers(): PlacedColumns[] {
        return [this.detail, this.overview].filter((one) => one !== null);
    }

    xOf(event: number): number {
        // The state after an event begins at its left edge; a cursor points to its middle if it is wide.
        // The state before the first event is at the left edge.
        const at = xOfEvent(this.answers, Math.max(0, event), this.props.x);
        if (event < 0) return at;
        return this.props.x === 'event' ? at + 0.5 : at;
    }

    eventAt(px: number): number {
        const at = viewAtX(
            this.box,
            this.view,
            Math.max(this.box.left, Math.min(this.box.right, px)),
        );
        return eventAtX(this.answers, at, this.props.device, this.props.x);
    }

    /* --- drawing -------------------------------------------------------------------------- */

    redraw = (): void => {
        if (this.frame) return;
        this.frame = requestAnimationFrame(() => {
            this.frame = 0;
            this.draw();
            this.need();
        });
    };

    private draw(): void {
        const { props, view, box } = this;
        const { answers } = this;
        const px = Math.max(1, Math.floor(box.right - box.left));
        const { device } = props;
        const top = Math.max(device.peak_reserved, device.peak_live, 1) * HEADROOM;
        const scene: ChartScene = {
            title: props.title,
            view,
            mode: props.mode,
            parts: props.parts,
            axis: props.x,
            answers,
            pixels: columnsOfPixels(answers, view, px),
            bands: props.mode === 'lifetimes' ? this.bands : null,
            top,
            marks: props.marks.map((mark) => ({ ...mark, at: this.xOf(mark.at) })),
            annotations: props.annotations.map(({ from, to, name }) => ({
                from: this.xOf(from),
                to: to === null ? null : this.xOf(to),
                name,
            })),
            cursorBytes: props.cursorBytes,
            groups: props.groups,
            pick: props.pick,
            allocation: props.allocation,
            drag: this.drag,
        };
        this.scene = scene;
        paintChart(this.canvas, scene, box, this.theme);
    }

    /** What was drawn last. */
    get drawn(): ChartScene | null {
        return this.scene;
    }

    retheme = (): void => {
        this.theme = readSnapshotTheme(this.canvas);
        this.redraw();
    };

    resize(width: number): void {
        this.width = width;
        this.box = this.newBox();
        this.canvas.style.width = `${width}px`;
        this.canvas.style.height = `${CHART_HEIGHT}px`;
        this.draw();
        this.need();
    }

    /* --- movement ------------------------------------------------------------------------- */

    moveTo(view: AxisView): void {
        this.view = clampAxis(view, this.props.device, this.props.x);
        this.redraw();
        clearTimeout(this.commitTimer);
        this.commitTimer = setTimeout(() => {
            this.sentZoom = this.isZoomed ? axisText(this.view) : undefined;
            this.props.onZoom(this.sentZoom ?? null);
        }, COMMIT_MS);
    }

    zoom(factor: number, at?: number): void {
        const { device, x, cursor } = this.props;
        const middle = this.xOf(cursor);
        const isVisible = middle >= this.view.from && middle <= this.view.to;
        const fixed = at ?? (isVisible ? middle : (this.view.from + this.view.to) / 2);
        this.moveTo(zoomAxis(this.view, factor, fixed, device, x));
    }

    /** Pans by a share of the visible width. */
    pan(share: number): void {
        const by = share * (this.view.to - this.view.from);
        this.moveTo({ from: this.view.from + by, to: this.view.to + by });
    }

    fit(): void {
        this.moveTo(this.whole);
    }

    reveal(event: number): void {
        const { device, x } = this.props;
        const next = revealOnAxis(this.view, this.xOf(event), device, x);
        if (next !== this.view) this.moveTo(next);
    }

    /** The URL has another zoom, axis or device than the stage. */
    follow(old: StageProps): void {
        const { device, x, zoom, annotations } = this.props;
        const isOther =
            device.number !== old.device.number ||
            x !== old.x ||
            this.props.parts !== old.parts ||
            this.props.plumbing !== old.plumbing;
        if (isOther) {
            this.request?.abort();
            this.request = null;
            this.overview = null;
            this.detail = null;
            this.lifetimes = null;
            this.bands = null;
            this.lifetimesOf = '';
            this.asked = '';
        }
        if (isOther || zoom !== this.sentZoom) {
            this.sentZoom = zoom;
            this.view = this.viewOfZoom(zoom);
        }
        if (annotations.length > 0 !== old.annotations.length > 0) this.box = this.newBox();
        this.redraw();
    }

    /* --- requests ------------------------------------------------------------------------- */

    /* One request at a time; `draw` after its answer asks for what is missing then. */
    private need(): void {
        if (this.request || this.props.device.events === 0) return;
        const next = this.missingColumns() ?? this.missingLifetimes();
        if (!next || next.path === this.asked) {
            this.props.onLoading(false);
            return;
        }
        this.asked = next.path;
        const control = new AbortController();
        this.request = control;
        this.props.onLoading(true);
        getJson<unknown>(next.path, { signal: control.signal })
            .then((answer) => {
                next.take(answer);
                this.props.onError(null);
            })
            .catch((reason: unknown) => {
                if (!isAbort(reason)) this.props.onError(asApiError(reason));
            })
            .finally(() => {
                if (this.request !== control) return;
                this.request = null;
                this.redraw();
            });
    }

    private missingColumns(): { path: string; take: (answer: unknown) => void } | null {
        const { run, device, x, plumbing, parts } = this.props;
        const { view, whole } = this;
        const px = Math.max(1, Math.floor(this.box.right - this.box.left));
        const ask = (from: number, to: number, columns: number) =>
            snapshotPath(run, 'timeline', {
                device: device.number,
                from,
                to,
                columns: Math.max(1, Math.min(MAX_COLUMNS, columns)),
                x: x === 'time' ? 'time' : undefined,
                by: parts === 'stack' ? undefined : parts,
                plumbing: plumbing || undefined,
            });
        if (!this.overview) {
            const path = ask(0, device.events, px);
            const take = (answer: unknown): void => {
                this.overview = placeColumns(answer as SnapshotTimeline, device);
                this.layBands();
            };
            return { path, take };
        }
        const wanted = ((view.to - view.from) / px) * (1 / COARSE);
        const fits = (one: PlacedColumns | null): boolean =>
            one !== null &&
            coversView(one, view, whole) &&
            (one.step <= wanted || one.data.to - one.data.from <= one.n);
        if (fits(this.detail) || fits(this.overview)) return null;
        const { from, to } = eventsToAsk(this.answers, view, device, x);
        const shown = Math.min(1, (view.to - view.from) / (whole.to - whole.from));
        const share = x === 'event' ? (to - from) / Math.max(1, view.to - view.from) : 3;
        const path = ask(from, to, Math.ceil(px * Math.min(share, 3, 1 / shown + 0.5)));
        const take = (answer: unknown): void => {
            this.detail = placeColumns(answer as SnapshotTimeline, device);
            this.layBands();
        };
        return { path, take };
    }

    private missingLifetimes(): { path: string; take: (answer: unknown) => void } | null {
        const { run, device, mode, plumbing } = this.props;
        const columns = this.answers.at(0);
        if (mode !== 'lifetimes' || !columns) return null;
        const { from, to } = columns.data;
        const path = snapshotPath(run, 'lifetimes', {
            device: device.number,
            from,
            to,
            limit: MAX_LIFETIMES,
            plumbing: plumbing || undefined,
        });
        if (path === this.lifetimesOf) return null;
        const take = (answer: unknown): void => {
            this.lifetimes = answer as Lifetimes;
            this.lifetimesOf = path;
            this.layBands();
        };
        return { path, take };
    }

    private layBands(): void {
        const columns = this.answers.at(0);
        if (!this.lifetimes || !columns || this.props.mode !== 'lifetimes') return;
        const { device } = this.props;
        const top = Math.max(device.peak_reserved, device.peak_live, 1) * HEADROOM;
        const perPx = top / (this.box.bottom - this.box.top);
        const detail = { least: perPx * THIN_PX, tolerance: perPx * STILL_PX };
        const allocations = this.lifetimes.allocations.filter(
            ({ bytes }) => bytes >= perPx * LEAST_PX,
        );
        const { event, live } = columns.data;
        const runs = layoutBands(allocations, event, live, detail);
        this.bands = { columns, allocations, runs };
        const { omitted } = this.lifetimes;
        this.props.onBands(allocations.length, this.lifetimes.allocations.length + omitted.count);
    }

    dispose(): void {
        cancelAnimationFrame(this.frame);
        clearTimeout(this.commitTimer);
        this.request?.abort();
    }
}
