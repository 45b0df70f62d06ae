/* SPDX-License-Identifier: MIT */
/* The largest rows of a table without filters; they define the scale of its columns and the steps
 * of the waterfall. */
import { useMemo } from 'preact/hooks';
import type { ComparisonTable, Page } from '../../base/answers';
import { route } from '../../base/router';
import { objectsOf } from '../shared/paged_source';
import { useJson } from '../shared/use_json';
import { comparePath, rowParams } from './state';

/** Maximum number of rows that have a step of their own in the waterfall. */
const MAX_STEPS = 9;

export interface LargestRows<R> {
    rows: R[];
    page: Page;
}

export function useLargestRows<R>(table: ComparisonTable) {
    const { query } = route.value;
    const path = comparePath(query, `/${table.of}`, {
        ...rowParams(table, query),
        limit: MAX_STEPS,
    });
    const { data, error } = useJson<Page>(path);
    const top = useMemo(
        (): LargestRows<R> | null => data && { rows: objectsOf<R>(data), page: data },
        [data],
    );
    return { top, error };
}
