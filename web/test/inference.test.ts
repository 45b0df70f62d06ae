/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { Inference, PhaseName } from '../src/base/answers';
import {
    axisValue,
    inferenceSays,
    layoutSteps,
    mostOf,
    phasePieces,
    roundUp,
    scaleEnd,
    scaleParts,
    shownSteps,
    stackParts,
} from '../src/model/inference';

const NAMES: PhaseName[] = ['unknown', 'idle', 'prefill', 'mixed', 'decode'];
const [IDLE, PREFILL, MIXED, DECODE] = [1, 2, 3, 4];

/* Steps of 10 ms every 20 ms; half of the time is matmul, a fifth attention. */
function answerOf(phases: number[], busy = 10e6, period: number | null = 20e6): Inference {
    const all = <T>(value: T): T[] => phases.map(() => value);
    return {
        engine: 'vLLM',
        time: 'device',
        worker: 0,
        workers: 1,
        detailed: true,
        assumed: false,
        steps: phases.length,
        omitted: 0,
        outside_ns: 0,
        outside_kernels: 0,
        phase_names: NAMES,
        phases: [
            {
                phase: 'decode',
                steps: phases.filter((phase) => phase === DECODE).length,
                median_step: phases.indexOf(DECODE) + 1,
                busy_ns: busy,
                span_ns: busy,
                period_ns: period,
                host_ns: 1e6,
                tokens: 32,
                requests: 32,
                tokens_per_s: 1600,
                tokens_per_busy_s: 3200,
            },
        ],
        steady: phases.length > 6 ? { first: 2, steps: 3 } : null,
        odd: null,
        columns: {
            phase: phases,
            id: phases.map((_, i) => i + 1),
            host_start_ns: phases.map((_, i) => i * 20e6),
            host_ns: all(1e6),
            first_ns: phases.map((_, i) => i * 20e6 + 2e6),
            span_ns: all(busy),
            period_ns: all(period),
            busy_ns: all(busy),
            kernels: all(3),
            requests: all(32),
            tokens: all(32),
            padded: all(null),
            prefill_requests: all(0),
            prefill_tokens: phases.map((phase, i) => (phase === PREFILL ? 100 + i : 0)),
            prefill_context: all(0),
            decode_requests: all(32),
            decode_tokens: all(32),
            decode_context: phases.map((_, i) => (i === 0 ? null : 1000 + i)),
        },
        families: [
            { family: 0, ns: all(busy * 0.1) },
            { family: 1, ns: all(busy * 0.5) },
            { family: 7, ns: all(busy * 0.2) },
            { family: 10, ns: all(busy * 0.2) },
        ],
    };
}

test('steps are filtered by phase and steady state', () => {
    const answer = answerOf([PREFILL, DECODE, DECODE, MIXED, DECODE, IDLE, DECODE]);
    assert.deepEqual(shownSteps(answer, null, false), [0, 1, 2, 3, 4, 5, 6]);
    assert.deepEqual(shownSteps(answer, 'decode', false), [1, 2, 4, 6]);
    assert.deepEqual(shownSteps(answer, 'decode', true), [2, 4]);
});

test('parts are in the order of the stack; small families are one part', () => {
    const parts = stackParts(answerOf([DECODE]));
    assert.deepEqual(
        parts.map(({ key, ns }) => [key, Math.round(ns[0])]),
        [
            ['matmul', 5e6],
            ['attention', 2e6],
            ['runtime', 3e6],
        ],
    );
});

test('scales end at round numbers and cut single long columns', () => {
    assert.deepEqual([0.9, 1.2, 2.1, 7, 61].map(roundUp), [1, 1.5, 2.5, 8, 80]);
    assert.equal(roundUp(0), 1);
    assert.deepEqual([1, 1.5, 2, 2.5, 3, 5, 60, 800].map(scaleParts), [4, 3, 4, 5, 3, 5, 3, 4]);
    assert.equal(scaleEnd([...Array<number>(99).fill(10), 500]), 15);
    assert.equal(scaleEnd([10, 12]), 15);
    assert.equal(scaleEnd([]), 1);
});

