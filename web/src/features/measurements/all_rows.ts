/* SPDX-License-Identifier: MIT
 *
 * All measurements of a run. The table groups, sorts and filters them itself, since names are folded by
 * what they have in common. The first page is shown while the others are read.
 */
import { useEffect, useState } from 'preact/hooks';
import type { Page } from '../../base/answers';
import { type ApiError, asApiError, getJson, isAbort, withParams } from '../../base/client';
import type { MeasurementRow } from '../../base/rows';
import { objectsOf } from '../shared/paged_source';

const PAGE = 1000;
const MAX_ROWS = 20000;

export interface AllRows {
    /** null: none was read yet */
    rows: MeasurementRow[] | null;
    /** number of rows of the run */
    total: number;
    loading: boolean;
    error: ApiError | null;
}

const NOTHING: AllRows = { rows: null, total: 0, loading: true, error: null };

async function readPages(
    path: string,
    signal: AbortSignal,
    show: (rows: MeasurementRow[], total: number, isLast: boolean) => void,
): Promise<void> {
    const read = (offset: number) =>
        getJson<Page>(withParams(path, { sort: 'id', desc: false, limit: PAGE, offset }), {
            signal,
        });
    const first = await read(0);
    const rows = objectsOf<MeasurementRow>(first);
    const end = Math.min(first.total, MAX_ROWS);
    show(rows, first.total, end <= PAGE);
    if (end <= PAGE) return;
    const offsets = Array.from({ length: Math.ceil(end / PAGE) - 1 }, (_, i) => (i + 1) * PAGE);
    const others = await Promise.all(offsets.map(read));
    show(
        [rows, ...others.map((page) => objectsOf<MeasurementRow>(page))].flat(),
        first.total,
        true,
    );
}

export function useAllRows(path: string): AllRows {
    const [state, setState] = useState(NOTHING);
    useEffect(() => {
        const control = new AbortController();
        setState(NOTHING);
        readPages(path, control.signal, (rows, total, isLast) =>
            setState({ rows, total, loading: !isLast, error: null }),
        ).catch((reason: unknown) => {
            if (isAbort(reason)) return;
            setState((now) => ({ ...now, loading: false, error: asApiError(reason) }));
        });
        return () => control.abort();
    }, [path]);
    return state;
}
