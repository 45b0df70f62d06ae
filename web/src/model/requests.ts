/* SPDX-License-Identifier: MIT
 *
 * Requests to a server of a language model: the words for what they waited for, and the geometry of
 * their picture. Pure functions; times are ns since the origin of the run.
 */
import type {
    EngineStepDetail,
    RequestCause,
    RequestMetric,
    RequestPart,
    RequestPercentile,
    RequestRows,
    RequestsSummary,
    RequestsWindow,
    ServingFile,
    ServingResult,
    StepColumns,
    StepRequest,
} from '../base/answers';
import { formatSeconds, int, plural, signed, text } from '../base/units';
import type { TipData, TipRow } from './tip';

/** "951.1 ms"; a dash if it is unknown. */
export function timeText(ns: number | null): string {
    return ns === null ? '–' : text(formatSeconds(ns / 1e9));
}

/** What a stretch of a request is drawn as. `wait`: before the first token, for an unknown reason. */
export type Phase =
    'way' | 'step' | 'slot' | 'budget' | 'others' | 'between' | 'prefill' | 'wait' | 'decode';

interface CauseInfo {
    phase: Phase;
    label: string;
}

export const CAUSES: Record<RequestCause, CauseInfo> = {
    'to engine': { phase: 'way', label: 'Way to the engine' },
    'step in progress': { phase: 'step', label: 'Step in progress' },
    slot: { phase: 'slot', label: 'No free slot' },
    budget: { phase: 'budget', label: 'Token budget' },
    others: { phase: 'others', label: 'Steps of others' },
    'between steps': { phase: 'between', label: 'Between steps' },
    prefill: { phase: 'prefill', label: 'Own prefill' },
    'to client': { phase: 'way', label: 'Way to the client' },
    outside: { phase: 'way', label: 'Outside the engine' },
};

export const PHASES: Record<Phase, { label: string; help: string }> = {
    way: { label: 'on the way', help: 'between the client and the engine' },
    step: {
        label: 'step in progress',
        help: 'waits for the end of the step that ran when the request arrived',
    },
    slot: { label: 'no free slot', help: 'waits because all slots are taken' },
    budget: { label: 'token budget', help: 'waits because the tokens of the step are spent' },
    others: {
        label: 'steps of others',
        help: 'waits while steps serve other requests; the recording does not say why',
    },
    between: { label: 'between steps', help: 'waits while no step runs' },
    wait: { label: 'until the first token', help: 'what the request waited for is not recorded' },
    prefill: { label: 'own prefill', help: 'steps that read its prompt' },
    decode: { label: 'tokens', help: 'from the first token to the last' },
};

const PHASE_ORDER = Object.keys(PHASES) as Phase[];

/* --- Tracks --- */

/** A stretch of the track of a request. */
export interface Piece {
    phase: Phase;
    from: number;
    to: number;
}

function addPiece(pieces: Piece[], phase: Phase, from: number, to: number | null): number {
    if (to === null || to <= from) return from;
    pieces.push({ phase, from, to });
    return to;
}

/* The waits of a request between its arrival and its first step. The recording has their sums; they
 * are drawn one after the other, the step in progress first. */
function addWaits(pieces: Piece[], rows: RequestRows, i: number, from: number, to: number): void {
    const waits: [Phase, number | null][] = [
        ['step', rows.in_step_ns[i]],
        ['slot', rows.slot_ns[i]],
        ['budget', rows.budget_ns[i]],
        ['others', rows.others_ns[i]],
    ];
    if (waits.every(([, ns]) => ns === null)) {
        addPiece(pieces, 'wait', from, to);
        return;
    }
    let at = from;
    for (const [phase, ns] of waits) at = addPiece(pieces, phase, at, Math.min(to, at + (ns ?? 0)));
    addPiece(pieces, 'between', at, to);
}

