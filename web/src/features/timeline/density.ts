/* SPDX-License-Identifier: MIT
 *
 * Density of slices as a bitmap with one pixel per bin and one row per depth. The bitmap is painted
 * once when a window arrives, then only scaled. Panning over a million slices costs one drawImage
 * per depth.
 */
import type { TrackWindow } from '../../model/timeline_cache';
import { fillOf, type TimelineTheme } from './theme';

const MAX_OPACITY = 0.55;
/** Share of MAX_OPACITY that every bin has at least, so that a bin with little coverage is
 * visible. */
const MIN_OPACITY_SHARE = 0.4;
const UNMATCHED_FACTOR = 0.5;

interface PaintedDensity {
    version: number;
    canvas: HTMLCanvasElement | null;
}

const paintedByWindow = new WeakMap<TrackWindow, PaintedDensity>();

function fillPixels(
    window: TrackWindow,
    theme: TimelineTheme,
    found: ReadonlySet<number> | null,
    pixels: Uint8ClampedArray,
): void {
    const { density } = window;
    for (let depth = 0; depth < window.depth; depth++) {
        for (let i = density.lane[depth]; i < density.lane[depth + 1]; i++) {
            const name = density.name[i];
            const rgb = 3 * fillOf(density.family[i], name);
            const hit = found === null || found.has(name);
            const share = MIN_OPACITY_SHARE + (1 - MIN_OPACITY_SHARE) * (density.fill[i] / 255);
            const alpha = 255 * MAX_OPACITY * share * (hit ? 1 : UNMATCHED_FACTOR);
            const end = Math.min(window.px, density.px[i] + density.len[i]);
            let at = 4 * (depth * window.px + density.px[i]);
            for (let px = density.px[i]; px < end; px++, at += 4) {
                pixels[at] = theme.rgb[rgb];
                pixels[at + 1] = theme.rgb[rgb + 1];
                pixels[at + 2] = theme.rgb[rgb + 2];
                pixels[at + 3] = alpha;
            }
        }
    }
}

function paintDensity(
    window: TrackWindow,
    theme: TimelineTheme,
    found: ReadonlySet<number> | null,
): HTMLCanvasElement | null {
    if (window.density.n === 0) return null;
    const canvas = document.createElement('canvas');
    canvas.width = window.px;
    canvas.height = window.depth;
    const ctx = canvas.getContext('2d');
    if (!ctx) return null;
    const image = ctx.createImageData(window.px, window.depth);
    fillPixels(window, theme, found, image.data);
    ctx.putImageData(image, 0, 0);
    return canvas;
}

const hitsByWindow = new WeakMap<TrackWindow, { version: number; pixels: Uint32Array }>();

/** The pixels of a window with bins whose name the search matches, in ascending order. */
export function hitPixelsOf(
    window: TrackWindow,
    found: ReadonlySet<number>,
    version: number,
): Uint32Array {
    const cached = hitsByWindow.get(window);
    if (cached?.version === version) return cached.pixels;
    const { density } = window;
    const pixels = new Set<number>();
    for (let i = 0; i < density.n; i++) if (found.has(density.name[i])) pixels.add(density.px[i]);
    const sorted = Uint32Array.from(pixels).sort();
    hitsByWindow.set(window, { version, pixels: sorted });
    return sorted;
}

/** The bitmap of a window; null if the window has no density. */
export function densityBitmapOf(
    window: TrackWindow,
    theme: TimelineTheme,
    found: ReadonlySet<number> | null,
    version: number,
): HTMLCanvasElement | null {
    const cached = paintedByWindow.get(window);
    if (cached?.version === version) return cached.canvas;
    const canvas = paintDensity(window, theme, found);
    paintedByWindow.set(window, { version, canvas });
    return canvas;
}
