/* SPDX-License-Identifier: MIT
 *
 * Memory over time from mprof's samples or Scalene's footprint: curves of the processes, and
 * function calls below, on a common axis that can be zoomed.
 */
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import type { MemoryAnswer, MprofSummary, Run } from '../../base/answers';
import { API, withParams } from '../../base/client';
import { useKeys } from '../../base/keys';
import { kindHas } from '../../base/kinds';
import { replaceQuery, route } from '../../base/router';
import type { MemorySpanRow as MemorySpan } from '../../base/rows';
import { LABELS } from '../../base/terms';
import type { PlotArea } from '../../components/chart';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import { setStatus } from '../../components/status_line';
import { Spacer, Toolbar } from '../../components/toolbar';
import { showTip } from '../../components/tip';
import { hideTooltip } from '../../components/tooltip';
import { viewportWidth } from '../../components/viewport';
import {
    nearestSample,
    panWindow,
    slopeText,
    type TimeWindow,
    windowOf,
    zoomWindow,
} from '../../model/memory_curve';
import { useJson } from '../shared/use_json';
import { type ChartCurve, MemoryChart } from './chart';
import { SpanRows } from './span_rows';
import { SpansTable } from './spans_table';
import { MemoryLegend, PeakText, pointTip, spanTip } from './text';

const HEADROOM = 1.06;
const ZOOM_STEP = 0.6;
const PAN_STEP = 0.2;

function curvesOf(answer: MemoryAnswer | null): ChartCurve[] {
    const gaps = answer?.gaps ?? [];
    return (answer?.curves ?? []).map(({ process, kind, t_s, mib }) => ({
        label: process === null ? (kind === 'rss' ? 'main process' : kind) : `child ${process}`,
        main: process === null,
        t_s,
        values: mib,
        gaps: kind === 'rss' ? gaps.filter((gap) => gap.process === process) : [],
    }));
}

function lengthOf(run: Run, answer: MemoryAnswer | null): number {
    if (answer) return Math.max(answer.end_s - answer.start_s, 0);
    return (run.summary as unknown as MprofSummary).duration_s ?? 0;
}

/* Fetches the curves of the window in the URL, by default of the complete run. The response also
 * has the duration of the run. */
function useMemory(run: Run, query: Record<string, string>) {
    const px = Math.min(4096, Math.max(400, viewportWidth.value));
    const path = withParams(`${API}/runs/${run.id}/memory`, {
        from_s: query.from,
        to_s: query.to,
        px,
    });
    return useJson<MemoryAnswer>(path);
}

function peakAndLast(curves: ChartCurve[]): { peak: number; last: number } | null {
    const main = curves.find((curve) => curve.main);
    if (!main?.values.length) return null;
    const peak = main.values.reduce((most, mib) => Math.max(most, mib), 0);
    return { peak, last: main.values[main.values.length - 1] };
}

/* Data of the visible window, from the URL and the server's response, and `show`, which moves the
 * window. */
function useMemoryView(run: Run) {
    const query = route.value.query;
    const { data: answer, error, loading } = useMemory(run, query);
    const length = lengthOf(run, answer);
    const window = windowOf(query.from, query.to, length);
    const curves = useMemo(() => curvesOf(answer), [answer]);
    const spans = answer?.spans ?? [];
    function show(next: TimeWindow): void {
        const whole = next.from <= 0 && next.to >= length;
        replaceQuery({
            from: whole ? null : next.from.toFixed(4),
            to: whole ? null : next.to.toFixed(4),
        });
    }
    return {
        answer,
        error,
        loading,
        length,
        window,
        curves,
        spans,
        show,
        selected: spans.find((span) => spanKey(span) === query.span) ?? null,
        reported: (run.summary as unknown as Partial<MprofSummary>).peak_mib ?? null,
        zoomed: query.from !== undefined || query.to !== undefined,
        hasSpans: kindHas(run.kind, 'spans') && ((run.summary.functions as number) ?? 0) > 0,
    };
}

type MemoryView = ReturnType<typeof useMemoryView>;

