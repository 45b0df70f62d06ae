/* SPDX-License-Identifier: MIT */
/* The threads of a stack profile: their order, which of them are selected, and their activity over
 * time. */
import type { StackThreads, TimelineTrack } from '../base/answers';

type TrackName = Pick<TimelineTrack, 'id' | 'process' | 'tid' | 'name'>;

export interface StackThread {
    id: number;
    name: string;
    /** share of the samples in which the thread neither sleeps nor waits, 0 to 1; without times, of
     * the weight of all threads */
    active: number;
    weight: number;
    isIdle: boolean;
    /** 0 to 255 for each bin of the run */
    strip: readonly number[];
}

/* How the importer of pprof begins the name of such a track. */
const NO_THREAD = 'all threads · ';

/** The name that the program gave a thread, without its number: `worker` of `Thread 7 "worker"` and
 * of `thread (0x7F02): worker`. Samples without a thread are told apart by their labels: `task=load` of
 * `all threads · task=load`. */
export function shortThreadName(name: string): string {
    if (name.startsWith(NO_THREAD)) return name.slice(NO_THREAD.length);
    return /^thread\b.*?(?:"(.+)"|: (.+))$/i.exec(name)?.slice(1).find(Boolean) ?? name;
}

/** What identifies the thread of a track: each sample type has tracks of its own for a thread. */
const threadKey = ({ process, tid, name }: TrackName): string => `${process} ${tid} ${name}`;

/** Of the tracks with these ids, those of the selected threads, which may be tracks of another
 * sample type; null: all. */
export function selectedAmong(
    selected: ReadonlySet<number> | null,
    ids: readonly number[],
    tracks: readonly TrackName[],
): Set<number> | null {
    if (!selected) return null;
    const keys = new Set(tracks.filter(({ id }) => selected.has(id)).map(threadKey));
    const found = tracks.filter((track) => keys.has(threadKey(track))).map(({ id }) => id);
    return new Set(found.filter((id) => ids.includes(id)));
}

/** The threads, the most active first. Without times they are in the order of their weights, and are
 * neither active nor idle. */
export function threadsOf(
    answer: StackThreads,
    nameOf: (id: number) => string,
    isTime = true,
): StackThread[] {
    const { ids, weight, waiting, idle, bins, activity } = answer;
    const whole = weight.reduce((sum, one) => sum + one, 0);
    const shareOf = (i: number) =>
        isTime ? (weight[i] - waiting[i]) / weight[i] : weight[i] / whole;
    return ids
        .map((id, i) => ({
            id,
            name: nameOf(id),
            active: weight[i] > 0 ? shareOf(i) : 0,
            weight: weight[i],
            isIdle: isTime ? idle[i] === 1 : weight[i] === 0,
            strip: activity.slice(i * bins, (i + 1) * bins),
        }))
        .sort((a, b) => b.active - a.active || b.weight - a.weight || a.id - b.id);
}

/** The track ids in the parameter `threads`; null: all. */
export function readThreads(threads: string | undefined): Set<number> | null {
    const ids = (threads ?? '').split(',').filter((id) => /^\d{1,10}$/.test(id));
    return ids.length ? new Set(ids.map(Number)) : null;
}

/** The parameter `threads` for a selection; null: all of `ids` are selected, or none. */
export function threadsText(selected: ReadonlySet<number>, ids: readonly number[]): string | null {
    const kept = ids.filter((id) => selected.has(id));
    if (!kept.length || kept.length === ids.length) return null;
    return kept.sort((a, b) => a - b).join(',');
}

/** The parameter `threads` after one thread was checked or unchecked. */
export function toggleThread(
    selected: ReadonlySet<number> | null,
    ids: readonly number[],
    id: number,
): string | null {
    const now = new Set(selected ?? ids);
    if (!now.delete(id)) now.add(id);
    return threadsText(now, ids);
}

/** The thread after the one that is selected alone; the first if none is. */
export function nextThread(selected: ReadonlySet<number> | null, ids: readonly number[]): number {
    const alone = selected?.size === 1 ? ids.indexOf([...selected][0]) : -1;
    return ids[(alone + 1) % ids.length];
}

/** How many of the selected threads are active in each bin. */
export function activeThreads(
    threads: readonly StackThread[],
    selected: ReadonlySet<number> | null,
    bins: number,
): number[] {
    const sums = new Array<number>(bins).fill(0);
    for (const { id, strip } of threads) {
        if (selected && !selected.has(id)) continue;
        for (let bin = 0; bin < bins; bin++) sums[bin] += (strip[bin] ?? 0) / 255;
    }
    return sums;
}

/** An SVG path of columns, `width` by `height`, of values from 0 to `most`. */
export function stripPath(
    values: readonly number[],
    most: number,
    width: number,
    height: number,
): string {
    if (!(most > 0)) return '';
    const step = width / values.length;
    return values
        .map((value, i) => {
            if (!(value > 0)) return '';
            const top = height - Math.max(1, (height * Math.min(value, most)) / most);
            return `M${(i * step).toFixed(2)} ${height}V${top.toFixed(1)}h${step.toFixed(2)}V${height}z`;
        })
        .join('');
}

/** The range between two shares of the run, in ns; null if it is empty. */
export function brushedRange(
    span: { from_ns: number; to_ns: number },
    a: number,
    b: number,
): { from_ns: number; to_ns: number } | null {
    const at = (share: number) =>
        Math.round(span.from_ns + Math.max(0, Math.min(1, share)) * (span.to_ns - span.from_ns));
    const range = { from_ns: at(Math.min(a, b)), to_ns: at(Math.max(a, b)) };
    return range.to_ns > range.from_ns ? range : null;
}
