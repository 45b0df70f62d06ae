/* SPDX-License-Identifier: MIT
 *
 * Helpers that the tabs of a trace share: the summary, the range in the URL, links between the
 * tabs.
 */
import type { Run } from '../../base/answers';
import { type AxisUnit, TIME_AXIS } from '../../base/axis';
import { API, type Params, withParams } from '../../base/client';
import { kindHas } from '../../base/kinds';
import { formatHash, route } from '../../base/router';
import type { TraceSummary } from '../../base/trace_types';
import { formatSeconds, text, THIN_SPACE } from '../../base/units';
import { kindLabel } from '../../model/family';
import type { SearchedRow } from '../shared/name_search';
import { rangeParams, rangeQuery, readRange, type TraceRange } from '../../model/trace_range';

/* Default values of summary fields that only traces of torch have. */
const TORCH_DEFAULTS: Partial<TraceSummary> = {
    step_ns: null,
    gpu_busy: null,
    dataloader_pct: null,
};

export function traceOf(run: Run): TraceSummary {
    return { ...TORCH_DEFAULTS, ...run.summary } as unknown as TraceSummary;
}

export function isTrace(run: Run): boolean {
    return kindHas(run.kind, 'slices');
}

/** Whether device work is attributed to the calls that launched it. Otherwise there are no values
 * for devices and steps. */
export function isAttributed(run: Run): boolean {
    return kindHas(run.kind, 'devices');
}

/** Whether the run is a stack profile, which has an axis like a trace. */
export function isStacks(run: Run): boolean {
    return kindHas(run.kind, 'stacks');
}

/** The row of a slice that other runs are searched for; null: slices of its kind have no table. */
export function searchedSlice(row: string, kind: number): SearchedRow | null {
    const tables: Record<string, string> = { operator: 'operators', kernel: 'kernels' };
    const of = tables[kindLabel(kind)];
    return of ? { of, row } : null;
}

/** Unit of the axis of a run: that of its headline, or of its stacks if these have their own. */
export function axisOfRun(run: Run): AxisUnit {
    const { value_scale, weight, byte_stacks } = run.summary;
    if (!isStacks(run) || !run.headline) return TIME_AXIS;
    return {
        unit: byte_stacks ? 'B' : run.headline.unit,
        scale: typeof value_scale === 'number' && value_scale > 0 ? value_scale : 1,
        whole: typeof weight === 'number' ? weight : 0,
    };
}

/** assumed time between two samples in ms, unless the user sets another */
export const DEFAULT_PERIOD_MS = 10;

/** Assumed time between two samples in ms, for files that count samples; else null. */
export function samplePeriod(run: Run): number | null {
    // Runs with sample types say what a sample stands for.
    if (axisOfRun(run).unit !== 'samples' || kindHas(run.kind, 'sample_types')) return null;
    const urlPeriod = Number(route.value.query.period);
    return urlPeriod > 0 ? urlPeriod : DEFAULT_PERIOD_MS;
}

/** Estimated time of a weight in samples: `≈ 6.02 s`; '' if the file contains times. */
export function estimateText(run: Run, weight: number): string {
    const period = samplePeriod(run);
    if (period === null) return '';
    return `≈${THIN_SPACE}${text(formatSeconds(((weight / axisOfRun(run).scale) * period) / 1000))}`;
}

/** number of bins of the overview above the tracks */
const OVERVIEW_BINS = 1000;

export function timelinePath(run: Pick<Run, 'id'>): string {
    return withParams(`${API}/runs/${run.id}/timeline`, { px: OVERVIEW_BINS });
}

export function viewPath(run: Run, view: string): string {
    return `${API}/runs/${run.id}/${view}`;
}

export function rangedPath(run: Run, view: string, range: TraceRange | null, params: Params = {}) {
    return withParams(viewPath(run, view), { ...rangeParams(range), ...params });
}

/** The range that all tabs of the trace show; null for the complete run. */
export function useRange(): TraceRange | null {
    const { from_ns, to_ns } = route.value.query;
    return readRange({ from_ns, to_ns });
}

/** URL of another tab with the given range; if `range` is undefined, with the selected range. */
export function tabHash(
    run: Run,
    tab: string,
    query: Record<string, string> = {},
    range?: TraceRange | null,
): string {
    const { from_ns, to_ns } = route.value.query;
    const rangeKeys = rangeQuery(range === undefined ? readRange({ from_ns, to_ns }) : range);
    const all: Record<string, string> = { ...query };
    if (rangeKeys.from_ns && rangeKeys.to_ns) Object.assign(all, rangeKeys);
    return formatHash(['run', run.id, tab], all);
}
