/* SPDX-License-Identifier: MIT */
/* Selection of a slice: by click, by keys and by search. Moves the view if the slice is not
 * visible. */
import { useRef } from 'preact/hooks';
import { useEffectOn } from '../../base/hooks';
import { replaceQuery, route } from '../../base/router';
import type { Run } from '../../base/types';
import { wholeName } from '../../model/filter_query';
import type { SliceAnswer } from '../../model/timeline_types';
import { areaQuery } from '../../model/timeline_area';
import type { Answer } from '../shared/use_json';
import { useMatchingSlice } from './matching_slice';
import type { Mark } from './scene';
import { type Find, findSlice } from './search';
import type { TimelineStage } from './stage';

const setSlice = (id: number | null): void =>
    replaceQuery({ slice: id === null ? null : String(id) });

interface SelectProps {
    run: Run;
    stage: { current: TimelineStage | null };
    detail: Answer<SliceAnswer>;
    selected: Mark | null;
    find: Find;
    /** id of the slice in the URL; null for none */
    id: number | null;
    /** the time that is aligned with the other run, in ns of this run */
    origin: number;
}

/** `select` moves the view to the slice; `clicked` does not, because a clicked slice is visible.
 * When the tab is opened, the view moves to the slice of the URL, unless the URL also has a window.
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
    /** Selects the previous or next slice on the same row. */
    const step = (forward: boolean): void => {
        const next = forward ? detail.data?.next : detail.data?.previous;
        if (next !== null && next !== undefined) select(next);
    };
    /** Selects the next or previous hit of the search; returns a message if there is none. */
    const enter = async (backward: boolean): Promise<string | null> => {
        if (!find.q) return null;
        const from = selected
            ? { ns: selected.start, id: selected.id }
            : { ns: stage.current?.view.from ?? 0, id: backward ? undefined : 0 };
        const hit = await findSlice(run, find, from, backward);
        if (hit) select(hit.id);
        return hit ? null : `no hit ${backward ? 'before' : 'after'} this`;
    };
    /** Searches for exactly this name and selects the next slice with it. */
    const goToName = async (name: string): Promise<string | null> => {
        const filter = wholeName(name);
        replaceQuery({ q: filter.q, regex: '1' });
        const from = { ns: stage.current?.view.from ?? 0, id: 0 };
        const hit = await findSlice(run, filter, from, false);
        if (hit) select(hit.id);
        return hit ? null : 'no hit after this';
    };
    /** Clears the slice, else the area, else the search. */
    const back = (hasArea: boolean): void => {
        if (selected) selectClicked(null);
        else if (hasArea) replaceQuery(areaQuery(null));
        else replaceQuery({ q: null, regex: null });
    };
    return { select, clicked: selectClicked, step, enter, toName: goToName, back };
}
