/* SPDX-License-Identifier: MIT
 *
 * The critical path of a step: what its parts are called, what they say, and where the path is
 * drawn.
 */
import type {
    CriticalEdges,
    CriticalPart,
    CriticalPath,
    WindowAnswer,
    WindowTrack,
} from '../base/answers';
import { formatFixed, MINUS, pct, THIN_SPACE } from '../base/units';
import { ms } from './trace_range';
import { deviceWord } from './device';

interface PartInfo {
    title: string;
    /** the family whose colour the part has */
    family: string;
    /** "39.5 % of it ..." */
    says: string;
    /** a known way to shorten the part */
    advice?: string;
}

const PARTS: Record<string, PartInfo> = {
    data_loading: {
        title: 'data loading',
        family: 'data',
        says: 'loads data',
        advice: 'DataLoader(num_workers=4) or more workers load batches in the background.',
    },
    copies: {
        title: 'copies',
        family: 'memory',
        says: 'copies data',
        advice: 'pin_memory=True and .to(device, non_blocking=True) let copies overlap with work.',
    },
    forward: { title: 'forward', family: 'matmul', says: 'is the forward pass' },
    backward: { title: 'backward', family: 'norm', says: 'is the backward pass' },
    optimizer: {
        title: 'optimizer',
        family: 'elementwise',
        says: 'is the optimizer',
        advice: 'Optimizers with fused=True launch fewer kernels.',
    },
    communication: { title: 'communication', family: 'communication', says: 'communicates' },
    graph_replay: { title: 'graph replay', family: 'attention', says: 'replays graphs' },
    launch_delay: {
        title: 'launch delay',
        family: 'runtime',
        says: 'is launch delay',
        advice: 'CUDA graphs, torch.compile(mode="reduce-overhead"), launch many kernels at once.',
    },
    waiting: { title: 'waiting', family: 'python', says: 'waits' },
    host: { title: 'the CPU', family: 'none', says: '' },
    other: { title: 'other', family: 'none', says: 'is Python and other' },
};

export function partInfo(part: string): PartInfo {
    return PARTS[part] ?? { title: part, family: 'none', says: `is ${part}` };
}

const KIND_TITLES: Record<string, string> = {
    python: 'Python between operators',
    launch_delay: 'launch delay',
    gap: 'gaps between kernels',
    event_wait: 'from an event to the waiting kernel',
    thread_switch: 'from thread to thread',
    unexplained: 'not explained by the trace',
};

/** The name of an operator of the path, or what its time is. */
export function operatorTitle({ name, kind }: { name: string | null; kind: string }): string {
    if (name === null) return KIND_TITLES[kind] ?? kind;
    return kind === 'sync_return' ? `${name}, return` : name;
}

/** A time of the path with one part. */
export interface PartRun {
    part: number;
    from: number;
    to: number;
}

/** Neighbours of the same part as one run each, in order of time. */
export function partRuns(path: CriticalEdges): PartRun[] {
    const runs: PartRun[] = [];
    for (let i = 0; i < path.ns.length; i++) {
        const last = runs.at(-1);
        const to = path.from_ns[i] + path.ns[i];
        if (last?.part === path.part[i]) last.to = to;
        else runs.push({ part: path.part[i], from: path.from_ns[i], to });
    }
    return runs;
}

/** A time in which the path runs on one thread or stream. */
export interface PathLeg {
    track: number;
    from: number;
    to: number;
}

/** Stretches of the path on one track, of at least `least` ns each except the last: shorter ones are
 * joined, on the track that has most of their time. So the picture has no more lines than pixels. */
export function pathLegs(path: CriticalEdges, least: number): PathLeg[] {
    const legs: PathLeg[] = [];
    let times = new Map<number, number>();
    let from = path.from_ns.at(0) ?? 0;
    const flush = (to: number): void => {
        let track = -1;
        for (const [id, ns] of times) if (track < 0 || ns > (times.get(track) ?? 0)) track = id;
        const last = legs.at(-1);
        if (last?.track === track) last.to = to;
        else if (track >= 0) legs.push({ track, from, to });
        times = new Map();
        from = to;
    };
    for (let i = 0; i < path.ns.length; i++) {
        const to = path.from_ns[i] + path.ns[i];
        if (path.ns[i] >= least && times.size > 0) flush(path.from_ns[i]);
        times.set(path.track[i], (times.get(path.track[i]) ?? 0) + path.ns[i]);
        if (to - from >= least) flush(to);
    }
    flush(from + [...times.values()].reduce((a, b) => a + b, 0));
    return legs;
}

/** Intervals in which the path runs on a track; gaps shorter than `least` ns are closed. */
export function onTrack(path: CriticalEdges, track: number, least: number): [number, number][] {
    const spans: [number, number][] = [];
    for (let i = 0; i < path.ns.length; i++) {
        if (path.track[i] !== track) continue;
        const last = spans.at(-1);
        const to = path.from_ns[i] + path.ns[i];
        if (last && path.from_ns[i] - last[1] <= least) last[1] = to;
        else spans.push([path.from_ns[i], to]);
    }
    return spans;
}

/** Index of the edge of the path at a moment; -1: outside. */
export function edgeAt(path: CriticalEdges, ns: number): number {
    let low = 0;
    let high = path.ns.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (path.from_ns[middle] <= ns) low = middle + 1;
        else high = middle;
    }
    const i = low - 1;
    return i >= 0 && ns < path.from_ns[i] + path.ns[i] ? i : -1;
}

