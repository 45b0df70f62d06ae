/* SPDX-License-Identifier: MIT
 *
 * Role of a thread in a torch trace, derived from the names of the thread's outermost slices,
 * because the file does not contain roles.
 */
import { TRACK, type TraceTrack } from '../../model/timeline_types';
import type { TimelineData } from './data';

const LEVELS = 2;
const MAX_NAMES = 60;

/** the training loop: its steps, or its requests for data */
const TRAINING_LOOP = /^ProfilerStep|^enumerate\(DataLoader\)/;
const BACKWARD = /^autograd::engine::evaluate_function|Backward\d*$|AccumulateGrad$/;
/** minimum share of backward names among the outermost names of a thread; a thread that runs both
 * passes has about as many forward names as backward names */
const MIN_BACKWARD_SHARE = 0.6;
const DATA_LOADING = /DataLoader|_worker_loop|pin_memory/;

interface ThreadNames {
    id: number;
    /** names of the slices on the two outermost levels */
    names: string[];
    outermost: string[];
}

/** Ids of at most MAX_NAMES distinct names of the outermost slices, including the names of density
 * bins. */
function outerNameIds(data: TimelineData, track: number, levels = LEVELS): Set<number> {
    const ids = new Set<number>();
    const window = data.cache.wholeOf(track);
    if (!window) return ids;
    for (let depth = 0; depth < Math.min(levels, window.depth); depth++) {
        for (const { name, lane } of [window.slices, window.density]) {
            for (let i = lane[depth]; i < lane[depth + 1] && ids.size < MAX_NAMES; i++)
                ids.add(name[i]);
        }
    }
    return ids;
}

/** Marks the names that the roles are derived from; they are fetched with the next request. */
export function loadRoleNames(data: TimelineData, tracks: TraceTrack[]): void {
    for (const { id, kind } of tracks) {
        if (kind !== TRACK.thread) continue;
        for (const name of outerNameIds(data, id)) data.names.markName(name);
    }
}

function runsBackward(outermost: string[]): boolean {
    const backward = outermost.filter((name) => BACKWARD.test(name)).length;
    return backward > outermost.length * MIN_BACKWARD_SHARE;
}

function roleOf({ names, outermost }: ThreadNames, hasBackward: boolean): string | null {
    if (names.some((name) => TRAINING_LOOP.test(name)))
        return hasBackward ? 'main, forward' : 'main';
    if (runsBackward(outermost)) return 'autograd, backward';
    return names.some((name) => DATA_LOADING.test(name)) ? 'data loading' : null;
}

export function trackRoles(data: TimelineData, tracks: TraceTrack[]): Map<number, string> {
    const named = tracks
        .filter(({ kind }) => kind === TRACK.thread)
        .map(({ id }) => {
            const namesOfLevels = (levels: number): string[] =>
                [...outerNameIds(data, id, levels)].flatMap(
                    (name) => data.names.nameOf(name) ?? [],
                );
            return { id, names: namesOfLevels(LEVELS), outermost: namesOfLevels(1) };
        });
    const backward = named.some((thread) => roleOf(thread, false) === 'autograd, backward');
    const roles = new Map<number, string>();
    for (const thread of named) {
        const role = roleOf(thread, backward);
        if (role) roles.set(thread.id, role);
    }
    return roles;
}
