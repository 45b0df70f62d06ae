/* SPDX-License-Identifier: MIT
 *
 * The Requests tab: percentiles that lead to their requests, the picture of requests over the steps of
 * the scheduler, the selected request or step, and the table. URL: request, engine_step (ids), metric
 * (of the distribution), result (percentiles and table of one), by (order of the tracks), at (visible time), show, q, sort, desc (table).
 */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type {
    EngineStepDetail,
    RequestDetail,
    RequestsSummary,
    RequestsWindow,
    Run,
} from '../../base/answers';
import { withParams } from '../../base/client';
import { useKeys } from '../../base/keys';
import { goTo, pushQuery, replaceQuery, route, setQuery } from '../../base/router';
import { int, plural } from '../../base/units';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import { Segmented } from '../../components/segmented';
import { SelectionLayout } from '../../components/selection_layout';
import { Spacer, Toolbar } from '../../components/toolbar';
import { hasTimes, PHASES, shownPhases, stallLimit, wholeRange } from '../../model/requests';
import {
    fitView,
    panView,
    parseView,
    type TimeView,
    viewText,
    widthOf,
    zoomView,
} from '../../model/timeline_view';
import { GoodputLine } from '../shared/goodput';
import { useJson } from '../shared/use_json';
import { viewPath } from '../trace/data';
import { SummaryHead } from './head';
import { readChosen } from './links';
import type { RequestScene } from './paint';
import { RequestPicture } from './picture';
import { RequestPane } from './request_pane';
import { ResultMetrics, Sweep } from './results';
import { stepActions, StepPane } from './step_pane';
import { RequestTable } from './table';

/** Number of columns into which the server divides the range of a picture. */
const COLUMNS = 1200;
/** With more requests, the tracks are those of the visible range, and the head shows all. */
const MAX_TRACKS = 200;
/** Zooming asks for the new range at most this often. */
const ASK_MS = 120;

type Order = 'start' | 'ttft' | 'latency';

const ORDERS: { value: Order; text: string; tip: string }[] = [
    { value: 'start', text: 'by start', tip: 'the order in which they were sent' },
    { value: 'ttft', text: 'slowest first token', tip: 'longest time to the first token first' },
    { value: 'latency', text: 'longest', tip: 'longest time to the end first' },
];

function useDelayed<T>(value: T, ms: number): T {
    const [shown, setShown] = useState(value);
    useEffect(() => {
        const timer = setTimeout(() => setShown(value), ms);
        return () => clearTimeout(timer);
    }, [value, ms]);
    return shown;
}

interface PictureData {
    whole: TimeView;
    view: TimeView;
    window: RequestsWindow;
    rows: RequestsWindow['rows'];
    setView: (view: TimeView) => void;
}

/* The answers for the whole run, whose rows stay where they are while all fit, and for the view. */
function usePictureData(run: Run, count: number, order: Order) {
    const { query } = route.value;
    const path = viewPath(run, 'requests/window');
    const params = { px: COLUMNS, order, limit: MAX_TRACKS };
    const all = useJson<RequestsWindow>(withParams(path, params));
    const whole = useMemo(() => (all.data ? wholeRange(all.data) : { from: 0, to: 1 }), [all.data]);
    const view = parseView(query.at, whole) ?? whole;
    const isWhole = query.at === undefined;
    const asked = useDelayed(isWhole ? '' : viewText(view), ASK_MS);
    const range = parseView(asked, whole);
    const zoomed = useJson<RequestsWindow>(
        range && !isWhole
            ? withParams(path, { ...params, from_ns: range.from, to_ns: range.to })
            : null,
    );
    const window = (isWhole ? null : zoomed.data) ?? all.data;
    const rows = count <= MAX_TRACKS ? all.data?.rows : window?.rows;
    const setView = (next: TimeView): void => {
        const isAll = widthOf(next) >= widthOf(whole) * 0.9999;
        pushQuery({ at: isAll ? null : viewText(next) });
    };
    const data: PictureData | null = window && rows ? { whole, view, window, rows, setView } : null;
    return { data, error: all.error ?? zoomed.error, loading: all.loading || zoomed.loading };
}

