/* SPDX-License-Identifier: MIT
 *
 * Positions of two runs side by side on a common time axis, computed from the URL and their
 * timelines.
 */
import { useMemo, useRef } from 'preact/hooks';
import type { Run, SliceAnswer, TimelineAnswer } from '../../base/answers';
import { API } from '../../base/client';
import { useMemoOn } from '../../base/hooks';
import type { Side } from '../../base/panel';
import { route, setQuery } from '../../base/router';
import {
    type Align,
    formatAlign,
    type Anchors,
    anchorsOf,
    moveOrigin,
    type AxisPosition,
    axisPositions,
    parseAlign,
} from '../../model/time_align';
import type { TimeView } from '../../model/timeline_view';
import { useJson } from '../shared/use_json';
import { axisOfRun, isTrace, timelinePath } from '../trace/data';

export const TIMELINE = 'timeline';

export interface Aligned {
    align: Align;
    anchors: Anchors;
    places: Record<Side, AxisPosition>;
    timelines: Record<Side, TimelineAnswer>;
}

const slicePath = (run: Run, id: number | null): string | null =>
    id === null ? null : `${API}/runs/${run.id}/slices/${id}`;

const spanOf = ({ start_ns, end_ns }: TimelineAnswer): TimeView => ({
    from: start_ns,
    to: Math.max(start_ns + 1, end_ns),
});

/** Loads the timelines of both runs if `isNeeded`, and aligns them. `aligned` is null while the
 * timelines are loading and if it is not needed. */
export function useAligned(
    runs: Record<Side, Run>,
    isNeeded: boolean,
): { aligned: Aligned | null; failed: boolean } {
    const urlAlign = route.value.query.align;
    const align = useMemo(() => parseAlign(urlAlign), [urlAlign]);
    const { data: base, error: baseError } = useJson<TimelineAnswer>(
        isNeeded ? timelinePath(runs.base) : null,
    );
    const { data: fresh, error: newError } = useJson<TimelineAnswer>(
        isNeeded ? timelinePath(runs.new) : null,
    );
    const event = align.by === 'event' && isNeeded ? align : null;
    const a = useJson<SliceAnswer>(slicePath(runs.base, event && event.base));
    const b = useJson<SliceAnswer>(slicePath(runs.new, event && event.new));
    const events = { base: a.data?.slice ?? null, new: b.data?.slice ?? null };
    const aligned = useMemoOn(() => {
        if (!base || !fresh || a.loading || b.loading) return null;
        if (event && !((a.data && b.data) || a.error || b.error)) return null;
        const anchors = anchorsOf(align, base, fresh, events);
        const places = axisPositions(anchors, spanOf(base), spanOf(fresh));
        return { align, anchors, places, timelines: { base, new: fresh } };
    }, [align, base, fresh, a.data, b.data, a.loading, b.loading]);
    // The last alignment remains until the new one is loaded.
    const last = useRef(aligned);
    if (aligned || !isNeeded) last.current = aligned;
    return { aligned: last.current, failed: baseError !== null || newError !== null };
}

/** Whether both runs have a timeline whose axes count the same unit. */
export function shareTimeAxis(runs: Record<Side, Run>, views: string[]): boolean {
    const [a, b] = [axisOfRun(runs.base), axisOfRun(runs.new)];
    return views.includes(TIMELINE) && a.unit === b.unit && a.scale === b.scale;
}

/** Whether steps and slices can be used for the alignment. Stack profiles have neither, and can
 * only be aligned at the start. */
export function canAlign(runs: Record<Side, Run>): boolean {
    return isTrace(runs.base) && isTrace(runs.new);
}

/** Changes the alignment; the rulers count from the new aligned time. The visible part of the base
 * stays the same, except for events and with `moveOn`: then the view moves to the aligned time. */
export function alignBy(now: Aligned, next: Align, moveOn = false): void {
    const { at } = route.peek().query;
    const { base, new: fresh } = now.timelines;
    const keepsAt = next.by === 'event' || moveOn || !at;
    const origin = anchorsOf(next, base, fresh, { base: null, new: null }).base.ns;
    setQuery(
        {
            align: formatAlign(next),
            ...(!keepsAt && { at: moveOrigin(at, now.anchors.base.ns, origin) }),
        },
        { replace: moveOn },
    );
}
