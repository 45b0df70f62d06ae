/* SPDX-License-Identifier: MIT
 *
 * What a thread of a torch trace is there for, told from the names of its outermost slices: the file
 * itself does not say.
 */
import type { TimelineData } from './timeline_data';
import { TRACK, type TraceTrack } from './timeline_types';

const LEVELS = 2;
const NAMES = 60;

const STEP = /^ProfilerStep/;
const BACKWARD = /^autograd::engine::evaluate_function|Backward\d*$|AccumulateGrad$/;
/** of the outermost names of a thread: it runs operators too, inside of these */
const MOST_BACKWARD = 0.3;
const LOADING = /DataLoader|_worker_loop|pin_memory/;

/** Distinct names of the outermost slices, longest bins included. */
function outerNames(data: TimelineData, track: number): Set<number> {
    const ids = new Set<number>();
    const window = data.cache.wholeOf(track);
    if (!window) return ids;
    for (let depth = 0; depth < Math.min(LEVELS, window.depth); depth++) {
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

function roleOf(names: string[], others: boolean): string | null {
    if (names.some((name) => STEP.test(name))) return others ? 'main, forward' : 'main';
    const backward = names.filter((name) => BACKWARD.test(name)).length;
    if (backward > names.length * MOST_BACKWARD) return 'autograd, backward';
    return names.some((name) => LOADING.test(name)) ? 'data loading' : null;
}

export function trackRoles(data: TimelineData, tracks: TraceTrack[]): Map<number, string> {
    const named = tracks
        .filter(({ kind }) => kind === TRACK.thread)
        .map(({ id }) => {
            const ids = [...outerNames(data, id)];
            return { id, names: ids.flatMap((name) => data.names.nameOf(name) ?? []) };
        });
    const backward = named.some(({ names }) => roleOf(names, false) === 'autograd, backward');
    const roles = new Map<number, string>();
    for (const { id, names } of named) {
        const role = roleOf(names, backward);
        if (role) roles.set(id, role);
    }
    return roles;
}
