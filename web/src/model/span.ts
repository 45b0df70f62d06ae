/* SPDX-License-Identifier: MIT */
/* The visible horizontal range of a picture, and how input changes it. Pure functions: px and time
 * are parameters. */
import { type FrameLayout, coveredPath } from './frames';

export interface Span {
    x0: number;
    x1: number;
}

/** Minimum width of the visible range, as a share of the picture. */
const MIN_WIDTH = 1e-9;

export function clampSpan(span: Span, total: number): Span {
    const width = Math.min(total, Math.max(total * MIN_WIDTH, span.x1 - span.x0));
    const x0 = Math.min(Math.max(0, span.x0), total - width);
    return { x0, x1: x0 + width };
}

/** Zooms so that the point `at` stays in place; factor < 1 zooms in. */
export function zoomSpan(span: Span, total: number, factor: number, at: number): Span {
    const width = Math.min(total, Math.max(total * MIN_WIDTH, (span.x1 - span.x0) * factor));
    const share = (at - span.x0) / (span.x1 - span.x0);
    return clampSpan({ x0: at - width * share, x1: at - width * share + width }, total);
}

export function panSpan(span: Span, total: number, by: number): Span {
    return clampSpan({ x0: span.x0 + by, x1: span.x1 + by }, total);
}

export function sameSpan(a: Span, b: Span): boolean {
    const slack = (a.x1 - a.x0) * 1e-6;
    return Math.abs(a.x0 - b.x0) <= slack && Math.abs(a.x1 - b.x1) <= slack;
}

/** Cubic ease-out between two ranges; t from 0 to 1. */
export function easeSpan(from: Span, to: Span, t: number): Span {
    const k = 1 - (1 - Math.min(1, Math.max(0, t))) ** 3;
    return { x0: from.x0 + (to.x0 - from.x0) * k, x1: from.x1 + (to.x1 - from.x1) * k };
}

/** The frame one level out: the nearest frame that covers the range and is wider than it; -1 for
 * the complete picture. */
export function enclosingFrame(layout: FrameLayout, span: Span): number {
    const width = span.x1 - span.x0;
    const path = coveredPath(layout, span.x0, span.x1);
    for (let i = path.length - 1; i >= 0; i--) {
        const f = path[i];
        if (layout.x1[f] - layout.x0[f] > width * (1 + 1e-6)) return f;
    }
    return -1;
}

/** Formats a range for the URL, `0.25~0.5`: shares of the picture, so that it is independent of the
 * width. */
export function spanText(span: Span, total: number): string {
    const share = (x: number): string => String(Number((x / total).toPrecision(8)));
    return `${share(span.x0)}~${share(span.x1)}`;
}

export function parseSpan(text: string | undefined, total: number): Span | null {
    const match = /^([\d.e-]+)~([\d.e-]+)$/.exec(text ?? '');
    if (!match) return null;
    const [x0, x1] = [Number(match[1]) * total, Number(match[2]) * total];
    return Number.isFinite(x0) && Number.isFinite(x1) && x1 > x0
        ? clampSpan({ x0, x1 }, total)
        : null;
}
