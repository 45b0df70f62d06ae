/* SPDX-License-Identifier: MIT
 *
 * The memory of a snapshot that was recorded together with the trace, as lanes of the timeline. Its
 * times are us since 1970; those of the trace are ns since the trace began.
 */
import type { Run, Snapshot, SnapshotCurve } from '../../base/answers';
import { API, getJson, withParams } from '../../base/client';
import { useMemoOn } from '../../base/hooks';
import type { TraceMemory } from '../../model/timeline_types';
import { companionOf, evidenceText, useCompanions } from '../shared/companions';
import { useData } from '../shared/use_json';
import type { StepCurve } from './curves';

const NONE: TraceMemory[] = [];
const MAX_COLUMNS = 4096;

/** The GPUs with events of the most likely snapshot; the run may have none. */
export function useSnapshotMemory(run: Run): TraceMemory[] {
    const companions = useCompanions(run);
    const found = companionOf(companions, 'snapshot');
    const id = found?.companion.id ?? null;
    const snapshot = useData<Snapshot>(id && `${API}/runs/${id}/snapshot`);
    return useMemoOn(() => {
        if (!found || !snapshot || !companions || companions.started_us === null) return NONE;
        const { companion, others } = found;
        const origin_us = companions.started_us;
        const more = others > 0 ? `; ${others} more overlap` : '';
        return snapshot.devices
            .filter(({ has_times }) => has_times)
            .map(({ number, peak_live, peak_reserved }) => ({
                device_type: 1,
                device: number,
                worker: 0,
                label: `GPU ${number}`,
                peak_bytes: peak_live,
                reserved_peak_bytes: peak_reserved,
                snapshot: {
                    run: companion.id,
                    name: companion.name,
                    origin_us,
                    evidence: `${evidenceText(companion)}${more}`,
                },
            }));
    }, [snapshot, companions]);
}

/** The curve of a lane in a window of the timeline, ns. */
export async function fetchSnapshotCurve(
    { snapshot, device }: TraceMemory,
    { from, to, px }: { from: number; to: number; px: number },
    control: AbortController,
): Promise<StepCurve | null> {
    if (!snapshot) return null;
    const path = withParams(`${API}/runs/${snapshot.run}/snapshot/curve`, {
        device,
        from_us: Math.floor(snapshot.origin_us + from / 1000),
        to_us: Math.ceil(snapshot.origin_us + to / 1000) + 1,
        columns: Math.min(MAX_COLUMNS, Math.max(1, Math.round(px))),
    });
    const { t_us, live, reserved } = await getJson<SnapshotCurve>(path, control);
    return {
        t: Float64Array.from(t_us, (t) => (t - snapshot.origin_us) * 1000),
        value: Float64Array.from(live),
        reserved: Float64Array.from(reserved),
    };
}
