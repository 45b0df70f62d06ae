/* SPDX-License-Identifier: MIT
 *
 * Rows of a server-side table, fetched in pages when they scroll into view. The server sorts and
 * filters. setParams sends a new request and keeps the old rows until the response arrives.
 */
import { signal, type Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Page } from '../../base/answers';
import { ApiError, asApiError, getJson, isAbort, withParams, type Params } from '../../base/client';
import { useEffectOn, useMemoOn } from '../../base/hooks';
import type { GridSource } from '../../components/grid_types';

export interface PagedSource<R> extends GridSource<R> {
    /** Number of rows before the filter. */
    readonly unfilteredTotal: number;
    readonly sums: Page['sums'];
    readonly loading: Signal<boolean>;
    readonly error: Signal<ApiError | null>;
    /** False until the first response. */
    readonly ready: Signal<boolean>;
    setParams(params: Params): void;
    reload(): void;
    dispose(): void;
}

const PAGE = 200;
/** Number of rows before and after the view that are fetched in advance. */
const AHEAD = 60;

interface LoadedPages<R> {
    total: number;
    unfilteredTotal: number;
    sums: Page['sums'];
    pages: Map<number, R[]>;
}

/** Creates a source that fetches `path`. Rows are objects with the column names as keys; R must
 * match the columns of the view. */
export function pagedSource<R>(path: string, initial: Params): PagedSource<R> {
    const version = signal(0);
    const loading = signal(false);
    const ready = signal(false);
    const error = signal<ApiError | null>(null);
    let params = initial;
    const shown = signal<LoadedPages<R>>({
        total: 0,
        unfilteredTotal: 0,
        sums: {},
        pages: new Map(),
    });
    let fresh = false;
    let wantedRange: [number, number] = [0, 1];
    let pendingRequests = new Map<number, AbortController>();

    function abortAll(): void {
        for (const control of pendingRequests.values()) control.abort();
        pendingRequests = new Map();
        loading.value = false;
    }

    async function load(page: number): Promise<void> {
        const control = new AbortController();
        pendingRequests.set(page, control);
        loading.value = true;
        try {
            const query = { ...params, limit: PAGE, offset: page * PAGE };
            const answer = await getJson<Page>(withParams(path, query), { signal: control.signal });
            storePage(page, answer);
            error.value = null;
            ready.value = true;
        } catch (reason) {
            if (!isAbort(reason)) error.value = asApiError(reason);
        } finally {
            if (pendingRequests.get(page) === control) pendingRequests.delete(page);
            loading.value = pendingRequests.size > 0;
        }
    }

    function storePage(page: number, answer: Page): void {
        const pages = fresh ? shown.peek().pages : new Map<number, R[]>();
        fresh = true;
        pages.set(
            page,
            answer.rows.map((row) => asObject<R>(answer.columns, row)),
        );
        shown.value = {
            total: answer.total,
            unfilteredTotal: answer.of,
            sums: answer.sums ?? {},
            pages,
        };
        version.value = version.peek() + 1;
        ensure(...wantedRange);
    }

    function ensure(from: number, to: number): void {
        wantedRange = [from, to];
        const { total, pages } = shown.peek();
        const last = Math.max(from, Math.min(to, fresh ? total : to) - 1);
        const first = Math.floor(from / PAGE);
        for (let page = first; page <= Math.floor(last / PAGE); page++) {
            if (fresh && (page * PAGE >= total || pages.has(page))) continue;
            if (!pendingRequests.has(page)) void load(page);
        }
    }

    function restart(): void {
        abortAll();
        fresh = false;
        ensure(...wantedRange);
    }

    ensure(0, 1);
    return {
        version,
        loading,
        error,
        ready,
        get total() {
            return shown.value.total;
        },
        get unfilteredTotal() {
            return shown.value.unfilteredTotal;
        },
        get sums() {
            return shown.value.sums;
        },
        rowAt: (index) => shown.value.pages.get(Math.floor(index / PAGE))?.[index % PAGE],
        ensure: (from, to) => ensure(Math.max(0, from - AHEAD), fresh ? to + AHEAD : to),
        setParams(next) {
            if (withParams('', next) === withParams('', params)) return;
            params = next;
            wantedRange = [0, 1];
            restart();
        },
        reload: restart,
        dispose: abortAll,
    };
}

function asObject<R>(columns: string[], row: unknown[]): R {
    const object: Record<string, unknown> = {};
    for (let i = 0; i < columns.length; i++) object[columns[i]] = row[i];
    return object as R;
}

/** A server-side table that is fetched again when its parameters change; another path creates a new
 * source. While `isHeld` is true, the rows do not change: the parameters are invalid, for example
 * an incomplete regular expression. */
export function useSource<R>(path: string, params: Params, isHeld = false): PagedSource<R> {
    const source = useMemoOn(() => pagedSource<R>(path, params), [path]);
    const key = withParams('', params);
    useEffectOn(() => {
        if (!isHeld) source.setParams(params);
    }, [source, key, isHeld]);
    useEffect(() => () => source.dispose(), [source]);
    return source;
}

/** Returns `value`, or, while `isHeld` is true, the last value from before. */
export function useHeldValue<T>(value: T, isHeld: boolean): T {
    const last = useRef(value);
    if (!isHeld) last.current = value;
    return last.current;
}

export function objectsOf<R>(page: Page | null): R[] {
    if (!page) return [];
    return page.rows.map((row) => asObject<R>(page.columns, row));
}