/** When a request began: for the client, or else for the engine. */
export function beginOf(rows: RequestRows, i: number): number | null {
    return rows.start_ns[i] ?? rows.arrival_ns[i] ?? rows.scheduled_ns[i];
}

/** The stretches of a request, in order and without gaps; empty if no time of it is known. */
export function trackPieces(rows: RequestRows, i: number): Piece[] {
    const begin = beginOf(rows, i);
    if (begin === null) return [];
    const pieces: Piece[] = [];
    const [arrival, scheduled] = [rows.arrival_ns[i], rows.scheduled_ns[i]];
    const [first, last, end] = [rows.first_token_ns[i], rows.last_token_ns[i], rows.end_ns[i]];
    const ttft = rows.ttft_ns[i];
    if (scheduled === null && first === null) {
        const at = addPiece(pieces, 'wait', begin, ttft === null ? end : begin + ttft);
        addPiece(pieces, ttft === null ? 'wait' : 'decode', at, last ?? end);
        return pieces;
    }
    let at = addPiece(pieces, 'way', begin, arrival);
    if (scheduled !== null && scheduled > at) {
        addWaits(pieces, rows, i, at, scheduled);
        at = scheduled;
    }
    at = addPiece(pieces, 'prefill', at, first);
    at = addPiece(pieces, first === null ? 'prefill' : 'decode', at, last);
    addPiece(pieces, 'way', at, end);
    return pieces;
}

/** The phases that tracks of these requests have, in order. */
export function shownPhases(rows: RequestRows): Phase[] {
    const shown = new Set<Phase>();
    rows.id.forEach((_, i) => trackPieces(rows, i).forEach(({ phase }) => shown.add(phase)));
    return PHASE_ORDER.filter((phase) => shown.has(phase));
}

/** A gap between tokens this many times the median of the run is a stall, as in answers of the server. */
const STALL_TIMES = 5;

/** The shortest stall; Infinity if gaps are unknown. */
export function stallLimit(summary: RequestsSummary): number {
    const gap = summary.metrics.find(({ metric }) => metric === 'gap');
    return gap ? STALL_TIMES * gap.median_ns : Infinity;
}

/** Height of a track in px: less for more requests. */
export function trackHeight(rows: number): number {
    if (rows <= 16) return 18;
    return rows <= 40 ? 14 : rows <= 100 ? 10 : 8;
}

/** Index of the track at a vertical place; -1: none. */
export function trackAt(y: number, rows: number): number {
    const row = Math.floor(y / trackHeight(rows));
    return y >= 0 && row < rows ? row : -1;
}

/* --- Steps --- */

export const STEP_KINDS = ['unknown', 'prefill', 'mixed', 'decode'] as const;
export const STEP_TITLES = ['step', 'prefill', 'prefill and decode', 'decode'] as const;

/** Index of the step, or group of steps, at a time; -1: none. The steps are in the order of time. */
export function stepColumnAt(steps: StepColumns, ns: number, slack = 0): number {
    let best = -1;
    let nearest = Infinity;
    for (let i = 0; i < steps.id.length; i++) {
        const away = Math.max(0, steps.start_ns[i] - ns, ns - steps.end_ns[i]);
        if (away <= slack && away < nearest) [best, nearest] = [i, away];
        if (steps.start_ns[i] > ns + slack) break;
    }
    return best;
}

/** Tokens of a step: those of prompts, and one for each request that gets tokens. */
export function stepTokens(steps: StepColumns, i: number): number {
    return Math.max(0, steps.context_tokens[i]) + Math.max(0, steps.generation_requests[i]);
}

/** Heights of steps, 0 to 1, by the logarithm of their tokens: a prompt has thousands, a decode few. */
export function stepHeights(steps: StepColumns): number[] {
    const tokens = steps.id.map((_, i) => stepTokens(steps, i));
    const most = tokens.reduce((a, b) => Math.max(a, b), 1);
    return tokens.map((n) => Math.max(0.2, Math.log1p(n) / Math.log1p(most)));
}

