/* SPDX-License-Identifier: MIT
 *
 * The pane of one allocation: its size and life, and the stack that made it.
 */
import { useState } from 'preact/hooks';
import type { AllocationFrame, Run, SnapshotAllocation } from '../../base/answers';
import { bytesText, formatSeconds, int, plural, text } from '../../base/units';
import type { Action } from '../../components/actions';
import { copyAndConfirm } from '../../components/context_menu';
import { Notice } from '../../components/notice';
import {
    type PaneFold,
    type PaneFrame,
    type PaneValue,
    SelectionPane,
} from '../../components/selection_pane';
import { frameTitle, NO_STACK } from '../../model/snapshot_names';
import { snapshotPath, usePacedJson } from './data';
import { GroupSwatch } from './stacks';
import { TraceOperator } from './trace_operator';

interface PaneProps {
    run: Run;
    device: number;
    id: number;
    events: number;
    onCursor: (event: number) => void;
    onClose: () => void;
}

function valuesOf(allocation: SnapshotAllocation, events: number): PaneValue[] {
    const {
        bytes,
        start,
        end,
        waits,
        address,
        stream,
        start_us,
        end_us,
        context,
        category,
        user_metadata,
    } = allocation;
    const values: PaneValue[] = [
        { label: 'Requested', text: bytesText(bytes), tip: `${int(bytes)} bytes` },
        {
            label: 'Allocated at',
            text: start < 0 ? 'before the recording' : `event ${int(start)}`,
        },
        {
            label: 'Freed at',
            text:
                end === null
                    ? waits
                        ? 'waits for another stream'
                        : 'live at the end'
                    : `event ${int(end)}`,
        },
    ];
    if (start >= 0)
        values.push({
            label: 'Lifetime',
            text: plural((end ?? events) - start, 'event'),
        });
    if (start_us !== null && end_us !== null)
        values.push({ label: 'Time', text: text(formatSeconds((end_us - start_us) / 1e6)) });
    values.push({ label: 'Address', text: address }, { label: 'Stream', text: String(stream) });
    if (context) values.push({ label: 'Compile context', text: context });
    if (category) values.push({ label: 'Category', text: category });
    if (user_metadata) values.push({ label: 'Metadata', text: user_metadata });
    return values;
}

/* Frames from the innermost; runs of plumbing are one line each while they are folded. */
function rowsOf(frames: readonly AllocationFrame[], isFolded: boolean): (PaneFrame | PaneFold)[] {
    const rows: (PaneFrame | PaneFold)[] = [];
    let hidden = 0;
    const flush = (key: number): void => {
        if (hidden > 0)
            rows.push({ key: `fold ${key}`, fold: plural(hidden, 'frame') + ' of plumbing' });
        hidden = 0;
    };
    frames.forEach((frame, key) => {
        if (isFolded && (frame.hidden || frame.plumbing)) {
            hidden++;
            return;
        }
        flush(key);
        const { name, place } = frameTitle(frame);
        const tip = `${frame.name ?? ''}\n${frame.file ?? ''}:${frame.line ?? 0}`;
        rows.push({ key, name, place, text: '', tip });
    });
    flush(frames.length);
    return rows;
}

export function AllocationPane({ run, device, id, events, onCursor, onClose }: PaneProps) {
    const { data, error } = usePacedJson<SnapshotAllocation>(
        snapshotPath(run, 'allocation', { device, id }),
    );
    const [isFolded, setFolded] = useState(true);
    if (error)
        return (
            <aside class="selection-pane" aria-label="Selection">
                <Notice
                    kind="error"
                    title="The allocation could not be read"
                    error={error}
                    actions={
                        <button type="button" class="link" onClick={onClose}>
                            Close
                        </button>
                    }
                />
            </aside>
        );
    if (!data || data.id !== id) return <aside class="selection-pane" aria-label="Selection" />;
    const { start, end, frames, free_frames, bytes } = data;
    // Of older memory, only the stack that freed it is known.
    const isOfFree = frames.length === 0 && free_frames.length > 0;
    const shown = isOfFree ? free_frames : frames;
    const first = frames.find(({ hidden, plumbing }) => !hidden && !plumbing) ?? frames.at(0);
    const title = first ? frameTitle(first) : { name: NO_STACK, place: '' };
    const lines = shown.map(({ name, file, line }) => `${name ?? ''} (${file ?? ''}:${line ?? 0})`);
    const actions: Action[] = [
        ...(start >= 0
            ? [{ text: 'Go to its birth', button: true, run: () => onCursor(start) }]
            : []),
        ...(end !== null
            ? [{ text: 'Go to its end', button: true, run: () => onCursor(end) }]
            : []),
        ...(lines.length > 0
            ? [
                  {
                      text: 'Copy stack',
                      key: 'y',
                      button: true,
                      run: () => copyAndConfirm(lines.join('\n'), 'Stack'),
                  },
              ]
            : []),
    ];
    return (
        <SelectionPane
            head={{
                name: `${bytesText(bytes)} in ${title.name}`,
                place: title.place || undefined,
                swatch: <GroupSwatch group={data.group} />,
            }}
            actions={actions}
            base={null}
            instance={{
                title: 'This allocation',
                values: valuesOf(data, events),
                children: <TraceOperator run={run} allocation={data} />,
            }}
            stack={{
                rows: rowsOf(shown, isFolded),
                count: shown.length,
                isFolded,
                onFold: setFolded,
                title: `${isOfFree ? 'Stack of its free' : 'Stack'}, innermost first`,
            }}
            onClose={onClose}
        />
    );
}
