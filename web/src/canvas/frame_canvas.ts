/* SPDX-License-Identifier: MIT */
/* Renderer of frames, used by all icicles and flame graphs. It draws the frames that a FrameLayout
 * places and a FramePaint describes, within a horizontal range (Span) and a vertical offset. It has
 * no view state.
 *
 * Frames too narrow for a bar are merged into a dotted run, so that they remain visible. */
import { type FrameLayout, firstRightOf, frameAt } from '../model/frames';
import type { Measure } from '../model/labels';
import type { Span } from '../model/span';
import type { NodeChange } from '../model/tree_diff';
import { type FrameTheme, UNKNOWN_FILL } from './theme';

export const FRAME_ROW = 18;
const GAP = 1;
const PAD = 5;
const NARROWEST = 1.5;
const DOT_STEP = 4;
/** Height in px of the line below a hit. */
const HIT_LINE = 2.5;
/** Minimum width in px of the box for self time, of the word `self` in it, and of its value. */
const SELF_BOX = { box: 9, word: 30, value: 70 };

export type Texture = 'root' | 'solid' | 'hatched' | 'dashed';

/** Appearance of the frames of one mode. `maxWidth` is in px; no text is drawn for an empty name.
 */
export interface FramePaint {
    /** name of the whole */
    title: string;
    texture: (frame: number) => Texture;
    /** index of a fill of the theme */
    fill: (frame: number) => number;
    tint: (frame: number) => 0 | 1;
    /** A frame that only the new side of a comparison has gets a strong left edge, one that only the
     * base has a dashed outline. */
    changeOf: (frame: number) => NodeChange;
    /** Self time of a frame that has frames below it: an empty box beside them, from x0 to x1 in the
     * unit of the layout; null: none. */
    selfBox: (frame: number) => { x0: number; x1: number; value: string } | null;
    label: (frame: number, maxWidth: number, measure: Measure) => { name: string; value: string };
}

export interface FrameScene {
    layout: FrameLayout;
    paint: FramePaint;
    theme: FrameTheme;
    span: Span;
    /** px by which the content is scrolled up */
    top: number;
    /** 1 for each node that the search matches; null if there is no search */
    match: Uint8Array | null;
    /** What does not match is faded. */
    isFading: boolean;
    /** the current hit of the search, or -1 */
    currentHit: number;
    /** 1 for each node with the name of the selected one; null: none is selected */
    instances: Uint8Array | null;
    hover: number;
    selected: number;
}

interface Box {
    x: number;
    y: number;
    w: number;
    h: number;
}

export class FrameCanvas {
    private readonly ctx: CanvasRenderingContext2D;
    private width = 0;
    private height = 0;
    private ratio = 1;
    private readonly widths = new Map<string, number>();
    private readonly labels = new Map<number, { maxWidth: number; name: string; value: string }>();
    private readonly patterns = new Map<string, CanvasPattern | null>();
    private labelsOf: FramePaint | null = null;
    private font = '';

    constructor(private readonly canvas: HTMLCanvasElement) {
        const ctx = canvas.getContext('2d');
        if (!ctx) throw new Error('this browser has no 2D canvas');
        this.ctx = ctx;
    }

    resize(width: number, height: number, ratio: number): void {
        this.width = width;
        this.height = height;
        if (ratio !== this.ratio) this.patterns.clear();
        this.ratio = ratio;
        this.canvas.width = Math.max(1, Math.round(width * ratio));
        this.canvas.height = Math.max(1, Math.round(height * ratio));
    }

    /** The frame at a point of the canvas, px and py in CSS px; -1 if there is none. */
    hit(scene: FrameScene, px: number, py: number): number {
        const scale = this.scale(scene);
        const row = Math.floor((py + scene.top) / FRAME_ROW);
        return frameAt(scene.layout, row, scene.span.x0 + px / scale, 1.5 / scale);
    }

