/* SPDX-License-Identifier: MIT */
/* Colours and fonts of the timeline's canvas, read from the style sheet. */
import { FAMILIES } from '../../model/family';
import { mix, parseHex } from '../../model/tint';

export interface TimelineTheme {
    dark: boolean;
    bg: string;
    panel: string;
    selected: string;
    tick: string;
    line: string;
    lineStrong: string;
    text1: string;
    text2: string;
    text3: string;
    accent: string;
    onAccent: string;
    ink: string;
    font: string;
    fontSmall: string;
    fontStrong: string;
    /** fills by number: the families, then the tints for slices without a family */
    fills: string[];
    /** [r, g, b] of each fill, for the pixels of the density */
    rgb: Uint8Array;
    memory: string;
    memoryArea: string;
    busy: string;
    range: string;
}

/** Number of tints of one hue that distinguish slices in traces without families. */
export const NAME_TINTS = 5;
const FIRST_TINT = FAMILIES.length;

/** Number of a slice's fill. The tint depends on the name id, which is constant within a run. */
export function fillOf(family: number, name: number): number {
    if (family > 0 && family < FIRST_TINT) return family;
    return FIRST_TINT + ((Math.imul(name, 0x9e3779b1) >>> 16) % NAME_TINTS);
}

function nameTints(base: string, towards: string): string[] {
    const tints: string[] = [];
    for (let i = 0; i < NAME_TINTS; i++) tints.push(mix(base, towards, 0.11 * i));
    return tints;
}

/** `torch`: slices without a family are grey, as `other` is in the legend. */
export function readTimelineTheme(element: Element, torch: boolean): TimelineTheme {
    const style = getComputedStyle(element);
    const token = (name: string): string => style.getPropertyValue(`--${name}`).trim();
    const dark = style.colorScheme.includes('dark');
    const bg = token('bg');
    const sans = token('sans') || 'sans-serif';
    const hue = token(torch ? 'family-none' : 'origin-third-party');
    const tints = nameTints(hue, torch ? hue : dark ? '#000000' : '#ffffff');
    const fills = [...FAMILIES.map(({ key }) => token(`family-${key}`)), ...tints];
    const memory = token('family-memory');
    return {
        dark,
        bg,
        panel: token('panel'),
        selected: token('selected'),
        tick: token('tick'),
        line: token('line'),
        lineStrong: token('line-strong'),
        text1: token('text-1'),
        text2: token('text-2'),
        text3: token('text-3'),
        accent: token('accent'),
        onAccent: token('on-accent'),
        ink: token('ink'),
        font: `11.5px ${sans}`,
        fontSmall: `11px ${sans}`,
        fontStrong: `600 11.5px ${sans}`,
        fills,
        rgb: Uint8Array.from(fills.flatMap((fill) => parseHex(fill))),
        memory: dark ? mix(memory, '#ffffff', 0.16) : mix(memory, '#000000', 0.25),
        memoryArea: mix(memory, bg, dark ? 0.62 : 0.66),
        busy: mix(token('family-matmul'), bg, dark ? 0 : 0.18),
        range: mix(token('accent'), bg, 0.5),
    };
}
