/* SPDX-License-Identifier: MIT
 *
 * HTTP client of the server API; all views use it. Every failure becomes an ApiError, which says
 * what failed, where, and what to do.
 */
import type { ErrorBody } from './answers';

export const API = '/api/v1';

export class ApiError extends Error {
    constructor(
        readonly status: number,
        readonly code: string,
        readonly text: string,
        readonly at: number | null,
        readonly hint: string | null,
    ) {
        super(text);
    }
}

export function isAbort(error: unknown): boolean {
    return error instanceof DOMException && error.name === 'AbortError';
}

/** Wraps any thrown value in an ApiError that can be shown. */
export function asApiError(error: unknown): ApiError {
    if (error instanceof ApiError) return error;
    return new ApiError(0, 'internal', String(error), null, 'Reload the page.');
}

function unreachable(): ApiError {
    return new ApiError(
        0,
        'unreachable',
        'The perfshelf server does not answer.',
        null,
        'Start it again with: perfshelf serve',
    );
}

function errorFrom(status: number, body: string): ApiError {
    try {
        const { error } = JSON.parse(body) as { error: ErrorBody };
        return new ApiError(status, error.code, error.text, error.at ?? null, error.hint ?? null);
    } catch {
        // Not an error of the perfshelf server: a proxy answered, or the body is a page instead of
        // JSON.
        return new ApiError(status, 'internal', `HTTP ${status}`, null, body.slice(0, 200) || null);
    }
}

let unauthorizedListener = (): void => undefined;

/** Sets the callback for responses with status 401 (login required). */
export function onUnauthorized(listen: () => void): void {
    unauthorizedListener = listen;
}

export interface RequestOptions {
    signal?: AbortSignal;
}

/** Replacement for `fetch` that answers requests without a server (offline files). */
export type FetchFunction = (path: string, init: RequestInit) => Promise<Response>;
let wire: FetchFunction | null = null;

/** Sends all later requests to `other` instead of the server. `events` then delivers no events. */
export function replaceFetch(other: FetchFunction): void {
    wire = other;
}

async function request(path: string, init: RequestInit): Promise<Response> {
    let response: Response;
    try {
        response = await (wire ?? fetch)(path, init);
    } catch (error) {
        throw isAbort(error) ? error : unreachable();
    }
    if (response.status === 401) unauthorizedListener();
    if (!response.ok) throw errorFrom(response.status, await response.text());
    return response;
}

async function fetchJson<T>(path: string, { signal }: RequestOptions): Promise<T> {
    // Revalidate every response, usually with a 304. A cached response could be older than the
    // server program, and the ETag changes when the program is upgraded.
    const cache = 'no-cache';
    const headers = { Accept: 'application/json' };
    const response = await request(path, { signal, cache, headers });
    return (await response.json()) as T;
}

/* Answers that were requested before the views that show them were drawn. */
const startedReads = new Map<string, Promise<unknown>>();
const STARTED_READ_MS = 10_000;

/** Starts a request. The next getJson of this path gets its answer. */
export function startRead(path: string): void {
    const answer = fetchJson(path, {});
    answer.catch(() => undefined); // getJson reports the error
    startedReads.set(path, answer);
    setTimeout(() => startedReads.delete(path), STARTED_READ_MS);
}

export async function getJson<T>(path: string, options: RequestOptions = {}): Promise<T> {
    const started = startedReads.get(path);
    if (!started) return fetchJson(path, options);
    startedReads.delete(path);
    const answer = (await started) as T;
    options.signal?.throwIfAborted();
    return answer;
}

