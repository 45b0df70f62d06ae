/* SPDX-License-Identifier: MIT */
/* A strip of ticks over the complete width of a picture: where the hits of a search are. */

export interface TickStrip {
    /** 1 for each px column with a hit */
    columns: Uint8Array;
    /** px column of the current hit, or -1 */
    current: number;
    /** Visible range in px columns; null: the complete picture is visible. */
    view: { from: number; to: number } | null;
}

interface StripColours {
    ground: string;
    view: string;
    tick: string;
}

const HEIGHT = 6;
const TICK_PX = 2;

export function drawTickStrip(
    canvas: HTMLCanvasElement,
    { columns, current, view }: TickStrip,
    { ground, view: viewColour, tick }: StripColours,
): void {
    const ratio = devicePixelRatio || 1;
    const width = columns.length;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(HEIGHT * ratio);
    const ctx = canvas.getContext('2d');
    if (!ctx) return;
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.fillStyle = ground;
    ctx.fillRect(0, 0, width, HEIGHT);
    if (view) {
        ctx.fillStyle = viewColour;
        ctx.fillRect(view.from, 0, Math.max(2, view.to - view.from), HEIGHT);
    }
    ctx.fillStyle = tick;
    for (let x = 0; x < width; x++) if (columns[x]) ctx.fillRect(x, 1, TICK_PX, HEIGHT - 1);
    if (current < 0) return;
    ctx.beginPath();
    ctx.moveTo(current - 4, 0);
    ctx.lineTo(current + 6, 0);
    ctx.lineTo(current + 1, HEIGHT);
    ctx.fill();
}
