/* SPDX-License-Identifier: MIT
 *
 * The selected area of a timeline: lanes by time. In the URL, an area of all lanes is the range
 * `from_ns` and `to_ns`, which every tab of the trace shows. An area of some lanes is
 * `area=from-to@lanes`: tracks by id, counters and memory by key, as in `7,20,c2,m1:0`.
 */
import { rangeQuery, readRange, type TraceRange } from './trace_range';
import type { TimeView } from './timeline_view';

export interface Area extends TimeView {
    /** keys of lanes: `t3`, `c2`, `m1:0`; absent or null: all lanes */
    lanes?: ReadonlySet<string> | null;
}

type Query = Record<string, string | undefined>;

const AREA = /^(\d{1,16})-(\d{1,16})(?:@([\d,:cm-]+))?$/;
const TRACK = /^t(\d{1,7})$/;
const LANE = /^(?:\d{1,7}|c\d{1,9}|m\d+:-?\d+(?::\d+)?)$/;

/** The area of the URL; null if there is none, or if it is invalid. */
export function readArea(query: Query): Area | null {
    const match = AREA.exec(query.area ?? '');
    if (!match) {
        const range = readRange(query);
        return range && { from: range.from_ns, to: range.to_ns, lanes: null };
    }
    const [from, to] = [Number(match[1]), Number(match[2])];
    const words = match[3]?.split(',') ?? [];
    if (to <= from || !words.every((word) => LANE.test(word))) return null;
    const keys = words.map((word) => (/^\d/.test(word) ? `t${word}` : word));
    return { from, to, lanes: keys.length ? new Set(keys) : null };
}

/** The value of `area=`, also for an area of all lanes. */
export function areaText({ from, to, lanes }: Area): string {
    const words = [...(lanes ?? [])].map((key) => key.replace(TRACK, '$1'));
    const at = words.length ? `@${words.join(',')}` : '';
    return `${Math.round(from)}-${Math.round(to)}${at}`;
}

/** The area as query parameters of the URL; null clears it. */
export function areaQuery(area: Area | null): Record<'area' | 'from_ns' | 'to_ns', string | null> {
    if (area?.lanes) return { area: areaText(area), from_ns: null, to_ns: null };
    return { area: null, ...rangeQuery(area && { from_ns: area.from, to_ns: area.to }) };
}

/** Ids of the tracks of an area, ascending; null: all tracks. */
export function tracksOf({ lanes }: Area): number[] | null {
    if (!lanes) return null;
    const ids = [...lanes].flatMap((key) => TRACK.exec(key)?.[1] ?? []);
    return ids.map(Number).sort((a, b) => a - b);
}

/** Ids of the counters of an area, of those in a run. */
export function countersOf({ lanes }: Area, ids: readonly number[]): number[] {
    return lanes ? ids.filter((id) => lanes.has(`c${id}`)) : [...ids];
}

/** The range and the tracks for which the tables of the timeline are requested. */
export function rangeOfArea(area: Area): TraceRange {
    const tracks = tracksOf(area);
    const range = { from_ns: area.from, to_ns: area.to };
    return tracks ? { ...range, tracks: tracks.join(',') } : range;
}

/** The area without a lane, or with it; null if no track is left. An area of all lanes loses one
 * of `all`. */
export function toggleLane(area: Area, key: string, all: readonly string[]): Area | null {
    const lanes = new Set(area.lanes ?? all);
    if (!lanes.delete(key)) lanes.add(key);
    return [...lanes].some((one) => TRACK.test(one)) ? { ...area, lanes } : null;
}

/** The area moved by a time, within the run. */
export function moveArea(area: Area, by: number, whole: TimeView): Area {
    const shift = Math.max(whole.from - area.from, Math.min(whole.to + 1 - area.to, by));
    return { ...area, from: Math.round(area.from + shift), to: Math.round(area.to + shift) };
}