function useMemoryKeys({ window, length, selected, show }: MemoryView): void {
    const zoom = (factor: number) =>
        show(zoomWindow(window, (window.from + window.to) / 2, factor, length));
    useKeys('Memory', [
        { key: 'w', label: 'zoom in', run: () => zoom(ZOOM_STEP) },
        { key: 's', label: 'zoom out', run: () => zoom(1 / ZOOM_STEP) },
        { key: 'a', label: 'earlier', run: () => show(panWindow(window, -PAN_STEP, length)) },
        { key: 'd', label: 'later', run: () => show(panWindow(window, PAN_STEP, length)) },
        {
            key: 'f',
            label: 'zoom to selected call',
            run: () => selected && show({ from: selected.start_s, to: selected.end_s }),
        },
        { key: '0', label: 'reset zoom', run: () => show({ from: 0, to: length }) },
        {
            key: 'Escape',
            label: 'clear call and range',
            run: () => replaceQuery({ from: null, to: null, span: null }),
        },
    ]);
}

const selectSpan = (span: MemorySpan): void => replaceQuery({ span: spanKey(span) });

export function MemoryTab({ run }: { run: Run }) {
    const view = useMemoryView(run);
    const { answer, curves, length, show } = view;
    useMemoryKeys(view);
    useEffect(() => {
        const hasChildren = curves.some((curve) => !curve.main);
        setStatus(undefined, hasChildren ? 'the slope is of the main process' : null);
    }, [curves]);
    useEffect(() => () => hideTooltip(), []);
    const empty = answer !== null && curves.length === 0;
    return (
        <div class="tab-body">
            <Toolbar label="view options">
                <MemoryLegend curves={curves} />
                <Spacer />
                <span class="soft wide-only">drag to zoom, double click to reset</span>
                <button
                    type="button"
                    class="button"
                    disabled={!view.zoomed}
                    onClick={() => show({ from: 0, to: length })}
                >
                    Whole time <kbd>0</kbd>
                </button>
            </Toolbar>
            {view.error && <Notice kind="error" title={LABELS.curveError} error={view.error} />}
            {empty && <p class="grid-empty">This profile has no memory samples.</p>}
            {answer && !empty && length > 0 && <Picture view={view} answer={answer} />}
            {view.hasSpans && answer && (
                <SpansTable
                    run={run}
                    start={answer.start_s}
                    selected={route.value.query.span ?? null}
                    onPick={selectSpan}
                    onZoom={(span) => show({ from: span.start_s, to: span.end_s })}
                />
            )}
        </div>
    );
}

function topOf(curves: ChartCurve[]): number {
    let top = 0.001;
    for (const { values } of curves) for (const value of values) top = Math.max(top, value);
    return top * HEADROOM;
}

function Picture({ view, answer }: { view: MemoryView; answer: MemoryAnswer }) {
    const { curves, window, zoomed, selected } = view;
    const [area, setArea] = useState<PlotArea | null>(null);
    const onArea = useCallback(
        (next: PlotArea) =>
            setArea((old) =>
                old && old.left === next.left && old.right === next.right ? old : next,
            ),
        [],
    );
    const top = useMemo(() => topOf(curves), [curves]);
    const slope = slopeText(answer.slope_mib_s, window, peakAndLast(curves));
    const [hovered, setHovered] = useState<number | null>(null);
    useEffect(() => setHovered(null), [window.from, window.to]);
    const main = curves.find((curve) => curve.main);
    const marked = main && hovered !== null ? nearestSample(main, hovered) : null;
    function onHover(at: number | null, event: PointerEvent): void {
        setHovered(at);
        showTip(at === null ? null : pointTip(curves, at, window), event);
    }
    return (
        <div class="memory-picture">
            <PeakText
                answer={answer}
                window={window}
                slope={slope}
                zoomed={zoomed}
                reported={view.reported}
            />
            <MemoryChart
                curves={curves}
                window={window}
                length={view.length}
                peak={answer.peak}
                marked={marked && { t_s: marked.t_s, mib: marked.value }}
                top={top}
                onWindow={view.show}
                onHover={onHover}
                onArea={onArea}
            />
            {area && (
                <SpanRows
                    spans={view.spans}
                    window={window}
                    area={area}
                    selected={selected}
                    onPick={selectSpan}
                    onHover={(span, event) => showTip(span && spanTip(span), event)}
                />
            )}
            <LoadingLine active={view.loading} />
        </div>
    );
}

/** Key of a span: its name and start, because spans have no id. */
export function spanKey({ name, start_s }: { name: string; start_s: number }): string {
    return `${name}@${start_s.toFixed(4)}`;
}
