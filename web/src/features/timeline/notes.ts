/* SPDX-License-Identifier: MIT */
/* The notes on the timeline of a run: read from the server, added, changed and removed there. */
import { useEffect, useState } from 'preact/hooks';
import type { Run, TimelineNote } from '../../base/answers';
import { API, type ApiError, asApiError, sendJson } from '../../base/client';
import { offlineFile } from '../../base/offline';
import { isPanel } from '../../base/panel';
import { hasRole, mayRemove } from '../login/user';
import { onRunChange } from '../shared/shelf_state';
import { useData } from '../shared/use_json';

export interface NoteChange {
    t_ns?: number;
    area?: string;
    text?: string;
}

export interface Notes {
    rows: readonly TimelineNote[];
    /** the last failure of a change; null after a success */
    error: ApiError | null;
    mayAdd: boolean;
    mayChange: (note: TimelineNote) => boolean;
    /** resolves to the id; null after a failure */
    add: (note: { t_ns: number; area: string; text: string }) => Promise<string | null>;
    /** resolves to whether the change succeeded */
    change: (id: string, change: NoteChange) => Promise<boolean>;
    remove: (id: string) => Promise<boolean>;
}

const NO_NOTES: readonly TimelineNote[] = [];

export const notesPath = ({ id }: Run): string => `${API}/runs/${id}/timeline_notes`;

export function useTimelineNotes(run: Run): Notes {
    const [stamp, setStamp] = useState(0);
    const [error, setError] = useState<ApiError | null>(null);
    const path = notesPath(run);
    const data = useData<{ rows: TimelineNote[] }>(path, stamp);
    // Another user changed the notes: the server sends an event of the run.
    useEffect(
        () =>
            onRunChange((change) => {
                if (change.type === 'run' && change.run.id === run.id) setStamp((old) => old + 1);
            }),
        [run.id],
    );
    async function send<T>(method: 'POST' | 'PATCH' | 'DELETE', to: string, body?: unknown) {
        try {
            const answer = await sendJson<T>(method, to, body);
            setError(null);
            setStamp((old) => old + 1);
            return { answer };
        } catch (reason) {
            setError(asApiError(reason));
            return null;
        }
    }
    const isEditable = !offlineFile() && !isPanel();
    return {
        rows: data?.rows ?? NO_NOTES,
        error,
        mayAdd: isEditable && hasRole('uploader'),
        mayChange: (note) => isEditable && mayRemove(note),
        add: async (note) => (await send<{ id: string }>('POST', path, note))?.answer?.id ?? null,
        change: async (id, change) => (await send('PATCH', `${path}/${id}`, change)) !== null,
        remove: async (id) => (await send('DELETE', `${path}/${id}`)) !== null,
    };
}
