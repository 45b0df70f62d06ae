/* SPDX-License-Identifier: MIT */
/* State of the timeline that is not in the URL: loaded data, and values derived from it. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ApiError } from '../../base/client';
import { useMemoOn } from '../../base/hooks';
import { replaceQuery, route } from '../../base/router';
import type { Run } from '../../base/types';
import type { TimelineAnswer } from '../../model/timeline_types';
import { isAttributed } from '../trace/data';
import { type WindowRequest, type TimelineData, timelineData } from './data';
import { TimelineLoader } from './requests';
import { trackRoles, loadRoleNames } from './roles';
import type { TimelineStage } from './stage';

export function collapsedKeys(off: string | undefined): ReadonlySet<string> {
    return new Set(off ? off.split(',') : []);
}

/** Unfolds the lanes if all of them are folded, else folds them. */
export function toggleFolded(keys: string[]): void {
    const off = new Set(collapsedKeys(route.peek().query.off));
    const all = keys.every((key) => off.has(key));
    for (const key of keys) {
        if (all) off.delete(key);
        else off.add(key);
    }
    replaceQuery({ off: [...off].join(',') || null });
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
        const loader = new TimelineLoader(run.id, data, whole, onData, setError);
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
