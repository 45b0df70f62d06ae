/* SPDX-License-Identifier: MIT */
/* Parts that the tabs of stack profiles share: the thread menu, the legend, and the field for the
 * sample period. */
import { API } from '../../base/client';
import { useNames } from '../../base/panel';
import { replaceQuery, route } from '../../base/router';
import type { Run } from '../../base/types';
import { FamilySwatch } from '../../components/family_swatch';
import { NumberField } from '../../components/number_field';
import type { TimelineAnswer } from '../../model/timeline_types';
import { useJson } from '../shared/use_json';
import { PERIOD_MS, samplePeriod } from '../trace/data';

const SELECTED = { track: null, flame_zoom: null, flame_frame: null };

/** Menu to select one thread or all threads; nothing if there is only one. */
export function ThreadSelect({ run }: { run: Run }) {
    const { data } = useJson<TimelineAnswer>(`${API}/runs/${run.id}/timeline?px=10`);
    const tracks = data?.tracks ?? [];
    useNames(data ? ['track'] : [], {
        nameOf: (id) => tracks.find((track) => String(track.id) === id)?.name ?? null,
        valueOf: (name) => {
            const found = tracks.find((track) => track.name === name);
            return found ? String(found.id) : null;
        },
    });
    if (!data || data.tracks.length < 2) return null;
    const process = new Map(data.processes.map(({ id, pid, name }) => [id, name || pid]));
    const many = data.processes.length > 1;
    return (
        <select
            class="field thread-select"
            aria-label="thread"
            value={route.value.query.track ?? ''}
            onChange={(event) =>
                replaceQuery({ ...SELECTED, track: event.currentTarget.value || null })
            }
        >
            <option value="">all {data.tracks.length} threads</option>
            {data.tracks.map((track) => (
                <option key={track.id} value={String(track.id)}>
                    {many ? `${process.get(track.process) ?? ''} · ` : ''}
                    {track.name}
                </option>
            ))}
        </select>
    );
}

/** Legend of the two colours; nothing if all frames have the same colour. */
export function StackLegend({ run }: { run: Run }) {
    const { frames, native, python } = run.summary as Record<string, number>;
    if (!native || native === frames) return null;
    const label = python === 0 ? 'other' : python + native < frames ? 'Python and other' : 'Python';
    return (
        <span class="soft stacks stack-legend">
            <span>
                <FamilySwatch family={0} /> {label}
            </span>
            <span title="C, C++, Rust and kernel frames, recognised by their names">
                <FamilySwatch family={7} /> native
            </span>
        </span>
    );
}

export function PeriodField({ run }: { run: Run }) {
    const period = samplePeriod(run);
    if (period === null) return null;
    return (
        <NumberField
            label="a sample ≈"
            unit="ms"
            value={period}
            width={64}
            tip="the file has no sampling rate; 10 ms (100 samples per second) is assumed"
            onChange={(value) =>
                replaceQuery({
                    period: value === null || value === PERIOD_MS ? null : String(value),
                })
            }
        />
    );
}
