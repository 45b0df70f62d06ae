/* SPDX-License-Identifier: MIT
 *
 * The one way to the server. Views call these; every failure arrives as an ApiError that says
 * what, where and what to do.
 */
import type { ErrorBody } from './types';

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

/** Whatever was thrown, as an ApiError fit to be shown. */
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
        // Not from our server: a proxy, or a page where JSON was expected.
        return new ApiError(status, 'internal', `HTTP ${status}`, null, body.slice(0, 200) || null);
    }
}

let unauthorized = (): void => undefined;

/** Calls `listen` when the server wants to know who asks (401). */
export function onUnauthorized(listen: () => void): void {
    unauthorized = listen;
}

export interface RequestOptions {
    signal?: AbortSignal;
}

/** What answers instead of a server, as fetch would. */
export type Wire = (path: string, init: RequestInit) => Promise<Response>;
let wire: Wire | null = null;

/** From here on nothing is asked of a server, which tells nothing either. */
export function answerFrom(other: Wire): void {
    wire = other;
}

async function request(path: string, init: RequestInit): Promise<Response> {
    let response: Response;
    try {
        response = await (wire ?? fetch)(path, init);
    } catch (error) {
        throw isAbort(error) ? error : unreachable();
    }
    if (response.status === 401) unauthorized();
    if (!response.ok) throw errorFrom(response.status, await response.text());
    return response;
}

export async function getJson<T>(path: string, { signal }: RequestOptions = {}): Promise<T> {
    // Asked anew each time, answered by a 304: what is kept for ever outlives the program that
    // computed it, and after an upgrade its ETag is another.
    const cache = 'no-cache';
    const headers = { Accept: 'application/json' };
    const response = await request(path, { signal, cache, headers });
    return (await response.json()) as T;
}

/** PATCH, POST or DELETE; answers the parsed body, or null where there is none. */
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

/** POST of a question whose answer is a file. */
export async function fileFor(path: string, body: unknown): Promise<Blob> {
    const headers = { 'Content-Type': 'application/json' };
    const response = await request(path, { method: 'POST', headers, body: JSON.stringify(body) });
    return response.blob();
}

/** PUT of raw bytes; answers the parsed body. */
export async function putBlob<T>(path: string, body: Blob): Promise<T> {
    const headers = { 'Content-Type': 'application/octet-stream' };
    const response = await request(path, { method: 'PUT', headers, body });
    return (await response.json()) as T;
}

export type Params = Record<string, string | number | boolean | null | undefined>;

/** `path?key=value…`; null, undefined and '' are left out, booleans become 1 and 0. */
export function withParams(path: string, params: Params): string {
    const search = new URLSearchParams();
    for (const [key, value] of Object.entries(params)) {
        if (value === null || value === undefined || value === '') continue;
        search.set(key, typeof value === 'boolean' ? (value ? '1' : '0') : String(value));
    }
    const text = search.toString();
    return text ? `${path}?${text}` : path;
}

export interface Upload<T> {
    done: Promise<T>;
    abort: () => void;
}

/** Sends the raw bytes as a body. XMLHttpRequest, since fetch does not report what was sent. */
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
    /** Called for each named event with its parsed data. */
    on: Record<string, (data: unknown) => void>;
    /** The stream (re)opened: what was missed meanwhile has to be fetched. */
    open?: () => void;
    /** The stream broke. It is tried again: by the browser, or later where the server refused it. */
    lost?: () => void;
}

const REFUSED_MS = 30_000;

/** Listens to a text/event-stream; answers the function that ends it. */
export function events(path: string, { on, open, lost }: EventHandlers): () => void {
    if (wire) return () => undefined;
    let source: EventSource;
    let again: number | undefined;
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
            // After an answer that is no stream the browser gives up.
            if (source.readyState === EventSource.CLOSED)
                again = window.setTimeout(connect, REFUSED_MS);
        });
    };
    connect();
    return () => {
        window.clearTimeout(again);
        source.close();
    };
}
