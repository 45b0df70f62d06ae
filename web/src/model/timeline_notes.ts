/* SPDX-License-Identifier: MIT */
/* Places of the flags of notes on the ruler of a timeline. */
import type { TimelineNote } from '../base/answers';

/** px below which two flags collide */
const FLAG_GAP = 12;

/** A flag with its row on the ruler, or a group of notes that are too close for flags. */
export interface Flag {
    x: number;
    row: 0 | 1;
    /** one note, or at least three */
    notes: TimelineNote[];
}

/** Places notes, which are in the order of time. Two that collide stack in two rows, more become one
 * group. Flags outside of the width are left out. */
export function placeFlags(
    notes: readonly TimelineNote[],
    xOf: (t_ns: number) => number,
    width: number,
): Flag[] {
    const flags: Flag[] = [];
    const visible = notes.filter(({ t_ns }) => xOf(t_ns) >= 0 && xOf(t_ns) <= width);
    for (let from = 0; from < visible.length;) {
        let to = from + 1;
        while (to < visible.length && xOf(visible[to].t_ns) - xOf(visible[to - 1].t_ns) < FLAG_GAP)
            to++;
        const near = visible.slice(from, to);
        if (near.length > 2) {
            const middle = (xOf(near[0].t_ns) + xOf(near[near.length - 1].t_ns)) / 2;
            flags.push({ x: middle, row: 0, notes: near });
        } else {
            near.forEach((note, i) =>
                flags.push({ x: xOf(note.t_ns), row: i ? 1 : 0, notes: [note] }),
            );
        }
        from = to;
    }
    return flags;
}

/** First line and the others of a note. */
export function noteParts(text: string): { title: string; rest: string } {
    const end = text.indexOf('\n');
    return end < 0
        ? { title: text, rest: '' }
        : { title: text.slice(0, end), rest: text.slice(end + 1).trim() };
}
