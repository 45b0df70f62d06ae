/* SPDX-License-Identifier: MIT */
/* What each picture on a canvas begins with: its size, its context and the colours of the page. */

/** Sizes a canvas to its place in CSS px; returns its context, in CSS px. */
export function sizeCanvas(
    canvas: HTMLCanvasElement,
    width: number,
    height: number,
): CanvasRenderingContext2D | null {
    const ratio = devicePixelRatio || 1;
    const [w, h] = [
        Math.max(1, Math.round(width * ratio)),
        Math.max(1, Math.round(height * ratio)),
    ];
    if (canvas.width !== w) canvas.width = w;
    if (canvas.height !== h) canvas.height = h;
    const ctx = canvas.getContext('2d');
    ctx?.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx?.clearRect(0, 0, width, height);
    return ctx;
}

/** Value of a token of the style sheet: `token('line')` is that of `--line`. */
export type Token = (name: string) => string;

export interface Brush {
    ctx: CanvasRenderingContext2D;
    token: Token;
}

/** An empty canvas of this size in CSS px, with the settings of a new one; null: it cannot be drawn on. */
export function startBrush(canvas: HTMLCanvasElement, width: number, height: number): Brush | null {
    const ctx = sizeCanvas(canvas, width, height);
    if (!ctx) return null;
    ctx.textAlign = 'start';
    ctx.textBaseline = 'alphabetic';
    ctx.lineWidth = 1;
    ctx.globalAlpha = 1;
    ctx.setLineDash([]);
    const style = getComputedStyle(canvas);
    const values = new Map<string, string>();
    const token: Token = (name) => {
        const value = values.get(name) ?? style.getPropertyValue(`--${name}`).trim();
        values.set(name, value);
        return value;
    };
    return { ctx, token };
}