    /** The box of a frame in px, clipped to the canvas in x. */
    boxOf(scene: FrameScene, frame: number): Box {
        const { layout, span, top } = scene;
        const scale = this.scale(scene);
        const left = this.snap(Math.max(-2, (layout.x0[frame] - span.x0) * scale));
        const right = this.snap(Math.min(this.width + 2, (layout.x1[frame] - span.x0) * scale));
        const y = layout.row[frame] * FRAME_ROW - top;
        return { x: left, y, w: Math.max(1, right - left - GAP), h: FRAME_ROW - GAP };
    }

    draw(scene: FrameScene): void {
        const { ctx, ratio } = this;
        const { layout, theme } = scene;
        ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
        ctx.clearRect(0, 0, this.width, this.height);
        if (layout.count === 0 || layout.total <= 0) return;
        if (this.labelsOf !== scene.paint || this.font !== theme.font) this.forgetLabels(scene);
        ctx.textBaseline = 'alphabetic';
        /* one row above the window, because its frames have boxes in the first row */
        const first = Math.max(0, Math.floor(scene.top / FRAME_ROW) - 1);
        const last = Math.min(layout.rows - 1, Math.floor((scene.top + this.height) / FRAME_ROW));
        for (let row = first; row <= last; row++) this.drawRow(scene, row);
        if (scene.currentHit >= 0) this.outline(scene, scene.currentHit, theme.tick, 2);
        if (scene.selected >= 0) this.outline(scene, scene.selected, theme.accent, 2);
        if (scene.hover >= 0) this.outline(scene, scene.hover, theme.text1, 1.5);
    }

    private forgetLabels(scene: FrameScene): void {
        this.labels.clear();
        this.patterns.clear();
        if (this.font !== scene.theme.font || this.widths.size > 50_000) this.widths.clear();
        this.labelsOf = scene.paint;
        this.font = scene.theme.font;
    }

    private scale(scene: FrameScene): number {
        return this.width / (scene.span.x1 - scene.span.x0);
    }

    private snap(x: number): number {
        return Math.round(x * this.ratio) / this.ratio;
    }

    private drawRow(scene: FrameScene, row: number): void {
        const { layout, span, top } = scene;
        const scale = this.scale(scene);
        const end = layout.rowStart[row + 1];
        const y = row * FRAME_ROW - top;
        let runFrom = -1;
        let runTo = -1;
        for (let f = firstRightOf(layout, row, span.x0); f < end; f++) {
            const left = (layout.x0[f] - span.x0) * scale;
            if (left > this.width) break;
            const right = (layout.x1[f] - span.x0) * scale;
            if (right - left >= NARROWEST && layout.isDotted[f] === 0) {
                this.drawFrame(scene, f);
                continue;
            }
            if (right <= left) continue;
            if (runFrom >= 0 && left - runTo > DOT_STEP) {
                this.dots(scene, runFrom, runTo, y);
                runFrom = -1;
            }
            if (runFrom < 0) runFrom = left;
            runTo = right;
        }
        if (runFrom >= 0) this.dots(scene, runFrom, runTo, y);
    }

    private dots(scene: FrameScene, from: number, to: number, y: number): void {
        const { ctx } = this;
        ctx.fillStyle = scene.theme.text3;
        ctx.globalAlpha = scene.match && scene.isFading ? 0.5 : 0.8;
        const size = 1;
        const start = Math.ceil(Math.max(0, from) / DOT_STEP) * DOT_STEP;
        const end = Math.min(to, this.width);
        if (start > end) ctx.fillRect(this.snap(from), y + 8, size, size);
        for (let x = start; x <= end; x += DOT_STEP) ctx.fillRect(x, y + 8, size, size);
        ctx.globalAlpha = 1;
    }

