/* SPDX-License-Identifier: MIT */
/* Reads tokens of the style sheet for canvas code, and mixes the two tints of each origin. */
import { FAMILIES } from '../model/family';
import { PACKAGE_COLOURS } from '../model/frame_colours';
import { mix } from '../model/tint';

export interface Fill {
    solid: string;
    /** background of a hatched frame; `solid` is the colour of its stripes */
    ground: string;
}

export interface FrameTheme {
    dark: boolean;
    bg: string;
    inset: string;
    text1: string;
    text2: string;
    text3: string;
    accent: string;
    tick: string;
    bar2: string;
    ink: string;
    font: string;
    fontStrong: string;
    /** indexed by [origin][tint]; UNKNOWN_FILL is drawn as an outline. The fills of families
     * begin at FAMILY_FILL, those of differences at DIFF_FILL, those of packages at PACKAGE_FILL */
    fills: [Fill, Fill][];
}

/** Index of the first fill of the operator families; both tints of a family are equal. */
export const FAMILY_FILL = 5;
/** Index of the first of the seven fills of differences, from faster to slower. */
export const DIFF_FILL = FAMILY_FILL + FAMILIES.length;
const DIFF_STEPS = [1, 2, 3, 4, 5, 6, 7];
/** Index of the first of the fills of packages. */
export const PACKAGE_FILL = DIFF_FILL + DIFF_STEPS.length;
/** Index of the fill of all frames if colours show nothing. */
export const PLAIN_FILL = PACKAGE_FILL + PACKAGE_COLOURS;

const ORIGIN_TOKENS = ['own', 'third-party', 'stdlib', 'builtin'];
/** Index of the fill of an unknown origin, which is drawn as an outline. */
export const UNKNOWN_FILL = ORIGIN_TOKENS.length;

/* The token of each fill. */
const FILL_TOKENS = [
    ...ORIGIN_TOKENS.map((origin) => `origin-${origin}`),
    'bg',
    ...FAMILIES.map(({ key }) => `family-${key}`),
    ...DIFF_STEPS.map((step) => `diff-${step}`),
    ...Array.from({ length: PACKAGE_COLOURS }, (_, i) => `package-${i}`),
    'bar-2',
];

/** The CSS variable with the colour of a fill. */
export function fillVariable(fill: number): string {
    return `var(--${FILL_TOKENS[fill]})`;
}

const TINTS = [0.1, 0.2] as const;

export function readTheme(element: Element): FrameTheme {
    const style = getComputedStyle(element);
    const token = (name: string): string => style.getPropertyValue(`--${name}`).trim();
    const dark = style.colorScheme.includes('dark');
    const bg = token('bg');
    const fill = (colour: string): Fill => ({ solid: colour, ground: mix(colour, bg, 0.6) });
    const tints = (colour: string): [Fill, Fill] => [
        fill(mix(colour, dark ? '#000000' : '#ffffff', TINTS[0])),
        fill(mix(colour, dark ? '#000000' : '#ffffff', TINTS[1])),
    ];
    const single = (name: string): [Fill, Fill] => {
        const one = fill(token(name));
        return [one, one];
    };
    const sans = token('sans') || 'sans-serif';
    return {
        dark,
        bg,
        inset: token('inset'),
        text1: token('text-1'),
        text2: token('text-2'),
        text3: token('text-3'),
        accent: token('accent'),
        tick: token('tick'),
        bar2: token('bar-2'),
        ink: token('ink'),
        font: `11.5px ${sans}`,
        fontStrong: `600 11.5px ${sans}`,
        fills: FILL_TOKENS.map((name, i) => (i < UNKNOWN_FILL ? tints(token(name)) : single(name))),
    };
}