/* --- Tooltips --- */

const STATES = ['completed', 'failed', 'cancelled', 'unfinished'] as const;

export function stateText(state: number): string {
    return STATES[state] ?? 'unknown';
}

export function requestTip(rows: RequestRows, i: number): TipData {
    const sums = new Map<Phase, number>();
    for (const { phase, from, to } of trackPieces(rows, i))
        sums.set(phase, (sums.get(phase) ?? 0) + to - from);
    const lines: TipRow[] = [...sums].map(([phase, ns]) => ({
        label: PHASES[phase].label,
        value: timeText(ns),
    }));
    return {
        title: `Request ${int(rows.id[i])}`,
        place: rows.name[i] || undefined,
        rows: [{ label: 'time to first token', value: timeText(rows.ttft_ns[i]) }, ...lines],
        foot: rows.state[i] === 0 ? [] : [stateText(rows.state[i])],
    };
}

export function stepTip(steps: StepColumns, i: number): TipData {
    const count = steps.count[i];
    const rows: TipRow[] = [
        {
            label: count > 1 ? 'all of them' : 'duration',
            value: timeText(steps.end_ns[i] - steps.start_ns[i]),
        },
    ];
    const most = count > 1 ? 'most ' : '';
    if (steps.context_tokens[i] > 0)
        rows.push({ label: `${most}tokens of prompts`, value: int(steps.context_tokens[i]) });
    if (steps.generation_requests[i] > 0)
        rows.push({
            label: `${most}requests that get a token`,
            value: int(steps.generation_requests[i]),
        });
    return {
        title:
            count > 1
                ? `${plural(count, 'step')}, the longest: ${STEP_TITLES[steps.kind[i]]}`
                : `Step ${int(steps.id[i])}, ${STEP_TITLES[steps.kind[i]]}`,
        rows,
        foot: count > 1 ? ['Zoom in to see each step.'] : [],
    };
}

/* --- Percentiles --- */

/** Title of a column of percentiles. */
export function percentileTitle(p: number): string {
    return p === 100 ? 'max' : p === 50 ? 'median' : `p${p}`;
}

/** What the tool prints if it states the percentile, else the value that a request has. */
export function percentileNs({ nearest_ns, printed_ns }: RequestPercentile): number {
    return printed_ns ?? nearest_ns;
}

/* Values that differ by less are the same number, rounded. */
const SAME_SHARE = 5e-4;

/** Says whose value a percentile is, and why it may differ from the number of the tool. */
export function percentileTip(metric: RequestMetric, one: RequestPercentile): string {
    const { nearest_ns, linear_ns, printed_ns, prints, request, token } = one;
    const name = `${percentileTitle(one.p)} of ${int(metric.n)} values`;
    const where = token === undefined ? '' : `, before its token ${int(token + 1)}`;
    const owner = `Request ${int(request)} has ${timeText(nearest_ns)}${where}`;
    if (printed_ns === null) {
        const isBetween = Math.abs(linear_ns - nearest_ns) > SAME_SHARE * nearest_ns;
        return `${name}, by nearest rank. ${owner}.${isBetween ? ` Interpolated: ${timeText(linear_ns)}.` : ''}`;
    }
    if (Math.abs(printed_ns - nearest_ns) <= SAME_SHARE * nearest_ns)
        return `${name}, as the tool states it. ${owner}.`;
    const how =
        prints === 'linear'
            ? 'The tool interpolates between two requests: no request has this value.'
            : 'The tool computes it in its own way: no request has this value.';
    return `${name}. ${how} ${owner}, the nearest rank.`;
}

/** Position of a value on the logarithmic axis of a histogram, 0 to 1. */
export function histogramShare({ edges_ns }: RequestMetric, ns: number): number {
    const [from, to] = [Math.max(1, edges_ns[0]), edges_ns[edges_ns.length - 1]];
    if (!(to > from)) return 0.5;
    return Math.max(0, Math.min(1, Math.log(Math.max(1, ns) / from) / Math.log(to / from)));
}

