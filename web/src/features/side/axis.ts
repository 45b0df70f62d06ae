/* SPDX-License-Identifier: MIT
 *
 * Where two runs side by side stand on one axis of time, from what the URL says and their timelines.
 */
import { useMemo, useRef } from 'preact/hooks';
import { API } from '../../base/client';
import { useMemoOn } from '../../base/hooks';
import type { Side } from '../../base/panel';
import { route, setQuery } from '../../base/router';
import type { Run } from '../../base/types';
import {
    type Align,
    alignText,
    type Anchors,
    anchorsOf,
    firstAtOrAfter,
    type Place,
    placesOf,
    readAlign,
} from '../../model/time_align';
import type { SliceAnswer, TimelineAnswer } from '../../model/timeline_types';
import type { TimeView } from '../../model/timeline_view';
import { useJson } from '../shared/use_json';
import { axisOfRun, isTrace, timelinePath } from '../trace/data';

export const TIMELINE = 'timeline';

export interface Aligned {
    align: Align;
    anchors: Anchors;
    places: Record<Side, Place>;
    timelines: Record<Side, TimelineAnswer>;
}

const slicePath = (run: Run, id: number | null): string | null =>
    id === null ? null : `${API}/runs/${run.id}/slices/${id}`;

const spanOf = ({ start_ns, end_ns }: TimelineAnswer): TimeView => ({
    from: start_ns,
    to: Math.max(start_ns + 1, end_ns),
});

/** null: not known yet, or not needed; `wanted` tells which. */
export function useAligned(
    runs: Record<Side, Run>,
    wanted: boolean,
): { aligned: Aligned | null; failed: boolean } {
    const words = route.value.query.align;
    const align = useMemo(() => readAlign(words), [words]);
    const { data: base, error: baseError } = useJson<TimelineAnswer>(
        wanted ? timelinePath(runs.base) : null,
    );
    const { data: fresh, error: newError } = useJson<TimelineAnswer>(
        wanted ? timelinePath(runs.new) : null,
    );
    const event = align.by === 'event' && wanted ? align : null;
    const a = useJson<SliceAnswer>(slicePath(runs.base, event && event.base));
    const b = useJson<SliceAnswer>(slicePath(runs.new, event && event.new));
    const events = { base: a.data?.slice ?? null, new: b.data?.slice ?? null };
    const aligned = useMemoOn(() => {
        if (!base || !fresh || a.loading || b.loading) return null;
        if (event && !((a.data && b.data) || a.error || b.error)) return null;
        const anchors = anchorsOf(align, base, fresh, events);
        const places = placesOf(anchors, spanOf(base), spanOf(fresh));
        return { align, anchors, places, timelines: { base, new: fresh } };
    }, [align, base, fresh, a.data, b.data, a.loading, b.loading]);
    // The last one stays until the next is known.
    const last = useRef(aligned);
    if (aligned || !wanted) last.current = aligned;
    return { aligned: last.current, failed: baseError !== null || newError !== null };
}

/** Both have a timeline, and count the same: so they have one axis. */
export function haveTimeAxis(runs: Record<Side, Run>, views: string[]): boolean {
    const [a, b] = [axisOfRun(runs.base), axisOfRun(runs.new)];
    return views.includes(TIMELINE) && a.unit === b.unit && a.scale === b.scale;
}

/** Steps and slices that tell a moment are those of traces; of stacks only the start is known. */
export function canAlign(runs: Record<Side, Run>): boolean {
    return isTrace(runs.base) && isTrace(runs.new);
}

/**
 * Aligns by something else. The ruler counts from there: the base stays where it is, unless the
 * picture is to move on with it.
 */
export function alignBy(now: Aligned, next: Align, moveOn = false): void {
    const { at } = route.peek().query;
    const { base, new: fresh } = now.timelines;
    const kept = next.by === 'event' || moveOn || !at;
    const origin = anchorsOf(next, base, fresh, { base: null, new: null }).base.ns;
    setQuery(
        {
            align: alignText(next),
            ...(!kept && { at: firstAtOrAfter(at, now.anchors.base.ns, origin) }),
        },
        { replace: moveOn },
    );
}
