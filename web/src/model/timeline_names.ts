/* SPDX-License-Identifier: MIT
 *
 * Names of slices by their text id, fetched when they are needed, and shortened to fit: the
 * complete name, then its last component, then an ellipsis.
 */
import type { Measure } from './labels';
import type { TrackWindow } from './timeline_cache';

export interface Label {
    full: string;
    fullWidth: number;
    short: string;
    shortWidth: number;
    /** px of the last shortening: most frames need the same width again */
    room: number;
    text: string;
}

const ELLIPSIS = '…';
const LABEL_PX = 22;

/** Last component of a name: `void at::native::vectorized_kernel<4, …>(…)` becomes
 * vectorized_kernel, `aten::conv2d` becomes conv2d. Python frames are `file.py(12): name` in torch,
 * and `file.py.name`, `file.py:name:12` or `name (file.py:12)` in other tools. */
export function shortName(name: string): string {
    const plain = name.replace(/^void\s+/, '').replace(/\s*\(anonymous namespace\)::/g, '');
    const frame = /^(?:.*\/)?[^/]+\.pyx?(?:\(\d+\): ?(.+)|:([^:\d][^:]*)(?::\d+)?)$/.exec(plain);
    if (frame) return frame[1] ?? frame[2];
    const dotted = /\.py(?:\(\d+\))?\.(.+)$/.exec(plain);
    if (dotted) return dotted[1];
    const head = plain.startsWith('<') ? plain : bareName(plain).trimEnd();
    const at = head.lastIndexOf('::');
    const tail = at > 0 ? head.slice(at + 2) : head;
    return tail || plain;
}

/** Removes template arguments and parameters: `a<b>::operator()(c)` becomes `a::operator()`. */
function bareName(name: string): string {
    let out = '';
    let depth = 0;
    for (let i = 0; i < name.length; i++) {
        const c = name[i];
        if (depth === 0 && out.endsWith('operator') && /[^\w:\s]/.test(c)) {
            return out + (/^(?:\(\)|[^\w(\s]+)/.exec(name.slice(i))?.[0] ?? '');
        }
        if (c === '<') depth++;
        else if (c === '>' && depth > 0) depth--;
        else if (depth === 0 && c === '(' && out) return out;
        else if (depth === 0) out += c;
    }
    return out;
}

/** The longest prefix that fits with an ellipsis; '' if not even two letters fit. */
export function cutText(text: string, width: number, room: number, measure: Measure): string {
    if (width <= room) return text;
    let n = Math.floor((text.length * (room - measure(ELLIPSIS))) / width);
    while (n >= 2 && measure(text.slice(0, n) + ELLIPSIS) > room) n--;
    return n >= 2 ? text.slice(0, n) + ELLIPSIS : '';
}

export class NameTable {
    private readonly names = new Map<number, string>();
    private readonly labels = new Map<number, Label>();
    private readonly asked = new Set<number>();
    private readonly wanted = new Set<number>();

    nameOf(id: number): string | null {
        return this.names.get(id) ?? null;
    }

    put(id: number, name: string): void {
        this.names.set(id, name);
    }

    /** Marks a name for fetching; returns true if it is not loaded yet. */
    want(id: number): boolean {
        if (this.names.has(id)) return false;
        if (!this.asked.has(id)) this.wanted.add(id);
        return true;
    }

    /** Marks the names of a window's slices that are wide enough for a label at `ofPx` ns per pixel. */
    wantLabels(window: TrackWindow, ofPx: number): void {
        const { slices } = window;
        const least = LABEL_PX * ofPx;
        for (let i = 0; i < slices.n; i++) {
            if (slices.end[i] - slices.start[i] >= least) this.want(slices.name[i]);
        }
    }

    get waiting(): number {
        return this.wanted.size;
    }

    /** Returns at most `most` ids to request now, and marks them as requested. */
    take(most: number): number[] {
        const ids: number[] = [];
        for (const id of this.wanted) {
            if (ids.length === most) break;
            ids.push(id);
        }
        for (const id of ids) {
            this.wanted.delete(id);
            this.asked.add(id);
        }
        return ids;
    }

    /** After a failed request: the ids may be requested again. */
    giveBack(ids: number[]): void {
        for (const id of ids) this.asked.delete(id);
    }

    /** Drops the cached labels, whose widths depend on the font. */
    forgetLabels(): void {
        this.labels.clear();
    }

    /** The label that fits into `room` px; '' if the name is not loaded or nothing of it fits. */
    labelFor(id: number, room: number, measure: Measure): string {
        const known = this.labels.get(id) ?? this.makeLabel(id, measure);
        if (!known) return '';
        if (known.fullWidth <= room) return known.full;
        if (known.shortWidth <= room) return known.short;
        const whole = Math.floor(room);
        if (known.room !== whole) {
            known.room = whole;
            known.text = cutText(known.short, known.shortWidth, whole, measure);
        }
        return known.text;
    }

    private makeLabel(id: number, measure: Measure): Label | null {
        const full = this.names.get(id);
        if (full === undefined) return null;
        const short = shortName(full);
        const label = {
            full,
            fullWidth: measure(full),
            short,
            shortWidth: measure(short),
            room: -1,
            text: '',
        };
        this.labels.set(id, label);
        return label;
    }
}