    private drawFrame(scene: FrameScene, frame: number): void {
        const { ctx } = this;
        const box = this.boxOf(scene, frame);
        const node = scene.layout.node[frame];
        const isHit = scene.match !== null && node >= 0 && scene.match[node] === 1;
        const isDimmed = scene.isFading && scene.match !== null && node >= 0 && !isHit;
        ctx.globalAlpha = isDimmed ? 0.5 : 1;
        this.ground(scene, frame, box);
        if (box.w >= 18) {
            ctx.globalAlpha = isDimmed ? 0.8 : 1;
            this.text(scene, frame, box);
        }
        ctx.globalAlpha = isDimmed ? 0.5 : 1;
        this.selfBox(scene, frame);
        ctx.globalAlpha = 1;
        if (isHit) {
            ctx.fillStyle = scene.theme.tick;
            ctx.fillRect(box.x, box.y + box.h - HIT_LINE, box.w, HIT_LINE);
        }
        if (node >= 0 && scene.instances?.[node] === 1) {
            ctx.setLineDash([3, 2]);
            this.outline(scene, frame, scene.theme.accent, 1);
            ctx.setLineDash([]);
        }
    }

    private selfBox(scene: FrameScene, frame: number): void {
        const self = scene.paint.selfBox(frame);
        if (!self) return;
        const { ctx } = this;
        const { layout, span, top, theme } = scene;
        const scale = this.scale(scene);
        const left = this.snap(Math.max(-2, (self.x0 - span.x0) * scale));
        const right = this.snap(Math.min(this.width + 2, (self.x1 - span.x0) * scale));
        const width = right - left - GAP;
        if (width < SELF_BOX.box) return;
        const y = (layout.row[frame] + 1) * FRAME_ROW - top;
        ctx.strokeStyle = theme.text3;
        ctx.lineWidth = 1;
        ctx.setLineDash([2, 2]);
        ctx.strokeRect(left + 0.5, y + 0.5, width - 1, FRAME_ROW - GAP - 1);
        ctx.setLineDash([]);
        const from = Math.max(0, left) + PAD;
        const whole = `self ${self.value}`;
        const maxWidth = Math.min(right, this.width) - from - PAD;
        const text = width >= SELF_BOX.value && this.measure(whole) <= maxWidth ? whole : 'self';
        if (width < SELF_BOX.word || this.measure(text) > maxWidth) return;
        ctx.font = theme.font;
        ctx.fillStyle = theme.text2;
        ctx.fillText(text, from, y + 12.5);
    }

    private ground(scene: FrameScene, frame: number, box: Box): void {
        const { ctx } = this;
        const { theme, paint } = scene;
        const texture = paint.texture(frame);
        const index = paint.fill(frame);
        const fill = theme.fills[index][paint.tint(frame)];
        const change = paint.changeOf(frame);
        if (texture === 'dashed') {
            ctx.fillStyle = theme.bg;
            ctx.fillRect(box.x, box.y, box.w, box.h);
            this.dashedOutline(theme, box);
            return;
        }
        ctx.fillStyle =
            texture === 'root' ? theme.inset : texture === 'hatched' ? fill.ground : fill.solid;
        ctx.fillRect(box.x, box.y, box.w, box.h);
        if (texture === 'hatched') {
            const pattern = this.hatch(fill.solid);
            if (pattern) {
                ctx.fillStyle = pattern;
                ctx.fillRect(box.x, box.y, box.w, box.h);
            }
        }
        if (box.w >= 10 && change === 'new') {
            ctx.fillStyle = theme.ink;
            ctx.fillRect(box.x, box.y, 3, box.h);
        }
        if (box.w >= 3 && change === 'gone') this.dashedOutline(theme, box);
        if (index === UNKNOWN_FILL && texture !== 'root' && box.w >= 3) {
            ctx.strokeStyle = theme.text3;
            ctx.lineWidth = 1;
            ctx.strokeRect(box.x + 0.5, box.y + 0.5, box.w - 1, box.h - 1);
        }
    }

