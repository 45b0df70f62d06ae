/* SPDX-License-Identifier: MIT
 *
 * The slice of the other run that goes with the one that the reader selects: of its name, and nearest
 * to it on the axis of both. One that the reader has picked in the other run himself stays.
 */
import { useRef } from 'preact/hooks';
import { useEffectOn } from '../../base/hooks';
import { inPanel, postToPanels, usePanelMessage } from '../../base/panel';
import type { Run } from '../../base/types';
import { wholeName } from '../../model/filter_query';
import type { FindAnswer, SliceFacts } from '../../model/timeline_types';
import { findFrom } from './search';

const TOPIC = 'slice';

type Hit = NonNullable<FindAnswer['hit']>;

async function nearest(run: Run, name: string, ns: number): Promise<Hit | null> {
    const ask = wholeName(name);
    const hits = await Promise.all([
        findFrom(run, ask, { ns, id: 0 }, false),
        findFrom(run, ask, { ns }, true),
    ]);
    const far = ({ start_ns }: Hit): number => Math.abs(start_ns - ns);
    return hits
        .filter((hit) => hit !== null)
        .reduce<Hit | null>((best, hit) => (best && far(best) <= far(hit) ? best : hit), null);
}

interface LikeProps {
    run: Run;
    /** ns of this run from which both count */
    origin: number;
    /** the selected slice, and what is known of it */
    id: number | null;
    slice: SliceFacts | null;
    select: (id: number | null) => void;
}

/** Returns what is to be called with what the reader selects. */
export function useLikeSlice({ run, origin, id, slice, select }: LikeProps) {
    const picked = useRef<number | null>(null);
    const followed = useRef<number | null>(null);
    const latest = useRef<string>('');
    useEffectOn(() => {
        if (!inPanel() || !slice || slice.id !== picked.current) return;
        postToPanels(TOPIC, `${slice.start_ns - origin} ${slice.name}`);
    }, [slice?.id]);
    usePanelMessage(TOPIC, (text) => {
        if (id !== null && id !== followed.current) return;
        latest.current = text;
        if (text === '') {
            select(null);
            return;
        }
        const blank = text.indexOf(' ');
        const ns = Math.max(0, Math.round(Number(text.slice(0, blank)) + origin));
        const follow = (hit: Hit | null): void => {
            if (latest.current !== text) return;
            followed.current = hit && hit.id;
            select(hit && hit.id);
        };
        // Where it cannot be asked for, the selection stays as it is.
        nearest(run, text.slice(blank + 1), ns).then(follow, () => undefined);
    });
    return (next: number | null): void => {
        picked.current = next;
        if (next === null) postToPanels(TOPIC, '');
    };
}
