/* SPDX-License-Identifier: MIT
 *
 * The URL contains the complete state of a view: `#/run/<id>/<tab>?sort=…` is a path and a query.
 * Views read `route` and write with navigate and setQuery; they keep no copy of the URL's values.
 * The URL is stored in the address bar (features/app/address.ts). A panel gets its URL from the page
 * around it and sends URL changes to that page; its own address bar and history stay unchanged.
 */
import { signal } from '@preact/signals';

export type Query = Record<string, string>;

export interface Route {
    /** Decoded, without the empty first segment: `#/run/ab/functions` is ['run', 'ab',
     * 'functions']. */
    path: string[];
    query: Query;
}

export interface NavigateOptions {
    /** Replaces the history entry, for changes that Back should skip. */
    replace?: boolean;
}

export function parseHash(hash: string): Route {
    const text = hash.replace(/^#\/?/, '');
    const queryStart = text.indexOf('?');
    const path = queryStart < 0 ? text : text.slice(0, queryStart);
    const query: Query = {};
    if (queryStart >= 0) {
        for (const [key, value] of new URLSearchParams(text.slice(queryStart + 1)))
            query[key] = value;
    }
    return { path: path.split('/').filter(Boolean).map(decode), query };
}

export function formatHash(path: string[], query: Query = {}): string {
    const search = new URLSearchParams(query).toString();
    return `#/${path.map(encodeURIComponent).join('/')}${search && `?${search}`}`;
}

/* Decodes a path segment. A hash typed by hand may contain a stray percent sign; such a segment is
 * used undecoded. */
function decode(part: string): string {
    try {
        return decodeURIComponent(part);
    } catch {
        return part;
    }
}

export const route = signal<Route>(parseHash(''));

type UrlStore = (hash: string, replace: boolean) => void;
let storeUrl: UrlStore | null = null;

/** Registers the function that stores every later URL. From then on navigate only calls this
 * function. Its owner shows the URL: it calls showHash or sets `route`. */
export function persistAddress(store: UrlStore): void {
    storeUrl = store;
}

export function showHash(hash: string): void {
    const current = route.peek();
    if (formatHash(current.path, current.query) !== hash) route.value = parseHash(hash);
}

export function navigate(
    path: string[],
    query: Query = {},
    { replace = false }: NavigateOptions = {},
): void {
    const hash = formatHash(path, query);
    if (storeUrl) {
        storeUrl(hash, replace);
        return;
    }
    route.value = parseHash(hash);
}

/** Navigates to a URL hash as it is written in a link. */
export function goTo(hash: string): void {
    const { path, query } = parseHash(hash);
    navigate(path, query);
}

/** Changes some keys of the query and keeps the others; null or '' removes a key. */
export function setQuery(
    changes: Record<string, string | null>,
    options: NavigateOptions = {},
): void {
    const query = { ...route.peek().query };
    for (const [key, value] of Object.entries(changes)) {
        if (value === null || value === '') delete query[key];
        else query[key] = value;
    }
    navigate(route.peek().path, query, options);
}

/** Changes parameters of the URL without a new history entry; null removes a parameter. */
export const replaceQuery = (changes: Record<string, string | null>): void =>
    setQuery(changes, { replace: true });

/** Changes of the same parameters within this time share one history entry. */
const RUN_MS = 1000;
let lastPush: { keys: string; hash: string; ms: number } | null = null;

const currentHash = (): string => formatHash(route.peek().path, route.peek().query);

/** Changes selection or zoom: Back undoes the change. A quick run of changes of the same
 * parameters, such as turns of the wheel, makes one history entry. */
export function pushQuery(changes: Record<string, string | null>, ms = Date.now()): void {
    const keys = Object.keys(changes).sort().join();
    const isRun =
        lastPush !== null &&
        lastPush.keys === keys &&
        lastPush.hash === currentHash() &&
        ms - lastPush.ms < RUN_MS;
    setQuery(changes, { replace: isRun });
    lastPush = { keys, hash: currentHash(), ms };
}
