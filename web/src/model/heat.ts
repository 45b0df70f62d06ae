/* SPDX-License-Identifier: MIT
 *
 * Heat scale for source lines: converts a share in percent to a level from 0 (cold) to 5.
 */
export const HEAT_STEPS: readonly number[] = [0.5, 3, 10, 25, 50];

/** Minimum level of rows that are tinted. */
export const TINT_MIN_LEVEL = 3;

export function heatLevel(pct: number): number {
    let level = 0;
    while (level < HEAT_STEPS.length && pct >= HEAT_STEPS[level]) level++;
    return level;
}

export interface RailMarker {
    /** position as a share of the rail height, 0 to 1 */
    top: number;
    level: number;
}

/** Marks of a heat rail: the hottest level of each slot, so that a long file does not have more
 * marks than fit. The rail represents a height of at least `minHeight` px, so that the marks of a
 * short file are next to their lines. */
export function railMarkers(
    offsets: ArrayLike<number>,
    heatLevelOf: (row: number) => number,
    slots: number,
    minHeight: number,
): RailMarker[] {
    const rows = offsets.length - 1;
    const height = Math.max(minHeight, offsets[rows]);
    if (rows <= 0 || height <= 0 || slots <= 0) return [];
    const hottest = new Uint8Array(slots);
    for (let row = 0; row < rows; row++) {
        const slot = Math.min(slots - 1, Math.floor((offsets[row] / height) * slots));
        hottest[slot] = Math.max(hottest[slot], heatLevelOf(row));
    }
    const marks: RailMarker[] = [];
    hottest.forEach((level, slot) => {
        if (level > 0) marks.push({ top: slot / slots, level });
    });
    return marks;
}
