/* SPDX-License-Identifier: MIT
 *
 * The URL holds the whole view: `#/run/<id>/<tab>?sort=…` is the path, everything after the
 * question mark is the query. Views read `route` and write with navigate and setQuery; they keep
 * no copy of what stands in the URL. A window that is a panel of another page has its address from
 * that page and asks it for another one; its own bar and history stay as they are.
 */
import { signal } from '@preact/signals';

export type Query = Record<string, string>;

export interface Route {
    /** Decoded, without the empty first part: `#/run/ab/functions` is ['run', 'ab', 'functions']. */
    path: string[];
    query: Query;
}

export interface NavigateOptions {
    /** Replaces the history entry: for changes that Back should not step through. */
    replace?: boolean;
}

export function parseHash(hash: string): Route {
    const text = hash.replace(/^#\/?/, '');
    const mark = text.indexOf('?');
    const path = mark < 0 ? text : text.slice(0, mark);
    const query: Query = {};
    if (mark >= 0) {
        for (const [key, value] of new URLSearchParams(text.slice(mark + 1))) query[key] = value;
    }
    return { path: path.split('/').filter(Boolean).map(decode), query };
}

export function formatHash(path: string[], query: Query = {}): string {
    const search = new URLSearchParams(query).toString();
    return `#/${path.map(encodeURIComponent).join('/')}${search && `?${search}`}`;
}

/* A hash typed by hand may hold a stray percent sign; it is then taken as it stands. */
function decode(part: string): string {
    try {
        return decodeURIComponent(part);
    } catch {
        return part;
    }
}

const inBrowser = typeof location !== 'undefined';

export const route = signal<Route>(parseHash(inBrowser ? location.hash : ''));

type Keeper = (hash: string, replace: boolean) => void;
let keeper: Keeper | null = null;

if (inBrowser) {
    const follow = () => {
        if (!keeper) route.value = parseHash(location.hash);
    };
    addEventListener('popstate', follow);
    addEventListener('hashchange', follow);
}

/** From now on addresses are kept elsewhere, which says by showHash what is to be shown. */
export function keepAddress(keep: Keeper): void {
    keeper = keep;
}

export function showHash(hash: string): void {
    const now = route.peek();
    if (formatHash(now.path, now.query) !== hash) route.value = parseHash(hash);
}

export function navigate(
    path: string[],
    query: Query = {},
    { replace = false }: NavigateOptions = {},
): void {
    const hash = formatHash(path, query);
    if (keeper) {
        keeper(hash, replace);
        return;
    }
    if (inBrowser) {
        if (replace) history.replaceState(null, '', hash);
        else if (hash !== location.hash) history.pushState(null, '', hash);
    }
    route.value = parseHash(hash);
}

/** To an address as links have it. */
export function goTo(hash: string): void {
    const { path, query } = parseHash(hash);
    navigate(path, query);
}

/** Changes some keys of the query and keeps the rest; null or '' removes a key. */
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
