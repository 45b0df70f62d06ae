/* SPDX-License-Identifier: MIT
 *
 * One answer of the server for one path. Old data stays until the new is there, so nothing jumps.
 */
import { useEffect, useState } from 'preact/hooks';
import { type ApiError, asApiError, getJson, isAbort } from '../../base/client';

export interface Answer<T> {
    data: T | null;
    /** the path that `data` answers */
    of: string | null;
    error: ApiError | null;
    loading: boolean;
}

const NOTHING = { data: null, of: null, error: null, loading: false };

/** null: nothing to ask for. Asks again when `stamp` changes. */
export function useJson<T>(path: string | null, stamp = 0): Answer<T> {
    const [answer, setAnswer] = useState<Answer<T>>(NOTHING);
    useEffect(() => {
        if (path === null) {
            setAnswer(NOTHING);
            return undefined;
        }
        const control = new AbortController();
        setAnswer((old) => ({ ...old, error: null, loading: true }));
        getJson<T>(path, { signal: control.signal })
            .then((data) => setAnswer({ data, of: path, error: null, loading: false }))
            .catch((reason: unknown) => {
                if (isAbort(reason)) return;
                setAnswer((old) => ({ ...old, error: asApiError(reason), loading: false }));
            });
        return () => control.abort();
    }, [path, stamp]);
    return answer;
}