/** Share of values up to the end of each bin. */
export function cumulativeShares({ counts }: RequestMetric): number[] {
    const all = counts.reduce((a, b) => a + b, 0);
    let sum = 0;
    return counts.map((n) => (sum += n) / Math.max(1, all));
}

/* --- Sentences --- */

/** "23 requests: 21 completed, 2 failed". */
export function countsText(summary: RequestsSummary): string {
    const { requests, completed, failed, cancelled, unfinished } = summary;
    const parts = [
        completed === requests ? 'all completed' : `${int(completed)} completed`,
        failed > 0 ? `${int(failed)} failed` : '',
        cancelled > 0 ? `${int(cancelled)} cancelled` : '',
        unfinished > 0 ? `${int(unfinished)} unfinished` : '',
    ].filter(Boolean);
    return `${plural(requests, 'request')}: ${parts.join(', ')}`;
}

const METHODS: Record<ServingFile['method'], string> = {
    same: 'same clock',
    ids: 'by request ids',
    lengths: 'by lengths of prompts',
    names: 'by the order of steps',
    unknown: 'unknown',
    none: 'no times',
};

const ROLES: Record<ServingFile['role'], string> = {
    client: 'client',
    engine: 'engine log',
    trace: 'trace',
};

/** "client +1.734 s ± 1.3 ms by request ids (23 pairs)". */
export function clockText(file: ServingFile): string {
    const { role, method, offset_ns, error_ns, pairs } = file;
    const who = ROLES[role];
    if (method === 'unknown') return `${who}: clock unknown`;
    if (offset_ns === null) return `${who}: ${METHODS[method]} (${plural(pairs, 'pair')})`;
    if (method === 'same') return `${who}: ${METHODS.same}`;
    const sign = offset_ns < 0 ? signed(-1, 0).slice(0, 1) : '+';
    const bound = error_ns === null ? '' : ` ± ${timeText(error_ns)}`;
    return `${who} ${sign}${timeText(Math.abs(offset_ns))}${bound}, ${METHODS[method]} (${plural(pairs, 'pair')})`;
}

/** Whether the times of a file cannot be compared with those of the others. */
export const isClockUnknown = ({ method }: ServingFile): boolean => method === 'unknown';

const tokensText = (n: number): string => plural(n, 'token');

/** "request 11 (4,215 tokens)". */
export function servedText({ request, tokens, prompt_tokens }: StepRequest): string {
    const n = tokens || prompt_tokens;
    return `request ${int(request)}${n ? ` (${tokensText(n)})` : ''}`;
}

/** "step 87", "steps 88–106"; numbers of the engine, or ids without them. */
export function stepsText(part: RequestPart): string {
    const { steps, first_number, last_number, first_step, last_step } = part;
    if (steps === 0) return '';
    const [first, last] = [first_number ?? first_step ?? 0, last_number ?? last_step ?? 0];
    return first === last ? `step ${int(first)}` : `steps ${int(first)}–${int(last)}`;
}

/** What a part of the time to the first token was, without its steps: "waited for a step in progress". */
export function partText({ cause, slots, steps }: RequestPart): string {
    switch (cause) {
        case 'to engine':
            return 'from the client to the engine';
        case 'step in progress':
            return 'waited for the step that was in progress when it arrived';
        case 'slot':
            return slots === null
                ? 'waited for a slot: all were taken'
                : `waited for one of ${plural(slots, 'slot')}: all were taken`;
        case 'budget':
            return 'waited: other prompts used the tokens of the steps';
        case 'others':
            return 'waited while steps served others; the recording does not say why';
        case 'between steps':
            return 'waited between steps';
        case 'prefill':
            return steps > 1
                ? `its own prompt was read in ${plural(steps, 'step')}`
                : 'its own prompt was read';
        case 'to client':
            return 'from the engine to the client';
        case 'outside':
            return 'outside the engine: to it and back';
    }
}

