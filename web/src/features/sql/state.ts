/* SPDX-License-Identifier: MIT
 *
 * Sends a statement to the server, and stores the history of statements in this browser.
 */
import { useRef, useState } from 'preact/hooks';
import { API, type ApiError, asApiError, postForBlob, isAbort, sendJson } from '../../base/client';
import { useEffectOn } from '../../base/hooks';
import { columnWith, type LinkedRun } from './links';
import type { SqlResult, SqlValue } from './result';

/** Scope of a query: one run, or the catalog with a list of runs, which may be empty. */
export type SqlScope = { run: string } | { runs: string[] };

export interface SqlRequest {
    sql: string;
    result: SqlResult | null;
    error: ApiError | null;
    running: boolean;
}

const NO_REQUEST: SqlRequest = { sql: '', result: null, error: null, running: false };

/** Sends a statement; '' sends nothing. Sends it again when `stamp` changes. The old result remains
 * until the new one arrives. */
export function useStatement(scope: SqlScope, sql: string, limit: number, stamp: number) {
    const [request, setRequest] = useState<SqlRequest>(NO_REQUEST);
    const control = useRef<AbortController | null>(null);
    useEffectOn(() => {
        if (!sql) {
            setRequest(NO_REQUEST);
            return undefined;
        }
        const now = new AbortController();
        control.current = now;
        setRequest((old) => ({ ...old, error: null, running: true }));
        sendJson<SqlResult>('POST', `${API}/sql`, { ...scope, sql, limit }, { signal: now.signal })
            .then((result) => {
                setRequest({ sql, result, error: null, running: false });
                addToHistory(sql);
            })
            .catch((reason: unknown) => {
                const error = isAbort(reason) ? null : asApiError(reason);
                if (control.current === now)
                    setRequest({ sql, result: null, error, running: false });
            });
        return () => now.abort();
    }, [JSON.stringify(scope), sql, limit, stamp]);
    return { ...request, stop: () => control.current?.abort() };
}

/** Names of the views that have rows. A run of an older version of perfshelf lacks newer views. */
export async function fetchViewsWithRows(scope: SqlScope, names: string[]): Promise<Set<string>> {
    const existing = await namesWithRows(scope, names, (name) => `pragma_table_info('${name}')`);
    return new Set(await namesWithRows(scope, existing, (name) => `"${name}"`));
}

async function namesWithRows(
    scope: SqlScope,
    names: string[],
    tableOf: (name: string) => string,
): Promise<string[]> {
    const sql = `SELECT ${names.map((name) => `EXISTS(SELECT 1 FROM ${tableOf(name)})`).join(', ')}`;
    const answer = await sendJson<SqlResult>('POST', `${API}/sql`, { ...scope, sql });
    return names.filter((_, i) => answer?.rows[0]?.[i] === 1);
}

export interface NamedRun extends LinkedRun {
    name: string;
}

const MAX_NAMED_RUNS = 1000;

/** Name and kind of the runs whose ids are in a result. */
export function useNamedRuns(result: SqlResult): ReadonlyMap<string, NamedRun> {
    const [runs, setRuns] = useState<ReadonlyMap<string, NamedRun>>(new Map());
    const at = columnWith(result, 'run');
    useEffectOn(() => {
        setRuns(new Map());
        const ids = new Set(
            at < 0 ? [] : result.rows.map((row) => String(row[at])).filter((id) => RUN_ID.test(id)),
        );
        if (ids.size === 0) return undefined;
        const control = new AbortController();
        const list = [...ids].slice(0, MAX_NAMED_RUNS).map((id) => `'${id}'`);
        const sql = `SELECT run, name, kind, json_extract(summary, '$.span_ns') FROM runs WHERE run IN (${list.join()})`;
        sendJson<SqlResult>('POST', `${API}/sql`, { runs: [], sql }, { signal: control.signal })
            .then((answer) => setRuns(new Map((answer?.rows ?? []).map(namedRun))))
            .catch(() => undefined); // the ids remain
        return () => control.abort();
    }, [result]);
    return runs;
}

const RUN_ID = /^[0-9a-f]{16}$/;

function namedRun([id, name, kind, span]: SqlValue[]): [string, NamedRun] {
    const run = {
        id: String(id),
        name: String(name),
        kind: String(kind),
        span_ns: Number(span ?? 0),
    };
    return [run.id, run];
}

export async function downloadResult(
    scope: SqlScope,
    sql: string,
    format: 'csv' | 'rows',
): Promise<void> {
    const blob = await postForBlob(`${API}/sql`, { ...scope, sql, format });
    const link = document.createElement('a');
    link.href = URL.createObjectURL(blob);
    link.download = format === 'csv' ? 'result.csv' : 'result.json';
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

const HISTORY_KEY = 'perfshelf-sql';
const MAX_HISTORY = 30;

/** The stored statements, newest first. */
export function readHistory(): string[] {
    try {
        const list: unknown = JSON.parse(localStorage.getItem(HISTORY_KEY) ?? '[]');
        return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [];
    } catch {
        return []; // storage is disabled, or it contains invalid data
    }
}

function addToHistory(sql: string): void {
    try {
        const list = [sql, ...readHistory().filter((one) => one !== sql)].slice(0, MAX_HISTORY);
        localStorage.setItem(HISTORY_KEY, JSON.stringify(list));
    } catch {
        // storage is disabled: there is no history
    }
}
