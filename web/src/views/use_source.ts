/* SPDX-License-Identifier: MIT */
import { useEffect, useMemo } from 'preact/hooks';
import { type Params, withParams } from '../base/client';
import { type PagedSource, pagedSource } from '../base/paged_source';

/** A server-side table that follows its parameters for as long as the path stays. */
export function useSource<R>(path: string, params: Params): PagedSource<R> {
    const source = useMemo(() => pagedSource<R>(path, params), [path]);
    const key = withParams('', params);
    useEffect(() => source.setParams(params), [source, key]);
    useEffect(() => () => source.dispose(), [source]);
    return source;
}