/** Parts in order of time, each where its longest stretch is; those off the path last. */
export function partsInOrder(answer: CriticalPath): CriticalPart[] {
    const { path, parts } = answer;
    const longest = new Map<string, PartRun>();
    for (const run of partRuns(path)) {
        const known = longest.get(path.parts[run.part]);
        if (!known || run.to - run.from > known.to - known.from)
            longest.set(path.parts[run.part], run);
    }
    const place = ({ part }: CriticalPart): number => longest.get(part)?.from ?? Infinity;
    return [...parts].sort((a, b) => (place(a) === place(b) ? 0 : place(a) - place(b)));
}

/** How much shorter the step would be, as text: "−35.779". */
export function gainText(length: number, changed: number): string {
    const gain = length - changed;
    return gain > 0 ? MINUS + ms(gain) : formatFixed(0, 3);
}

const percent = (share: number): string => `${pct(100 * share)}${THIN_SPACE}%`;

function paceText(answer: CriticalPath): string {
    const { length_ns, tracks, device_busy_ns, parts, path } = answer;
    // A device that waits for a launch does not set the pace.
    const threads = new Set(tracks.filter(({ thread }) => thread).map(({ id }) => id));
    const isHost = (i: number): boolean =>
        threads.has(path.track[i]) || path.kinds[path.kind[i]] === 'launch_delay';
    const host = path.ns.reduce((sum, ns, i) => sum + (isHost(i) ? ns : 0), 0) / length_ns;
    const largest = parts.reduce((a, b) => (b.ns > a.ns ? b : a));
    const most = `${percent(largest.ns / length_ns)} of it ${partInfo(largest.part).says}`;
    const off = tracks.every((row) => row.thread || row.on_path_ns === 0);
    if (off && device_busy_ns > 0)
        return `The CPU sets the pace of the whole step, ${most}: faster kernels would change nothing.`;
    if (host >= 0.9) return `The CPU sets the pace for ${percent(host)} of the step; ${most}.`;
    if (host <= 0.1)
        return `The ${deviceWord()} sets the pace for ${percent(1 - host)} of the step; ${most}.`;
    return `The path runs on the CPU for ${percent(host)} of the step, on the ${deviceWord()} for the rest; ${most}.`;
}

/** The two sentences above the picture. */
export function pathSays(answer: CriticalPath): [string, string] {
    const { length_ns, parts, exposed_communication_ns, communication_ns } = answer;
    const best = parts.reduce((a, b) => (b.faster2_ns < a.faster2_ns ? b : a));
    const gain = length_ns - best.faster2_ns;
    const title = partInfo(best.part).title;
    const half =
        gain > 0
            ? `${title[0].toUpperCase()}${title.slice(1)} twice as fast makes the step ${ms(gain)}${THIN_SPACE}ms shorter (${MINUS}${percent(gain / length_ns)}).`
            : 'No part that is twice as fast makes the step shorter.';
    const exposed =
        communication_ns > 0
            ? ` ${percent(exposed_communication_ns / communication_ns)} of the communication is exposed.`
            : '';
    return [paceText(answer), half + exposed];
}

/** A length of the step if a part changes. */
export interface Outcome {
    label: string;
    ns: number;
    isLimit?: boolean;
}

/** Whether the part runs on threads for most of its time on the path. */
function isOnThreads({ path, tracks }: CriticalPath, part: string): boolean {
    const threads = new Set(tracks.filter(({ thread }) => thread).map(({ id }) => id));
    const index = path.parts.indexOf(part);
    let balance = 0;
    path.ns.forEach((ns, i) => {
        if (path.part[i] === index) balance += threads.has(path.track[i]) ? ns : -ns;
    });
    return balance >= 0;
}

/** What the step would take: as now, with the part faster, and how long the other side is busy, which
 * is the least that a change of this part can reach. */
export function outcomes(answer: CriticalPath, part: CriticalPart): Outcome[] {
    const { length_ns, host_ns, device_busy_ns } = answer;
    const isHost = isOnThreads(answer, part.part);
    const limit = Math.min(length_ns, isHost ? device_busy_ns : host_ns);
    return [
        { label: 'as now', ns: length_ns },
        { label: '2× faster', ns: part.faster2_ns },
        { label: '4× faster', ns: part.faster4_ns },
        { label: 'at no cost', ns: part.removed_ns },
        ...(limit > 0
            ? [{ label: isHost ? `${deviceWord()} busy` : 'CPU busy', ns: limit, isLimit: true }]
            : []),
    ];
}

/** A slice to draw, or a pixel range of short slices with the share that they cover. */
export interface DrawnSlice {
    from: number;
    to: number;
    family: number;
    row: number;
    /** 0 to 1 */
    fill: number;
}

const PYTHON = 9;

/** The slices of a track without Python frames, on at most `most` rows: each on the first that is
 * free. */
export function packSlices(answer: WindowAnswer, track: WindowTrack, most: number): DrawnSlice[] {
    const { slices, density } = track;
    const nsPerPx = (answer.to_ns - answer.from_ns) / answer.px;
    // Starts of slices count from the start of the window.
    const all = slices.start.map((start, i) => ({
        from: answer.from_ns + start,
        to: answer.from_ns + start + slices.duration[i],
        family: slices.family[i],
        row: slices.depth[i],
        fill: 1,
    }));
    density.px.forEach((px, i) => {
        const from = answer.from_ns + px * nsPerPx;
        all.push({
            from,
            to: from + density.len[i] * nsPerPx,
            family: density.family[i],
            row: density.depth[i],
            fill: Math.min(255, density.fill[i]) / 255,
        });
    });
    const ends: number[] = [];
    return all
        .filter(({ family }) => family !== PYTHON)
        .sort((a, b) => a.from - b.from || a.row - b.row)
        .flatMap((slice) => {
            let row = 0;
            while (row < ends.length && ends[row] > slice.from + nsPerPx / 4) row++;
            if (row >= most) return [];
            ends[row] = slice.to;
            return [{ ...slice, row }];
        });
}
