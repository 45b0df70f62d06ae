/* SPDX-License-Identifier: MIT
 *
 * State of the shelf in this window, except its rows: totals, imports in progress, formats, and
 * notifications about changed rows. One event stream keeps it up to date.
 */
import { signal } from '@preact/signals';
import type { Format, Job, Run, Shelf } from '../../base/answers';
import {
    API,
    asApiError,
    events,
    getJson,
    newestOf,
    sendJson,
    type ApiError,
} from '../../base/client';
import { isRunningImport } from '../../model/shelf_rows';
import { archiveNotices, addNotice } from './notices';

export const shelf = signal<Shelf | null>(null);
export const shelfError = signal<ApiError | null>(null);
export const formats = signal<Format[]>([]);
export const connected = signal(true);
/** Number of runs that pass the filter of the shelf; null before the first response. */
export const matches = signal<number | null>(null);
/** Unfinished imports of all users. */
export const jobs = signal<ReadonlyMap<string, Job>>(new Map());
/** Time in ms at which this window first received each job, to estimate the remaining time. */
export const firstSeenMs = new Map<string, number>();
type JobListener = (job: Job) => void;
/** The jobs that this window started, by id, and who waits for their end. Notices are shown only for
 * the results of these jobs. */
const ownJobs = new Map<string, JobListener | undefined>();

export type RunChange = { type: 'run'; run: Run } | { type: 'gone'; id: string } | { type: 'all' };
type Listener = (change: RunChange) => void;
const listeners = new Set<Listener>();
/** Last known state of runs, so that a report can show its header immediately. */
export const cachedRuns = new Map<string, Run>();
/** Incremented when the name or the series of a cached run changes, so that breadcrumbs are
 * redrawn. */
export const namesVersion = signal(0);

export function cacheRun(run: Run): void {
    const before = cachedRuns.get(run.id);
    cachedRuns.set(run.id, run);
    if (before?.name !== run.name || before.series !== run.series) {
        namesVersion.value = namesVersion.peek() + 1;
    }
}

export function onRunChange(listen: Listener): () => void {
    listeners.add(listen);
    return () => listeners.delete(listen);
}

export function publishRunChange(change: RunChange): void {
    if (change.type === 'run') cacheRun(change.run);
    if (change.type === 'gone') cachedRuns.delete(change.id);
    for (const listener of listeners) listener(change);
    refreshShelfSoon();
}

const getShelf = newestOf(() => getJson<Shelf>(`${API}/shelf`));

async function refreshShelf(): Promise<void> {
    try {
        const answer = await getShelf();
        if (!answer) return;
        shelf.value = answer;
        shelfError.value = null;
    } catch (error) {
        shelfError.value = asApiError(error);
    }
}

let shelfTimer: ReturnType<typeof setTimeout> | undefined;
function refreshShelfSoon(): void {
    clearTimeout(shelfTimer);
    shelfTimer = setTimeout(() => void refreshShelf(), 150);
}

/* Finished jobs by id, newest last. A small file is often imported before the response to its
 * upload arrives; that response then contains an outdated state of the job. */
const finishedJobs = new Map<string, Job>();
const MAX_FINISHED = 500;

/** Applies the newest state of a job, from the stream or from a response. */
function applyJob(job: Job): void {
    const known = finishedJobs.get(job.id) ?? job;
    const next = new Map(jobs.value);
    if (isRunningImport(known)) {
        next.set(known.id, known);
        if (!firstSeenMs.has(known.id)) firstSeenMs.set(known.id, Date.now());
    } else {
        next.delete(known.id);
        finishJob(known);
    }
    jobs.value = next;
    pollJobs();
}

/** Applies the response to an upload of this window. `onEnd` is called when the job has ended. */
export function applyOwnJob(job: Job, onEnd?: JobListener): void {
    ownJobs.set(job.id, onEnd);
    applyJob(job);
}

const POLL_MS = 3000;
let pollTimer: ReturnType<typeof setTimeout> | undefined;

/* Polls the jobs while any are in progress, because an event may be lost with its connection. */
function pollJobs(): void {
    clearTimeout(pollTimer);
    if (jobs.value.size) pollTimer = setTimeout(() => void catchUp(false), POLL_MS);
}

function finishJob(job: Job): void {
    firstSeenMs.delete(job.id);
    finishedJobs.set(job.id, job);
    if (finishedJobs.size > MAX_FINISHED) finishedJobs.delete([...finishedJobs.keys()][0]);
    const onEnd = ownJobs.get(job.id);
    if (!ownJobs.delete(job.id)) return;
    const { id, name, error, run } = job;
    if (job.members) archiveNotices(job).forEach(addNotice);
    else if (job.state === 'failed') addNotice({ key: id, kind: 'failed', name, error, run: null });
    else if (job.already) addNotice({ key: id, kind: 'already', name, error: null, run });
    if (job.state === 'done') publishRunChange({ type: 'all' });
    onEnd?.(job);
}

/* Fetches the server's jobs. After a gap in the event stream, listeners must reload their rows
 * too. */
async function catchUp(afterGap: boolean): Promise<void> {
    try {
        const { rows } = await getJson<{ rows: Job[] }>(`${API}/jobs`);
        const listed = new Set(rows.map((job) => job.id));
        jobs.value = new Map([...jobs.value].filter(([id]) => listed.has(id)));
        rows.forEach(applyJob);
    } catch (error) {
        shelfError.value = asApiError(error);
    }
    if (afterGap) publishRunChange({ type: 'all' });
}

export async function cancelJob(id: string): Promise<void> {
    try {
        const job = await sendJson<Job>('DELETE', `${API}/jobs/${id}`);
        if (job) applyJob(job);
    } catch {
        await catchUp(false); // the job has ended, or catchUp reports the same error
    }
}

async function loadFormats(): Promise<void> {
    try {
        formats.value = (await getJson<{ rows: Format[] }>(`${API}/formats`)).rows;
    } catch (error) {
        shelfError.value = asApiError(error);
    }
}

/* Opens the event stream. Only visible windows have a stream, because browsers limit the
 * connections to a server; a hidden window catches up when it becomes visible. */
function openEventStream(afterGap: boolean): () => void {
    let gap = afterGap;
    return events(`${API}/events`, {
        on: {
            job: (data) => applyJob(data as Job),
            run: (data) => publishRunChange({ type: 'run', run: data as Run }),
            gone: (data) => publishRunChange({ type: 'gone', id: (data as { id: string }).id }),
            // Another process changed the shelf, for instance `perfshelf add` on the same machine.
            shelf: () => publishRunChange({ type: 'all' }),
        },
        open: () => {
            connected.value = true;
            void catchUp(gap);
            gap = true;
        },
        lost: () => {
            connected.value = false;
        },
    });
}

/** Starts following the shelf; returns a function that stops it. */
export function followShelf(): () => void {
    void refreshShelf();
    void loadFormats();
    let stop: (() => void) | null = openEventStream(false);
    const follow = () => {
        if (document.hidden) {
            stop?.();
            stop = null;
        } else stop ??= openEventStream(true);
    };
    document.addEventListener('visibilitychange', follow);
    return () => {
        document.removeEventListener('visibilitychange', follow);
        stop?.();
    };
}
