/* SPDX-License-Identifier: MIT
 *
 * Memory over time, as mprof sampled it or as Scalene's footprint: curves of the processes, calls
 * of functions below, both on one axis that zooms.
 */
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import { API, withParams } from '../base/client';
import { useKeys } from '../base/keys';
import type { MemoryAnswer, MemorySpan, MprofSummary } from '../base/line_types';
import { route } from '../base/router';
import type { Run } from '../base/types';
import { fmtFixed, int, signed, THIN } from '../base/units';
import type { PlotArea } from '../components/chart';
import { type ChartCurve, MemoryChart } from '../components/memory_chart';
import { Notice } from '../components/notice';
import { LoadingLine } from '../components/progress';
import { SpanRows } from '../components/span_rows';
import { setStatus } from '../components/status_line';
import { Spacer, Toolbar } from '../components/toolbar';
import { hideTooltip, showTooltip } from '../components/tooltip';
import { viewportWidth } from '../components/viewport';
import {
    panWindow,
    secondsText,
    slopeWords,
    type TimeWindow,
    windowOf,
    zoomWindow,
} from '../model/memory_curve';
import { put } from './lines_data';
import { SpansTable } from './spans_table';
import { useJson } from './use_json';

const ROOM = 1.06;
const ZOOM = 0.6;
const PAN = 0.2;

function curvesOf(answer: MemoryAnswer | null): ChartCurve[] {
    return (answer?.curves ?? []).map(({ process, kind, t_s, mib }) => ({
        label: process === null ? (kind === 'rss' ? 'main process' : kind) : `child ${process}`,
        main: process === null,
        t_s,
        mib,
    }));
}

function lengthOf(run: Run, answer: MemoryAnswer | null): number {
    if (answer) return Math.max(answer.end_s - answer.start_s, 0);
    return (run.summary as unknown as MprofSummary).duration_s ?? 0;
}

/* The last sample at or before a time. */
function valueAt({ t_s, mib }: ChartCurve, at: number): number | null {
    let low = 0;
    let high = t_s.length - 1;
    if (high < 0 || t_s[0] > at) return null;
    while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (t_s[middle] <= at) low = middle;
        else high = middle - 1;
    }
    return mib[low];
}

/* The first answer tells how long all of it is; without a window in the URL it is also the last. */
function useMemory(run: Run, query: Record<string, string>) {
    const px = Math.min(4096, Math.max(400, viewportWidth.value));
    const path = withParams(`${API}/runs/${run.id}/memory`, {
        from_s: query.from,
        to_s: query.to,
        px,
    });
    return useJson<MemoryAnswer>(path);
}

function endsOf(curves: ChartCurve[]): { peak: number; last: number } | null {
    const main = curves.find((curve) => curve.main);
    if (!main?.mib.length) return null;
    const peak = main.mib.reduce((most, mib) => Math.max(most, mib), 0);
    return { peak, last: main.mib[main.mib.length - 1] };
}

export function MemoryTab({ run }: { run: Run }) {
    const query = route.value.query;
    const { data: answer, error, loading } = useMemory(run, query);
    const length = lengthOf(run, answer);
    const window = windowOf(query.from, query.to, length);
    const curves = useMemo(() => curvesOf(answer), [answer]);
    const [area, setArea] = useState<PlotArea | null>(null);
    const onArea = useCallback(
        (next: PlotArea) =>
            setArea((old) =>
                old && old.left === next.left && old.right === next.right ? old : next,
            ),
        [],
    );
    const spans = answer?.spans ?? [];
    const selected = spans.find((span) => keyOf(span) === query.span) ?? null;
    const zoomed = query.from !== undefined || query.to !== undefined;
    const hasSpans = run.kind === 'mprof' && ((run.summary.functions as number) ?? 0) > 0;

    function show(next: TimeWindow): void {
        const whole = next.from <= 0 && next.to >= length;
        put({
            from: whole ? null : next.from.toFixed(4),
            to: whole ? null : next.to.toFixed(4),
        });
    }
    const zoom = (factor: number) =>
        show(zoomWindow(window, (window.from + window.to) / 2, factor, length));
    useKeys('Memory', [
        { key: 'w', label: 'zoom in', run: () => zoom(ZOOM) },
        { key: 's', label: 'zoom out', run: () => zoom(1 / ZOOM) },
        { key: 'a', label: 'earlier', run: () => show(panWindow(window, -PAN, length)) },
        { key: 'd', label: 'later', run: () => show(panWindow(window, PAN, length)) },
        {
            key: 'f',
            label: 'zoom to the selected call',
            run: () => selected && show({ from: selected.start_s, to: selected.end_s }),
        },
        { key: '0', label: 'the whole time', run: () => show({ from: 0, to: length }) },
        {
            key: 'Escape',
            label: 'the whole time',
            run: () => put({ from: null, to: null, span: null }),
        },
    ]);
    const slope = slopeWords(answer?.slope_mib_s ?? null, window, endsOf(curves));
    useEffect(() => {
        const child = curves.some((curve) => !curve.main);
        setStatus(undefined, child ? 'the slope is that of the main process' : null);
    }, [curves]);
    useEffect(() => () => hideTooltip(), []);

    function onHover(at: number | null, event: PointerEvent): void {
        if (at === null) hideTooltip();
        else
            showTooltip(
                <PointTip curves={curves} at={at} window={window} />,
                event.clientX,
                event.clientY,
            );
    }
    function onSpanHover(span: MemorySpan | null, event: PointerEvent): void {
        if (span) showTooltip(<SpanTip span={span} />, event.clientX, event.clientY);
        else hideTooltip();
    }
    const pick = (span: MemorySpan) => put({ span: keyOf(span) });
    const top = Math.max(...curves.flatMap(({ mib }) => mib), answer?.peak?.mib ?? 0, 0.001) * ROOM;
    const empty = answer && curves.length === 0;
    return (
        <div class="tab-body">
            <Toolbar label="what is shown">
                <MemoryLegend curves={curves} />
                <Spacer />
                <span class="soft wide-only">
                    drag over the curve to zoom, double click for all
                </span>
                <button
                    type="button"
                    class="button"
                    disabled={!zoomed}
                    onClick={() => show({ from: 0, to: length })}
                >
                    Whole time <kbd>0</kbd>
                </button>
            </Toolbar>
            {error && <Notice kind="error" title="The curve could not be read" error={error} />}
            {empty ? (
                <p class="grid-empty">The profile holds no memory over time.</p>
            ) : (
                answer &&
                length > 0 && (
                    <div class={hasSpans ? 'memory-picture' : 'memory-picture is-filling'}>
                        <PeakWords answer={answer} window={window} slope={slope} zoomed={zoomed} />
                        <MemoryChart
                            curves={curves}
                            window={window}
                            length={length}
                            peak={answer.peak}
                            top={top}
                            onWindow={show}
                            onHover={onHover}
                            onArea={onArea}
                        />
                        {area && (
                            <SpanRows
                                spans={spans}
                                window={window}
                                area={area}
                                selected={selected}
                                onPick={pick}
                                onHover={onSpanHover}
                            />
                        )}
                        <LoadingLine active={loading} />
                    </div>
                )
            )}
            {hasSpans && answer && (
                <SpansTable
                    run={run}
                    start={answer.start_s}
                    selected={query.span ?? null}
                    onPick={pick}
                    onZoom={(span) => show({ from: span.start_s, to: span.end_s })}
                />
            )}
        </div>
    );
}

