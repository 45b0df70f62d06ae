/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { TraceOverview, TraceStep } from '../src/base/answers';
import {
    bytesAt,
    categoryCurves,
    curveNames,
    deviceCurves,
    sampledCurves,
    curveStatistics,
} from '../src/features/compare/curve_pair';
import { stepColumns, stepsSentence, stepsText } from '../src/features/compare/step_columns';
import {
    frameRuleOf,
    partRows,
    partRowsOfMeans,
    sumOfParts,
} from '../src/features/compare/step_parts';
import { operatorsSentence } from '../src/features/compare/step_text';
import { largestSteps } from '../src/features/compare/waterfall';

const MIB = 1024 * 1024;

test('curves of samples: the main process, then its children in order', () => {
    const curves = sampledCurves({
        start_s: 0,
        end_s: 2,
        curves: [
            { process: null, kind: 'rss', t_s: [0, 2], mib: [10, 30] },
            { process: 1, kind: 'rss', t_s: [1], mib: [5] },
            { process: 2, kind: 'rss', t_s: [1], mib: [6] },
        ],
        gaps: [],
    });
    assert.deepEqual(
        curves.map(({ name }) => name),
        ['main process', 'child 1', 'child 2'],
    );
    assert.deepEqual(curveStatistics(curves[0], 5), { peak: 30 * MIB, mean: 20 * MIB, end_s: 2 });
});

test('nothing is known of the memory between the samples of a gap', () => {
    const [curve] = sampledCurves({
        start_s: 0,
        end_s: 100,
        curves: [{ process: null, kind: 'rss', t_s: [0, 1, 99, 100], mib: [10, 10, 30, 30] }],
        gaps: [{ process: null, from_s: 1, to_s: 99 }],
    });
    assert.deepEqual(curveStatistics(curve, 100), { peak: 30 * MIB, mean: 20 * MIB, end_s: 100 });
    assert.deepEqual(
        [0.4, 50, 99.9].map((at) => bytesAt(curve, 100, at)?.value ?? null),
        [10 * MIB, null, 30 * MIB],
    );
});

test('a value of a held curve lasts until the next, the last one to the end of the run', () => {
    const [all, one] = categoryCurves({
        t_s: [0, 1, 3],
        categories: [
            { name: 'parameter', mib: [1, 1, 1] },
            { name: 'input', mib: [0, 0, 0] },
        ],
    });
    assert.deepEqual([all.name, one.name], ['all', 'parameter']);
    const held = { ...all, bytes: [0, 10, 4] };
    assert.deepEqual(curveStatistics(held, 5), { peak: 10, mean: (0 + 20 + 8) / 5, end_s: 5 });
    assert.deepEqual(
        [-1, 0, 2.9, 3, 5, 5.1].map((at) => bytesAt(held, 5, at)?.value ?? null),
        [null, 0, 10, 4, 4, null],
    );
    assert.deepEqual(categoryCurves({ t_s: [], categories: [] }), []);
});

test('devices come before the CPU, in seconds since the start', () => {
    const place = (device_type: number, device: number) => ({ device_type, device, worker: 0 });
    const told = (device_type: number, device: number, allocated: (number | null)[]) => ({
        ...place(device_type, device),
        t_ns: [1e9, 2e9],
        allocated,
        reserved: [],
    });
    const about = { label: '', peak_bytes: 9, reserved_peak_bytes: null };
    const curves = deviceCurves(
        [
            { ...place(0, -1), ...about },
            { ...place(1, 0), ...about },
        ],
        { counters: [], busy: [], memory: [told(0, -1, [null, 3]), told(1, 0, [5, 9])] },
        1e9,
    );
    assert.deepEqual(
        curves.map(({ name, t_s, bytes }) => [name, t_s, bytes]),
        [
            ['GPU 0', [0, 1], [5, 9]],
            ['CPU', [0, 1], [0, 3]],
        ],
    );
});

test('curves that both runs have are offered first', () => {
    const named = (names: string[]) =>
        names.map((name) => ({ name, t_s: [], bytes: [], isStepped: true, gaps: [] }));
    assert.deepEqual(curveNames(named(['a', 'b']), named(['c', 'b'])), ['b', 'a', 'c']);
});

test('parts add up to the step, those of neither run are left out, and a side lacks what takes no time', () => {
    const rows = partRowsOfMeans(
        [
            ['kernel', 5000],
            ['dataloader', 4000],
            ['memset', 0],
            ['cpu', 0],
        ],
        [
            ['kernel', 5500],
            ['memset', 0],
            ['cpu', 250],
        ],
    );
    assert.deepEqual(
        rows.map(({ name, base, new: fresh, delta, change }) => [name, base, fresh, delta, change]),
        [
            ['dataloader', 4, 0, -4, 'removed'],
            ['kernel', 5, 5.5, 0.5, null],
            ['cpu', 0, 0.25, 0.25, 'added'],
        ],
    );
    const sum = sumOfParts(rows);
    assert.deepEqual([sum.base, sum.new, sum.delta], [9, 5.75, -3.25]);
    assert.ok(Math.abs((sum.delta_pct ?? 0) + 36.111) < 0.001);
    assert.deepEqual(partRows(rows), rows);
    assert.deepEqual(partRowsOfMeans(undefined, undefined), []);
});

