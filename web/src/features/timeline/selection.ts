/* SPDX-License-Identifier: MIT */
/* Selection of a slice: by click, by keys and by search. Moves the view if the slice is not
 * visible. */
import { useRef } from 'preact/hooks';
import type { FindAnswer, Run, SliceAnswer } from '../../base/answers';
import { useEffectOn } from '../../base/hooks';
import { isPanel } from '../../base/panel';
import { pushQuery, replaceQuery, route } from '../../base/router';
import { wholeName } from '../../model/filter_query';
import { areaQuery } from '../../model/timeline_area';
import type { Answer } from '../shared/use_json';
import { useMatchingSlice } from './matching_slice';
import type { Mark } from './scene';
import { type Find, findSlice } from './search';
import type { TimelineStage } from './stage';
import { showTrack } from './state';

/* Back undoes a selection. The history of a panel belongs to the page around it. */
const setSlice = (id: number | null): void => {
    const changes = { slice: id === null ? null : String(id) };
    if (isPanel()) replaceQuery(changes);
    else pushQuery(changes);
};

/** later than the end of every trace, ns */
const WHOLE_NS = 2 ** 53 - 1;

type HitPlace = NonNullable<FindAnswer['hit']>;

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
    // A hit of the search is shown wide enough to read its name.
    const isHit = useRef(false);
    const lastHit = useRef<HitPlace | null>(null);
    useEffectOn(() => {
        if (!selected || reveal.current !== selected.id) return;
        reveal.current = null;
        stage.current?.reveal(selected, isHit.current);
        isHit.current = false;
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
    const selectHit = (hit: HitPlace): void => {
        const timeline = stage.current;
        if (timeline) showTrack(hit.layer_track, timeline.props.lanes);
        isHit.current = true;
        lastHit.current = hit;
        const hitId = hit.id;
        // The hit may be selected already, but scrolled out of sight.
        if (selected?.id === hitId) timeline?.reveal(selected, true);
        else select(hitId);
    };
    /** Selects the previous or next slice on the same row. */
    const step = (forward: boolean): void => {
        const next = forward ? detail.data?.next : detail.data?.previous;
        if (next !== null && next !== undefined) select(next);
    };
    /** Selects the next or previous hit of the search; returns a message if there is none. */
    const enter = async (backward: boolean): Promise<string | null> => {
        if (!find.q) return null;
        const last = lastHit.current;
        // The details of the last hit may still be loading.
        const isLoading = last !== null && last.id === now;
        const from = isLoading
            ? { ns: last.start_ns, id: last.id }
            : selected
              ? { ns: selected.start, id: selected.id }
              : { ns: stage.current?.view.from ?? 0, id: backward ? undefined : 0 };
        // After the last hit the first one follows.
        const hit =
            (await findSlice(run, find, from, backward)) ??
            (await findSlice(run, find, { ns: backward ? WHOLE_NS : 0, id: 0 }, backward));
        if (hit) selectHit(hit);
        return hit ? null : 'no hit';
    };
    /** Searches for exactly this name and selects the next slice with it. */
    const goToName = async (name: string): Promise<string | null> => {
        const filter = wholeName(name);
        replaceQuery({ q: filter.q, regex: '1' });
        const from = { ns: stage.current?.view.from ?? 0, id: 0 };
        const hit = await findSlice(run, filter, from, false);
        if (hit) selectHit(hit);
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
