/* SPDX-License-Identifier: MIT
 *
 * The arrows of the selected slice. The response for a slice has only the ids of the slices at the
 * other ends, so the positions are read from the responses for those slices.
 */
import { useMemo } from 'preact/hooks';
import type { Run, SliceAnswer } from '../../base/answers';
import { API } from '../../base/client';
import { isDeviceWork, trackOf } from '../../model/timeline_types';
import { useData } from '../shared/use_json';
import type { Flow, Mark } from './scene';

export function markOf({ slice }: SliceAnswer): Mark {
    return {
        id: slice.id,
        track: slice.layer_track,
        depth: slice.layer_depth,
        start: slice.start_ns,
        end: slice.start_ns + slice.duration_ns,
    };
}

/** Id of the slice at the other end of the arrow: the launch of a kernel, or the operator that
 * recorded it in a graph; the kernel of a launch; else the other end of a flow. */
function otherEnd(answer: SliceAnswer): number | null {
    const { slice, launch, operator, kernels, flows } = answer;
    if (isDeviceWork(slice.kind)) return (operator?.recorded_by ? operator.id : launch?.id) ?? null;
    if (slice.kind === 4 && kernels.length) return kernels[0].id;
    const flow = flows.find(({ from, to }) => from !== to);
    if (!flow) return null;
    return flow.from === slice.id ? flow.to : flow.from;
}

const middleTime = ({ start, end }: Mark): number => (start + end) / 2;

function flowBetween(answer: SliceAnswer, other: SliceAnswer): Flow {
    const [a, b] = [markOf(answer), markOf(other)];
    const flow = answer.flows.find(({ from, to }) => from === b.id || to === b.id);
    const endsHere = isDeviceWork(answer.slice.kind) || flow?.to === a.id;
    const [from, to] = endsHere ? [b, a] : [a, b];
    const launch = isDeviceWork(answer.slice.kind) || isDeviceWork(other.slice.kind);
    if (launch || !flow) return { from, to, fromNs: middleTime(from), toNs: to.start };
    return { from, to, fromNs: flow.from_ns, toNs: flow.to_ns };
}

export interface Links {
    selected: Mark | null;
    flows: Flow[];
    /** response for the slice at the other end of the arrow */
    other: SliceAnswer | null;
}

const NO_FLOWS: Flow[] = [];

export function useLinks(run: Run, id: number | null, answer: SliceAnswer | null): Links {
    const now = answer && answer.slice.id === id ? answer : null;
    const otherId = now ? otherEnd(now) : null;
    const data = useData<SliceAnswer>(
        otherId === null || trackOf(otherId) < 1 ? null : `${API}/runs/${run.id}/slices/${otherId}`,
    );
    const other = data && data.slice.id === otherId ? data : null;
    const selected = useMemo(() => (now ? markOf(now) : null), [now]);
    const flows = useMemo(
        () => (now && other ? [flowBetween(now, other)] : NO_FLOWS),
        [now, other],
    );
    return { selected, flows, other };
}
