/* SPDX-License-Identifier: MIT
 *
 * The current hit of a search, as the URL parameter `hit`: its number in the order of steps, from 1.
 */
import { replaceQuery, route } from '../base/router';
import { steppedHit } from '../model/frame_hits';

export interface HitSteps {
    position: number | null;
    onStep: (by: 1 | -1) => void;
}

function currentHit({ hit = '' }: Record<string, string>, count: number): number | null {
    return /^[1-9]\d{0,8}$/.test(hit) && count > 0 ? Math.min(Number(hit), count) : null;
}

/** Steps through `count` hits; null: there is no search. */
export function hitSteps(count: number | null): HitSteps {
    return {
        position: currentHit(route.value.query, count ?? 0),
        // The search may have changed in the same event; then the URL has no hit any more.
        onStep: (by) => {
            const position = currentHit(route.peek().query, count ?? 0);
            replaceQuery({ hit: String(steppedHit(position, by, count ?? 0)) });
        },
    };
}

/** Changes a search; a new search has no current hit. */
export function setSearch(changes: { q?: string | null; regex?: string | null }): void {
    replaceQuery({ ...changes, hit: null });
}
