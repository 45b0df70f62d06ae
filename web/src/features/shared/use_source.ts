/* SPDX-License-Identifier: MIT */
import { useEffect, useRef } from 'preact/hooks';
import { type Params, withParams } from '../../base/client';
import { useEffectOn, useMemoOn } from '../../base/hooks';
import { type PagedSource, pagedSource } from './paged_source';

/**
 * A server-side table that follows its parameters for as long as the path stays. `hold` keeps what is
 * shown while the parameters make no sense, as a regular expression does half of the time it is typed.
 */
export function useSource<R>(path: string, params: Params, hold = false): PagedSource<R> {
    const source = useMemoOn(() => pagedSource<R>(path, params), [path]);
    const key = withParams('', params);
    useEffectOn(() => {
        if (!hold) source.setParams(params);
    }, [source, key, hold]);
    useEffect(() => () => source.dispose(), [source]);
    return source;
}

/** The value as it was before `hold`, while `hold` lasts. */
export function useHeld<T>(value: T, hold: boolean): T {
    const last = useRef(value);
    if (!hold) last.current = value;
    return last.current;
}
