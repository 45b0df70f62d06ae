/* SPDX-License-Identifier: MIT
 *
 * Answers API requests in an offline file: by the engine, or with fixed responses of a read-only
 * shelf.
 */
import { API, type FetchFunction } from '../base/client';
import { embeddedText, type PackedFile, packedFiles, workerOf } from './packed';
import type { Answer, FromWorker, ToWorker } from './worker_messages';

interface PendingRequest {
    url: string;
    done: (answer: Answer) => void;
    failed: (error: unknown) => void;
}

/* Responses that concern the shelf instead of a run. */
const FIXED_ANSWERS: Record<string, unknown> = {
    '/me': { name: null, role: 'viewer', tokens: false },
    '/jobs': { rows: [] },
    '/formats': { rows: [] },
};

function fixedAnswer(path: string): Response | null {
    const body = FIXED_ANSWERS[path.slice(API.length)];
    return body === undefined ? null : Response.json(body);
}

function refuseOffline(): Response {
    const text = 'An offline copy cannot do this. Open the run on its shelf.';
    const error = { code: 'forbidden', text, at: null, hint: null };
    return Response.json({ error }, { status: 403 });
}

/* Moves an SQL statement from the request body into the URL, where the engine expects all parameters. */
function sqlUrl(path: string, body: string): string {
    const params = new URLSearchParams();
    for (const [key, value] of Object.entries(JSON.parse(body) as Record<string, unknown>)) {
        params.set(key, String(value));
    }
    return `${path}?${params.toString()}`;
}

function urlOf(path: string, { method = 'GET', body }: RequestInit): string | null {
    if (method === 'GET') return path;
    return method === 'POST' && path === `${API}/sql` ? sqlUrl(path, body as string) : null;
}

export class LocalShelf {
    private readonly worker: Worker;
    private readonly waiting = new Map<number, PendingRequest>();
    private queue: number[] = [];
    private requestCount = 0;
    private busy = true; // true until the engine is open
    private broken: Error | null = null;
    private opened: (() => void) | null = null;
    private notOpened: ((error: Error) => void) | null = null;

    constructor() {
        const code = embeddedText('engine-worker');
        if (code === null) throw new Error('the file is not whole');
        this.worker = workerOf(code);
        this.worker.onmessage = ({ data }: MessageEvent<FromWorker>) => this.receive(data);
        this.worker.onerror = (event) => this.breakDown(new Error(event.message));
    }

    /** Sends all embedded files to the engine and removes them from the page. */
    open(root: ParentNode): Promise<void> {
        for (const file of packedFiles(root)) this.sendFile(file);
        this.post({ say: 'open' });
        return new Promise((resolve, reject) => {
            this.opened = resolve;
            this.notOpened = reject;
        });
    }

    private sendFile({ name, bytes, parts }: PackedFile): void {
        this.post({ say: 'file', name, bytes });
        for (const part of parts) {
            this.post({ say: 'part', base64: part.textContent ?? '' });
            part.remove();
        }
    }

    private post(message: ToWorker): void {
        this.worker.postMessage(message);
    }

    private receive(message: FromWorker): void {
        if (message.say === 'failed') return this.breakDown(new Error(message.text));
        if (message.say === 'open') this.opened?.();
        else {
            this.waiting.get(message.id)?.done(message.answer);
            this.waiting.delete(message.id);
        }
        this.busy = false;
        this.next();
    }

    private breakDown(error: Error): void {
        this.broken = error;
        this.notOpened?.(error);
        for (const pending of this.waiting.values()) pending.failed(error);
        this.waiting.clear();
    }

    /* Sends the next request when the worker is idle, so that a request that is cancelled in the
     * queue is never computed. */
    private next(): void {
        const id = this.busy ? undefined : this.queue.shift();
        const pending = id === undefined ? undefined : this.waiting.get(id);
        if (id === undefined || !pending) return;
        this.busy = true;
        this.post({ say: 'ask', id, url: pending.url });
    }

    request(url: string, signal?: AbortSignal | null): Promise<Answer> {
        const id = ++this.requestCount;
        return new Promise((done, failed) => {
            if (this.broken) return failed(this.broken);
            signal?.addEventListener('abort', () => {
                this.queue = this.queue.filter((other) => other !== id);
                this.waiting.delete(id);
                failed(signal.reason as Error); // made by the requesting window: instanceof works there
            });
            this.waiting.set(id, { url, done, failed });
            this.queue.push(id);
            this.next();
        });
    }

    readonly wire: FetchFunction = async (path, init) => {
        init.signal?.throwIfAborted();
        const url = urlOf(path, init);
        if (url === null) return refuseOffline();
        const fixedResponse = fixedAnswer(path);
        if (fixedResponse) return fixedResponse;
        const { status, type, body } = await this.request(url, init.signal);
        return new Response(body, { status, headers: { 'Content-Type': type } });
    };
}
