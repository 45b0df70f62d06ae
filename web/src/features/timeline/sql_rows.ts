/* SPDX-License-Identifier: MIT
 *
 * The rows of an SQL statement as marks on the timeline. The URL has the statement.
 */
import { useMemo, useState } from 'preact/hooks';
import type { Run } from '../../base/answers';
import { API, type ApiError, sendJson } from '../../base/client';
import { useEffectOn } from '../../base/hooks';
import { int, plural } from '../../base/units';
import { rowMarks, type RowMark } from '../sql/links';
import type { SqlResult } from '../sql/result';
import { useStatement } from '../sql/state';

/** rows that are drawn */
const MAX_ROWS = 5000;

export interface SqlRows {
    sql: string;
    /** by start; null until they are loaded */
    marks: readonly RowMark[] | null;
    /** how many rows there are and are drawn, or why none are */
    text: string;
    error: ApiError | null;
}

/** The rows of `sql`; null without a statement. */
export function useSqlRows(run: Run, sql: string): SqlRows | null {
    const { result, error } = useStatement({ run: run.id }, sql, MAX_ROWS, 0);
    const total = useRowCount(run, sql, result);
    const marks = useMemo(() => result && rowMarks(result), [result]);
    return useMemo(
        () => (sql ? { sql, marks, text: textOf(marks, result, total, error), error } : null),
        [sql, marks, result, total, error],
    );
}

/* The number of rows of a statement whose result is cut; null: unknown. */
function useRowCount(run: Run, sql: string, result: SqlResult | null): number | null {
    const [total, setTotal] = useState<number | null>(null);
    useEffectOn(() => {
        setTotal(null);
        if (!result?.cut) return undefined;
        const control = new AbortController();
        // A line break ends a comment at the end of the statement.
        const count = `SELECT count(*) FROM (\n${sql.replace(/;\s*$/, '')}\n)`;
        sendJson<SqlResult>('POST', `${API}/sql`, { run: run.id, sql: count }, control)
            .then((answer) => setTotal(Number(answer?.rows[0]?.[0] ?? 0)))
            .catch(() => undefined); // The number stays unknown, and the text says so.
        return () => control.abort();
    }, [result]);
    return total;
}

function textOf(
    marks: readonly RowMark[] | null,
    result: SqlResult | null,
    total: number | null,
    error: ApiError | null,
): string {
    if (error) return error.text;
    if (!marks || !result) return 'loading';
    if (result.cut) {
        const more =
            total === null ? 'the first rows only' : `${int(total - marks.length)} omitted`;
        return `${plural(marks.length, 'row')}, ${more}`;
    }
    const untimed = result.rows.length - marks.length;
    const rest = untimed > 0 ? `, ${int(untimed)} without a time omitted` : '';
    return `${plural(marks.length, 'row')}${rest}`;
}

/** The mark at a time, the shortest of several; null if none is within the tolerance, in ns. */
export function markAt(marks: readonly RowMark[], t: number, tolerance: number): RowMark | null {
    let found: RowMark | null = null;
    for (const mark of marks) {
        if (mark.from > t + tolerance) break;
        if (mark.to < t - tolerance) continue;
        if (!found || mark.to - mark.from < found.to - found.from) found = mark;
    }
    return found;
}
