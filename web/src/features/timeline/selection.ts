/* SPDX-License-Identifier: MIT */
/* Which slice is selected, what leads to another, and whether the picture has to move for it. */
import { useRef } from 'preact/hooks';
import { useEffectOn } from '../../base/hooks';
import { route } from '../../base/router';
import type { Run } from '../../base/types';
import { wholeName } from '../../model/filter_query';
import type { SliceAnswer } from '../../model/timeline_types';
import { rangeQuery } from '../../model/trace_range';
import type { Answer } from '../shared/use_json';
import { put } from '../trace/data';
import { useMatchingSlice } from './matching_slice';
import type { Mark } from './scene';
import { type Find, findFrom } from './search';
import type { TimelineStage } from './stage';

const setSlice = (id: number | null): void => put({ slice: id === null ? null : String(id) });

interface SelectProps {
    run: Run;
    stage: { current: TimelineStage | null };
    detail: Answer<SliceAnswer>;
    selected: Mark | null;
    find: Find;
    /** the slice of the URL */
    id: number | null;
    /** ns: from where this run and one beside it count */
    origin: number;
}

/**
 * `select` brings the slice into sight; `clicked` was in sight already. A slice that came with the
 * URL is moved to unless the URL says the window too.
 */
export function useSelect({ run, stage, detail, selected, find, id: now, origin }: SelectProps) {
    const urlQuery = route.peek().query;
    const reveal = useRef<number | null>(urlQuery.at ? null : Number(urlQuery.slice) || null);
    useEffectOn(() => {
        if (!selected || reveal.current !== selected.id) return;
        reveal.current = null;
        stage.current?.reveal(selected);
    }, [selected]);

    const slice = detail.data?.slice ?? null;
    const picked = useMatchingSlice({ run, origin, id: now, slice, select: setSlice });
    const select = (id: number | null): void => {
        reveal.current = id;
        picked(id);
        setSlice(id);
    };
    const selectClicked = (id: number | null): void => {
        reveal.current = null;
        picked(id);
        setSlice(id);
    };
    /** The neighbour on the same row. */
    const step = (forward: boolean): void => {
        const next = forward ? detail.data?.next : detail.data?.previous;
        if (next !== null && next !== undefined) select(next);
    };
    /** To the next hit of the search, or the previous one; what is to be said when there is none. */
    const enter = async (backward: boolean): Promise<string | null> => {
        if (!find.q) return null;
        const from = selected
            ? { ns: selected.start, id: selected.id }
            : { ns: stage.current?.view.from ?? 0, id: backward ? undefined : 0 };
        const hit = await findFrom(run, find, from, backward);
        if (hit) select(hit.id);
        return hit ? null : `no hit ${backward ? 'before' : 'after'} this`;
    };
    /** Searches for this name alone, and goes to the next slice of it. */
    const goToName = async (name: string): Promise<string | null> => {
        const filter = wholeName(name);
        put({ q: filter.q, regex: '1' });
        const from = { ns: stage.current?.view.from ?? 0, id: 0 };
        const hit = await findFrom(run, filter, from, false);
        if (hit) select(hit.id);
        return hit ? null : 'no hit after this';
    };
    /** One level back: the slice, the range, the search. */
    const back = (ranged: boolean): void => {
        if (selected) selectClicked(null);
        else if (ranged) put(rangeQuery(null));
        else put({ q: null, regex: null });
    };
    return { select, clicked: selectClicked, step, enter, toName: goToName, back };
}