/* What the selected request waited for, which the picture marks. */
function linksOf(detail: RequestDetail | null): Pick<RequestScene, 'linked' | 'linkedSteps'> {
    const waits = (detail?.chain ?? []).filter(({ cause }) => cause !== 'prefill');
    const linked = waits.flatMap(({ prefilled, held_by }) =>
        [...prefilled, ...held_by].map(({ request }) => request),
    );
    const linkedSteps = waits.flatMap(({ first_step, last_step }) =>
        first_step === null || last_step === null ? [] : [{ first: first_step, last: last_step }],
    );
    return { linked: new Set(linked.filter((id) => id !== detail?.id)), linkedSteps };
}

function closeSelection(): void {
    const { request, engine_step } = route.value.query;
    if (engine_step !== undefined) setQuery({ engine_step: null });
    else if (request !== undefined) setQuery({ request: null });
}

/* Moves through the tracks. */
function moveRequest(rows: RequestsWindow['rows'], request: number | null, by: 1 | -1): void {
    const at = request === null ? -1 : rows.id.indexOf(request);
    const next = at < 0 ? rows.id.at(by > 0 ? 0 : -1) : rows.id[at + by];
    if (next !== undefined) replaceQuery({ request: String(next), engine_step: null });
}

/* Moves through the steps; from none to the step in the middle of the view. */
function moveStep({ window }: PictureData, step: number | null, by: 1 | -1): void {
    const { id } = window.steps;
    const at = step === null ? -1 : id.indexOf(step);
    const next = at < 0 ? (step ?? id[Math.floor(id.length / 2)]) : id[at + by];
    if (next !== undefined) replaceQuery({ engine_step: String(next) });
}

function usePictureKeys(
    data: PictureData | null,
    chosen: ReturnType<typeof readChosen>,
    fit: TimeView | null,
    timelineHref: string | undefined,
): void {
    const zoom = (factor: number): void => {
        if (!data) return;
        const { view, whole } = data;
        data.setView(zoomView(view, whole, factor, (view.from + view.to) / 2));
    };
    const pan = (share: number): void => {
        if (data) data.setView(panView(data.view, data.whole, share * widthOf(data.view)));
    };
    const hasChosen = chosen.request !== null || chosen.step !== null;
    useKeys('Requests', [
        { key: 'w', label: 'zoom in', run: () => zoom(0.7) },
        { key: 's', label: 'zoom out', run: () => zoom(1 / 0.7) },
        { key: 'a', label: 'pan left', run: () => pan(-0.2) },
        { key: 'd', label: 'pan right', run: () => pan(0.2) },
        {
            key: 'f',
            label: 'fit the selection, or all',
            run: () => data?.setView(fit ?? data.whole),
        },
        { key: '0', label: 'show all', run: () => data?.setView(data.whole) },
        {
            key: 'j',
            label: 'next request',
            run: () => data && moveRequest(data.rows, chosen.request, 1),
        },
        {
            key: 'k',
            label: 'previous request',
            run: () => data && moveRequest(data.rows, chosen.request, -1),
        },
        {
            key: 'ArrowRight',
            label: 'next step',
            run: () => data && moveStep(data, chosen.step, 1),
        },
        {
            key: 'ArrowLeft',
            label: 'previous step',
            run: () => data && moveStep(data, chosen.step, -1),
        },
        ...(hasChosen
            ? [{ key: 'Escape', label: 'back, or no selection', run: closeSelection }]
            : []),
        ...(timelineHref
            ? [{ key: 'Enter', label: 'the step in the timeline', run: () => goTo(timelineHref) }]
            : []),
    ]);
}

