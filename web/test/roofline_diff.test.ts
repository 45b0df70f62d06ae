/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { Roofline, RooflineRow } from '../src/base/answers';
import {
    boundText,
    knowsLimits,
    matchesDiff,
    peaksText,
    rooflineDiffs,
    rooflineDiffSays,
    rooflineQuery,
    sortRooflineDiffs,
    tensorsOf,
    typesText,
} from '../src/model/roofline_diff';
import { matcher } from '../src/model/search';

const DIMS = '[[8,16],[16,32],[]]';
const TYPES = '["c10::BFloat16","c10::BFloat16","Scalar"]';

/* A row with a model whose limit is a quarter of 1 ms for each call. */
const row = (name: string, ns: number, more: Partial<RooflineRow> = {}): RooflineRow => ({
    name,
    name_id: name.length,
    family: 1,
    shapes: DIMS,
    types: TYPES,
    calls: 2,
    device_ns: ns,
    slice: 1,
    kernels: [],
    kernels_omitted: 0,
    has_model: true,
    flops: 100,
    bytes: 50,
    intensity: 2,
    tflops: 1,
    gbps: 2,
    units: 'matrix',
    type: 'bf16',
    peak_tflops: 10,
    limit_ns: 5e5,
    bound: 'memory',
    percent: (100 * 5e5) / ns,
    ...more,
});

const NO_MODEL = { has_model: false, flops: null, bytes: null, limit_ns: null, bound: null };

function answerOf(rows: RooflineRow[], more: Partial<Roofline> = {}): Roofline {
    const modelled = rows.filter(({ has_model }) => has_model);
    const limited = modelled.filter(({ limit_ns }) => limit_ns != null);
    const sum = (of: RooflineRow[]) => of.reduce((all, { device_ns }) => all + device_ns, 0);
    return {
        device: 'Some GPU',
        peaks: { name: 'MI300X', source: 'x', matrix: {}, vector: {}, bandwidth: 1 },
        devices: 1,
        span_ns: 0,
        device_ns: sum(rows),
        modelled_ns: sum(modelled),
        unattributed_ns: 0,
        flops: 0,
        bytes: 0,
        limited_ns: sum(limited),
        limit_ns: limited.reduce((all, { limit_ns }) => all + (limit_ns ?? 0), 0),
        mfu: null,
        mbu: null,
        rows,
        omitted: 0,
        omitted_ns: 0,
        ...more,
    };
}

const plain = (texts: readonly string[]): string => texts.join(' ').replaceAll('\u202f', ' ');

test('rows with equal names, shapes and types are one row', () => {
    const runs = {
        base: answerOf([
            row('aten::mm', 4e6),
            row('aten::mm', 2e6, { shapes: '[[9,16],[16,32],[]]' }),
            row('aten::add', 1e6, NO_MODEL),
        ]),
        new: answerOf([
            row('aten::mm', 3e6, { types: '["c10::Half","c10::Half","Scalar"]' }),
            // Another version of torch: one more scalar, another word for its type.
            row('aten::mm', 1e6, {
                shapes: '[[8, 16], [16, 32], [], []]',
                types: '["c10::BFloat16","c10::BFloat16","",""]',
                bound: 'compute',
            }),
        ]),
    };
    assert.deepEqual(
        rooflineDiffs(runs, 'shape').map(({ name, shapes, types, base, new: fresh, delta }) => [
            name,
            shapes,
            types,
            base?.ns ?? null,
            fresh?.ns ?? null,
            delta,
        ]),
        [
            ['aten::mm', '8×16 · 16×32', 'bf16', 4e6, 1e6, -3e6],
            ['aten::mm', '8×16 · 16×32', 'fp16', null, 3e6, 3e6],
            ['aten::mm', '9×16 · 16×32', 'bf16', 2e6, null, -2e6],
            ['aten::add', '8×16 · 16×32', 'bf16', 1e6, null, -1e6],
        ],
    );
    const [equal, half, , add] = rooflineDiffs(runs, 'shape');
    assert.deepEqual(
        [equal.delta_pct, equal.base?.above_ns, equal.new?.above_ns, equal.new?.percent],
        [-75, 3.5e6, 5e5, 50],
    );
    assert.deepEqual([equal, half, add].map(boundText), ['memory → compute', 'memory', '']);
    assert.deepEqual([half.delta_pct, half.base, add.base?.above_ns], [null, null, null]);
});

test('by operator the shapes of one type are added up', () => {
    const runs = {
        base: answerOf([row('mm', 4e6), row('mm', 2e6, { shapes: '[[9,16],[16,32]]' })]),
        new: answerOf([row('mm', 3e6, { calls: 1 })]),
    };
    const [sum, ...others] = rooflineDiffs(runs, 'operator');
    assert.equal(others.length, 0);
    assert.deepEqual(
        [sum.shapes, sum.base?.ns, sum.base?.calls, sum.base?.limit_ns, sum.delta],
        ['', 6e6, 4, 1e6, -3e6],
    );
    const [call] = rooflineDiffs(runs, 'operator', 'call');
    assert.deepEqual(
        [call.base?.ns, call.new?.ns, call.delta, call.base?.above_ns, call.base?.calls],
        [1.5e6, 3e6, 1.5e6, 1.25e6, 4],
    );
});

