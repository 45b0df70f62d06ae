/* SPDX-License-Identifier: MIT
 *
 * What the window knows about the shelf besides the rows: its totals, imports in progress, what
 * went wrong, and when rows changed. One event stream keeps it true.
 */
import { signal } from '@preact/signals';
import { API, asApiError, events, getJson, sendJson, type ApiError } from '../base/client';
import type { ErrorBody, Format, Job, Run, Shelf } from '../base/types';
import { isIncoming } from '../model/shelf_rows';

export const shelf = signal<Shelf | null>(null);
export const shelfError = signal<ApiError | null>(null);
export const formats = signal<Format[]>([]);
export const connected = signal(true);
/** Unfinished imports, of everyone. */
export const jobs = signal<ReadonlyMap<string, Job>>(new Map());
/** When this window first heard of a job, for the time that is left. */
export const jobSince = new Map<string, number>();
/** Jobs this window started: only their failures are told here. */
export const ownJobs = new Set<string>();

export interface News {
    key: string;
    kind: 'failed' | 'already';
    name: string;
    error: ErrorBody | null;
    run: string | null;
}
export const news = signal<News[]>([]);

export type RunChange = { type: 'run'; run: Run } | { type: 'gone'; id: string } | { type: 'all' };
type Listener = (change: RunChange) => void;
const listeners = new Set<Listener>();
/** Runs as they were last seen, so that a report has its head at once. */
export const knownRuns = new Map<string, Run>();
/** Changes with any name that may stand in a breadcrumb. */
export const namesVersion = signal(0);

export function noteRun(run: Run): void {
    const before = knownRuns.get(run.id);
    knownRuns.set(run.id, run);
    if (before?.name !== run.name || before.series !== run.series) {
        namesVersion.value = namesVersion.peek() + 1;
    }
}

export function onRunChange(listen: Listener): () => void {
    listeners.add(listen);
    return () => listeners.delete(listen);
}

export function announce(change: RunChange): void {
    if (change.type === 'run') noteRun(change.run);
    if (change.type === 'gone') knownRuns.delete(change.id);
    for (const listen of listeners) listen(change);
    refreshShelfSoon();
}

export function tell(item: News): void {
    news.value = [item, ...news.value.filter((other) => other.key !== item.key)];
}

export function dismiss(key: string): void {
    news.value = news.value.filter((item) => item.key !== key);
}

async function refreshShelf(): Promise<void> {
    try {
        shelf.value = await getJson<Shelf>(`${API}/shelf`);
        shelfError.value = null;
    } catch (error) {
        shelfError.value = asApiError(error);
    }
}

let shelfTimer = 0;
function refreshShelfSoon(): void {
    clearTimeout(shelfTimer);
    shelfTimer = setTimeout(() => void refreshShelf(), 150);
}

/** Takes a job's newest state, from the stream or from an answer. */
export function takeJob(job: Job): void {
    const next = new Map(jobs.value);
    if (isIncoming(job)) {
        next.set(job.id, job);
        if (!jobSince.has(job.id)) jobSince.set(job.id, Date.now());
    } else {
        next.delete(job.id);
        finishJob(job);
    }
    jobs.value = next;
}

function finishJob(job: Job): void {
    jobSince.delete(job.id);
    if (!ownJobs.delete(job.id)) return;
    const { id, name, error, run } = job;
    if (job.state === 'failed') tell({ key: id, kind: 'failed', name, error, run: null });
    else if (job.already) tell({ key: id, kind: 'already', name, error: null, run });
    if (job.state === 'done') announce({ type: 'all' });
}

/* Jobs that began before the stream, and after a gap in it everything that was missed. */
async function catchUp(afterGap: boolean): Promise<void> {
    connected.value = true;
    try {
        const { rows } = await getJson<{ rows: Job[] }>(`${API}/jobs`);
        jobs.value = new Map(rows.filter(isIncoming).map((job) => [job.id, job]));
        for (const job of rows) {
            if (isIncoming(job) && !jobSince.has(job.id)) jobSince.set(job.id, Date.now());
            if (!isIncoming(job) && ownJobs.has(job.id)) finishJob(job);
        }
    } catch (error) {
        shelfError.value = asApiError(error);
    }
    if (afterGap) announce({ type: 'all' });
}

export async function cancelJob(id: string): Promise<void> {
    const job = await sendJson<Job>('DELETE', `${API}/jobs/${id}`);
    if (job) takeJob(job);
}

async function loadFormats(): Promise<void> {
    try {
        formats.value = (await getJson<{ rows: Format[] }>(`${API}/formats`)).rows;
    } catch (error) {
        shelfError.value = asApiError(error);
    }
}

/* One stream per window in sight: browsers allow few connections to one server, and a hidden
 * window can catch up when it is looked at again. */
function listen(afterGap: boolean): () => void {
    let gap = afterGap;
    return events(`${API}/events`, {
        on: {
            job: (data) => takeJob(data as Job),
            run: (data) => announce({ type: 'run', run: data as Run }),
            gone: (data) => announce({ type: 'gone', id: (data as { id: string }).id }),
        },
        open: () => {
            void catchUp(gap);
            gap = true;
        },
        lost: () => {
            connected.value = false;
        },
    });
}

/** Starts to listen; answers the function that stops it. */
export function goLive(): () => void {
    void refreshShelf();
    void loadFormats();
    let stop: (() => void) | null = listen(false);
    const follow = () => {
        if (document.hidden) {
            stop?.();
            stop = null;
        } else stop ??= listen(true);
    };
    document.addEventListener('visibilitychange', follow);
    return () => {
        document.removeEventListener('visibilitychange', follow);
        stop?.();
    };
}
