/* SPDX-License-Identifier: MIT
 *
 * Uploads of files from this window: at most two at a time, each with progress and Cancel. When an
 * upload is complete, the server's import job continues (features/shared/shelf_state.ts).
 */
import { signal } from '@preact/signals';
import type { Job } from '../../base/answers';
import { API, asApiError, isAbort, upload, type Upload } from '../../base/client';
import { navigate, route } from '../../base/router';
import type { RunningImport } from '../../model/shelf_rows';
import { addNotice } from '../shared/notices';
import { applyOwnJob } from '../shared/shelf_state';
import { fileHeader, padding, tarEnd } from './tar';

const MAX_PARALLEL = 2;

/** Files that were dropped or chosen together, and the runs of those that were imported. */
interface Batch {
    left: number;
    runs: string[];
}

/** Ids of runs that were added together; the shelf selects them. */
export const addedTogether = signal<readonly string[]>([]);

/* Opens the report of a single run, or selects several, unless the user has left the shelf. */
function endFile(batch: Batch | null, job: Job | null): void {
    if (!batch) return;
    const members = job?.members?.map(({ run }) => run) ?? [job?.run ?? null];
    batch.runs.push(...members.filter((run) => run !== null));
    if (--batch.left > 0 || route.peek().path.length) return;
    if (batch.runs.length === 1) navigate(['run', batch.runs[0]]);
    else if (batch.runs.length) addedTogether.value = batch.runs;
}

interface PendingUpload {
    row: RunningImport;
    batch: Batch | null;
    body: Blob;
    transfer: Upload<{ job: Job }> | null;
}

let queue: PendingUpload[] = [];
let uploadCount = 0;

/** Rows of the files whose upload has not ended, oldest first. */
export const sending = signal<readonly RunningImport[]>([]);

function publishRows(): void {
    sending.value = queue.map(({ row }) => ({ ...row }));
}

function removeSending(item: PendingUpload): void {
    queue = queue.filter((other) => other !== item);
    publishRows();
    startSending();
}

function startSending(): void {
    const running = queue.filter((item) => item.transfer).length;
    const next = queue.filter((item) => !item.transfer).slice(0, MAX_PARALLEL - running);
    for (const item of next) void sendItem(item);
}

async function sendItem(item: PendingUpload): Promise<void> {
    item.row.state = 'sending';
    item.row.since = Date.now();
    item.transfer = upload<{ job: Job }>(
        `${API}/runs`,
        item.body,
        { filename: item.row.name },
        (sent, total) => {
            item.row.done = sent;
            item.row.total = total;
            publishRows();
        },
    );
    publishRows();
    try {
        const { job } = await item.transfer.done;
        applyOwnJob(job, (ended) => endFile(item.batch, ended));
    } catch (reason) {
        endFile(item.batch, null);
        if (!isAbort(reason)) {
            const { code, text, at, hint } = asApiError(reason);
            const error = { code, text, at, hint };
            addNotice({ key: item.row.key, kind: 'failed', name: item.row.name, error, run: null });
        }
    } finally {
        removeSending(item);
    }
}

/* Shows the shelf without its filters, so that the added files are visible. */
function showShelf(): void {
    const { path, query } = route.peek();
    const { group, ...filters } = query;
    if (path.length || Object.keys(filters).length) navigate([], group ? { group } : {});
}

export function addBlob(body: Blob, name: string, batch: Batch | null = null): void {
    showShelf();
    const key = `sending${++uploadCount}`;
    queue.push({
        body,
        batch,
        transfer: null,
        row: {
            key,
            name,
            kind: null,
            state: 'waiting',
            done: 0,
            total: body.size,
            records: 0,
            since: Date.now(),
            jobId: null,
        },
    });
    publishRows();
    startSending();
}

export function addFiles(files: Iterable<File>): void {
    const list = [...files];
    const batch = { left: list.length, runs: [] };
    for (const file of list) addBlob(file, file.name, batch);
}

export function cancelSending(key: string): void {
    const item = queue.find((other) => other.row.key === key);
    if (!item) return;
    if (item.transfer) item.transfer.abort();
    else {
        endFile(item.batch, null);
        removeSending(item);
    }
}

/** Opens the browser's file picker. */
export function pickFiles(): void {
    const input = document.createElement('input');
    input.type = 'file';
    input.multiple = true;
    input.addEventListener('change', () => addFiles(input.files ?? []));
    input.click();
}

const MAX_DROPPED_FILES = 10_000;

interface FolderFile {
    name: string;
    file: File;
}

async function filesUnder(
    entry: FileSystemEntry,
    path: string,
    found: FolderFile[],
): Promise<void> {
    if (entry.name.startsWith('.')) return;
    if (found.length >= MAX_DROPPED_FILES) throw new Error(`more than ${MAX_DROPPED_FILES} files`);
    if (entry.isFile) {
        const file = await new Promise<File>((resolve, reject) =>
            (entry as FileSystemFileEntry).file(resolve, reject),
        );
        found.push({ name: path, file });
        return;
    }
    const reader = (entry as FileSystemDirectoryEntry).createReader();
    for (;;) {
        // The browser returns a folder's entries in groups of at most a hundred; an empty group
        // ends the list.
        const entries = await new Promise<FileSystemEntry[]>((resolve, reject) =>
            reader.readEntries(resolve, reject),
        );
        if (!entries.length) return;
        const below = path && `${path}/`;
        for (const child of entries) await filesUnder(child, below + child.name, found);
    }
}

/* Uploads a folder as one archive, so that the server can combine the files that belong
 * together. */
async function addFolder(folder: FileSystemEntry): Promise<void> {
    const found: FolderFile[] = [];
    try {
        await filesUnder(folder, '', found);
        if (!found.length) throw new Error('no file in it');
    } catch (reason) {
        const text = reason instanceof Error ? reason.message : String(reason);
        const error = { code: 'bad_input', text, at: null, hint: null };
        addNotice({
            key: `folder ${folder.name}`,
            kind: 'failed',
            name: folder.name,
            error,
            run: null,
        });
        return;
    }
    if (found.length === 1) return addFiles([found[0].file]);
    const parts = found.flatMap(({ name, file }) => [
        ...fileHeader(name, file.size),
        file,
        padding(file.size),
    ]);
    const batch = { left: 1, runs: [] };
    addBlob(new Blob([...parts, tarEnd()] as BlobPart[]), folder.name, batch);
}

/** Adds dropped files and folders. */
export async function addDroppedFiles(data: DataTransfer): Promise<void> {
    // Read all entries before the first await, because the browser empties the list after the
    // event.
    const folders: FileSystemEntry[] = [];
    const files: File[] = [];
    for (const item of data.items) {
        const entry = item.webkitGetAsEntry?.() ?? null;
        const file = item.getAsFile();
        if (entry?.isDirectory) folders.push(entry);
        else if (file) files.push(file);
    }
    addFiles(files);
    for (const folder of folders) await addFolder(folder);
}
