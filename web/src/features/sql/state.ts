/* SPDX-License-Identifier: MIT
 *
 * A statement on its way to the server and back, and what this browser asked before.
 */
import { useRef, useState } from 'preact/hooks';
import { API, type ApiError, asApiError, fileFor, isAbort, sendJson } from '../../base/client';
import { useEffectOn } from '../../base/hooks';
import type { SqlResult } from './result';

/** Over what is asked: one run, or the catalog and the runs that these words name. */
export type SqlScope = { run: string } | { runs: string[] };

export interface SqlRequest {
    sql: string;
    result: SqlResult | null;
    error: ApiError | null;
    running: boolean;
}

const NOTHING: SqlRequest = { sql: '', result: null, error: null, running: false };

/** '' asks for nothing. Asks again when `stamp` changes; what was shown stays until then. */
export function useStatement(scope: SqlScope, sql: string, limit: number, stamp: number) {
    const [asked, setAsked] = useState<SqlRequest>(NOTHING);
    const control = useRef<AbortController | null>(null);
    useEffectOn(() => {
        if (!sql) {
            setAsked(NOTHING);
            return undefined;
        }
        const now = new AbortController();
        control.current = now;
        setAsked((old) => ({ ...old, error: null, running: true }));
        sendJson<SqlResult>('POST', `${API}/sql`, { ...scope, sql, limit }, { signal: now.signal })
            .then((result) => {
                setAsked({ sql, result, error: null, running: false });
                remember(sql);
            })
            .catch((reason: unknown) => {
                const error = isAbort(reason) ? null : asApiError(reason);
                if (control.current === now) setAsked({ sql, result: null, error, running: false });
            });
        return () => now.abort();
    }, [JSON.stringify(scope), sql, limit, stamp]);
    return { ...asked, stop: () => control.current?.abort() };
}

/** The views that hold rows in a run. */
export async function filledViews(scope: SqlScope, names: string[]): Promise<Set<string>> {
    const sql = `SELECT ${names.map((name) => `EXISTS(SELECT 1 FROM "${name}")`).join(', ')}`;
    const answer = await sendJson<SqlResult>('POST', `${API}/sql`, { ...scope, sql });
    return new Set(names.filter((_, i) => answer?.rows[0]?.[i] === 1));
}

export async function saveFile(
    scope: SqlScope,
    sql: string,
    format: 'csv' | 'rows',
): Promise<void> {
    const blob = await fileFor(`${API}/sql`, { ...scope, sql, format });
    const link = document.createElement('a');
    link.href = URL.createObjectURL(blob);
    link.download = format === 'csv' ? 'result.csv' : 'result.json';
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

const KEY = 'perfshelf-sql';
const REMEMBERED = 30;

/** The newest first. */
export function history(): string[] {
    try {
        const list: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
        return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [];
    } catch {
        return []; // not allowed to store, or not ours
    }
}

function remember(sql: string): void {
    try {
        const list = [sql, ...history().filter((one) => one !== sql)].slice(0, REMEMBERED);
        localStorage.setItem(KEY, JSON.stringify(list));
    } catch {
        // A browser that stores nothing has no history.
    }
}
