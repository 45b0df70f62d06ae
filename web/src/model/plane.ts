/* SPDX-License-Identifier: MIT */
/* A zoomable view of a plane: scale k, and position of the plane's origin in px. */

export interface Plane {
    k: number;
    x: number;
    y: number;
}

export const SCALE_MIN = 0.08;
export const SCALE_MAX = 3;

export function zoomPlane(plane: Plane, factor: number, px: number, py: number): Plane {
    const k = Math.min(SCALE_MAX, Math.max(SCALE_MIN, plane.k * factor));
    const ratio = k / plane.k;
    return { k, x: px - (px - plane.x) * ratio, y: py - (py - plane.y) * ratio };
}

/** Shows the complete plane, centred, never enlarged. */
export function fitPlane(
    width: number,
    height: number,
    viewport: { width: number; height: number },
): Plane {
    const k = Math.max(
        SCALE_MIN,
        Math.min(1, viewport.width / (width || 1), viewport.height / (height || 1)),
    );
    return {
        k,
        x: (viewport.width - width * k) / 2,
        y: Math.max(0, (viewport.height - height * k) / 2),
    };
}

/** Centres a point at scale k. */
export function centreOn(
    px: number,
    py: number,
    k: number,
    viewport: { width: number; height: number },
): Plane {
    return { k, x: viewport.width / 2 - px * k, y: viewport.height / 2 - py * k };
}

export function planeText(plane: Plane): string {
    return `${Math.round(plane.x)}~${Math.round(plane.y)}~${Number(plane.k.toPrecision(4))}`;
}

export function parsePlane(text: string | undefined): Plane | null {
    const [x, y, k] = (text ?? '').split('~').map(Number);
    if (text === undefined || ![x, y, k].every(Number.isFinite) || k < SCALE_MIN || k > SCALE_MAX)
        return null;
    return { k, x, y };
}
