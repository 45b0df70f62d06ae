/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { SampleLabel, SampleType } from '../src/base/answers';
import {
    axisOfType,
    choicesByKey,
    isSelectable,
    labelParams,
    labelRows,
    labelsText,
    orderedTypes,
    pairTypes,
    readLabels,
    restName,
    shareOfType,
    shownType,
    toggleLabel,
    totalColumn,
    totalText,
    valueText,
} from '../src/model/sample_types';

const type = (name: string, more: Partial<SampleType> = {}): SampleType => ({
    name,
    unit: 's',
    scale: 1e9,
    computed: 0,
    total: 4,
    negative: 0,
    samples: 10,
    is_default: 0,
    ...more,
});

const label = (more: Partial<SampleLabel> = {}): SampleLabel => ({
    key: 'task',
    unit: null,
    role: 'divides',
    n_values: 2,
    samples: 8,
    values: [
        { value: 'load', total: 2, samples: 5 },
        { value: 'store', total: 1, samples: 3 },
    ],
    ...more,
});

test('sample types: the URL chooses one, else the default of the run', () => {
    const types = [type('cpu'), type('wall', { is_default: 1 })];
    assert.equal(shownType({ types, labels: [] }, 'cpu').name, 'cpu');
    assert.equal(shownType({ types, labels: [] }, undefined).name, 'wall');
    assert.equal(shownType({ types, labels: [] }, 'gone').name, 'wall');
    assert.equal(shownType({ types: [type('a')], labels: [] }, undefined).name, 'a');
});

test('sample types: those without values are last', () => {
    const names = orderedTypes([type('a', { samples: 0 }), type('b'), type('c')]);
    assert.deepEqual(
        names.map(({ name }) => name),
        ['b', 'c', 'a'],
    );
});

test('sample types: times are in ns, counts and bytes have the scale of the type', () => {
    assert.deepEqual(axisOfType(type('cpu')), { unit: 's', scale: 1, whole: 4e9 });
    const heap = type('inuse_space', { unit: 'B', scale: 1, total: 100, negative: 30 });
    assert.deepEqual(axisOfType(heap), { unit: 'B', scale: 1, whole: 160 });
    assert.equal(totalText(heap, 3145728), '3.00\u202fMiB');
    assert.equal(totalText(type('cpu'), 1.5), '1.500\u202fs');
    assert.equal(totalText(type('objects', { unit: 'objects' }), 12345), '12,345');
    assert.equal(totalText(type('samples'), 0), '0\u202fs');
    assert.equal(totalText(type('objects', { unit: 'objects' }), 172), '172');
    assert.equal(totalText(type('cpu'), -2), '−2.000\u202fs');
});

test('sample types: labels survive the URL, whatever their letters', () => {
    const labels = [
        { key: 'task', value: 'load' },
        { key: 'task', value: 'a,b=c\\' },
        { key: 'k\\,', value: '' },
    ];
    assert.deepEqual(readLabels(labelsText(labels) ?? undefined), labels);
    assert.equal(labelsText(labels.slice(0, 1)), 'task=load');
    assert.equal(labelsText([]), null);
    assert.deepEqual(readLabels(undefined), []);
    assert.deepEqual(readLabels('=x,,plain'), []);
    assert.deepEqual(labelParams(labels.slice(0, 2)), ['task=load', 'task=a,b=c\\']);
});

test('sample types: a label is added and removed, values of a key stand together', () => {
    const [load, store] = [
        { key: 'task', value: 'load' },
        { key: 'task', value: 'store' },
    ];
    const device = { key: 'device', value: '0' };
    assert.deepEqual(toggleLabel([load], store), [load, store]);
    assert.deepEqual(toggleLabel([load, store], { ...load }), [store]);
    assert.deepEqual(choicesByKey([load, device, store]), [
        { key: 'task', values: ['load', 'store'] },
        { key: 'device', values: ['0'] },
    ]);
});

test('sample types: values of a label with their shares, and what has no label', () => {
    const rows = labelRows(label(), type('cpu'));
    assert.deepEqual(rows, [
        { value: 'load', total: 2, share: 0.5, samples: 5 },
        { value: 'store', total: 1, share: 0.25, samples: 3 },
        { value: null, total: 1, share: 0.25, samples: 2 },
    ]);
    assert.equal(restName(label()), 'without task');
    const many = Array.from({ length: 100 }, (_, i) => ({ value: `${i}`, total: 0, samples: 0 }));
    assert.equal(restName(label({ n_values: 300, values: many })), 'other values, or without task');
    assert.equal(labelRows(label(), type('cpu', { samples: 8, total: 3 })).length, 2);
    assert.deepEqual(labelRows(label({ values: [] }), type('cpu', { samples: 0, total: 0 })), []);
});

test('sample types: shares of a difference are of all magnitudes', () => {
    const difference = type('cpu', { total: 0, negative: 2 });
    assert.equal(shareOfType(difference, { total: -2 }), '−50.0\u202f%');
    const rows = labelRows(
        label({ values: [{ value: 'load', total: -2, samples: 5 }] }),
        difference,
    );
    assert.deepEqual(
        rows.map(({ total, share }) => [total, share]),
        [
            [-2, -0.5],
            [2, 0.5],
        ],
    );
    assert.equal(shareOfType(type('x', { total: 0 }), { total: 0 }), '–');
});

test('sample types: a summed label, and a key with an equals sign, select nothing', () => {
    assert.equal(isSelectable(label()), true);
    assert.equal(isSelectable(label({ role: 'thread' })), true);
    assert.equal(isSelectable(label({ role: 'summed' })), false);
    assert.equal(isSelectable(label({ key: 'a=b' })), false);
});

test('sample types: a column of totals has one unit', () => {
    const times = totalColumn(type('cpu'));
    assert.deepEqual([times.unit, times.format(0.5)], ['ms', '500.000']);
    const long = totalColumn(type('cpu', { total: 12 }));
    assert.deepEqual([long.unit, long.format(0.5)], ['s', '0.500']);
    const bytes = totalColumn(type('heap', { unit: 'B', scale: 1 }));
    assert.deepEqual([bytes.unit, bytes.format(-1048576)], ['MiB', '−1.000']);
    const counts = totalColumn(type('goroutine', { unit: 'threads', scale: 1 }));
    assert.deepEqual([counts.unit, counts.format(1234)], ['threads', '1,234']);
});

test('sample types: numbers of labels that are sizes or times have their unit', () => {
    assert.equal(valueText(label({ key: 'bytes' }), '87244800'), '83.2\u202fMiB');
    assert.equal(valueText(label({ unit: 'milliseconds' }), '1500'), '1.500\u202fs');
    assert.equal(valueText(label(), '87244800'), '87244800');
    assert.equal(valueText(label({ key: 'bytes' }), 'many'), 'many');
    assert.equal(valueText(label(), ''), '(empty)');
});

test('sample types: of two runs, those that both have come first', () => {
    const pairs = pairTypes(
        [type('old'), type('zero', { samples: 0 }), type('cpu')],
        [type('cpu', { total: 9 }), type('zero', { samples: 0 }), type('new')],
    );
    assert.deepEqual(
        pairs.map(({ name, base, fresh }) => [name, base?.total ?? null, fresh?.total ?? null]),
        [
            ['cpu', 4, 9],
            ['zero', 4, 4],
            ['old', 4, null],
            ['new', null, 4],
        ],
    );
});
