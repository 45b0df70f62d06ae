/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { TraceOverview, TraceStep } from '../src/base/trace_types';
import {
    bytesAt,
    categoryCurves,
    curveNames,
    deviceCurves,
    sampledCurves,
    curveStatistics,
} from '../src/features/compare/curve_pair';
import { partPairs, stepPairs } from '../src/features/compare/step_pairs';

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

test('parts of both runs stand in one order, and what neither has is left out', () => {
    const pairs = partPairs(
        [
            ['kernel', 5],
            ['memset', 0],
        ],
        [
            ['kernel', 7],
            ['runtime', 2],
            ['memset', 0],
        ],
    );
    assert.deepEqual(
        pairs.map((pair) => [pair.label, pair.base, pair.new]),
        [
            ['GPU kernel', 5, 7],
            ['runtime', 0, 2],
        ],
    );
    assert.deepEqual(partPairs(undefined, undefined), []);
});

function overview(first: number, count: number): TraceOverview {
    const steps = Array.from({ length: count }, (_, i) => ({
        id: i,
        name: `ProfilerStep#${first + i}`,
        worker: 0,
        start_ns: 10 * i,
        end_ns: 10 * i + 8,
        counted: 1,
        parts: {},
    }));
    return { steps: steps as unknown as TraceStep[] } as TraceOverview;
}

test('a step stands beside its namesake, or where one puts it', () => {
    const names = (by: number | null) =>
        stepPairs(overview(5, 2), overview(4, 3), by).pairs.map((pair) => [
            pair.base?.name.slice(-1) ?? '',
            pair.new?.name.slice(-1) ?? '',
        ]);
    assert.deepEqual(names(null), [
        ['', '4'],
        ['5', '5'],
        ['6', '6'],
    ]);
    assert.deepEqual(names(0), [
        ['5', '4'],
        ['6', '5'],
        ['', '6'],
    ]);
    assert.deepEqual(names(-1), [
        ['5', ''],
        ['6', '4'],
        ['', '5'],
        ['', '6'],
    ]);
    assert.deepEqual(stepPairs(overview(1, 0), overview(1, 0), null).pairs, []);
    assert.equal(stepPairs(overview(1, 1), overview(9, 1), null).by, 0);
});
