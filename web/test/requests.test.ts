// SPDX-License-Identifier: MIT
/** Requests to a server: tracks, steps, percentiles, sentences, sweeps. */
import assert from 'node:assert/strict';
import test from 'node:test';
import type {
    RequestMetric,
    RequestPart,
    RequestRows,
    RequestsSummary,
    ServingFile,
    ServingResult,
    StepColumns,
} from '../src/base/answers';
import {
    clockText,
    countsText,
    cumulativeShares,
    histogramShare,
    partText,
    percentileNs,
    percentileTip,
    requestTip,
    shownPhases,
    stallLimit,
    stepColumnAt,
    stepHeights,
    stepsText,
    stepTip,
    sweepMetrics,
    sweepPoints,
    sweepThroughput,
    trackAt,
    trackHeight,
    trackPieces,
} from '../src/model/requests';

const MS = 1e6;
const plain = (text: string): string => text.replaceAll('\u202f', ' ');

/* One request; times in ms. */
function rowsOf(values: Partial<Record<keyof RequestRows, number | null>>): RequestRows {
    const ns = (key: keyof RequestRows): [number | null] => {
        const value = values[key] ?? null;
        return [value === null ? null : value * MS];
    };
    return {
        id: [12],
        name: ['cmpl-12'],
        lane: [0],
        state: [values.state ?? 0],
        start_ns: ns('start_ns'),
        arrival_ns: ns('arrival_ns'),
        scheduled_ns: ns('scheduled_ns'),
        first_token_ns: ns('first_token_ns'),
        last_token_ns: ns('last_token_ns'),
        end_ns: ns('end_ns'),
        ttft_ns: ns('ttft_ns'),
        cause: [null],
        in_step_ns: ns('in_step_ns'),
        slot_ns: ns('slot_ns'),
        budget_ns: ns('budget_ns'),
        others_ns: ns('others_ns'),
    };
}

const WORST = rowsOf({
    start_ns: 0,
    arrival_ns: 6,
    scheduled_ns: 940,
    first_token_ns: 948,
    last_token_ns: 1000,
    end_ns: 1003,
    ttft_ns: 951,
    in_step_ns: 773,
    slot_ns: 138,
    budget_ns: 0,
    others_ns: 0,
});

const piecesText = (rows: RequestRows): string[] =>
    trackPieces(rows, 0).map(({ phase, from, to }) => `${phase} ${from / MS}-${to / MS}`);

void test('a track has its waits in order, and no gaps', () => {
    assert.deepEqual(piecesText(WORST), [
        'way 0-6',
        'step 6-779',
        'slot 779-917',
        'between 917-940',
        'prefill 940-948',
        'decode 948-1000',
        'way 1000-1003',
    ]);
    assert.deepEqual(shownPhases(WORST), ['way', 'step', 'slot', 'between', 'prefill', 'decode']);
});

void test('waits that are longer than the time to the first step are cut at it', () => {
    const rows = rowsOf({
        arrival_ns: 0,
        scheduled_ns: 10,
        first_token_ns: 12,
        in_step_ns: 8,
        slot_ns: 8,
        budget_ns: 0,
        others_ns: 0,
    });
    assert.deepEqual(piecesText(rows), ['step 0-8', 'slot 8-10', 'prefill 10-12']);
});

void test('a request that only the client knows waits until its first token for an unknown reason', () => {
    assert.deepEqual(piecesText(rowsOf({ start_ns: 5, ttft_ns: 10, end_ns: 40 })), [
        'wait 5-15',
        'decode 15-40',
    ]);
    assert.deepEqual(piecesText(rowsOf({ start_ns: 5, end_ns: 40, state: 1 })), ['wait 5-40']);
    assert.deepEqual(piecesText(rowsOf({ ttft_ns: 10 })), []);
    const rows = rowsOf({ start_ns: 0, scheduled_ns: 9, first_token_ns: 12 });
    assert.deepEqual(piecesText(rows), ['wait 0-9', 'prefill 9-12']);
});

void test('a place hits the track under it', () => {
    assert.equal(trackHeight(23), 14);
    assert.equal(trackAt(0, 23), 0);
    assert.equal(trackAt(14 * 23 - 1, 23), 22);
    assert.equal(trackAt(14 * 23, 23), -1);
    assert.equal(trackAt(-1, 23), -1);
});

const STEPS: StepColumns = {
    id: [87, 88, 90],
    count: [1, 1, 40],
    start_ns: [0, 800, 1000],
    end_ns: [790, 810, 1400],
    kind: [1, 2, 3],
    context_tokens: [4215, 39, -1],
    generation_requests: [0, 3, 4],
};

void test('steps are found with slack, and their heights follow the logarithm of their tokens', () => {
    assert.equal(stepColumnAt(STEPS, 400), 0);
    assert.equal(stepColumnAt(STEPS, 795), -1);
    assert.equal(stepColumnAt(STEPS, 797, 5), 1);
    assert.equal(stepColumnAt(STEPS, 5000), -1);
    const [prefill, mixed, decode] = stepHeights(STEPS);
    assert.equal(prefill, 1);
    assert.ok(mixed > decode && decode >= 0.2, `${mixed} ${decode}`);
    assert.equal(stepTip(STEPS, 0).title, 'Step 87, prefill');
    assert.equal(stepTip(STEPS, 2).title, '40 steps, the longest: decode');
});

void test('the tooltip of a request lists its phases with their times', () => {
    const { title, place, rows } = requestTip(WORST, 0);
    assert.equal(title, 'Request 12');
    assert.equal(place, 'cmpl-12');
    assert.deepEqual(
        rows.slice(0, 3).map(({ label, value }) => `${label} ${plain(value)}`),
        ['time to first token 951.0 ms', 'on the way 9.000 ms', 'step in progress 773.0 ms'],
    );
});

