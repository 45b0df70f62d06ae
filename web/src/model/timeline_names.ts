/* SPDX-License-Identifier: MIT
 *
 * Names of slices by their text id, fetched when they are to be read, and how they are shortened:
 * full, then the last component, then an ellipsis.
 */
import type { Measure } from './labels';
import type { TrackWindow } from './timeline_cache';

export interface Label {
    full: string;
    fullWidth: number;
    short: string;
    shortWidth: number;
    /** the last shortening: most frames ask for the same room again */
    room: number;
    text: string;
}

const ELLIPSIS = '…';
const LABEL_PX = 22;

/** `void at::native::vectorized_kernel<4, …>(…)` is a vectorized_kernel; `aten::conv2d` a conv2d. Frames are
 * `file.py(12): name` to torch, `file.py.name`, `file.py:name:12` or `name (file.py:12)` to others. */
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

/** Without what stands in <…>, and up to the parameters: `a<b>::operator()(c)` is `a::operator()`. */
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

/** Longest beginning that fits with an ellipsis; '' when not even two letters do. */
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

    /** Notes a name that is to be read; true when it is not here yet. */
    want(id: number): boolean {
        if (this.names.has(id)) return false;
        if (!this.asked.has(id)) this.wanted.add(id);
        return true;
    }

    /** Those of a window's slices that are wide enough for a label at `ofPx` ns a pixel. */
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

    /** At most `most` ids to ask for now. */
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

    /** A question that failed may be asked again. */
    giveBack(ids: number[]): void {
        for (const id of ids) this.asked.delete(id);
    }

    /** Widths belong to a font. */
    forgetLabels(): void {
        this.labels.clear();
    }

    /** What to write into `room` px; '' when the name is not here or nothing of it fits. */
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