/** Spans have no name of their own that lasts: name and start tell them apart. */
export function keyOf({ name, start_s }: { name: string; start_s: number }): string {
    return `${name}@${start_s.toFixed(4)}`;
}

function MemoryLegend({ curves }: { curves: ChartCurve[] }) {
    const children = curves.filter(({ main }) => !main).length;
    const main = curves.find((curve) => curve.main);
    return (
        <span class="memory-legend">
            {main && (
                <span>
                    <i class="is-main" /> {main.label}
                </span>
            )}
            {children > 0 && (
                <span>
                    <i class="is-child" /> {int(children)} child process{children > 1 ? 'es' : ''}
                </span>
            )}
        </span>
    );
}

function PeakWords(props: {
    answer: MemoryAnswer;
    window: TimeWindow;
    slope: string | null;
    zoomed: boolean;
}) {
    const { answer, window, slope, zoomed } = props;
    if (!answer.peak) return null;
    return (
        <p class="memory-words">
            Peak{' '}
            <b>
                {fmtFixed(answer.peak.mib, 3)}
                <span class="unit">{THIN}MiB</span>
            </b>{' '}
            at {secondsText(answer.peak.t_s, window)}
            {THIN}s{zoomed ? ' in this window' : ''}
            {slope && <span> · slope {slope}</span>}
        </p>
    );
}

function PointTip(props: { curves: ChartCurve[]; at: number; window: TimeWindow }) {
    const shown = props.curves
        .map((curve) => ({ label: curve.label, mib: valueAt(curve, props.at) }))
        .filter(({ mib }) => mib !== null)
        .slice(0, 12);
    return (
        <>
            <div class="tooltip-title">
                {secondsText(props.at, props.window)}
                {THIN}s
            </div>
            <dl>
                {shown.map(({ label, mib }) => [
                    <dt key={label}>{label}</dt>,
                    <dd key={`${label} mib`}>{fmtFixed(mib ?? 0, 3)}</dd>,
                    <dd key={`${label} unit`} class="soft">
                        MiB
                    </dd>,
                ])}
            </dl>
        </>
    );
}

function SpanTip({ span }: { span: MemorySpan }) {
    const grown =
        span.start_mib !== null && span.end_mib !== null ? span.end_mib - span.start_mib : null;
    return (
        <>
            <div class="tooltip-title">{span.name}</div>
            <dl>
                <dt>from, to</dt>
                <dd>
                    {fmtFixed(span.start_s, 3)}–{fmtFixed(span.end_s, 3)}
                </dd>
                <dd class="soft">s</dd>
                <dt>lasted</dt>
                <dd>{fmtFixed(span.end_s - span.start_s, 3)}</dd>
                <dd class="soft">s</dd>
                {grown !== null && [
                    <dt key="t">change</dt>,
                    <dd key="v">{signed(grown, 3)}</dd>,
                    <dd key="u" class="soft">
                        MiB
                    </dd>,
                ]}
            </dl>
        </>
    );
}
