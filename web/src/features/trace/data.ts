/* SPDX-License-Identifier: MIT
 *
 * What the tabs of a trace share: the summary, the range in the URL, links from one to another.
 */
import { type AxisUnit, TIME_AXIS } from '../../base/axis';
import { API, type Params, withParams } from '../../base/client';
import { kindHas } from '../../base/kinds';
import { formatHash, route, setQuery } from '../../base/router';
import type { TraceSummary } from '../../base/trace_types';
import type { Run } from '../../base/types';
import { formatSeconds, text, THIN_SPACE } from '../../base/units';
import { rangeParams, rangeQuery, readRange, type TraceRange } from '../../model/trace_range';

export const put = (changes: Record<string, string | null>): void =>
    setQuery(changes, { replace: true });

/* What a trace without torch in it does not say. */
const NO_TORCH: Partial<TraceSummary> = {
    step_ns: null,
    gpu_busy: null,
    dataloader_pct: null,
    peak_bytes: null,
};

export function traceOf(run: Run): TraceSummary {
    return { ...NO_TORCH, ...run.summary } as unknown as TraceSummary;
}

export function isTrace(run: Run): boolean {
    return kindHas(run.kind, 'slices');
}

/** Whether device work is given to what launched it: all that is said of devices and steps follows. */
export function isAttributed(run: Run): boolean {
    return kindHas(run.kind, 'devices');
}

/** Whether stacks lie on the axis of a trace. */
export function isStacks(run: Run): boolean {
    return kindHas(run.kind, 'stacks');
}

/** What the axis of a run counts: the unit of its headline. */
export function axisOfRun(run: Run): AxisUnit {
    const { value_scale, weight } = run.summary;
    if (!isStacks(run) || !run.headline) return TIME_AXIS;
    return {
        unit: run.headline.unit,
        scale: typeof value_scale === 'number' && value_scale > 0 ? value_scale : 1,
        whole: typeof weight === 'number' ? weight : 0,
    };
}

/** ms that a sample lasts while nobody says another figure */
export const PERIOD_MS = 10;

/** How long a sample stands for, in ms: of files that count samples, else null. */
export function samplePeriod(run: Run): number | null {
    if (axisOfRun(run).unit !== 'samples') return null;
    const urlPeriod = Number(route.value.query.period);
    return urlPeriod > 0 ? urlPeriod : PERIOD_MS;
}

/** What samples last about: `≈ 6.02 s`; '' where the file itself says times. */
export function estimateText(run: Run, weight: number): string {
    const period = samplePeriod(run);
    if (period === null) return '';
    return `≈${THIN_SPACE}${text(formatSeconds(((weight / axisOfRun(run).scale) * period) / 1000))}`;
}

/** px of the overview above the tracks */
const OVERVIEW_PX = 1000;

export function timelinePath(run: Run): string {
    return withParams(`${API}/runs/${run.id}/timeline`, { px: OVERVIEW_PX });
}

export function viewPath(run: Run, view: string): string {
    return `${API}/runs/${run.id}/${view}`;
}

export function rangedPath(run: Run, view: string, range: TraceRange | null, params: Params = {}) {
    return withParams(viewPath(run, view), { ...rangeParams(range), ...params });
}

/** The range that every tab of the trace is about, null for the whole run. */
export function useRange(): TraceRange | null {
    const { from_ns, to_ns } = route.value.query;
    return readRange({ from_ns, to_ns });
}

/** Another tab with the range that is selected now, or with the one given. */
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
