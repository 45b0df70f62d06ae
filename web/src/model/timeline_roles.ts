/* SPDX-License-Identifier: MIT
 *
 * What a thread of a torch trace is there for, told from the names of its outermost slices: the file
 * itself does not say.
 */
import type { TimelineData } from './timeline_data';
import { TRACK, type TraceTrack } from './timeline_types';

const LEVELS = 2;
const NAMES = 60;

/** the training loop, by its steps or because it asks for data */
const LOOP = /^ProfilerStep|^enumerate\(DataLoader\)/;
const BACKWARD = /^autograd::engine::evaluate_function|Backward\d*$|AccumulateGrad$/;
/** of the outermost names of a thread: one that runs both ways has as many forward */
const MOST_BACKWARD = 0.6;
const LOADING = /DataLoader|_worker_loop|pin_memory/;

interface Outer {
    id: number;
    /** of the outermost two levels */
    names: string[];
    outermost: string[];
}

/** Distinct names of the outermost slices, longest bins included. */
function outerNames(data: TimelineData, track: number, levels = LEVELS): Set<number> {
    const ids = new Set<number>();
    const window = data.cache.wholeOf(track);
    if (!window) return ids;
    for (let depth = 0; depth < Math.min(levels, window.depth); depth++) {
        for (const { name, lane } of [window.slices, window.density]) {
            for (let i = lane[depth]; i < lane[depth + 1] && ids.size < NAMES; i++)
                ids.add(name[i]);
        }
    }
    return ids;
}

/** Notes the names that roles would be told from; they are fetched with the next ones. */
export function wantRoleNames(data: TimelineData, tracks: TraceTrack[]): void {
    for (const { id, kind } of tracks) {
        if (kind !== TRACK.thread) continue;
        for (const name of outerNames(data, id)) data.names.want(name);
    }
}

function runsBackward(outermost: string[]): boolean {
    const backward = outermost.filter((name) => BACKWARD.test(name)).length;
    return backward > outermost.length * MOST_BACKWARD;
}

function roleOf({ names, outermost }: Outer, others: boolean): string | null {
    if (names.some((name) => LOOP.test(name))) return others ? 'main, forward' : 'main';
    if (runsBackward(outermost)) return 'autograd, backward';
    return names.some((name) => LOADING.test(name)) ? 'data loading' : null;
}

export function trackRoles(data: TimelineData, tracks: TraceTrack[]): Map<number, string> {
    const named = tracks
        .filter(({ kind }) => kind === TRACK.thread)
        .map(({ id }) => {
            const known = (levels: number): string[] =>
                [...outerNames(data, id, levels)].flatMap((name) => data.names.nameOf(name) ?? []);
            return { id, names: known(LEVELS), outermost: known(1) };
        });
    const backward = named.some((outer) => roleOf(outer, false) === 'autograd, backward');
    const roles = new Map<number, string>();
    for (const outer of named) {
        const role = roleOf(outer, backward);
        if (role) roles.set(outer.id, role);
    }
    return roles;
}
