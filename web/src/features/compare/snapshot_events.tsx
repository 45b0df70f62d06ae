/* SPDX-License-Identifier: MIT
 *
 * The events, and the GPUs, at which two memory snapshots are compared.
 */
import type { Comparison, Snapshot, SnapshotComparison } from '../../base/answers';
import { replaceQuery } from '../../base/router';
import { API } from '../../base/client';
import { int } from '../../base/units';
import { NumberField } from '../../components/number_field';
import { Segmented } from '../../components/segmented';
import { Toolbar } from '../../components/toolbar';
import { useData } from '../shared/use_json';
import type { Side } from './diff_tree';
import { eventText } from './snapshot_head';

interface SnapshotEventsProps {
    comparison: Comparison;
    diff: SnapshotComparison;
    /** whether events are chosen; otherwise only GPUs are */
    hasEvents: boolean;
}

export function SnapshotEvents({ comparison, diff, hasEvents }: SnapshotEventsProps) {
    const base = useDevices(comparison, 'base');
    const fresh = useDevices(comparison, 'new');
    if (!hasEvents && base.length < 2 && fresh.length < 2) return null;
    return (
        <Toolbar label="where the runs are compared">
            {(['base', 'new'] as const).map((side) => (
                <SideControls
                    key={side}
                    {...{ side, diff, hasEvents }}
                    devices={side === 'base' ? base : fresh}
                />
            ))}
            {hasEvents && (
                <span class="soft wide-only">
                    or click a curve above; −1 is before the first event
                </span>
            )}
        </Toolbar>
    );
}

function useDevices(comparison: Comparison, side: Side): number[] {
    const data = useData<Snapshot>(`${API}/runs/${comparison[side][0].id}/snapshot`);
    return (data?.devices ?? []).map(({ number }) => number);
}

interface SideControlsProps {
    side: Side;
    diff: SnapshotComparison;
    hasEvents: boolean;
    devices: number[];
}

function SideControls({ side, diff, hasEvents, devices }: SideControlsProps) {
    const { device, at, events } = diff[side];
    return (
        <span class="snapshot-side">
            <b>{side}</b>
            {devices.length > 1 && (
                <Segmented
                    label={`GPU of ${side}`}
                    value={String(device)}
                    options={devices.map((number) => ({
                        value: String(number),
                        text: `GPU ${number}`,
                    }))}
                    onChange={(next) =>
                        replaceQuery({ [`${side}.d`]: next, [`${side}.at`]: null, s: null })
                    }
                />
            )}
            {hasEvents && events > 0 && (
                <NumberField
                    label="event"
                    unit=""
                    width={84}
                    value={at}
                    tip={`0 to ${int(events - 1)}`}
                    onChange={(value) =>
                        replaceQuery({
                            [`${side}.at`]:
                                value === null
                                    ? null
                                    : String(Math.min(events - 1, Math.round(value))),
                        })
                    }
                />
            )}
            {hasEvents && <span class="soft">{eventText(diff[side])}</span>}
        </span>
    );
}
