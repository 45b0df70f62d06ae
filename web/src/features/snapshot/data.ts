/* SPDX-License-Identifier: MIT
 *
 * Requests of a memory snapshot. While the cursor is dragged, each view has one request at a time: the
 * next one starts when it has answered, for the place where the cursor is then.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Run } from '../../base/answers';
import {
    API,
    type ApiError,
    asApiError,
    getJson,
    isAbort,
    type Params,
    withParams,
} from '../../base/client';

export function snapshotPath(run: Run, view: string, params: Params = {}): string {
    return withParams(`${API}/runs/${run.id}/snapshot${view && `/${view}`}`, params);
}

export interface Paced<T> {
    /** the last answer; it stays until the next one is there */
    data: T | null;
    error: ApiError | null;
    loading: boolean;
}

/** Fetches `path`; null fetches nothing. A path that changes while a request is running waits for it. */
export function usePacedJson<T>(path: string | null): Paced<T> {
    const [answer, setAnswer] = useState<Paced<T>>({ data: null, error: null, loading: false });
    const running = useRef<AbortController | null>(null);
    const wanted = useRef<string | null>(null);
    const fetchNext = useRef<(next: string) => void>(() => undefined);
    fetchNext.current = (next) => {
        const control = new AbortController();
        running.current = control;
        setAnswer((old) => (old.loading ? old : { ...old, loading: true }));
        const finish = (result: Partial<Paced<T>>): void => {
            if (running.current !== control) return;
            running.current = null;
            const newer = wanted.current !== null && wanted.current !== next;
            setAnswer((old) => ({ ...old, error: null, ...result, loading: newer }));
            if (newer && wanted.current !== null) fetchNext.current(wanted.current);
        };
        getJson<T>(next, { signal: control.signal })
            .then((data) => finish({ data }))
            .catch((reason: unknown) => {
                if (!isAbort(reason)) finish({ error: asApiError(reason) });
            });
    };
    useEffect(() => {
        wanted.current = path;
        if (path !== null && !running.current) fetchNext.current(path);
        if (path === null) setAnswer({ data: null, error: null, loading: false });
    }, [path]);
    useEffect(
        () => () => {
            running.current?.abort();
            running.current = null;
        },
        [],
    );
    return answer;
}