/* Range of the selected step or request. */
function selectedRange(
    step: EngineStepDetail | null,
    request: RequestDetail | null,
): TimeView | null {
    if (step) return { from: step.start_ns, to: step.end_ns };
    const times = request
        ? [request.start_ns, request.arrival_ns, request.last_token_ns, request.end_ns].filter(
              (ns): ns is number => ns !== null,
          )
        : [];
    return times.length > 1 ? { from: Math.min(...times), to: Math.max(...times) } : null;
}

function Requests({ run, summary }: { run: Run; summary: RequestsSummary }) {
    const { query } = route.value;
    const chosen = readChosen(query);
    // The picture has the requests of all results, also if the summary has those of one.
    const count = Number(run.summary.requests ?? 0);
    const isMany = count > MAX_TRACKS;
    const order =
        ORDERS.find(({ value }) => value === query.by)?.value ?? (isMany ? 'ttft' : 'start');
    const { data, error, loading } = usePictureData(run, count, order);
    const request = useJson<RequestDetail>(
        chosen.request === null ? null : viewPath(run, `requests/${chosen.request}`),
    );
    const step = useJson<EngineStepDetail>(
        chosen.step === null ? null : viewPath(run, `engine-steps/${chosen.step}`),
    );
    const links = useMemo(() => linksOf(request.data), [request.data]);
    const range = selectedRange(step.data, request.data);
    const timelineHref = step.data ? stepActions(run, step.data).at(0)?.href : undefined;
    const fit = range && data ? fitView(range, data.whole) : null;
    usePictureKeys(data, chosen, fit, timelineHref);
    const metric =
        summary.metrics.find((one) => one.metric === (query.metric ?? 'ttft')) ??
        summary.metrics.at(0) ??
        null;
    const failed = error ?? (chosen.step === null ? request.error : step.error);
    return (
        <>
            {summary.requests > 0 && (
                <SummaryHead summary={summary} metric={metric} request={chosen.request} />
            )}
            {summary.requests > 0 && <GoodputLine runs={[run]} />}
            <Sweep run={run} results={summary.results} />
            {failed && (
                <Notice kind="error" title="The requests could not be read" error={failed} />
            )}
            <SelectionLayout
                what="a percentile, a request or a step"
                about="what it waited for, and what ran meanwhile,"
                pane={selectionPane(run, chosen, request.data, step.data)}
            >
                {data && !hasTimes(data.window) && (
                    <Notice
                        kind="info"
                        title="The result does not say when requests were sent: they cannot be drawn over time"
                    />
                )}
                {data && hasTimes(data.window) && (
                    <>
                        <PictureToolbar data={data} order={order} summary={summary} />
                        <RequestPicture
                            scene={{
                                ...data,
                                ...links,
                                request: chosen.request,
                                step: chosen.step,
                                stallNs: stallLimit(summary),
                                slots: summary.slots,
                                hasArrivals: isMany,
                            }}
                            whole={data.whole}
                            onView={data.setView}
                            onFit={(of) => data.setView(fitView(of, data.whole))}
                            onRequest={(id) => setQuery({ request: String(id), engine_step: null })}
                            onStep={(id) => setQuery({ engine_step: String(id) })}
                        />
                    </>
                )}
                {summary.requests > 0 && (
                    <div class="request-table">
                        <RequestTable run={run} summary={summary} selected={chosen.request} />
                    </div>
                )}
            </SelectionLayout>
            <LoadingLine active={loading || request.loading || step.loading} />
        </>
    );
}

function selectionPane(
    run: Run,
    chosen: ReturnType<typeof readChosen>,
    request: RequestDetail | null,
    step: EngineStepDetail | null,
) {
    if (chosen.step !== null)
        return (
            step && (
                <RevealedPane key="step">
                    <StepPane run={run} detail={step} onClose={closeSelection} />
                </RevealedPane>
            )
        );
    if (chosen.request === null || !request) return null;
    return (
        <RevealedPane key="request">
            <RequestPane detail={request} onClose={closeSelection} />
        </RevealedPane>
    );
}