    private dashedOutline(theme: FrameTheme, box: Box): void {
        const { ctx } = this;
        ctx.strokeStyle = theme.text2;
        ctx.lineWidth = 1;
        ctx.setLineDash(box.w > 12 ? [3, 2] : [2, 2]);
        ctx.strokeRect(box.x + 0.5, box.y + 0.5, Math.max(0, box.w - 1), box.h - 1);
        ctx.setLineDash([]);
    }

    /** Pattern of diagonal stripes, cached by colour. The tile is drawn in device px so that it is
     * sharp. */
    private hatch(colour: string): CanvasPattern | null {
        const cached = this.patterns.get(colour);
        if (cached !== undefined) return cached;
        const size = Math.round(5 * this.ratio);
        const tile = document.createElement('canvas');
        tile.width = size;
        tile.height = size;
        const t = tile.getContext('2d');
        if (!t) return null;
        t.strokeStyle = colour;
        t.lineWidth = 1.4 * this.ratio;
        t.beginPath();
        for (const shift of [-size, 0, size]) {
            t.moveTo(shift - 1, size + 1);
            t.lineTo(shift + size + 1, -1);
        }
        t.stroke();
        const pattern = this.ctx.createPattern(tile, 'repeat');
        pattern?.setTransform(new DOMMatrix().scale(1 / this.ratio));
        this.patterns.set(colour, pattern);
        return pattern;
    }

    private measure = (text: string): number => {
        const cached = this.widths.get(text);
        if (cached !== undefined) return cached;
        this.ctx.font = this.font;
        const width = this.ctx.measureText(text).width;
        this.widths.set(text, width);
        return width;
    };

    private strongWidth({ fontStrong }: FrameTheme, text: string): number {
        this.ctx.font = fontStrong;
        return this.ctx.measureText(text).width;
    }

    private labelFor(
        scene: FrameScene,
        frame: number,
        maxWidth: number,
    ): { name: string; value: string } {
        const cached = this.labels.get(frame);
        const whole = Math.floor(maxWidth);
        if (cached && cached.maxWidth === whole) return cached;
        const label = { maxWidth: whole, ...scene.paint.label(frame, whole, this.measure) };
        this.labels.set(frame, label);
        return label;
    }

    private text(scene: FrameScene, frame: number, box: Box): void {
        const { ctx } = this;
        const { theme, paint } = scene;
        const left = Math.max(0, box.x) + PAD;
        const maxWidth = Math.min(box.x + box.w, this.width) - left - PAD + 1;
        if (maxWidth < 10) return;
        const { name, value } = this.labelFor(scene, frame, maxWidth);
        if (name === '') return;
        const texture = paint.texture(frame);
        const strong = texture === 'root';
        const nameWidth = strong ? this.strongWidth(theme, name) : this.measure(name);
        if (texture === 'hatched') {
            const alpha = ctx.globalAlpha;
            const width = nameWidth + (value ? this.measure(value) + 7 : 0);
            ctx.fillStyle = theme.fills[paint.fill(frame)][paint.tint(frame)].ground;
            ctx.fillRect(
                left - 3,
                box.y + 1,
                Math.min(width + 6, box.x + box.w - left + 3),
                box.h - 2,
            );
            ctx.globalAlpha = alpha;
        }
        const onFill = texture === 'solid' || texture === 'hatched';
        ctx.font = strong ? theme.fontStrong : theme.font;
        ctx.fillStyle = onFill ? theme.ink : theme.text1;
        ctx.fillText(name, left, box.y + 12.5);
        if (!value) return;
        ctx.font = theme.font;
        if (!onFill) ctx.fillStyle = theme.text2;
        ctx.fillText(value, left + nameWidth + 7, box.y + 12.5);
    }

    private outline(scene: FrameScene, frame: number, colour: string, width: number): void {
        const { ctx } = this;
        const box = this.boxOf(scene, frame);
        ctx.strokeStyle = colour;
        ctx.lineWidth = width;
        const inset = width / 2;
        ctx.strokeRect(box.x + inset, box.y + inset, Math.max(1, box.w - width), box.h - width);
    }
}
