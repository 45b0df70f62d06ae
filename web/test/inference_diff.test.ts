/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { Inference, InferenceParts, PhaseName } from '../src/base/answers';
import { inferenceDiffSays, partDiffs, sharedPhases, tokensOf } from '../src/model/inference_diff';

function runOf(busy: Partial<Record<PhaseName, number>>, tokens: number | null): Inference {
    return {
        phases: Object.entries(busy).map(([phase, busy_ns]) => ({
            phase,
            steps: 10,
            busy_ns,
            tokens,
        })),
    } as unknown as Inference;
}

/* Rows are [family, name, ns of a decode step, calls]. */
const partsOf = (...rows: [number, string, number, number][]): InferenceParts => ({
    by: 'kernel',
    time: 'device',
    steps: [
        { phase: 'prefill', step: 1, name: null, busy_ns: 0, host_ns: 0, kernels: 0 },
        { phase: 'decode', step: 2, name: null, busy_ns: 0, host_ns: 0, kernels: 0 },
    ],
    rows: rows.map(([family, name, ns, calls], i) => ({
        name,
        name_id: i + 1,
        family,
        ns: [7, ns],
        calls: [1, calls],
    })),
    omitted: 0,
    omitted_ns: [0, 0],
});

const PARTS = {
    base: partsOf([1, 'gemm', 6e6, 4], [10, 'paged', 3e6, 4], [2, 'norm', 1e6, 4]),
    new: partsOf([1, 'gemm', 6e6, 4], [10, 'flash', 2e6, 2], [2, 'norm', 1.5e6, 4]),
};

test('phases in which both used the GPU, the one with most time first', () => {
    const base = runOf({ prefill: 5e6, mixed: 9e6, decode: 7e6 }, 32);
    assert.deepEqual(sharedPhases({ base, new: runOf({ prefill: 1, decode: 1 }, 1) }), [
        'decode',
        'prefill',
    ]);
    assert.deepEqual(sharedPhases({ base, new: runOf({ mixed: 0 }, 1) }), []);
});

test('kernels of one family stand together, with what replaced them', () => {
    const rows = partDiffs(PARTS, 'decode', { base: 1, new: 1 });
    assert.deepEqual(
        rows.map(({ name, family, state, delta, isFamily }) => [
            family,
            name,
            state,
            delta,
            isFamily,
        ]),
        [
            [10, '', 'both', -1e6, true],
            [10, 'paged', 'gone', -3e6, false],
            [10, 'flash', 'new', 2e6, false],
            [2, '', 'both', 0.5e6, true],
            [2, 'norm', 'both', 0.5e6, false],
            [1, '', 'both', 0, true],
            [1, 'gemm', 'both', 0, false],
        ],
    );
});

test('times are divided by the tokens of each run', () => {
    const rows = partDiffs(PARTS, 'decode', { base: 10, new: 20 });
    const gemm = rows.find(({ name }) => name === 'gemm');
    assert.deepEqual([gemm?.base, gemm?.new, gemm?.delta], [6e5, 3e5, -3e5]);
    const runs = { base: runOf({ decode: 1 }, 10), new: runOf({ decode: 1 }, null) };
    assert.equal(tokensOf(runs, 'decode'), null);
});

test('the sentence has the change, the family, and unequal work', () => {
    const runs = { base: runOf({ decode: 10e6 }, 32), new: runOf({ decode: 9.5e6 }, 64) };
    const rows = partDiffs(PARTS, 'decode', { base: 1, new: 1 });
    assert.deepEqual(
        inferenceDiffSays(runs, rows, 'decode').map((text) => text.replaceAll('\u202f', ' ')),
        [
            'A decode step takes 10.000 ms → 9.500 ms of the GPU, −5.0 %.',
            'Most of it is attention: 3.000 ms → 2.000 ms. The steps differ in work: 32 tokens against 64.',
        ],
    );
});

test('runs without a GPU are compared by the time of the host', () => {
    const host = (host_ns: number): Inference =>
        ({
            time: 'host',
            phases: [{ phase: 'decode', steps: 10, busy_ns: null, host_ns, tokens: 1 }],
        }) as unknown as Inference;
    const runs = { base: host(3e6), new: host(2e6) };
    assert.deepEqual(sharedPhases(runs), ['decode']);
    assert.deepEqual(sharedPhases({ ...runs, new: runOf({ decode: 2e6 }, 1) }), []);
    const parts = { base: partsOf([1, 'aten::mm', 2e6, 4]), new: partsOf([1, 'aten::mm', 1e6, 4]) };
    for (const side of [parts.base, parts.new])
        side.rows.push({ ...side.rows[0], family: 0, name: '', ns: [0, 1e6], calls: [0, 0] });
    const rows = partDiffs(parts, 'decode', { base: 1, new: 1 });
    assert.deepEqual(
        rows.map(({ name, isFamily, delta, state }) => [name, isFamily, delta, state]),
        [
            ['', true, -1e6, 'both'],
            ['aten::mm', false, -1e6, 'both'],
            ['', true, 0, 'both'],
            ['', false, 0, 'both'],
        ],
    );
    assert.equal(
        inferenceDiffSays(runs, rows, 'decode')[0].replaceAll('\u202f', ' '),
        'A decode step takes 3.000 ms → 2.000 ms of the CPU, −33.3 %.',
    );
});
