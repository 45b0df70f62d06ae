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
    maxWidth: number;
    text: string;
}

const ELLIPSIS = '…';
const LABEL_PX = 22;

/** Last component of a name: `void at::native::vectorized_kernel<4, …>(…)` becomes
 * vectorized_kernel, `aten::conv2d` becomes conv2d. Python frames are `file.py(12): name` in torch,
 * and `file.py.name`, `file.py:name:12` or `name (file.py:12)` in other tools. */
export function shortName(name: string): string {
    const shortened = name.replace(/^void\s+/, '').replace(/\s*\(anonymous namespace\)::/g, '');
    const frame = /^(?:.*\/)?[^/]+\.pyx?(?:\(\d+\): ?(.+)|:([^:\d][^:]*)(?::\d+)?)$/.exec(
        shortened,
    );
    if (frame) return frame[1] ?? frame[2];
    const dotted = /\.py(?:\(\d+\))?\.(.+)$/.exec(shortened);
    if (dotted) return dotted[1];
    const head = shortened.startsWith('<') ? shortened : bareName(shortened).trimEnd();
    const at = head.lastIndexOf('::');
    const tail = at > 0 ? head.slice(at + 2) : head;
    return tail || shortened;
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
export function cutText(text: string, width: number, maxWidth: number, measure: Measure): string {
    if (width <= maxWidth) return text;
    let n = Math.floor((text.length * (maxWidth - measure(ELLIPSIS))) / width);
    while (n >= 2 && measure(text.slice(0, n) + ELLIPSIS) > maxWidth) n--;
    return n >= 2 ? text.slice(0, n) + ELLIPSIS : '';
}

export class NameTable {
    private readonly names = new Map<number, string>();
    private readonly labels = new Map<number, Label>();
    private readonly requested = new Set<number>();
    private readonly marked = new Set<number>();

    nameOf(id: number): string | null {
        return this.names.get(id) ?? null;
    }

    put(id: number, name: string): void {
        this.names.set(id, name);
    }

    /** Marks a name for fetching; returns true if it is not loaded yet. */
    markName(id: number): boolean {
        if (this.names.has(id)) return false;
        if (!this.requested.has(id)) this.marked.add(id);
        return true;
    }

    /** Marks the names of the slices of a window that are wide enough for a label at `nsPerPx`. */
    markLabels(window: TrackWindow, nsPerPx: number): void {
        const { slices } = window;
        const least = LABEL_PX * nsPerPx;
        for (let i = 0; i < slices.n; i++) {
            if (slices.end[i] - slices.start[i] >= least) this.markName(slices.name[i]);
        }
    }

    get waiting(): number {
        return this.marked.size;
    }

    /** Returns at most `most` ids to request now, and marks them as requested. */
    takeMarked(most: number): number[] {
        const ids: number[] = [];
        for (const id of this.marked) {
            if (ids.length === most) break;
            ids.push(id);
        }
        for (const id of ids) {
            this.marked.delete(id);
            this.requested.add(id);
        }
        return ids;
    }

    /** After a failed request: the ids may be requested again. */
    allowRetry(ids: number[]): void {
        for (const id of ids) this.requested.delete(id);
    }

    /** Drops the cached labels, whose widths depend on the font. */
    forgetLabels(): void {
        this.labels.clear();
    }

    /** The label that fits into `maxWidth` px; '' if the name is not loaded or nothing of it fits. */
    labelFor(id: number, maxWidth: number, measure: Measure): string {
        const cachedLabel = this.labels.get(id) ?? this.makeLabel(id, measure);
        if (!cachedLabel) return '';
        if (cachedLabel.fullWidth <= maxWidth) return cachedLabel.full;
        if (cachedLabel.shortWidth <= maxWidth) return cachedLabel.short;
        const whole = Math.floor(maxWidth);
        if (cachedLabel.maxWidth !== whole) {
            cachedLabel.maxWidth = whole;
            cachedLabel.text = cutText(cachedLabel.short, cachedLabel.shortWidth, whole, measure);
        }
        return cachedLabel.text;
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
            maxWidth: -1,
            text: '',
        };
        this.labels.set(id, label);
        return label;
    }
}
