/* SPDX-License-Identifier: MIT
 *
 * Answers API requests in an offline file: by the engine, or with fixed responses of a read-only
 * shelf.
 */
import { API, type Wire } from '../base/client';
import { carried, type PackedFile, packedFiles, workerOf } from './packed';
import type { Answer, FromWorker, ToWorker } from './worker_words';

interface Waiting {
    url: string;
    done: (answer: Answer) => void;
    failed: (error: unknown) => void;
}

/* Responses that concern the shelf instead of a run. */
const FIXED: Record<string, unknown> = {
    '/me': { name: null, role: 'viewer', tokens: false },
    '/jobs': { rows: [] },
    '/formats': { rows: [] },
};

function fixed(path: string): Response | null {
    const body = FIXED[path.slice(API.length)];
    return body === undefined ? null : Response.json(body);
}

function needsShelf(): Response {
    const text = 'An offline copy cannot do this. Open the run on its shelf.';
    const error = { code: 'forbidden', text, at: null, hint: null };
    return Response.json({ error }, { status: 403 });
}

/* Moves an SQL statement from the request body into the URL, where the engine expects all parameters. */
function sqlUrl(path: string, body: string): string {
    const asked = new URLSearchParams();
    for (const [key, value] of Object.entries(JSON.parse(body) as Record<string, unknown>)) {
        asked.set(key, String(value));
    }
    return `${path}?${asked.toString()}`;
}

function urlOf(path: string, { method = 'GET', body }: RequestInit): string | null {
    if (method === 'GET') return path;
    return method === 'POST' && path === `${API}/sql` ? sqlUrl(path, body as string) : null;
}

export class LocalShelf {
    private readonly worker: Worker;
    private readonly waiting = new Map<number, Waiting>();
    private queue: number[] = [];
    private asked = 0;
    private busy = true; // true until the engine is open
    private broken: Error | null = null;
    private opened: (() => void) | null = null;
    private notOpened: ((error: Error) => void) | null = null;

    constructor() {
        const code = carried('engine-worker');
        if (code === null) throw new Error('the file is not whole');
        this.worker = workerOf(code);
        this.worker.onmessage = ({ data }: MessageEvent<FromWorker>) => this.hear(data);
        this.worker.onerror = (event) => this.breakDown(new Error(event.message));
    }

    /** Sends all embedded files to the engine and removes them from the page. */
    open(root: ParentNode): Promise<void> {
        for (const file of packedFiles(root)) this.hand(file);
        this.say({ say: 'open' });
        return new Promise((resolve, reject) => {
            this.opened = resolve;
            this.notOpened = reject;
        });
    }

    private hand({ name, bytes, parts }: PackedFile): void {
        this.say({ say: 'file', name, bytes });
        for (const part of parts) {
            this.say({ say: 'part', base64: part.textContent ?? '' });
            part.remove();
        }
    }

    private say(words: ToWorker): void {
        this.worker.postMessage(words);
    }

    private hear(said: FromWorker): void {
        if (said.say === 'failed') return this.breakDown(new Error(said.text));
        if (said.say === 'open') this.opened?.();
        else {
            this.waiting.get(said.id)?.done(said.answer);
            this.waiting.delete(said.id);
        }
        this.busy = false;
        this.next();
    }

    private breakDown(error: Error): void {
        this.broken = error;
        this.notOpened?.(error);
        for (const one of this.waiting.values()) one.failed(error);
        this.waiting.clear();
    }

    /* Sends the next request when the worker is idle: one that is cancelled in the queue is not computed. */
    private next(): void {
        const id = this.busy ? undefined : this.queue.shift();
        const one = id === undefined ? undefined : this.waiting.get(id);
        if (id === undefined || !one) return;
        this.busy = true;
        this.say({ say: 'ask', id, url: one.url });
    }

    ask(url: string, signal?: AbortSignal | null): Promise<Answer> {
        const id = ++this.asked;
        return new Promise((done, failed) => {
            if (this.broken) return failed(this.broken);
            signal?.addEventListener('abort', () => {
                this.queue = this.queue.filter((other) => other !== id);
                this.waiting.delete(id);
                failed(signal.reason as Error); // created by the requesting window: instanceof works there
            });
            this.waiting.set(id, { url, done, failed });
            this.queue.push(id);
            this.next();
        });
    }

    readonly wire: Wire = async (path, init) => {
        init.signal?.throwIfAborted();
        const url = urlOf(path, init);
        if (url === null) return needsShelf();
        const known = fixed(path);
        if (known) return known;
        const { status, type, body } = await this.ask(url, init.signal);
        return new Response(body, { status, headers: { 'Content-Type': type } });
    };
}
