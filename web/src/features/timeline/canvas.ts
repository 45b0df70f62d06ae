/* SPDX-License-Identifier: MIT
 *
 * Renderer of the timeline: one canvas with overview, ruler and lanes. The renderer draws each
 * frame completely from data in memory, and has no view state.
 */
import { paintCharts } from './charts';
import { OverviewPainter, paintGrid, paintOrigin, paintRange, paintRuler } from './head';
import { laneIndexAt } from './lanes';
import { paintMarks } from './overlay';
import { HEAD, type Surface, type TimelineScene } from './scene';
import { SlicePainter } from './slices';

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
        paintGrid(surface, scene);
        ctx.save();
        ctx.beginPath();
        ctx.rect(0, HEAD, width, Math.max(0, height - HEAD));
        ctx.clip();
        this.drawLaneBorders(scene);
        paintCharts(surface, scene);
        this.slices.paint(surface, scene);
        paintMarks(surface, scene);
        ctx.restore();
        this.overview.paint(surface, scene);
        paintRuler(surface, scene);
        paintRange(surface, scene);
        paintOrigin(surface, scene);
    }

    /* Lines between the lanes; a strong line where a process begins. */
    private drawLaneBorders(scene: TimelineScene): void {
        const { ctx, width, height } = this.surface;
        const { lanes } = scene.lanes;
        for (let i = laneIndexAt(scene.lanes, scene.top); i < lanes.length; i++) {
            const y = Math.round(HEAD + lanes[i].top - scene.top);
            if (y > height) break;
            if (lanes[i].kind === 'busy' || i === 0) continue;
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
