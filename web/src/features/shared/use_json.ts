/* SPDX-License-Identifier: MIT
 *
 * The server's response for a path. The old data remains until the new data arrives, so that the
 * page does not flicker.
 */
import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { type ApiError, asApiError, getJson, isAbort } from '../../base/client';

export interface Answer<T> {
    data: T | null;
    /** path whose response is `data`; null before the first response */
    path: string | null;
    error: ApiError | null;
    loading: boolean;
}

const NO_ANSWER = { data: null, path: null, error: null, loading: false };

/** Fetches `path`; null fetches nothing. Fetches again when `stamp` changes. */
export function useJson<T>(path: string | null, stamp = 0): Answer<T> {
    const [answer, setAnswer] = useState<Answer<T>>(NO_ANSWER);
    useEffect(() => {
        if (path === null) {
            setAnswer(NO_ANSWER);
            return undefined;
        }
        const control = new AbortController();
        setAnswer((old) => ({ ...old, error: null, loading: true }));
        getJson<T>(path, { signal: control.signal })
            .then((data) => setAnswer({ data, path, error: null, loading: false }))
            .catch((reason: unknown) => {
                if (isAbort(reason)) return;
                setAnswer((old) => ({ ...old, error: asApiError(reason), loading: false }));
            });
        return () => control.abort();
    }, [path, stamp]);
    return answer;
}

/** Failed requests of usePart, by path. The page shows them above its content. */
export const failedParts = signal<ReadonlyMap<string, ApiError>>(new Map());

/** `error` null: the part is read, or is shown no longer. */
export function setFailedPart(path: string, error: ApiError | null): void {
    const next = new Map(failedParts.peek());
    if (error) next.set(path, error);
    else if (!next.delete(path)) return;
    failedParts.value = next;
}

/** As useJson, for a part of a page that has no place for an error: the page shows it above its
 * content. Not found (404) is no error: links and the URL may name rows that the run does not have. */
export function usePart<T>(path: string | null, stamp = 0): Answer<T> {
    const answer = useJson<T>(path, stamp);
    const { error } = answer;
    useEffect(() => {
        if (path === null || !error || error.status === 404) return undefined;
        setFailedPart(path, error);
        return () => setFailedPart(path, null);
    }, [path, error]);
    return answer;
}

/** The data of usePart. */
export function useData<T>(path: string | null, stamp = 0): T | null {
    return usePart<T>(path, stamp).data;
}
