/* SPDX-License-Identifier: MIT
 *
 * One scale of heat for lines: a share in percent as a step from 0 (cold) to 5.
 */
export const HEAT_STEPS: readonly number[] = [0.5, 3, 10, 25, 50];

/** Rows are tinted from here on. */
export const TINT_FROM = 3;

export function heatLevel(pct: number): number {
    let level = 0;
    while (level < HEAT_STEPS.length && pct >= HEAT_STEPS[level]) level++;
    return level;
}

export interface RailMark {
    /** share of the whole height, from 0 */
    top: number;
    level: number;
}

/**
 * The hottest of each slot, so that a long file has no more marks than there is room for. `room`:
 * the rail stands for at least that height, so a short file keeps its marks beside its lines.
 */
export function railMarks(
    offsets: ArrayLike<number>,
    levelOf: (row: number) => number,
    slots: number,
    room: number,
): RailMark[] {
    const rows = offsets.length - 1;
    const height = Math.max(room, offsets[rows]);
    if (rows <= 0 || height <= 0 || slots <= 0) return [];
    const hottest = new Uint8Array(slots);
    for (let row = 0; row < rows; row++) {
        const slot = Math.min(slots - 1, Math.floor((offsets[row] / height) * slots));
        hottest[slot] = Math.max(hottest[slot], levelOf(row));
    }
    const marks: RailMark[] = [];
    hottest.forEach((level, slot) => {
        if (level > 0) marks.push({ top: slot / slots, level });
    });
    return marks;
}