function metricOf(over: Partial<RequestMetric> = {}): RequestMetric {
    return {
        metric: 'ttft',
        name: 'Time to first token',
        n: 23,
        mean_ns: 0,
        min_ns: 10 * MS,
        median_ns: 17 * MS,
        percentiles: [
            {
                p: 99,
                nearest_ns: 951 * MS,
                request: 12,
                linear_ns: 937 * MS,
                printed_ns: 937 * MS,
                prints: 'linear',
            },
        ],
        edges_ns: [10, 100, 1000],
        counts: [15, 5],
        ...over,
    };
}

void test('a percentile that the tool interpolates says that no request has it', () => {
    const metric = metricOf();
    const [p99] = metric.percentiles;
    assert.equal(percentileNs(p99), 937 * MS);
    assert.equal(
        plain(percentileTip(metric, p99)),
        'p99 of 23 values. The tool interpolates between two requests: no request has this value. Request 12 has 951.0 ms, the nearest rank.',
    );
    const unstated = { ...p99, printed_ns: null, prints: null };
    assert.equal(percentileNs(unstated), 951 * MS);
    assert.match(plain(percentileTip(metric, unstated)), /by nearest rank.*Interpolated: 937.0 ms/);
    const exact = { ...p99, printed_ns: 951 * MS, prints: 'nearest' as const, token: 3 };
    assert.match(
        plain(percentileTip(metric, exact)),
        /as the tool states it.*before its token 4\./,
    );
});

void test('the axis of the distribution is logarithmic, and its line ends at 1', () => {
    assert.equal(histogramShare(metricOf(), 100), 0.5);
    assert.equal(histogramShare(metricOf(), 1), 0);
    assert.deepEqual(cumulativeShares(metricOf()), [0.75, 1]);
});

function summaryOf(over: Partial<RequestsSummary> = {}): RequestsSummary {
    return {
        requests: 23,
        completed: 23,
        failed: 0,
        cancelled: 0,
        unfinished: 0,
        engine_steps: 166,
        slots: 4,
        slots_source: 'running',
        late_ns: 100 * MS,
        late: 7,
        metrics: [metricOf()],
        causes: [
            { cause: 'step in progress', ns: 80, requests: 6, main: 6, worst: 12 },
            { cause: 'slot', ns: 20, requests: 6, main: 0, worst: 17 },
        ],
        files: [],
        results: [],
        ...over,
    };
}

void test('counts name only the states that occur', () => {
    assert.equal(countsText(summaryOf()), '23 requests: all completed');
    assert.equal(
        countsText(summaryOf({ completed: 20, failed: 2, cancelled: 1 })),
        '23 requests: 20 completed, 2 failed, 1 cancelled',
    );
});

void test('a stall is a gap of five medians; without gaps nothing is one', () => {
    assert.equal(stallLimit(summaryOf()), Infinity);
    const gap = metricOf({ metric: 'gap', median_ns: 4 * MS });
    assert.equal(stallLimit(summaryOf({ metrics: [gap] })), 20 * MS);
});

void test('the line of clocks has offset, bound and method', () => {
    const file: ServingFile = {
        id: 1,
        name: 'profile_export.jsonl',
        role: 'client',
        tool: 'AIPerf',
        method: 'ids',
        offset_ns: -1734 * MS,
        error_ns: 1.3 * MS,
        pairs: 23,
    };
    assert.equal(plain(clockText(file)), 'client −1.734 s ± 1.300 ms, by request ids (23 pairs)');
    assert.equal(clockText({ ...file, method: 'unknown' }), 'client: clock unknown');
    assert.equal(clockText({ ...file, role: 'trace', method: 'same' }), 'trace: same clock');
});

void test('a part names its slots and its steps', () => {
    const part = {
        cause: 'slot',
        slots: 4,
        steps: 19,
        first_step: 89,
        last_step: 107,
        first_number: 88,
        last_number: 106,
    } as RequestPart;
    assert.equal(partText(part), 'waited for one of 4 slots: all were taken');
    assert.equal(stepsText(part), 'steps 88–106');
    assert.equal(stepsText({ ...part, steps: 1, last_number: 88 }), 'step 88');
    assert.equal(stepsText({ ...part, steps: 0 }), '');
});

void test('a sweep is ordered by throughput and named by what varies', () => {
    const result = (id: number, rate: number, throughput: number, p99: number): ServingResult => ({
        id,
        name: 'bench',
        parameters: { request_rate: rate, model: 'gpt2' },
        requests: 0,
        metrics: [
            {
                id: id * 10,
                metric: 'output token throughput',
                value: throughput,
                unit: 'tokens/s',
                statistic: null,
                better: 1,
            },
            {
                id: id * 10 + 1,
                metric: 'time to first token, p99',
                value: p99,
                unit: 's',
                statistic: null,
                better: -1,
            },
        ],
    });
    const results = [result(1, 8, 900, 0.9), result(2, 2, 300, 0.1)];
    assert.equal(sweepThroughput(results), 'output token throughput');
    assert.deepEqual(sweepMetrics(results), ['time to first token, p99']);
    assert.deepEqual(
        sweepPoints(results, 'time to first token, p99').map(({ label, throughput, measurement }) =>
            [label, throughput, measurement].join(),
        ),
        ['request rate 2,300,21', 'request rate 8,900,11'],
    );
    assert.deepEqual(sweepPoints(results, 'latency'), []);
});
