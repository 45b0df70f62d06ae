/* SPDX-License-Identifier: MIT */
/* Colours of a memory snapshot, and the pattern of memory that nothing uses. */

/** Tokens of the groups of stacks: no Python stack, the six largest, all others. */
export const GROUP_TOKENS = [
    'family-annotation',
    'family-matmul',
    'family-memory',
    'family-norm',
    'family-data',
    'family-elementwise',
    'family-communication',
    'family-runtime',
] as const;

/** Group of all stacks after the six largest. */
export const OTHER_GROUP = 7;

export interface SnapshotTheme {
    bg: string;
    panel: string;
    line: string;
    lineStrong: string;
    text1: string;
    text2: string;
    text3: string;
    accent: string;
    onAccent: string;
    slower: string;
    ink: string;
    hole: string;
    groups: string[];
    sans: string;
}

export function readSnapshotTheme(element: Element): SnapshotTheme {
    const style = getComputedStyle(element);
    const token = (name: string): string => style.getPropertyValue(`--${name}`).trim();
    return {
        bg: token('bg'),
        panel: token('panel'),
        line: token('line'),
        lineStrong: token('line-strong'),
        text1: token('text-1'),
        text2: token('text-2'),
        text3: token('text-3'),
        accent: token('accent'),
        onAccent: token('on-accent'),
        slower: token('slower'),
        ink: token('ink'),
        hole: token('hole'),
        groups: GROUP_TOKENS.map(token),
        sans: token('sans') || 'sans-serif',
    };
}

export const groupColour = ({ groups }: SnapshotTheme, group: number): string =>
    groups[group] ?? groups[OTHER_GROUP];

/** What the areas of the chart are of. */
export type PartsBy = 'stack' | 'category' | 'stream' | 'pool';

/** Group whose colour a part of the chart has. By stack, parts are groups; otherwise the last part is all
 * others. */
export function partGroup(by: PartsBy, part: number, parts: number): number {
    if (by === 'stack') return part;
    return part === parts - 1 ? OTHER_GROUP : part + 1;
}

const HATCH_PX = 5;

/** Diagonal stripes on the background. */
export function hatchPattern(
    ctx: CanvasRenderingContext2D,
    theme: SnapshotTheme,
): CanvasPattern | string {
    const ratio = devicePixelRatio || 1;
    const size = Math.round(HATCH_PX * ratio);
    const tile = document.createElement('canvas');
    tile.width = tile.height = size;
    const t = tile.getContext('2d');
    if (!t) return theme.panel;
    t.fillStyle = theme.bg;
    t.fillRect(0, 0, size, size);
    t.strokeStyle = theme.hole;
    t.lineWidth = ratio;
    t.beginPath();
    for (const shift of [-size, 0, size]) {
        t.moveTo(shift - 1, size + 1);
        t.lineTo(shift + size + 1, -1);
    }
    t.stroke();
    const pattern = ctx.createPattern(tile, 'repeat');
    pattern?.setTransform(new DOMMatrix().scale(1 / ratio));
    return pattern ?? theme.panel;
}
