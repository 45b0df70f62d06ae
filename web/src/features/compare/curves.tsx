/* SPDX-License-Identifier: MIT
 *
 * Memory over time of two runs in one chart, aligned at their starts: base dashed, new in colour.
 * The tooltip shows the difference; dragging a range zooms.
 */
import { useEffect, useMemo } from 'preact/hooks';
import type {
    Comparison,
    CurvesAnswer,
    MemoryAnswer,
    Run,
    TimelineAnswer,
} from '../../base/answers';
import { API, type ApiError, withParams } from '../../base/client';
import { useMemoOn } from '../../base/hooks';
import { kindHas } from '../../base/kinds';
import { replaceQuery, route } from '../../base/router';
import { LABELS } from '../../base/terms';
import { bytesText, MINUS, pct, text, THIN_SPACE } from '../../base/units';
import { Menu } from '../../components/menu';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import { TimeChart, type TimeCurve } from '../../components/time_chart';
import { showTip } from '../../components/tip';
import { hideTooltip } from '../../components/tooltip';
import { formatDelta } from '../../model/compare';
import { placeKey } from '../../model/device';
import type { TipData, TipRow } from '../../model/tip';
import { byteAxis } from '../../model/step_curve';
import {
    brokenLine,
    type Sample,
    secondsText,
    tickText,
    type TimeWindow,
} from '../../model/memory_curve';
import { useJson } from '../shared/use_json';
import { isTrace, timelinePath } from '../trace/data';
import {
    bytesAt,
    categoryCurves,
    curveNames,
    type CurveStatistics,
    deviceCurves,
    type NamedCurve,
    sampledCurves,
    curveStatistics,
} from './curve_pair';
import { PictureBox, pictureHeight } from './side_pane';

/** Number of points to request: as many as a wide screen has pixels, so that zooming needs no new data. */
const MAX_POINTS = 4096;
const HEADROOM = 1.04;

interface RunCurves {
    curves: NamedCurve[];
    /** duration of the run in seconds */
    end_s: number;
}

interface CurvesState {
    found: RunCurves | null;
    error: ApiError | null;
    loading: boolean;
}

function useSampled(run: Run | null): CurvesState {
    const path = run && withParams(`${API}/runs/${run.id}/memory`, { px: MAX_POINTS });
    const { data, error, loading } = useJson<MemoryAnswer>(path);
    const found = useMemo(
        () => data && { curves: sampledCurves(data), end_s: data.end_s - data.start_s },
        [data],
    );
    return { found, error, loading };
}

function useCategories(run: Run | null): CurvesState {
    const path = run && withParams(`${API}/runs/${run.id}/categories`, { px: MAX_POINTS });
    const { data, error, loading } = useJson<
        Parameters<typeof categoryCurves>[0] & { start_s: number; end_s: number }
    >(path);
    const found = useMemo(
        () => data && { curves: categoryCurves(data), end_s: data.end_s - data.start_s },
        [data],
    );
    return { found, error, loading };
}

function useDevices(run: Run | null): CurvesState {
    const whole = useJson<TimelineAnswer>(run && timelinePath(run));
    const { start_ns = 0, end_ns = 0, memory = [] } = whole.data ?? {};
    const path = withParams(`${API}/runs/${run?.id}/curves`, {
        from_ns: start_ns,
        to_ns: end_ns + 1,
        px: MAX_POINTS,
    });
    const keys = memory.map(placeKey).join(',');
    const curves = useJson<CurvesAnswer>(keys ? `${path}&memory=${keys}` : null);
    const found = useMemoOn(() => {
        if (!whole.data || (keys && !curves.data)) return null;
        const end_s = (end_ns - start_ns) / 1e9;
        return {
            curves: curves.data ? deviceCurves(memory, curves.data, start_ns) : [],
            end_s,
        };
    }, [whole.data, curves.data]);
    return {
        found,
        error: whole.error ?? curves.error,
        loading: whole.loading || curves.loading,
    };
}

