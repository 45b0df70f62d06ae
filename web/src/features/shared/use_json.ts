/* SPDX-License-Identifier: MIT
 *
 * The server's response for a path. The old data remains until the new data arrives, so that the
 * page does not flicker.
 */
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
