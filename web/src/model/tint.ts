/* SPDX-License-Identifier: MIT */
/* Colour of a frame: the hue shows its origin; one of two tints distinguishes a package from its
 * neighbour. */
import type { Origin } from '../base/answers';

export const ORIGINS = ['own', 'third-party', 'stdlib', 'builtin', 'unknown'] as const;
/** The origins in a legend. */
export const ORIGIN_LABELS: Record<Origin, string> = {
    own: 'own',
    'third-party': 'third-party',
    stdlib: 'standard library',
    builtin: 'native',
    unknown: 'unknown',
};

export function originIndex(origin: string | null | undefined): number {
    const index = ORIGINS.indexOf((origin ?? 'unknown') as Origin);
    return index < 0 ? 4 : index;
}

/** Tint of a dotted name: one bit of the FNV-1a hash of its first two parts. */
export function tintOf(name: string): 0 | 1 {
    let end = name.indexOf('.');
    end = end < 0 ? name.length : name.indexOf('.', end + 1);
    if (end < 0) end = name.length;
    let hash = 0x811c9dc5;
    for (let i = 0; i < end; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
    return ((hash >>> 16) ^ hash) & 1 ? 1 : 0;
}

/** Tint of a function by its package: the folder after site-packages, else the last folders. */
export function tintOfFile(file: string): 0 | 1 {
    const parts = file.split(/[\\/]/);
    const site = Math.max(parts.lastIndexOf('site-packages'), parts.lastIndexOf('dist-packages'));
    if (site >= 0) return tintOf(parts.slice(site + 1, site + 3).join('.'));
    return tintOf(parts.slice(-3, -1).join('.'));
}

type Rgb = [number, number, number];

export function parseHex(text: string): Rgb {
    const hex = text.trim().replace('#', '');
    const wide = hex.length === 3 ? [...hex].map((c) => c + c).join('') : hex;
    const value = parseInt(wide, 16);
    return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

/** The colour at `share` (0 to 1) between two colours, in sRGB. */
export function mix(from: string, to: string, share: number): string {
    const a = parseHex(from);
    const b = parseHex(to);
    const part = (i: 0 | 1 | 2): string =>
        Math.round(a[i] + (b[i] - a[i]) * share)
            .toString(16)
            .padStart(2, '0');
    return `#${part(0)}${part(1)}${part(2)}`;
}

function channel(value: number): number {
    const c = value / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
}

/** Relative luminance as WCAG defines it. */
export function luminance(colour: string): number {
    const [r, g, b] = parseHex(colour);
    return 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
}

export function contrast(a: string, b: string): number {
    const [hi, lo] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
    return (hi + 0.05) / (lo + 0.05);
}

/** Returns the ink with the higher contrast on a fill. With black and white the contrast is at
 * least 4.5:1. */
export function textColourOn(fill: string, dark = '#000000', light = '#ffffff'): string {
    return contrast(fill, dark) >= contrast(fill, light) ? dark : light;
}
