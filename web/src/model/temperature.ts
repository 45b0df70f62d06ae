/* SPDX-License-Identifier: MIT */
/* The temperature scale of gprof2dot: dark blue for cold, through green and yellow, to red. It is a
 * straight line in HSL from (240°, 80 %, 25 %) to (0°, 100 %, 50 %) over the share of the total. */

const COLD = [2 / 3, 0.8, 0.25] as const;
const HOT = [0, 1, 0.5] as const;

/** Colour for a share of the total, 0 to 1. */
export function temperature(share: number): string {
    const t = Math.min(1, Math.max(0, Number.isFinite(share) ? share : 0));
    const [h, s, l] = [0, 1, 2].map((i) => COLD[i] + (HOT[i] - COLD[i]) * t) as [
        number,
        number,
        number,
    ];
    return hslToHex(h, s, l);
}

export function hslToHex(h: number, s: number, l: number): string {
    const top = l <= 0.5 ? l * (1 + s) : l + s - l * s;
    const low = 2 * l - top;
    const part = (hue: number): string => {
        const turn = ((hue % 1) + 1) % 1;
        let value = low;
        if (turn * 6 < 1) value = low + (top - low) * turn * 6;
        else if (turn * 2 < 1) value = top;
        else if (turn * 3 < 2) value = low + (top - low) * (2 / 3 - turn) * 6;
        return Math.round(value * 255)
            .toString(16)
            .padStart(2, '0');
    };
    return `#${part(h + 1 / 3)}${part(h)}${part(h - 1 / 3)}`;
}

/** Line width of an edge in px. As in gprof2dot it depends on the share of the total and is clamped. */
export function edgeWidth(share: number): number {
    return Math.min(5, Math.max(0.75, Math.sqrt(Math.max(0, share)) * 5));
}
