/* SPDX-License-Identifier: MIT
 *
 * State of a frame view between renders: visible range, hover, animation. Input changes it directly
 * and is drawn in the next frame. The URL is updated after a pause.
 */
import type { ComponentChildren } from 'preact';
import { postToPanels } from '../base/panel';
import { FRAME_ROW, FrameCanvas, type FramePaint, type FrameScene } from '../canvas/frame_canvas';
import { readTheme } from '../canvas/theme';
import { drawTickStrip } from '../canvas/tick_strip';
import { columnOf, hitColumns, spanToRead } from '../model/frame_hits';
import type { FrameLayout } from '../model/frames';
import type { TipData } from '../model/tip';
import { shownName, type Tree } from '../model/tree';
import { idOfNode, nodeOfId } from '../model/tree_ids';
import { type Span, easeSpan, parseSpan, sameSpan, spanText } from '../model/span';
import type { Action, ActionHead } from './actions';
import { openContextMenu } from './context_menu';
import { isSearching } from './search_field';
import { hideTooltip } from './tooltip';

export interface FrameViewProps {
    label: string;
    tree: Tree;
    layout: FrameLayout;
    paint: FramePaint;
    /** 1 for each node that the search matches */
    match: Uint8Array | null;
    /** The URL has the number of the current hit, and a strip shows all hits. */
    hasSteps?: boolean;
    /** Escape clears the search before it zooms out. */
    onClearSearch?: () => void;
    /** 1 for each node with the name of the selected one */
    instances?: Uint8Array | null;
    /** the selected node, or -1 */
    selected: number;
    /** -1: the selection was cleared */
    onSelect: (node: number) => void;
    /** called for Enter on the selected frame; without it, Enter zooms to the frame */
    onOpen?: (node: number) => void;
    /** A double click calls onOpen too; else it zooms to the frame. */
    opensOnDouble?: boolean;
    /** The last row is the nearest: the view begins there and scrolls up. */
    growsUp?: boolean;
    /** Views with the same range, such as the halves of one picture; each adds itself. */
    linked?: Set<FrameStage>;
    /** from the URL: the id of a node, or two shares `0.1~0.25`; '' for the complete picture */
    zoom: string;
    onZoom: (zoom: string | null) => void;
    /** what the tooltip of a node says; of the whole: -1 */
    tip: (node: number) => TipData;
    height?: number;
    empty?: ComponentChildren;
    /** What a person can do with a frame: in the context menu, and by keys for the selected one.
     * Such a picture leaves `s` and `f` to its actions. */
    actions?: (node: number) => readonly Action[];
    /** Head of the context menu; without it, the name. */
    head?: (node: number) => ActionHead;
    /** Another component handles the keys. */
    keyless?: boolean;
    /** URL keys whose values are ids of this picture; the other panel translates them by name. */
    urlKeys?: readonly string[];
}

/** Topic of messages to the other panel while the visible range of a picture moves. */
export const spanTopic = (label: string): string => `span ${label}`;

const EASE_MS = 120;
const COMMIT_MS = 250;

/** State that changes without a render. */
export class FrameStage {
    readonly renderer: FrameCanvas;
    span: Span = { x0: 0, x1: 1 };
    hover = -1;
    /** the frame under the pointer in the other panel */
    otherHover = -1;
    /** the zoom last written to the URL or read from it; a different zoom in the URL was set by
     * other code */
    sent: string | null = null;
    private frame = 0;
    private easing = 0;
    private commitTimer = 0;
    private theme;
    /** canvas of the strip of hits; null while there is no search */
    ticks: HTMLCanvasElement | null = null;
    /** frames of the matching nodes in the order of steps, and the current one or -1 */
    hits: { frames: Int32Array; current: number } | null = null;
    private columns: Uint8Array = new Uint8Array(0);
    private columnsOf: Int32Array | null = null;

