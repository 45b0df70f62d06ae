/* SPDX-License-Identifier: MIT
 *
 * The toolbar of a memory snapshot: the GPU, what the chart shows, its axis, where the cursor is.
 */
import { useState } from 'preact/hooks';
import type { Run, Snapshot, SnapshotTimeline } from '../../base/answers';
import { offlineFile } from '../../base/offline';
import { replaceQuery } from '../../base/router';
import { int } from '../../base/units';
import type { ChartMode } from '../../canvas/snapshot_chart';
import { partGroup } from '../../canvas/snapshot_theme';
import { Menu } from '../../components/menu';
import { Segmented } from '../../components/segmented';
import { Spacer, Toolbar } from '../../components/toolbar';
import type { SnapshotX } from '../../model/snapshot_axis';
import { useData } from '../shared/use_json';
import { snapshotPath } from './data';
import { GroupSwatch } from './stacks';
import { chooseDevice, defaultMode, PARTS, setDevice, type SnapshotState } from './state';

interface ControlsProps {
    snapshot: Snapshot;
    state: SnapshotState;
    cursor: number;
    /** what happened at the event of the cursor: 'the peak' */
    cursorNote: string;
    goField: { current: HTMLInputElement | null };
    onCursor: (event: number) => void;
    onMark: (by: 1 | -1) => void;
}

function PartsMenu({ state: { parts } }: ControlsProps) {
    return (
        <Menu
            label={
                <>
                    <span class="faint">by</span> {PARTS.find(({ by }) => by === parts)?.text}
                </>
            }
            ariaLabel="what the areas are of"
            items={PARTS.map(({ by, text }) => ({
                text,
                checked: by === parts,
                // The mode too: with few allocations, another one is the default.
                onPick: () => replaceQuery({ c: by === 'stack' ? null : by, v: 'stacks', s: null }),
            }))}
        />
    );
}

/** Enough to see whether a part is ever used. */
const LEGEND_COLUMNS = 1024;

/** The colours of the areas, if they are not of stacks: those have theirs in the table. */
export function PartsLegend({ run, state: { parts, device } }: { run: Run; state: SnapshotState }) {
    const data = useData<SnapshotTimeline>(
        parts === 'stack'
            ? null
            : snapshotPath(run, 'timeline', {
                  device: device.number,
                  columns: LEGEND_COLUMNS,
                  by: parts,
              }),
    );
    if (data?.by !== parts) return null;
    const names = data.names.filter(
        (_, part) => part < data.parts.length - 1 || data.parts[part].some((bytes) => bytes > 0),
    );
    return (
        <div class="snapshot-parts">
            {names.map((name, part) => (
                <span key={name}>
                    <GroupSwatch group={partGroup(parts, part, data.parts.length)} /> {name}
                </span>
            ))}
        </div>
    );
}

const NO_TIMES = 'this file has no times';

export function SnapshotControls(props: ControlsProps) {
    const { snapshot, state, cursor, cursorNote, onMark } = props;
    const { device, mode, x } = state;
    const first = chooseDevice(snapshot, undefined);
    const hasEvents = device.events > 0;
    return (
        <Toolbar label="memory snapshot">
            {snapshot.devices.length > 1 && (
                <Segmented
                    label="GPU"
                    value={String(device.number)}
                    options={snapshot.devices.map(({ number }) => ({
                        value: String(number),
                        text: `GPU ${number}`,
                    }))}
                    onChange={(next) => {
                        const chosen = chooseDevice(snapshot, next);
                        if (chosen) setDevice(chosen, chosen === first);
                    }}
                />
            )}
            {hasEvents && (
                <>
                    <Segmented<ChartMode>
                        label="chart"
                        value={mode}
                        options={[
                            { value: 'stacks', text: 'stacks', tip: 'live bytes by Python stack' },
                            {
                                value: 'lifetimes',
                                text: 'lifetimes',
                                tip: 'a band for each allocation, in order of birth (l)',
                            },
                            { value: 'reserved', text: 'reserved', tip: 'memory of the driver' },
                        ]}
                        onChange={(v) =>
                            replaceQuery({ v: v === defaultMode(device) ? null : v, c: null })
                        }
                    />
                    {mode === 'stacks' && <PartsMenu {...props} />}
                    <Segmented<SnapshotX>
                        label="axis"
                        value={x}
                        options={[
                            { value: 'event', text: 'by event' },
                            {
                                value: 'time',
                                text: 'by time',
                                disabled: !device.has_times,
                                tip: device.has_times ? undefined : NO_TIMES,
                            },
                        ]}
                        onChange={(next) =>
                            replaceQuery({ x: next === 'time' ? 'time' : null, z: null })
                        }
                    />
                    {!device.has_times && <span class="soft wide-only">{NO_TIMES}</span>}
                    <Spacer />
                    <span class="snapshot-cursor" role="status">
                        <span class="snapshot-word">Cursor </span>
                        <b>{cursor < 0 ? 'before the first event' : `event ${int(cursor)}`}</b>
                        {cursorNote && `, ${cursorNote}`}
                    </span>
                    <GoToEvent {...props} />
                    <span class="snapshot-keys hide-below-600">
                        <button type="button" aria-label="previous mark" onClick={() => onMark(-1)}>
                            <kbd>[</kbd>
                        </button>
                        <button type="button" aria-label="next mark" onClick={() => onMark(1)}>
                            <kbd>]</kbd>
                        </button>
                        <span class="soft snapshot-word"> mark</span>
                    </span>
                    {!offlineFile() && (
                        <a
                            class="quiet snapshot-help"
                            href="/docs/snapshots"
                            target="_blank"
                            rel="noopener"
                            title="help on memory snapshots"
                        >
                            Help
                        </a>
                    )}
                </>
            )}
        </Toolbar>
    );
}

function GoToEvent({ state, goField, onCursor }: ControlsProps) {
    const [typed, setTyped] = useState('');
    const last = state.device.events - 1;
    const go = (): void => {
        const digits = typed.replace(/[,\s]/g, '');
        if (/^\d+$/.test(digits)) onCursor(Math.min(last, Number(digits)));
        setTyped('');
        goField.current?.blur();
    };
    return (
        <span class="field snapshot-go">
            <input
                ref={goField}
                type="text"
                inputMode="numeric"
                aria-label={`go to event, 0 to ${int(last)}`}
                placeholder="go to event"
                value={typed}
                onInput={(event) => setTyped(event.currentTarget.value)}
                onKeyDown={(event) => {
                    if (event.key === 'Enter') go();
                    else if (event.key === 'Escape') {
                        setTyped('');
                        event.currentTarget.blur();
                    }
                }}
            />
            {typed === '' && <kbd>g</kbd>}
        </span>
    );
}
