/* SPDX-License-Identifier: MIT
 *
 * Links into the timeline: to the slices of a name, to one slice, to a stretch of time.
 */
import type { Run } from '../base/types';
import type { TraceRange } from '../model/trace_range';
import { escapeRegex } from '../model/filter_query';
import { tabHash } from './trace_data';

interface Place {
    /** a name to search for, all of it */
    find?: string;
    slice?: number | null;
    /** becomes the range; undefined keeps the one that is selected */
    range?: TraceRange;
}

export function timelineHash(run: Run, { find, slice, range }: Place): string {
    const query: Record<string, string> = {};
    if (find) Object.assign(query, { q: `^${escapeRegex(find)}$`, regex: '1' });
    if (slice) query.slice = String(slice);
    return tabHash(run, 'timeline', query, range);
}
