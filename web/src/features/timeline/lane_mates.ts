/* SPDX-License-Identifier: MIT
 *
 * Names of timeline lanes that another run of the same program has too, because the ids of its
 * processes and threads differ. With them two timelines have the same order and scroll and fold
 * together.
 */
import { placeKey } from '../../model/device';
import type { TimelineAnswer, TraceTrack } from '../../model/timeline_types';
import { laneFrom, type Lanes } from './lanes';

/** Maps the key of a lane (`t3`, `b3`, `m1:0`, `c2`) to its name, and back. */
export interface LaneNames {
    nameOf: ReadonlyMap<string, string>;
    keyOf: ReadonlyMap<string, string>;
    /** names of the tracks, from top to bottom */
    order: string[];
}

/* A name without the number of its process or thread. */
function plain(words: string, number: string): string {
    return (number ? words.replaceAll(number, '') : words).replaceAll(/\s+/g, ' ').trim();
}

/* Tracks with equal names are numbered in their order. */
function namer({ processes }: TimelineAnswer): (track: TraceTrack) => string {
    const byId = new Map(processes.map((process) => [process.id, process]));
    const seen = new Map<string, number>();
    return ({ process, kind, device, stream, name, tid }) => {
        const of = byId.get(process);
        const whose = of ? plain(of.labels || of.name, of.pid) : '';
        const own = stream >= 0 ? `${device}/${stream}` : plain(name, tid);
        const key = [kind, of?.worker ?? 0, whose, own].join('|');
        const nth = seen.get(key) ?? 0;
        seen.set(key, nth + 1);
        return `${key}|${nth}`;
    };
}

export function laneNames(timeline: TimelineAnswer): LaneNames {
    const nameOf = new Map<string, string>();
    const name = namer(timeline);
    const order = timeline.tracks.map((track) => {
        const words = name(track);
        nameOf.set(`t${track.id}`, `t${words}`);
        nameOf.set(`b${track.id}`, `b${words}`);
        return words;
    });
    for (const memory of timeline.memory) {
        const key = `m${placeKey(memory)}`;
        nameOf.set(key, key);
    }
    for (const counter of timeline.counters) nameOf.set(`c${counter.id}`, `c${counter.name}`);
    const keyOf = new Map([...nameOf].map(([key, words]) => [words, key]));
    return { nameOf, keyOf, order };
}

/** Like a - b, but 0 for two infinities. */
const compare = (a: number, b: number): number => (a === b ? 0 : a - b);

/** Sorts the tracks like those of the other run; tracks that it lacks are last in their process. */
export function inOrder(timeline: TimelineAnswer, order: readonly string[]): TimelineAnswer {
    const places = new Map(order.map((name, i) => [name, i]));
    const name = namer(timeline);
    const tracks = timeline.tracks.map((track) => ({
        track,
        place: places.get(name(track)) ?? Infinity,
    }));
    const first = new Map<number, number>();
    for (const { track, place } of tracks) {
        first.set(track.process, Math.min(first.get(track.process) ?? Infinity, place));
    }
    const of = (process: number): number => first.get(process) ?? Infinity;
    tracks.sort(
        (a, b) =>
            compare(of(a.track.process), of(b.track.process)) ||
            compare(a.track.process, b.track.process) ||
            compare(a.place, b.place),
    );
    return { ...timeline, tracks: tracks.map(({ track }) => track) };
}

/** Scroll position as `name px`: the lane at the upper edge, and how many px of it are scrolled out. */
export function topText(lanes: Lanes, { nameOf }: LaneNames, top: number): string {
    const lane = lanes.lanes[laneFrom(lanes, top)];
    const name = lane && nameOf.get(lane.key);
    return name ? `${name} ${Math.round(top - lane.top)}` : '';
}

/** Scroll position in px for the `name px` of another run; null if there is no lane of this name. */
export function topOf(lanes: Lanes, { keyOf }: LaneNames, words: string): number | null {
    const match = /^(.*) (\d+)$/.exec(words);
    const key = match && keyOf.get(match[1]);
    const lane = lanes.lanes.find((one) => one.key === key);
    return match && lane ? lane.top + Math.min(Number(match[2]), lane.height) : null;
}

/** Translates lane keys of the URL into names, or names into keys; omits what `map` lacks. */
export function translate(
    text: string,
    map: ReadonlyMap<string, string>,
    between: string,
): string[] {
    return text.split(between).flatMap((word) => map.get(word) ?? []);
}