    constructor(
        readonly canvas: HTMLCanvasElement,
        readonly scroller: HTMLElement,
        public props: FrameViewProps,
        readonly onSpan: () => void,
    ) {
        this.renderer = new FrameCanvas(canvas);
        this.theme = readTheme(canvas);
        this.span = this.spanOf(props.zoom);
        this.sent = props.zoom;
    }

    scene(): FrameScene {
        const { layout, paint, match, selected, instances } = this.props;
        const frame = selected >= 0 ? layout.frameOf[selected] : -1;
        return {
            layout,
            paint,
            match,
            isFading: isSearching.peek(),
            currentHit: this.hits?.current ?? -1,
            instances: frame >= 0 ? (instances ?? null) : null,
            theme: this.theme,
            span: this.span,
            top: this.scroller.scrollTop,
            hover: [this.hover, this.otherHover].find((f) => f >= 0 && f < layout.count) ?? -1,
            selected: frame ?? -1,
        };
    }

    redraw = (): void => {
        if (this.frame) return;
        this.frame = requestAnimationFrame(() => {
            this.frame = 0;
            this.renderer.draw(this.scene());
            this.drawTicks();
        });
    };

    /** Draws the strip of hits; a view without a search has none. */
    drawTicks(): void {
        const { ticks } = this;
        const { layout } = this.props;
        if (!ticks || !this.hits) return;
        const { frames: hits, current } = this.hits;
        const width = Math.max(1, this.scroller.clientWidth);
        if (this.columnsOf !== hits || this.columns.length !== width) {
            this.columns = hitColumns(layout, hits, width);
            this.columnsOf = hits;
        }
        const px = (x: number): number => (x / layout.total) * width;
        const { x0, x1 } = this.span;
        const { inset, bar2, tick } = this.theme;
        drawTickStrip(
            ticks,
            {
                columns: this.columns,
                current: current < 0 ? -1 : columnOf(layout, current, width),
                view: this.zoomed ? { from: px(x0), to: px(x1) } : null,
            },
            { ground: inset, view: bar2, tick },
        );
    }

    retheme = (): void => {
        this.theme = readTheme(this.canvas);
        this.redraw();
    };

    resize(): void {
        const width = this.scroller.clientWidth;
        const height = this.scroller.clientHeight;
        this.canvas.style.width = `${width}px`;
        this.canvas.style.height = `${height}px`;
        this.renderer.resize(width, height, devicePixelRatio || 1);
        this.renderer.draw(this.scene());
        this.drawTicks();
    }

    get whole(): Span {
        return { x0: 0, x1: this.props.layout.total || 1 };
    }

    /** Rows of frames beyond the visible ones: below them, or above if the view grows up. */
    get rowsBeyond(): number {
        const { scrollTop, clientHeight } = this.scroller;
        const { layout, growsUp } = this.props;
        const cut = growsUp ? scrollTop : layout.rows * FRAME_ROW - scrollTop - clientHeight;
        return Math.max(0, Math.ceil(cut / FRAME_ROW - 0.2));
    }

    /** Scrolls to the nearest row, if that is the last one. */
    scrollToNearest(): void {
        if (this.props.growsUp) this.scroller.scrollTop = this.scroller.scrollHeight;
    }

    get zoomed(): boolean {
        return !sameSpan(this.span, this.whole);
    }

    spanOf(zoom: string): Span {
        const { tree, layout } = this.props;
        if (zoom === '') return this.whole;
        const span = parseSpan(zoom, layout.total);
        if (span) return span;
        const frame = layout.frameOf[nodeOfId(tree, zoom, layout)] ?? -1;
        return frame >= 0 ? this.spanOfFrame(frame) : this.whole;
    }

    spanOfFrame(frame: number): Span {
        const { layout } = this.props;
        const [x0, x1] = [layout.x0[frame], layout.x1[frame]];
        return x1 > x0 ? { x0, x1 } : this.whole;
    }