/* Below the picture, the pane may be outside of the window: shows it when it opens. */
function RevealedPane({ children }: { children: preact.ComponentChildren }) {
    const box = useRef<HTMLDivElement | null>(null);
    useEffect(() => {
        box.current?.closest('.selection-sheet')?.scrollIntoView({ block: 'nearest' });
    }, []);
    return (
        <div ref={box} class="request-pane">
            {children}
        </div>
    );
}

interface PictureToolbarProps {
    data: PictureData;
    order: Order;
    summary: RequestsSummary;
}

function PictureToolbar({ data, order, summary }: PictureToolbarProps) {
    const phases = useMemo(() => shownPhases(data.rows), [data.rows]);
    const shown = data.rows.id.length;
    const isZoomed = widthOf(data.view) < widthOf(data.whole) * 0.9999;
    return (
        <Toolbar label="picture of requests">
            {summary.requests > 0 && (
                <Segmented<Order>
                    label="order"
                    value={order}
                    options={ORDERS}
                    onChange={(by) => replaceQuery({ by })}
                />
            )}
            {shown < data.window.requests && (
                <span class="soft" title="zoom in to see the others">
                    {int(shown)} of {plural(data.window.requests, 'request')} in view
                </span>
            )}
            <button
                type="button"
                class="quiet"
                disabled={!isZoomed}
                onClick={() => data.setView(data.whole)}
            >
                Show all <kbd>0</kbd>
            </button>
            <Spacer />
            <span class="request-phases">
                {phases.map((phase) => (
                    <span key={phase} title={PHASES[phase].help}>
                        <i class={`swatch is-request-${phase}`} /> {PHASES[phase].label}
                    </span>
                ))}
                {summary.metrics.some(({ metric }) => metric === 'gap') && (
                    <span title="a gap between two tokens of at least 5 times the median">
                        <i class="swatch is-request-stall" /> stall
                    </span>
                )}
            </span>
        </Toolbar>
    );
}

/* What a run without requests lacks, and how to record it. */
function NoRequests({ summary }: { summary: RequestsSummary }) {
    const hasSteps = summary.engine_steps > 0;
    return (
        <Notice
            kind="info"
            title={
                hasSteps
                    ? 'The log of the engine has steps, but no requests'
                    : 'The result has metrics, but no requests'
            }
        >
            {hasSteps
                ? 'Add the result of the load test in the same folder or archive to see which requests waited for these steps.'
                : 'Requests are listed by: '}
            {!hasSteps && (
                <>
                    vLLM with <code>--save-result --save-detailed</code>, SGLang with{' '}
                    <code>--output-details</code>, AIPerf with its <code>profile_export.jsonl</code>
                    . <code>perfshelf record serving</code> also keeps the trace of the engine.
                </>
            )}
        </Notice>
    );
}

export function RequestsTab({ run }: { run: Run }) {
    const { result } = readChosen(route.value.query);
    const { data, error, loading } = useJson<RequestsSummary>(
        withParams(viewPath(run, 'requests/summary'), { result: result ?? undefined }),
    );
    return (
        <div class="tab-body requests">
            {error && <Notice kind="error" title="The requests could not be read" error={error} />}
            {data && data.requests === 0 && <NoRequests summary={data} />}
            {data && (data.requests > 0 || data.engine_steps > 0) && (
                <Requests run={run} summary={data} />
            )}
            {data && data.requests === 0 && data.engine_steps === 0 && (
                <Sweep run={run} results={data.results} />
            )}
            {data && (data.requests === 0 || data.metrics.length === 0) && (
                <ResultMetrics run={run} results={data.results} />
            )}
            <LoadingLine active={loading} />
        </div>
    );
}
