/* SPDX-License-Identifier: MIT
 *
 * Links into the timeline: to the slices of a name, to one slice, to a time range.
 */
import type { Run } from '../../base/answers';
import { escapeRegex } from '../../model/filter_query';
import { fitView, type TimeView, viewText } from '../../model/timeline_view';
import type { TraceRange } from '../../model/trace_range';
import { tabHash, traceOf } from './data';

interface TimelineTarget {
    /** complete name to search for */
    find?: string;
    /** true: `find` is an operation, whose slices may have a suffix in brackets in their names */
    isOperation?: boolean;
    slice?: number | null;
    /** the selected range and the view; undefined keeps the selected range */
    range?: TraceRange;
    /** the step whose critical path is drawn */
    path?: string;
}

function viewAround(run: Run, { from_ns, to_ns }: TraceRange): TimeView {
    return fitView({ from: from_ns, to: to_ns }, { from: 0, to: traceOf(run).span_ns });
}

export function timelineHash(
    run: Run,
    { find, isOperation, slice, range, path }: TimelineTarget,
): string {
    const query: Record<string, string> = {};
    const end = isOperation ? '( \\(|$)' : '$';
    if (find) Object.assign(query, { q: `^${escapeRegex(find)}${end}`, regex: '1' });
    if (slice) query.slice = String(slice);
    if (path) query.path = path;
    if (range) query.at = viewText(viewAround(run, range));
    return tabHash(run, 'timeline', query, range);
}
