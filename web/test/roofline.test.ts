/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { Roofline, RooflineRow } from '../src/base/answers';
import {
    decades,
    flopText,
    rooflineItems,
    rooflineSays,
    roofsOf,
    shapesText,
} from '../src/model/roofline';

const row = (name: string, more: Partial<RooflineRow>): RooflineRow => ({
    name,
    name_id: name.length,
    family: 1,
    shapes: '[[2,3],[3,5],[]]',
    types: null,
    calls: 2,
    device_ns: 1000,
    slice: 1,
    kernels: [],
    kernels_omitted: 0,
    has_model: false,
    ...more,
});

const MODEL = {
    has_model: true,
    flops: 60,
    bytes: 124,
    intensity: 60 / 124,
    tflops: 0.12,
    gbps: 0.248,
    units: 'matrix' as const,
    type: 'bf16',
    peak_tflops: 100,
    limit_ns: 250,
    bound: 'memory' as const,
    percent: 25,
};

const PEAKS = {
    name: 'X',
    source: 'y',
    matrix: { bf16: 100 },
    vector: { fp32: 10 },
    bandwidth: 1000,
};

function answerOf(rows: RooflineRow[], more: Partial<Roofline> = {}): Roofline {
    return {
        device: 'Some GPU',
        peaks: PEAKS,
        devices: 1,
        span_ns: 4000,
        device_ns: 4000,
        modelled_ns: 2000,
        unattributed_ns: 0,
        flops: 240,
        bytes: 496,
        limited_ns: 2000,
        limit_ns: 500,
        mfu: 0.1,
        mbu: 0.2,
        rows,
        omitted: 0,
        omitted_ns: 0,
        ...more,
    };
}

test('shapes are those of the tensors', () => {
    assert.equal(shapesText('[[2,3],[],[5]]'), '2×3 · 5');
    assert.equal(shapesText('[[[2,3],[4]],[5]]'), 'list · 5');
    assert.equal(shapesText(null), '');
    assert.equal(shapesText('[[2,3'), '[[2,3');
});

test('a kernel has the work of operators that launch it alone', () => {
    const kernel = (name_id: number, count: number, device_ns: number) => ({
        name: `k${name_id}`,
        name_id,
        count,
        device_ns,
    });
    const items = rooflineItems(
        answerOf([
            row('aten::mm', { ...MODEL, kernels: [kernel(1, 2, 1000)] }),
            row('aten::addmm', { ...MODEL, device_ns: 3000, kernels: [kernel(1, 2, 3000)] }),
            row('aten::bmm', { ...MODEL, kernels: [kernel(1, 2, 600), kernel(2, 2, 400)] }),
            row('aten::matmul', { ...MODEL, kernels: [kernel(3, 4, 900)] }), // two a call
            // another one in each call
            row('aten::linear', { ...MODEL, kernels: [kernel(4, 1, 700), kernel(5, 1, 300)] }),
            row('aten::view', { kernels: [kernel(2, 2, 50)] }),
        ]),
        'kernel',
    );
    assert.deepEqual(
        items.map(({ name, shapes, calls, ns, remark }) => [name, shapes, calls, ns, remark]),
        [
            ['k1', 'aten::mm · aten::addmm', 4, 4000, ''],
            ['k3', 'aten::matmul', 4, 900, 'shared'],
            ['k4', 'aten::linear', 1, 700, ''],
            ['k1', 'aten::bmm', 2, 600, 'shared'],
            ['k2', 'aten::bmm', 2, 400, 'shared'],
            ['k5', 'aten::linear', 1, 300, ''],
            ['k2', 'aten::view', 2, 50, 'no model'],
        ],
    );
    assert.equal(items[0].flops, 240);
    assert.equal(items[0].limit_ns, 500);
    assert.equal(items[0].percent, 12.5);
    assert.deepEqual(
        items.filter(({ name }) => name === 'k4').map(({ flops, limit_ns }) => [flops, limit_ns]),
        [[60, 125]],
    );
    assert.deepEqual(
        items.filter(({ remark, tflops }) => !remark === (tflops === null)),
        [],
    );
    assert.equal(new Set(items.map(({ key }) => key)).size, 7);
});

test('shapes of one operator are added up', () => {
    const rows = [
        row('mm', MODEL),
        row('mm', { ...MODEL, device_ns: 3000, limit_ns: 750, bound: 'compute' }),
    ];
    const [one, ...others] = rooflineItems(answerOf(rows), 'operator');
    assert.equal(others.length, 0);
    assert.deepEqual(
        [one.calls, one.ns, one.flops, one.bytes, one.limit_ns, one.percent, one.bound, one.shapes],
        [4, 4000, 240, 496, 1000, 25, null, ''],
    );
    const mixed = rooflineItems(answerOf([row('mm', MODEL), row('mm', {})]), 'operator')[0];
    assert.deepEqual([mixed.hasModel, mixed.flops, mixed.percent], [false, null, null]);
});

test('roofs are those that operators use, the one with most time first', () => {
    const rows = [
        row('add', { ...MODEL, units: 'vector', type: 'fp32', peak_tflops: 10, device_ns: 10 }),
        row('mm', MODEL),
        row('view', {}),
    ];
    const items = rooflineItems(answerOf(rows), 'shape');
    assert.deepEqual(
        roofsOf(items, PEAKS).map(({ units, tflops, isMain }) => [units, tflops, isMain]),
        [
            ['matrix', 100, true],
            ['vector', 10, false],
        ],
    );
    assert.deepEqual(roofsOf(items, null), []);
});

test('the scale has whole decades', () => {
    assert.deepEqual(decades([0.3, 250]), { from: -1, to: 3 });
    assert.deepEqual(decades([5]), { from: 0, to: 1 });
    assert.deepEqual(decades([]), { from: 0, to: 1 });
});

test('the sentence has the time at the limits, or says what is missing', () => {
    const plain = (texts: string[]): string => texts.join(' ').replaceAll('\u202f', ' ');
    const rows = [row('aten::mm', { ...MODEL, device_ns: 2e6, limit_ns: 5e5 })];
    const full = answerOf(rows, {
        device_ns: 4e6,
        modelled_ns: 2e6,
        limited_ns: 2e6,
        limit_ns: 5e5,
    });
    assert.equal(
        plain(rooflineSays(full, rooflineItems(full, 'shape'))),
        'At their limits, the operators with a model would take 0.500 ms instead of 2.000 ms. The most above its limit is aten::mm: 1.500 ms. 50.0 % of the GPU time has a model. MFU 10.0 %, MBU 20.0 %.',
    );
    assert.match(
        rooflineSays(answerOf([], { modelled_ns: 0 }), []).join(' '),
        /record_shapes=True/,
    );
    assert.match(
        rooflineSays(answerOf([], { limit_ns: null, limited_ns: 0 }), [])[0],
        /no operator with a model/,
    );
    assert.match(
        rooflineSays(answerOf([], { peaks: null, limit_ns: null, limited_ns: 0 }), [])[0],
        /peaks of Some GPU are not known/,
    );
});

test('work has a unit that fits', () => {
    assert.deepEqual(
        [3.09237645312e12, 6e4, 12].map((value) => flopText(value).replaceAll('\u202f', ' ')),
        ['3.09 TFLOP', '60.0 kFLOP', '12 FLOP'],
    );
});