    /** Applies user input immediately; the URL is updated after a pause. */
    moveTo(span: Span): void {
        cancelAnimationFrame(this.easing);
        this.follow(span);
        for (const other of this.props.linked ?? []) if (other !== this) other.follow(span);
        postToPanels(spanTopic(this.props.label), spanText(span, this.props.layout.total));
        this.commitLater();
    }

    private commitLater(): void {
        clearTimeout(this.commitTimer);
        this.commitTimer = setTimeout(() => {
            const text = this.zoomed ? spanText(this.span, this.props.layout.total) : null;
            this.sent = text ?? '';
            this.props.onZoom(text);
        }, COMMIT_MS);
    }

    /** Shows a range that was changed here or in the other panel. */
    follow(span: Span): void {
        this.span = span;
        this.redraw();
        this.onSpan();
    }

    easeTo(target: Span): void {
        cancelAnimationFrame(this.easing);
        clearTimeout(this.commitTimer);
        const from = this.span;
        const isMotionReduced = matchMedia('(prefers-reduced-motion: reduce)').matches;
        const start = performance.now();
        const step = (now: number): void => {
            const t = isMotionReduced ? 1 : (now - start) / EASE_MS;
            this.span = t >= 1 ? target : easeSpan(from, target, t);
            this.renderer.draw(this.scene());
            this.drawTicks();
            this.onSpan();
            if (t < 1) this.easing = requestAnimationFrame(step);
        };
        step(start);
    }

    /** Zooms to a frame (-1: the complete picture) and calls onZoom. */
    zoomTo(frame: number): void {
        const { tree, layout, onZoom } = this.props;
        const node = frame >= 0 ? layout.node[frame] : -1;
        const zoom = node < 0 ? '' : idOfNode(tree, node);
        this.sent = zoom;
        this.easeTo(node < 0 ? this.whole : this.spanOfFrame(frame));
        this.reveal(Math.max(0, frame));
        onZoom(zoom || null);
    }

    /** Moves the view so that the name of a frame can be read. */
    showFrame(frame: number): void {
        const span = spanToRead(this.props.layout, frame, this.span, this.scroller.clientWidth);
        this.reveal(frame);
        if (!span) return;
        this.easeTo(span);
        this.commitLater();
    }

    /** Scrolls vertically so that the row of a frame is visible below the path. */
    reveal(frame: number): void {
        const { scroller } = this;
        const top = this.props.layout.row[frame] * FRAME_ROW;
        const viewHeight = scroller.clientHeight - 3 * FRAME_ROW;
        if (top < scroller.scrollTop + FRAME_ROW) scroller.scrollTop = top - FRAME_ROW;
        else if (top > scroller.scrollTop + viewHeight) scroller.scrollTop = top - viewHeight / 2;
    }

    /** Selects a node and opens its menu at a point of the window, or below its frame. */
    openMenu(node: number, point: { x: number; y: number } | null): void {
        const { actions, head, tree, layout, onSelect, selected } = this.props;
        const frame = node >= 0 ? layout.frameOf[node] : -1;
        if (!actions || frame < 0) return;
        if (node !== selected) onSelect(node);
        const { left, top } = this.canvas.getBoundingClientRect();
        const box = this.renderer.boxOf(this.scene(), frame);
        const { x, y } = point ?? { x: left + Math.max(0, box.x), y: top + box.y + box.h };
        openContextMenu(
            head?.(node) ?? { name: shownName(tree, layout, node) },
            actions(node),
            x,
            y,
        );
    }

    dispose(): void {
        cancelAnimationFrame(this.frame);
        cancelAnimationFrame(this.easing);
        clearTimeout(this.commitTimer);
        hideTooltip();
    }
}

/** Makes a frame visible that was selected elsewhere; zooms out if it is outside the visible range. */
export function showFrame(now: FrameStage | null, frame: number): void {
    if (!now) return;
    const { layout } = now.props;
    const isOutside = layout.x1[frame] <= now.span.x0 || layout.x0[frame] >= now.span.x1;
    if (isOutside) now.zoomTo(-1);
    now.reveal(frame);
}