test('small differences are no steps of a waterfall', () => {
    const row = (id: number, delta: number) => ({
        id,
        name: '',
        delta,
        noise: null,
        verdict: null,
    });
    const kept = largestSteps([row(1, -100), row(2, 1), row(3, 0.99), row(4, -0.5)]);
    assert.deepEqual(
        kept.map(({ id }) => id),
        [1, 2],
    );
});

test('a part marks the frames of the host that belong to it', () => {
    const marks = (part: string, name: string) => frameRuleOf(part)?.pattern.test(name) ?? false;
    assert.ok(marks('dataloader', 'enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__'));
    assert.ok(marks('kernel', 'cudaLaunchKernel') && marks('kernel', 'cudaStreamSynchronize'));
    assert.ok(marks('memcpy', 'cudaMemcpyAsync') && !marks('memcpy', 'aten::mm'));
    assert.ok(marks('communication', 'nccl:all_reduce'));
    assert.ok(marks('cpu', 'aten::mm') && !marks('cpu', 'ProfilerStep*'));
    assert.equal(frameRuleOf('idle'), null);
});

function overview(first: number, times: number[]): TraceOverview {
    let at = 0;
    const steps = times.map((ns, i) => {
        const start_ns = at;
        at += ns;
        const parts = { tensorboard: [['kernel', ns]] };
        const name = `ProfilerStep#${first + i}`;
        return { id: i + 1, name, worker: 0, start_ns, end_ns: at, counted: 1, parts };
    });
    return { steps: steps as unknown as TraceStep[], steps_total: steps.length } as TraceOverview;
}

const equalSteps = (n: number) => overview(3, new Array<number>(n).fill(8));

test('columns of steps: with gaps, of 1 px from 60 on, means with a band from 400 on', () => {
    const shape = (n: number) => {
        const { columns, pitch, width } = stepColumns(equalSteps(n), 'tensorboard', 170);
        return [columns.length, pitch, width, columns[0].n, columns[0].band !== null];
    };
    assert.deepEqual(shape(12), [12, 14, 12, 1, false]);
    assert.deepEqual(shape(1), [1, 28, 26, 1, false]);
    assert.deepEqual(shape(59), [59, 2, 2, 1, false]);
    assert.deepEqual(shape(60), [60, 1, 1, 1, false]);
    assert.deepEqual(shape(399), [133, 1, 1, 3, false]);
    assert.deepEqual(shape(400), [20, 8, 8, 20, true]);
    const rising = overview(
        1,
        Array.from({ length: 400 }, (_, i) => (i % 20) + 1),
    );
    const [first] = stepColumns(rising, 'tensorboard', 170).columns;
    assert.deepEqual([first.total_ns, first.parts], [10.5, [['kernel', 10.5]]]);
    assert.deepEqual(
        Object.values(first.band ?? {}).map((ns) => Number(ns.toFixed(3))),
        [2.9, 10.5, 18.1],
    );
    assert.equal(first.name, 'ProfilerStep#1 – ProfilerStep#20');
});

test('steps in words', () => {
    assert.equal(stepsText(equalSteps(12)), 'steps 3 – 14');
    assert.equal(stepsText(equalSteps(1)), 'step 3');
    assert.equal(stepsText({ ...equalSteps(2), steps_total: 2000 }), 'first 2 of 2,000 steps');
    const [slow, fast, mixed] = [overview(1, [9, 8]), overview(1, [4, 5]), overview(1, [4, 9])];
    assert.equal(stepsSentence(slow, fast), 'every new step is shorter than every base step');
    assert.equal(stepsSentence(fast, slow), 'every new step is longer than every base step');
    assert.equal(
        stepsSentence(slow, mixed),
        '1 of 2 new steps are shorter than the mean base step',
    );
    assert.equal(stepsSentence(overview(1, [9]), fast), '');
});

test('what operators explain of the difference of the step', () => {
    const say = (delta: number | null, stepDelta: number | null) =>
        operatorsSentence({
            hasEqualCalls: stepDelta === -4 ? true : null,
            delta,
            title: 'CPU time',
            stepDelta,
            format: (value) => `${value} ms a step`,
        });
    assert.equal(
        say(-0.1, -4),
        'Same calls on both sides. The operators differ by -0.1 ms a step in all: they do not explain the change.',
    );
    assert.match(say(-3, -6), /-3 ms a step in all: 50\.0\u202f% of the change of the step\.$/);
    assert.match(say(1, -6), /they do not explain/);
    assert.equal(say(1, null), 'The operators differ by 1 ms a step in all.');
    assert.match(say(null, -6), /^CPU time of one operator may include another/);
});