/** Title of a step: "Step 87, prefill and decode". */
export function stepTitle({ id, number, ...step }: EngineStepDetail): string {
    const prefills = (step.context_requests ?? 0) > 0 || step.prefilled.length > 0;
    const decodes = (step.generation_requests ?? 0) > 0 || step.decoded.length > 0;
    const kind = STEP_TITLES[prefills ? (decodes ? 2 : 1) : decodes ? 3 : 0];
    return `Step ${int(number ?? id)}${kind === 'step' ? '' : `, ${kind}`}`;
}

/* --- Sweep --- */

/** A result of a sweep: a load, and what the client measured under it. */
export interface SweepPoint {
    id: number;
    /** "rate 4", "concurrency 16" */
    label: string;
    throughput: number;
    latency: number;
    /** row of the measurements */
    measurement: number;
}

/** On the horizontal axis of a sweep: the first that all loads state. */
export const THROUGHPUTS = [
    'output token throughput',
    'total token throughput',
    'request throughput',
];

const metricOf = ({ metrics }: ServingResult, name: string) =>
    metrics.find(({ metric, value }) => metric === name && value !== null);

/** Metrics of latency that at least two results state: 'time to first token, p99'. */
export function sweepMetrics(results: readonly ServingResult[]): string[] {
    const counts = new Map<string, number>();
    for (const { metrics } of results) {
        for (const { metric, unit, value } of metrics)
            if (unit === 's' && value !== null) counts.set(metric, (counts.get(metric) ?? 0) + 1);
    }
    return [...counts].filter(([, n]) => n > 1).map(([metric]) => metric);
}

/** Parameters whose values differ between the results. */
export function variedParameters(results: readonly Pick<ServingResult, 'parameters'>[]): string[] {
    const keys = [...new Set(results.flatMap(({ parameters }) => Object.keys(parameters)))];
    return keys.filter(
        (key) => new Set(results.map(({ parameters }) => String(parameters[key]))).size > 1,
    );
}

/** Name of a result: what varies in it, or its own. */
export function resultLabel(result: ServingResult, varied: readonly string[]): string {
    const parts = varied
        .filter((key) => result.parameters[key] !== undefined)
        .map((key) => `${key.replaceAll('_', ' ')} ${String(result.parameters[key])}`);
    return parts.join(', ') || result.name || `result ${int(result.id)}`;
}

/** The throughput that all results state; null: none. */
export function sweepThroughput(results: readonly ServingResult[]): string | null {
    return THROUGHPUTS.find((name) => results.every((one) => metricOf(one, name))) ?? null;
}

/** Latency against throughput, in the order of throughput. */
export function sweepPoints(results: readonly ServingResult[], latency: string): SweepPoint[] {
    const throughput = sweepThroughput(results);
    if (throughput === null) return [];
    const varied = variedParameters(results);
    return results
        .flatMap((one) => {
            const [x, y] = [metricOf(one, throughput), metricOf(one, latency)];
            if (!x || !y || x.value === null || y.value === null) return [];
            return [
                {
                    id: one.id,
                    label: resultLabel(one, varied),
                    throughput: x.value,
                    latency: y.value,
                    measurement: y.id,
                },
            ];
        })
        .sort((a, b) => a.throughput - b.throughput);
}

/** Whether requests or steps have times, so that there is something to draw. */
export function hasTimes({ rows, steps, load }: RequestsWindow): boolean {
    const hasTracks = rows.id.some((_, i) => trackPieces(rows, i).length > 0);
    return hasTracks || steps.id.length > 0 || load.in_flight.some((n) => n > 0);
}

/** The range of a picture of requests; at least 1 ns. */
export function wholeRange({ first_ns, last_ns }: RequestsWindow): { from: number; to: number } {
    return { from: first_ns, to: Math.max(first_ns + 1, last_ns) };
}