/* Fetches the curves of a run; the view of the API depends on the kind of the run. */
function useCurves(run: Run): CurvesState {
    const timeline = kindHas(run.kind, 'categories');
    const sampled = useSampled(isTrace(run) || timeline ? null : run);
    const categories = useCategories(timeline ? run : null);
    const devices = useDevices(isTrace(run) ? run : null);
    return timeline ? categories : isTrace(run) ? devices : sampled;
}

interface DrawnCurve {
    curve: NamedCurve;
    statistics: CurveStatistics;
}

function drawnCurveOf(found: RunCurves | null, name: string): DrawnCurve | null {
    const curve = found?.curves.find((one) => one.name === name);
    return found && curve?.t_s.length
        ? { curve, statistics: curveStatistics(curve, found.end_s) }
        : null;
}

/* Repeats the last value at `end_s`, because a stepped line must reach the end of the run. */
function chartCurveOf(
    { curve, statistics }: DrawnCurve,
    step: number,
    style: Partial<TimeCurve> & { token: string },
): TimeCurve {
    const { x, y } = brokenLine({
        t_s: [...curve.t_s, statistics.end_s],
        values: [...curve.bytes, curve.bytes[curve.bytes.length - 1]].map((value) => value / step),
        gaps: curve.gaps,
    });
    return { x, y, stepped: curve.isStepped, ...style };
}

const BASE_STYLE = { token: 'text-3', dash: [4, 3], width: 1.25 };
const NEW_STYLE = { token: 'bar', width: 1.75 };

function readWindow(urlValue: string | undefined, end: number): TimeWindow {
    const match = /^([\d.]+)~([\d.]+)$/.exec(urlValue ?? '');
    const [from, to] = match ? [Number(match[1]), Math.min(end, Number(match[2]))] : [0, end];
    return to > from ? { from, to } : { from: 0, to: end };
}

export function ComparisonCurves({ comparison }: { comparison: Comparison }) {
    const { query } = route.value;
    const [base, fresh] = [useCurves(comparison.base[0]), useCurves(comparison.new[0])];
    useEffect(() => () => hideTooltip(), []);
    const names = curveNames(base.found?.curves ?? [], fresh.found?.curves ?? []);
    const name = names.find((one) => one === query.curve) ?? names[0];
    const error = base.error ?? fresh.error;
    if (error) return <Notice kind="error" title={LABELS.curveError} error={error} />;
    const ready = base.found && fresh.found;
    if (ready && name === undefined) return null;
    return (
        <PictureBox label="Memory over time">
            {ready && (
                <Curves
                    comparison={comparison}
                    names={names}
                    name={name}
                    base={drawnCurveOf(base.found, name)}
                    fresh={drawnCurveOf(fresh.found, name)}
                />
            )}
            <LoadingLine active={base.loading || fresh.loading} />
        </PictureBox>
    );
}

interface CurvesProps {
    comparison: Comparison;
    names: string[];
    name: string;
    /** null if the run has no such curve */
    base: DrawnCurve | null;
    fresh: DrawnCurve | null;
}

function Curves(props: CurvesProps) {
    const { base, fresh, name } = props;
    const top = Math.max(1, base?.statistics.peak ?? 0, fresh?.statistics.peak ?? 0) * HEADROOM;
    // Values are divided by the step, because Chart.js ignores a step for values as large as bytes.
    const { step, tickText: bytesOnAxis } = byteAxis(top);
    const curves = useMemoOn(
        () => [
            ...(base ? [chartCurveOf(base, step, BASE_STYLE)] : []),
            ...(fresh ? [chartCurveOf(fresh, step, NEW_STYLE)] : []),
        ],
        [base?.curve, fresh?.curve],
    );
    const end = Math.max(base?.statistics.end_s ?? 0, fresh?.statistics.end_s ?? 0);
    const window = readWindow(route.value.query.span, end);
    return (
        <>
            <CurvesHead {...props} zoomed={window.from > 0 || window.to < end} />
            <div class="compare-curves" style={{ height: pictureHeight() }}>
                <TimeChart
                    label={`${name} of base and new over time`}
                    curves={curves}
                    window={window}
                    range={null}
                    top={top / step}
                    step={1}
                    xText={(value) => `${tickText(value)} s`}
                    yText={(value) => bytesOnAxis(value * step)}
                    onRange={(range) =>
                        replaceQuery({
                            span:
                                range && `${range.from.toPrecision(9)}~${range.to.toPrecision(9)}`,
                        })
                    }
                    onHover={(at, event) =>
                        showTip(at === null ? null : pointTip(props, at, window), event)
                    }
                />
            </div>
        </>
    );
}

