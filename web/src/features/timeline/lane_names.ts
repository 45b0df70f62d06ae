/* SPDX-License-Identifier: MIT
 *
 * Names of timeline lanes that another run of the same program has too; the ids of processes and
 * threads differ between runs. By these names two timelines have the same order, and scroll and
 * fold together.
 */
import type { TimelineAnswer } from '../../base/answers';
import { placeKey } from '../../model/device';
import { isLowerLayer } from '../../model/timeline_layers';
import type { TraceTrack } from '../../model/timeline_types';
import { laneIndexAt, type Lanes } from './lanes';

/** Maps the key of a lane (`t3`, `b3`, `m1:0`, `c2`) to its name, and back. */
export interface LaneNames {
    nameOf: ReadonlyMap<string, string>;
    keyOf: ReadonlyMap<string, string>;
    /** names of the tracks, from top to bottom */
    order: string[];
}

/* A name without the number of its process or thread. */
function withoutNumber(name: string, number: string): string {
    return (number ? name.replaceAll(number, '') : name).replaceAll(/\s+/g, ' ').trim();
}

/* Returns a function that names tracks. It must be called for all tracks in order, because equal
 * names get a number. */
function createTrackNamer({ processes }: TimelineAnswer): (track: TraceTrack) => string {
    const byId = new Map(processes.map((process) => [process.id, process]));
    const seen = new Map<string, number>();
    return ({ id, process, kind, device, stream, name, tid, layer }) => {
        const of = byId.get(process);
        const processName = of ? withoutNumber(of.labels || of.name, of.pid) : '';
        const trackName = stream >= 0 ? `${device}/${stream}` : withoutNumber(name, tid);
        const key = [kind, of?.worker ?? 0, processName, trackName, isLowerLayer(id) && layer].join(
            '|',
        );
        const nth = seen.get(key) ?? 0;
        seen.set(key, nth + 1);
        return `${key}|${nth}`;
    };
}

export function laneNames(timeline: TimelineAnswer): LaneNames {
    const nameOf = new Map<string, string>();
    const name = createTrackNamer(timeline);
    const order = timeline.tracks.map((track) => {
        const trackName = name(track);
        nameOf.set(`t${track.id}`, `t${trackName}`);
        nameOf.set(`b${track.id}`, `b${trackName}`);
        return trackName;
    });
    for (const memory of timeline.memory) {
        const key = `m${placeKey(memory)}`;
        nameOf.set(key, key);
    }
    for (const counter of timeline.counters) nameOf.set(`c${counter.id}`, `c${counter.name}`);
    const keyOf = new Map([...nameOf].map(([key, laneName]) => [laneName, key]));
    return { nameOf, keyOf, order };
}

/** Like a - b, but 0 for two infinities. */
const compare = (a: number, b: number): number => (a === b ? 0 : a - b);

/** Sorts the tracks in the order of the other run; tracks that the other run lacks are last in
 * their process. */
export function sortTracks(timeline: TimelineAnswer, order: readonly string[]): TimelineAnswer {
    const places = new Map(order.map((name, i) => [name, i]));
    const name = createTrackNamer(timeline);
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

/** Scroll position as `name px`: the lane at the upper edge, and how many px of the lane are above
 * the edge. */
export function formatTop(lanes: Lanes, { nameOf }: LaneNames, top: number): string {
    const lane = lanes.lanes[laneIndexAt(lanes, top)];
    const name = lane && nameOf.get(lane.key);
    return name ? `${name} ${Math.round(top - lane.top)}` : '';
}

/** Scroll position in px for the `name px` of another run; null if there is no lane of this name. */
export function parseTop(lanes: Lanes, { keyOf }: LaneNames, position: string): number | null {
    const match = /^(.*) (\d+)$/.exec(position);
    const key = match && keyOf.get(match[1]);
    const lane = lanes.lanes.find((one) => one.key === key);
    return match && lane ? lane.top + Math.min(Number(match[2]), lane.height) : null;
}

/** Separates names, and the two names of a pair; neither occurs in the names of lanes. */
const NAME_SEPARATOR = '\n';
const NAME_JOINT = '\t';

/* Items are keys, or a key with a key or a number. Other words stay as they are. Items with unknown
 * keys are omitted. */
function translateItem(
    parts: string[],
    isKey: (part: string) => boolean,
    map: ReadonlyMap<string, string>,
): string[] | null {
    const translated = parts.map((part) => (isKey(part) ? map.get(part) : part));
    return translated.includes(undefined) ? null : (translated as string[]);
}

/** Translates the lane keys in a value of the URL (arrangement.ts) into names. */
export function namesOfKeys(value: string, { nameOf }: LaneNames): string {
    const isKey = (part: string): boolean => /^[tbmc]\d/.test(part);
    return value
        .split(',')
        .flatMap((item) => translateItem(item.split('.'), isKey, nameOf)?.join(NAME_JOINT) ?? [])
        .join(NAME_SEPARATOR);
}

/** Translates the names of another run into a value of the URL. */
export function keysOfNames(names: string, { keyOf }: LaneNames): string {
    const isName = (part: string): boolean => !/^(\d+|\*|none|)$/.test(part);
    return names
        .split(NAME_SEPARATOR)
        .flatMap((item) => translateItem(item.split(NAME_JOINT), isName, keyOf)?.join('.') ?? [])
        .join(',');
}