test('narrow columns hold several steps, and none is lost', () => {
    const answer = answerOf(Array.from({ length: 1000 }, (_, i) => (i % 10 ? DECODE : PREFILL)));
    const shown = shownSteps(answer, null, false);
    const columns = layoutSteps(answer, shown, 'step', 400);
    assert.equal(columns.length, 100);
    assert.deepEqual(
        columns.flatMap(({ steps }) => steps),
        shown,
    );
    assert.equal(mostOf(columns[0], answer.columns.prefill_tokens), 100);
    assert.deepEqual(phasePieces(answer, columns).slice(0, 2), [
        { phase: 'prefill', count: 1, x: 0, end: 4, top: 0, height: 0.1 },
        { phase: 'decode', count: 9, x: 0, end: 4, top: 0.1, height: 0.9 },
    ]);
    assert.deepEqual(layoutSteps(answer, [], 'step', 400), []);
});

test('columns to the scale of time keep their gaps', () => {
    const answer = answerOf([PREFILL, DECODE, DECODE]);
    const columns = layoutSteps(answer, [0, 1, 2], 'time', 500);
    assert.deepEqual(
        columns.map(({ x, width }) => [Math.round(x), Math.round(width)]),
        [
            [0, 100],
            [200, 100],
            [400, 100],
        ],
    );
    assert.deepEqual(
        phasePieces(answer, columns).map(({ phase, count }) => [phase, count]),
        [
            ['prefill', 1],
            ['decode', 2],
        ],
    );
});

test('a step without its context has no place on that axis', () => {
    const answer = answerOf([DECODE, DECODE]);
    assert.equal(axisValue(answer, 'context', 0), null);
    assert.equal(axisValue(answer, 'context', 1), 1001);
    assert.equal(axisValue(answer, 'batch', 0), 32);
});

test('large gaps are said first', () => {
    const plain = (texts: string[]): string => texts.join(' ').replaceAll('\u202f', ' ');
    assert.equal(
        plain(inferenceSays(answerOf([DECODE]))),
        'The GPU is busy 50.0 % of the 20.000 ms from a decode step to the next. Its work takes 10.000 ms for 32 tokens: conv and matmul 50.0 %, other 30.0 %.',
    );
    assert.equal(
        plain(inferenceSays(answerOf([DECODE], 10e6, 10.5e6))),
        'A decode step spends 50.0 % of its 10.000 ms on the GPU in conv and matmul for 32 tokens. Other is 30.0 %. Gaps are 4.8 %.',
    );
    const odd = answerOf([DECODE, PREFILL, DECODE]);
    odd.odd = { step: 1, ns: 800e6, share: 0.4, median_ns: 10e6 };
    assert.equal(
        inferenceSays(odd)[0].replaceAll('\u202f', ' '),
        'Step 1 takes 800.000 ms on the GPU to prefill 101 tokens, 40.0 % of the time of all steps; the median step takes 10.000 ms.',
    );
    const none = answerOf([DECODE]);
    none.phases = [];
    assert.equal(inferenceSays(none)[0], 'The steps launched no work on a device.');
});

test('steps without work on a device are shown by the time of the host', () => {
    const answer = answerOf([PREFILL, DECODE, DECODE]);
    answer.time = 'host';
    answer.columns.host_ns = [9e6, 2e6, 3e6];
    answer.phases = [
        { ...answer.phases[0], busy_ns: null, host_ns: 2e6 },
        { ...answer.phases[0], phase: 'prefill', steps: 1, busy_ns: null, host_ns: 9e6 },
    ];
    answer.phases[1].median_step = 1;
    answer.families = [
        { family: 1, ns: [6e6, 1e6, 1e6] },
        { family: 7, ns: [1e6, 0, 1e6] },
    ];
    assert.deepEqual(
        stackParts(answer).map(({ label, ns }) => [label, ns]),
        [
            ['conv and matmul', [6e6, 1e6, 1e6]],
            ['other', [1e6, 0, 1e6]],
            ['outside operators', [2e6, 1e6, 1e6]],
        ],
    );
    assert.deepEqual(
        inferenceSays(answer).map((text) => text.replaceAll('\u202f', ' ')),
        [
            'A prefill step spends 66.7 % of its 9.000 ms on the CPU in conv and matmul.',
            'In the median a decode step takes 2.000 ms. The steps launched no work on a device.',
        ],
    );
});