function CurvesHead(props: CurvesProps & { zoomed: boolean }) {
    const { comparison, names, name, base, fresh, zoomed } = props;
    const runs = Math.max(comparison.base.length, comparison.new.length);
    return (
        <div class="compare-picture-head compare-curves-head">
            {names.length > 1 ? (
                <Menu
                    label={name}
                    ariaLabel="which curve"
                    items={names.map((one) => ({
                        text: one,
                        checked: one === name,
                        onPick: () => replaceQuery({ curve: one === names[0] ? null : one }),
                    }))}
                />
            ) : (
                <b>{name}</b>
            )}
            <span class="compare-curves-legend">
                <span>
                    <i class="is-base" /> base{base ? '' : ' has no curve'}
                </span>
                <span>
                    <i /> new{fresh ? '' : ' has no curve'}
                </span>
            </span>
            {base && fresh && (
                <>
                    <ChangeText
                        label="Peak"
                        base={base.statistics.peak}
                        fresh={fresh.statistics.peak}
                    />
                    <ChangeText
                        label="Mean over time"
                        base={base.statistics.mean}
                        fresh={fresh.statistics.mean}
                    />
                </>
            )}
            {runs > 1 && <span class="soft wide-only">first run of each group</span>}
            <span class="spacer" />
            {zoomed ? (
                <button type="button" class="link" onClick={() => replaceQuery({ span: null })}>
                    whole time
                </button>
            ) : (
                <span class="soft wide-only">drag to zoom</span>
            )}
        </div>
    );
}

function percentOf(base: number, delta: number): string {
    if (base <= 0 || delta === 0) return '';
    return ` (${delta < 0 ? MINUS : '+'}${pct((100 * Math.abs(delta)) / base)}${THIN_SPACE}%)`;
}

function ChangeText({ label, base, fresh }: { label: string; base: number; fresh: number }) {
    const delta = fresh - base;
    return (
        <span>
            <span class="soft">{label}</span> {bytesText(base)} → {bytesText(fresh)},{' '}
            <b>
                {text(formatDelta(delta, 'B'))}
                {percentOf(base, delta)}
            </b>
        </span>
    );
}

function pointTip(
    { base, fresh }: Pick<CurvesProps, 'base' | 'fresh'>,
    at: number,
    window: TimeWindow,
): TipData {
    const seconds = (t: number): string => `${secondsText(t, window)}${THIN_SPACE}s`;
    const sampleOf = (drawn: DrawnCurve | null): Sample | null =>
        drawn && bytesAt(drawn.curve, drawn.statistics.end_s, at);
    const rowOf = (label: string, drawn: DrawnCurve | null): TipRow => {
        const sample = sampleOf(drawn);
        return {
            label,
            value: sample ? bytesText(sample.value) : '–',
            share: sample && !drawn?.curve.isStepped ? `sample at ${seconds(sample.t_s)}` : '',
        };
    };
    const [a, b] = [sampleOf(base), sampleOf(fresh)];
    const delta = a && b ? b.value - a.value : null;
    const change = {
        label: 'Δ',
        value: delta === null ? '–' : text(formatDelta(delta, 'B')),
        share: delta === null ? '' : percentOf(a?.value ?? 0, delta),
    };
    return {
        title: `${seconds(at)} after the start`,
        rows: [rowOf('base', base), rowOf('new', fresh), change],
    };
}
