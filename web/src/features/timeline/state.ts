/* SPDX-License-Identifier: MIT */
/* State of the timeline that is not in the URL: loaded data, and values derived from it. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Run, TimelineAnswer } from '../../base/answers';
import type { ApiError } from '../../base/client';
import { useMemoOn } from '../../base/hooks';
import { replaceQuery, route } from '../../base/router';
import { isAttributed, traceOf } from '../trace/data';
import { foldAllChanges, foldChanges, heightChanges, moveChanges, pinChanges } from './arrangement';
import { type WindowRequest, type TimelineData, timelineData } from './data';
import type { Lanes } from './lanes';
import type { ArrangementChange } from './props';
import { TimelineLoader } from './requests';
import { trackRoles, loadRoleNames } from './roles';
import type { TimelineStage } from './stage';

/** Writes what the user did with the lanes to the URL. */
export function arrange(change: ArrangementChange, { pinned }: Lanes): void {
    const { query } = route.peek();
    if ('pin' in change) replaceQuery(pinChanges(pinned, change.pin));
    else if ('fold' in change) replaceQuery(foldChanges(query, change.fold));
    else if ('foldAll' in change) replaceQuery(foldAllChanges(query));
    else if ('move' in change) replaceQuery(moveChanges(query, change.move, change.before));
    else replaceQuery(heightChanges(query, change.resize, change.px));
}

/** Makes the lane of a track and its rows visible: clears the filter if it hides the lane, unfolds
 * the lane if it is folded. */
export function showTrack(track: number, lanes: Lanes): void {
    const lane = lanes.byTrack.get(track);
    if (!lane) replaceQuery({ tracks: lanes.unlisted > 0 ? '*' : null });
    else if (lane.isFolded) replaceQuery(foldChanges(route.peek().query, [lane.key]));
}

/** Number of slices in the loaded windows of the visible lanes, including slices that are only
 * counted in density bins. */
function countSlices(wanted: WindowRequest, data: TimelineData): number {
    let slices = 0;
    for (const track of wanted.tracks) {
        const window = data.cache.near(track);
        if (window) slices += window.slices.n + window.counted;
    }
    return slices;
}

interface Loaded {
    data: TimelineData;
    loader: TimelineLoader;
    error: ApiError | null;
    /** number of slices in the loaded windows of the visible lanes; null before the first data */
    drawn: number | null;
    roles: ReadonlyMap<number, string>;
}

const NO_ROLES: ReadonlyMap<number, string> = new Map();

/** The data of the timeline and its loader; the loader is disposed when the tab is closed. */
export function useTimelineData(
    run: Run,
    timeline: TimelineAnswer,
    stage: { current: TimelineStage | null },
): Loaded {
    const [error, setError] = useState<ApiError | null>(null);
    const [drawn, setDrawn] = useState<number | null>(null);
    const [roles, setRoles] = useState(NO_ROLES);
    const torch = isAttributed(run);
    const dataAndLoader = useMemoOn(() => {
        const { start_ns: from, end_ns } = timeline;
        const whole = { from, to: Math.max(from + 1, end_ns) };
        const data = timelineData(whole);
        const onData = (): void => {
            const now = stage.current;
            if (!now) return;
            now.redraw();
            setDrawn(countSlices(now.dataNeeds(false), data));
            if (torch) findRoles(data, timeline, loader, setRoles);
        };
        const loader = new TimelineLoader(
            run.id,
            data,
            whole,
            onData,
            setError,
            torch && traceOf(run).steps > 0,
        );
        return { data, loader };
    }, [timeline]);
    const last = useRef(dataAndLoader);
    last.current = dataAndLoader;
    useEffect(() => () => last.current.loader.dispose(), [dataAndLoader]);
    return { ...dataAndLoader, error, drawn, roles };
}

function findRoles(
    data: TimelineData,
    timeline: TimelineAnswer,
    loader: TimelineLoader,
    set: (update: (old: ReadonlyMap<number, string>) => ReadonlyMap<number, string>) => void,
): void {
    loadRoleNames(data, timeline.tracks);
    void loader.fetchNames();
    const roles = trackRoles(data, timeline.tracks);
    const key = [...roles].join();
    set((old) => ([...old].join() === key ? old : roles));
}