test('a row opens the tab of a run with its operator selected', () => {
    const runs = {
        base: answerOf([row('mm', 4e9), row('tiny', 1e3)]),
        new: answerOf([row('add', 1e6), row('mm', 1e6)]),
    };
    const [mm, add, tiny] = rooflineDiffs(runs, 'shape');
    assert.deepEqual(rooflineQuery(mm, 'base', 'shape'), { op: '2-0' });
    assert.deepEqual(rooflineQuery(mm, 'new', 'shape'), { op: '2-1' });
    assert.equal(rooflineQuery(add, 'base', 'shape'), null);
    assert.deepEqual(rooflineQuery(tiny, 'base', 'shape'), { op: '4-1', small: '1' });
    const [sum] = rooflineDiffs(runs, 'operator');
    assert.deepEqual(rooflineQuery(sum, 'new', 'operator'), { op: 'mm', by: 'operator' });
});

test('rows are sorted by any column, those without a value last', () => {
    const runs = {
        base: answerOf([row('a', 4e6), row('bb', 1e6), row('ccc', 3e6, NO_MODEL)]),
        new: answerOf([row('a', 1e6), row('bb', 2e6), row('dddd', 2.5e6)]),
    };
    const rows = rooflineDiffs(runs, 'shape');
    const by = (key: string, desc: boolean) =>
        sortRooflineDiffs(rows, { key, desc })
            .map(({ name }) => name[0])
            .join('');
    assert.equal(by('size', true), 'acdb');
    assert.equal(by('delta', true), 'dbac');
    assert.equal(by('delta_pct', false), 'abcd');
    assert.equal(by('base_percent', true), 'bacd');
    assert.equal(by('base_percent', false), 'abcd');
    assert.equal(by('new_above', true), 'dbac');
    assert.equal(by('name', false), 'abcd');
    assert.equal(by('calls', true), 'acdb');
});

test('the sentences have the part of equal shapes and the time above the limits', () => {
    const runs = {
        base: answerOf([row('mm', 4e6), row('add', 1e6)]),
        new: answerOf([row('mm', 3e6), row('mul', 5e5)]),
    };
    const says = (of: typeof runs) => plain(rooflineDiffSays(of, rooflineDiffs(of, 'shape')));
    assert.equal(
        says(runs),
        'Operators with a model take 5.000 ms → 3.500 ms of the GPU, −30.0 %. 1 row with equal shapes differs by −1.000 ms, the others by −0.500 ms. Above their limits: 4.000 ms of 5.000 in base, 2.500 ms of 3.500 in new.',
    );
    const lacking = { limited_ns: 0, limit_ns: null, peaks: null, device: 'H200' };
    const half = { ...runs, new: answerOf([row('mul', 5e5, { limit_ns: null })], lacking) };
    assert.match(
        says(half),
        /No operator with a model has equal shapes in both\. Above their limits: 4\.000 ms of 5\.000 in base\. The peaks of H200 are not known, so its operators have no limits\.$/,
    );
    const none = { base: half.new, new: half.new };
    assert.match(
        says(none),
        /The peaks of H200 are not known, so there are no limits and no percentages\.$/,
    );
    assert.deepEqual([runs, half, none].map(knowsLimits), [true, true, false]);
    const empty = answerOf([row('add', 1e6, NO_MODEL)]);
    assert.match(says({ base: empty, new: empty }), /record_shapes=True/);
});

test('both peaks are named if they differ', () => {
    const base = answerOf([]);
    const h100 = { name: 'H100 SXM', source: 'x', matrix: {}, vector: {}, bandwidth: 1 };
    assert.equal(peaksText({ base, new: base }), 'MI300X');
    assert.equal(
        peaksText({ base, new: answerOf([], { peaks: h100 }) }),
        'MI300X against H100 SXM',
    );
    const unknown = answerOf([], { peaks: null, device: 'NVIDIA H200' });
    assert.equal(peaksText({ base, new: unknown }), 'MI300X against NVIDIA H200');
    assert.equal(peaksText({ base: unknown, new: unknown }), '');
});

test('only tensors decide whether shapes are equal', () => {
    assert.deepEqual(tensorsOf('[[2,3],[],[[4],[5]]]', '["float","Scalar","TensorList"]'), {
        shapes: '[[2,3],[[4],[5]]]',
        types: ['float', 'TensorList'],
    });
    assert.deepEqual(tensorsOf(null, null), { shapes: '', types: [] });
    assert.deepEqual(tensorsOf('[[2', '["float"]'), { shapes: '[[2', types: [] });
    assert.equal(typesText(['c10::BFloat16', 'float', 'c10::BFloat16', '']), 'bf16, fp32');
    const [found] = rooflineDiffs({ base: answerOf([row('mm', 1)]), new: answerOf([]) }, 'shape');
    assert.deepEqual(
        ['8×16', 'bf16', 'mm', 'conv'].map((text) => matchesDiff(found, matcher(text, false))),
        [true, true, true, false],
    );
});
