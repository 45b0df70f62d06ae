/* SPDX-License-Identifier: MIT
 *
 * Renderer of the timeline: one canvas with overview, ruler and lanes. The renderer draws each
 * frame completely from data in memory, and has no view state.
 */
import { paintArea } from './area';
import { paintCharts } from './charts';
import { type Band, firstLaneOf, isInBand, placeBands } from './bands';
import { OverviewPainter, paintGrid, paintOrigin, paintRuler, paintRulerTicks } from './head';
import { paintFlows, paintMarks, paintRowMarks } from './overlay';
import { paintPathLine } from './path_line';
import type { Surface, TimelineScene } from './scene';
import { SlicePainter } from './slices';
import { paintSteps } from './steps_row';

export class TimelineCanvas {
    private readonly surface: Surface;
    private readonly slices = new SlicePainter();
    private readonly overview = new OverviewPainter();
    private readonly widths = new Map<string, number>();
    private font = '';

    constructor(private readonly canvas: HTMLCanvasElement) {
        const ctx = canvas.getContext('2d', { alpha: false });
        if (!ctx) throw new Error('this browser has no 2D canvas');
        this.surface = { ctx, width: 0, height: 0, ratio: 1, measure: this.measure };
    }

    get width(): number {
        return this.surface.width;
    }

    get height(): number {
        return this.surface.height;
    }

    /** Number of slices drawn in the last picture. */
    get drawn(): number {
        return this.slices.drawn;
    }

    resize(width: number, height: number, ratio: number): void {
        Object.assign(this.surface, { width, height, ratio });
        this.canvas.width = Math.max(1, Math.round(width * ratio));
        this.canvas.height = Math.max(1, Math.round(height * ratio));
    }

    draw(scene: TimelineScene): void {
        const { surface } = this;
        const { ctx, width, height, ratio } = surface;
        if (this.font !== scene.theme.font) {
            this.font = scene.theme.font;
            this.widths.clear();
            scene.names.forgetLabels();
        }
        ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
        ctx.imageSmoothingEnabled = false;
        ctx.fillStyle = scene.theme.bg;
        ctx.fillRect(0, 0, width, height);
        placeBands(scene, height);
        paintGrid(surface, scene);
        this.slices.start(width);
        for (const band of scene.bands) this.drawBand(scene, band);
        this.drawPinnedEdge(scene);
        this.clipTo(scene.head, height, () => {
            paintPathLine(surface, scene);
            paintFlows(surface, scene);
        });
        this.overview.paint(surface, scene);
        paintRuler(surface, scene);
        if (scene.found) paintRulerTicks(surface, scene, this.slices.hits);
        paintSteps(surface, scene);
        paintArea(surface, scene);
        paintOrigin(surface, scene);
    }

    private clipTo(top: number, bottom: number, draw: () => void): void {
        const { ctx, width } = this.surface;
        ctx.save();
        ctx.beginPath();
        ctx.rect(0, top, width, Math.max(0, bottom - top));
        ctx.clip();
        draw();
        ctx.restore();
    }

    private drawBand(scene: TimelineScene, band: Band): void {
        if (band.bottom <= band.top) return;
        const { surface } = this;
        this.clipTo(band.top, band.bottom, () => {
            this.drawLaneBorders(scene, band);
            paintCharts(surface, scene, band);
            this.slices.paint(surface, scene, band);
            paintRowMarks(surface, scene, band);
            paintMarks(surface, scene, band);
        });
    }

    /* The double line below the pinned lanes. */
    private drawPinnedEdge({ bands: [pinned, rest], theme }: TimelineScene): void {
        const { ctx, width } = this.surface;
        if (rest.top === pinned.bottom) return;
        ctx.fillStyle = theme.bg;
        ctx.fillRect(0, pinned.bottom, width, rest.top - pinned.bottom);
        ctx.fillStyle = theme.lineStrong;
        ctx.fillRect(0, pinned.bottom, width, 1);
        ctx.fillRect(0, rest.top - 1, width, 1);
    }

    /* Lines between the lanes; a strong line where a process begins. */
    private drawLaneBorders(scene: TimelineScene, band: Band): void {
        const { ctx, width } = this.surface;
        const { lanes } = scene.lanes;
        const first = firstLaneOf(scene.lanes, band);
        for (let i = first; i < lanes.length; i++) {
            if (!isInBand(scene, band, lanes[i])) break;
            const y = Math.round(band.offset + lanes[i].top);
            if (lanes[i].kind === 'busy' || y <= band.top) continue;
            ctx.fillStyle = lanes[i].first ? scene.theme.lineStrong : scene.theme.line;
            ctx.fillRect(0, y - 1, width, 1);
        }
    }

    private measure = (text: string): number => {
        const known = this.widths.get(text);
        if (known !== undefined) return known;
        const { ctx } = this.surface;
        ctx.font = this.font;
        const width = ctx.measureText(text).width;
        if (this.widths.size > 20_000) this.widths.clear();
        this.widths.set(text, width);
        return width;
    };
}
