/* SPDX-License-Identifier: MIT
 *
 * Names in all runs of the shelf: functions, modules, operators, kernels and lines. The server adds
 * runs to its index with each request, so a request is repeated until the index has all runs.
 */
import { useEffect, useState } from 'preact/hooks';
import type {
    Coverage,
    HotRow,
    NameHit,
    NamesAnswer,
    Occurrences,
    RunBrief,
} from '../../base/answers';
import { type ApiError, API, asApiError, getJson, isAbort, withParams } from '../../base/client';
import { formatHash, type Query } from '../../base/router';
import { rowHref } from './row_link';

/** Titles of the tables that are searched. */
export const NAME_TABLES: Record<string, string> = {
    functions: 'Functions',
    imports: 'Imported modules',
    packages: 'Packages',
    operators: 'Operators',
    kernels: 'Kernels',
    modules: 'nn.Modules',
    lines: 'Lines',
};

/** The name as searches match it: `json.loads`. */
export function fullName({ of, name, module }: Pick<NameHit, 'of' | 'name' | 'module'>): string {
    return module && of !== 'lines' ? `${module}.${name}` : name;
}

/** Page of the runs that have a name. */
export function occurrencesHref({ of, name, module }: Pick<NameHit, 'of' | 'name' | 'module'>) {
    const query: Query = { of, name };
    if (module) query.module = module;
    return formatHash(['search'], query);
}

/** Link to a row in the report of its run. */
export function hotRowHref(run: RunBrief, of: string, hot: HotRow): string {
    return rowHref(run, of, {
        name: hot.row,
        place: hot.place || null,
        line: hot.line || null,
        rowId: hot.row_id,
    });
}

/** What a hit opens: its row if one run has it, else the runs that have it. */
export function hitHref(hit: NameHit): string {
    return hit.runs === 1 ? hotRowHref(hit.hottest, hit.of, hit) : occurrencesHref(hit);
}

export interface SearchState<T> {
    data: T | null;
    error: ApiError | null;
    loading: boolean;
}

const PAUSE_MS = 30;
/** Requests in a row that may add no run: the index has no more than the newest 20,000. */
const MAX_IDLE = 3;

/** The answer to `path`, as far as the index goes; null asks nothing. */
export function useCoveredJson<T extends Coverage>(path: string | null): SearchState<T> {
    const [state, setState] = useState<SearchState<T>>({ data: null, error: null, loading: false });
    useEffect(() => {
        if (path === null) {
            setState({ data: null, error: null, loading: false });
            return undefined;
        }
        const control = new AbortController();
        let timer = 0;
        let idle = 0;
        let known = -1;
        function ask(): void {
            getJson<T>(path!, { signal: control.signal })
                .then((data) => {
                    const tried = data.scanned + data.unreadable;
                    idle = tried > known ? 0 : idle + 1;
                    known = tried;
                    const more = tried < data.runs && idle < MAX_IDLE;
                    setState({ data, error: null, loading: more });
                    if (more) timer = setTimeout(ask, PAUSE_MS);
                })
                .catch((reason: unknown) => {
                    if (isAbort(reason)) return;
                    setState((old) => ({ ...old, error: asApiError(reason), loading: false }));
                });
        }
        setState((old) => ({ ...old, error: null, loading: true }));
        ask();
        return () => {
            clearTimeout(timer);
            control.abort();
        };
    }, [path]);
    return state;
}

/** Names that match what a person typed; nothing for an empty text. */
export function useNameSearch(
    q: string,
    params: { of?: string; limit?: number; offset?: number } = {},
): SearchState<NamesAnswer> {
    return useCoveredJson<NamesAnswer>(
        q.trim() ? withParams(`${API}/search`, { ...params, q: q.trim() }) : null,
    );
}

/** A row of a table of comparisons; `place` tells equal names apart, as in `/compare/{of}`. */
export interface SearchedRow {
    of: string;
    row: string;
    place?: string | null;
}

/** The runs in which a row is among the hottest, the newest first, also the run that is shown. */
export function useOccurrences(row: SearchedRow | null, limit = 20): SearchState<Occurrences> {
    return useCoveredJson<Occurrences>(
        row && withParams(`${API}/search/runs`, { ...row, place: row.place ?? '', limit }),
    );
}
