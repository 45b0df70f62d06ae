/* SPDX-License-Identifier: MIT
 *
 * When the user selects a slice in one panel, selects the matching slice in the other panel: the
 * slice of the same name that is nearest on the common axis. If the user selected a slice in the
 * other panel too, that selection remains.
 */
import { useRef } from 'preact/hooks';
import type { FindAnswer, Run, SliceFacts } from '../../base/answers';
import { useEffectOn } from '../../base/hooks';
import { isPanel, postToPanels, usePanelMessage } from '../../base/panel';
import { wholeName } from '../../model/filter_query';
import { findSlice } from './search';

const TOPIC = 'slice';

type Hit = NonNullable<FindAnswer['hit']>;

async function nearestSlice(run: Run, name: string, ns: number): Promise<Hit | null> {
    const filter = wholeName(name);
    const hits = await Promise.all([
        findSlice(run, filter, { ns, id: 0 }, false),
        findSlice(run, filter, { ns }, true),
    ]);
    const distance = ({ start_ns }: Hit): number => Math.abs(start_ns - ns);
    return hits
        .filter((hit) => hit !== null)
        .reduce<Hit | null>(
            (best, hit) => (best && distance(best) <= distance(hit) ? best : hit),
            null,
        );
}

interface MatchingSliceProps {
    run: Run;
    /** the aligned time, in ns of this run */
    origin: number;
    /** id of the selected slice, and its data once it is loaded */
    id: number | null;
    slice: SliceFacts | null;
    select: (id: number | null) => void;
}

/** Returns a function to call when the user selects a slice. */
export function useMatchingSlice({ run, origin, id, slice, select }: MatchingSliceProps) {
    const selectedByUser = useRef<number | null>(null);
    const followedId = useRef<number | null>(null);
    const latest = useRef<string>('');
    useEffectOn(() => {
        if (!isPanel() || !slice || slice.id !== selectedByUser.current) return;
        postToPanels(TOPIC, `${slice.start_ns - origin} ${slice.name}`);
    }, [slice?.id]);
    usePanelMessage(TOPIC, (text) => {
        if (id !== null && id !== followedId.current) return;
        latest.current = text;
        if (text === '') {
            select(null);
            return;
        }
        const spaceIndex = text.indexOf(' ');
        const ns = Math.max(0, Math.round(Number(text.slice(0, spaceIndex)) + origin));
        const follow = (hit: Hit | null): void => {
            if (latest.current !== text) return;
            followedId.current = hit && hit.id;
            select(hit && hit.id);
        };
        // If the request fails, the selection remains unchanged.
        nearestSlice(run, text.slice(spaceIndex + 1), ns).then(follow, () => undefined);
    });
    return (next: number | null): void => {
        selectedByUser.current = next;
        if (next === null) postToPanels(TOPIC, '');
    };
}
