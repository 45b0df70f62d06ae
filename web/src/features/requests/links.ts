/* SPDX-License-Identifier: MIT */
/* Addresses of requests and steps in this tab, and of what ran in a step in the other tabs. */
import type { Run } from '../../base/answers';
import { kindHas } from '../../base/kinds';
import { formatHash, type Query, route } from '../../base/router';
import type { TraceRange } from '../../model/trace_range';
import { tabHash, traceOf } from '../trace/data';
import { timelineHash } from '../trace/timeline_link';

function hashWith(changes: Record<string, string | null>): string {
    const { path, query } = route.value;
    const next: Query = { ...query };
    for (const [key, value] of Object.entries(changes)) {
        if (value === null) delete next[key];
        else next[key] = value;
    }
    return formatHash(path, next);
}

export const requestHref = (id: number): string =>
    hashWith({ request: String(id), engine_step: null });

/** The step; the request that led to it stays selected behind it. */
export const stepHref = (id: number): string => hashWith({ engine_step: String(id) });

const readId = (text: string | undefined): number | null =>
    /^\d+$/.test(text ?? '') ? Number(text) : null;

/** Ids of the selected request and step, and of the only result that is shown. */
export function readChosen(query: Query) {
    return {
        request: readId(query.request),
        step: readId(query.engine_step),
        result: readId(query.result),
    };
}

/** Tabs that show what ran in a range; null: the run has no such tab. */
export function workLinks(run: Run, range: TraceRange) {
    if (!kindHas(run.kind, 'slices')) return { timeline: null, operators: null, kernels: null };
    const { torch, kernels } = traceOf(run);
    return {
        timeline: timelineHash(run, { range }),
        operators: torch ? tabHash(run, 'operators', {}, range) : null,
        kernels: kernels > 0 ? tabHash(run, 'kernels', {}, range) : null,
    };
}
