/* SPDX-License-Identifier: MIT
 *
 * The selected function of a stack profile. Tabs share it by name (`sel`); tables and reads use its
 * id (`fn`), which depends on what a frame is.
 */
import type { Run } from '../../base/answers';
import { route } from '../../base/router';
import { escapeRegex } from '../../model/filter_query';
import { frameParts } from '../../model/frame_names';
import { usePart } from '../shared/use_json';
import { rangedPath, useRange } from '../trace/data';
import { stackParams } from './parts';

interface FoundPage {
    columns: string[];
    rows: (string | number | null)[][];
}

/* Matches the name whether frames are functions or lines. */
function patternOf(sel: string): string {
    const { name, file } = frameParts(sel);
    const isPlaced = file !== '' && sel.startsWith(`${name} (${file}`);
    if (!isPlaced) return `^${escapeRegex(sel)}$`;
    return `^${escapeRegex(`${name} (${file}`)}(:[0-9]+)?\\)$`;
}

/** Id of the selected function. undefined: none is selected, or the run has no function of that
 * name. null: it is being looked up. */
export function useFunctionId(run: Run): string | null | undefined {
    const { fn, sel } = route.value.query;
    const range = useRange();
    const urlId = fn !== undefined && /^\d{1,10}$/.test(fn) ? fn : undefined;
    const found = usePart<FoundPage>(
        urlId !== undefined || !sel
            ? null
            : rangedPath(run, 'stack_functions', range, {
                  q: patternOf(sel),
                  regex: 1,
                  limit: 1,
                  ...stackParams(run),
              }),
    );
    if (urlId !== undefined) return urlId;
    if (!sel || found.error) return undefined;
    if (!found.data) return null;
    const id = found.data.rows[0]?.[found.data.columns.indexOf('name_id')];
    return id === undefined ? undefined : String(id);
}
