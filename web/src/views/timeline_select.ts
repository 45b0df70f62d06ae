/* SPDX-License-Identifier: MIT */
/* Which slice is selected, and whether the picture has to move for it. */
import { useEffect, useRef } from 'preact/hooks';
import { setQuery } from '../base/router';
import type { Mark } from '../canvas/timeline_scene';
import type { TimelineStage } from '../components/timeline_stage';
import type { SliceAnswer } from '../model/timeline_types';
import type { Answer } from './use_json';

const put = (changes: Record<string, string | null>): void => setQuery(changes, { replace: true });
const write = (id: number | null): void => put({ slice: id === null ? null : String(id) });

/**
 * `select` brings the slice into sight; `clicked` was in sight already. A slice that came with the
 * URL is not moved to when the URL says a window too.
 */
export function useSelect(stage: { current: TimelineStage | null }, selected: Mark | null) {
    const reveal = useRef<number | null>(null);
    useEffect(() => {
        if (!selected || reveal.current !== selected.id) return;
        reveal.current = null;
        stage.current?.reveal(selected);
    }, [selected]);
    const select = (id: number | null): void => {
        reveal.current = id;
        write(id);
    };
    const clicked = (id: number | null): void => {
        reveal.current = null;
        write(id);
    };
    return { select, clicked };
}

/** The neighbour on the same row. */
export function useSteps(
    detail: Answer<SliceAnswer>,
    select: (id: number | null) => void,
): (forward: boolean) => void {
    return (forward) => {
        const next = forward ? detail.data?.next : detail.data?.previous;
        if (next !== null && next !== undefined) select(next);
    };
}