/** Sends POST, PUT, PATCH or DELETE. Returns the parsed body, or null if the body is empty. */
export async function sendJson<T>(
    method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
    { signal }: RequestOptions = {},
): Promise<T | null> {
    const response = await request(path, {
        method,
        signal,
        headers: body === undefined ? {} : { 'Content-Type': 'application/json' },
        body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    return text ? (JSON.parse(text) as T) : null;
}

/** Sends a POST request whose response is a file. */
export async function postForBlob(path: string, body: unknown): Promise<Blob> {
    const headers = { 'Content-Type': 'application/json' };
    const response = await request(path, { method: 'POST', headers, body: JSON.stringify(body) });
    return response.blob();
}

/** Uploads raw bytes with PUT. Returns the parsed body. */
export async function putBlob<T>(path: string, body: Blob): Promise<T> {
    const headers = { 'Content-Type': 'application/octet-stream' };
    const response = await request(path, { method: 'PUT', headers, body });
    return (await response.json()) as T;
}

/** Returns a function that calls `ask`, and resolves to null if it was called again meanwhile: the
 * answers of two requests may arrive in either order. */
export function newestOf<T>(ask: () => Promise<T>): () => Promise<T | null> {
    let last = 0;
    return async () => {
        const own = ++last;
        const answer = await ask();
        return own === last ? answer : null;
    };
}

/** A list is one parameter for each of its texts. */
export type Params = Record<
    string,
    string | number | boolean | readonly string[] | null | undefined
>;

/** `path?key=value…`; null, undefined and '' are left out, booleans become 1 and 0. */
export function withParams(path: string, params: Params): string {
    const search = new URLSearchParams();
    for (const [key, value] of Object.entries(params)) {
        if (value === null || value === undefined || value === '') continue;
        if (Array.isArray(value)) for (const one of value as string[]) search.append(key, one);
        else search.set(key, typeof value === 'boolean' ? (value ? '1' : '0') : String(value));
    }
    const text = search.toString();
    return text ? `${path}?${text}` : path;
}

export interface Upload<T> {
    done: Promise<T>;
    abort: () => void;
}

/** Uploads raw bytes with POST. Uses XMLHttpRequest because fetch reports no upload progress. */
export function upload<T>(
    path: string,
    body: Blob,
    params: Params = {},
    onProgress?: (sent: number, total: number) => void,
): Upload<T> {
    const xhr = new XMLHttpRequest();
    const done = new Promise<T>((resolve, reject) => {
        xhr.open('POST', withParams(path, params));
        xhr.setRequestHeader('Content-Type', 'application/octet-stream');
        xhr.upload.onprogress = (event) => onProgress?.(event.loaded, event.total);
        xhr.onload = () => {
            if (xhr.status < 400) resolve(JSON.parse(xhr.responseText) as T);
            else reject(errorFrom(xhr.status, xhr.responseText));
        };
        xhr.onerror = () => reject(unreachable());
        xhr.onabort = () => reject(new DOMException('upload cancelled', 'AbortError'));
        xhr.send(body);
    });
    return { done, abort: () => xhr.abort() };
}

export interface EventHandlers {
    /** Callbacks by event name; each gets the parsed data. */
    on: Record<string, (data: unknown) => void>;
    /** Called when the stream is opened or reopened: events may have been missed, so fetch the
     * state. */
    open?: () => void;
    /** Called when the stream breaks. The browser reconnects; if the server refused the stream,
     * `events` reconnects after REFUSED_MS. */
    lost?: () => void;
}

const REFUSED_MS = 30_000;

/** Subscribes to a text/event-stream. Returns a function that closes the stream. */
export function events(path: string, { on, open, lost }: EventHandlers): () => void {
    if (wire) return () => undefined;
    let source: EventSource;
    let again: ReturnType<typeof setTimeout> | undefined;
    const connect = () => {
        source = new EventSource(path);
        for (const [name, handle] of Object.entries(on)) {
            source.addEventListener(name, (event: MessageEvent<string>) =>
                handle(JSON.parse(event.data)),
            );
        }
        if (open) source.addEventListener('open', open);
        source.addEventListener('error', () => {
            lost?.();
            // The browser does not reconnect if the response was not an event stream.
            if (source.readyState === EventSource.CLOSED) again = setTimeout(connect, REFUSED_MS);
        });
    };
    connect();
    return () => {
        clearTimeout(again);
        source.close();
    };
}
