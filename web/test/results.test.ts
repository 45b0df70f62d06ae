/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
    commonPath,
    countShown,
    countedResults,
    findExtremes,
    parameterCurves,
    readResults,
    type ResultInput,
    resultLines,
    type ResultsView,
    splitPath,
} from '../src/model/results';
import { matcher, NO_SEARCH } from '../src/model/search';

function row(id: number, name: string, more: Partial<ResultInput> = {}): ResultInput {
    const value = more.value === undefined ? id : more.value;
    return {
        id,
        name,
        grp: '',
        unit: 's',
        benchmark: name,
        parameters: null,
        metric: 'time',
        n: 10,
        value,
        mean: value,
        median: value,
        stddev: value === null ? null : value * 0.01,
        min: value,
        max: value,
        ranked_by: 'mean',
        ranked_value: value,
        ranked_spread: null,
        better: -1,
        alternatives: '',
        failed: 0,
        state: 0,
        ...more,
    };
}

function linesOf(rows: ResultInput[], more: Partial<ResultsView> = {}): string[] {
    const view: ResultsView = {
        sort: 'id',
        desc: false,
        search: NO_SEARCH,
        shown: 'all',
        isGrouped: true,
        folded: new Set(),
        isOpen: () => true,
        ...more,
    };
    return resultLines(readResults(rows), view).map((line) => {
        if (line.type === 'group') return `# ${line.group} ${line.count}`;
        if (line.type === 'part') return `+ ${line.row.metric}`;
        const { leaf, path, parameterText } = line.result;
        const name = view.isGrouped ? leaf : path;
        return `${line.isRepeated ? '"' : name} ${parameterText}`.trim();
    });
}

test('a name is split after its last separator, but not within parameters or commands', () => {
    assert.deepEqual(splitPath('a/test_b.py::TestC::test_d'), ['a/test_b.py::TestC::', 'test_d']);
    assert.deepEqual(splitPath('org.sample.Bench.run'), ['org.sample.Bench.', 'run']);
    assert.deepEqual(splitPath('BenchmarkSort/size=1.5'), ['BenchmarkSort/', 'size=1.5']);
    assert.deepEqual(splitPath('BM_sort<std::vector<int>>'), ['', 'BM_sort<std::vector<int>>']);
    assert.deepEqual(splitPath('sort_v1.2'), ['', 'sort_v1.2']);
    assert.deepEqual(splitPath('./app --in a/b.txt'), ['', './app --in a/b.txt']);
    assert.deepEqual(splitPath('dir/'), ['', 'dir/']);
});

test('paths have in common what ends with a separator', () => {
    assert.equal(commonPath(['b/test_a.py::', 'b/test_ab.py::']), 'b/');
    assert.equal(commonPath(['b/t.py::A::', 'b/t.py::B::']), 'b/t.py::');
    assert.equal(commonPath(['b/t.py::', '']), '');
    assert.equal(commonPath([]), '');
});

test('groups have what names begin with, and rows what differs', () => {
    const rows = [
        row(1, 'b/test_a.py::test_x[b64-10]'),
        row(2, 'b/test_a.py::test_x[b64-20]'),
        row(3, 'b/test_c.py::test_y', { benchmark: 'b/test_c.py::test_y', parameters: '{"n":5}' }),
    ];
    assert.equal(readResults(rows).prefix, 'b/');
    assert.deepEqual(linesOf(rows), [
        '# test_a.py:: 2',
        'test_x b64-10',
        '" b64-20',
        '# test_c.py:: 1',
        'test_y n=5',
    ]);
    assert.deepEqual(linesOf(rows, { isGrouped: false }), [
        'test_a.py::test_x b64-10',
        '" b64-20',
        'test_c.py::test_y n=5',
    ]);
    assert.deepEqual(linesOf(rows, { folded: new Set(['test_a.py::']) }).slice(0, 2), [
        '# test_a.py:: 2',
        '# test_c.py:: 1',
    ]);
});

test('further metrics are below their row and are not ranked', () => {
    const rows = [
        row(1, 'slow', { grp: 'g', alternatives: 'g' }),
        row(2, 'fast', { grp: 'g', alternatives: 'g', value: 0.5, ranked_value: 0.5 }),
        row(3, 'slow', { metric: 'user', alternatives: null }),
        row(4, 'fast', { metric: 'user', alternatives: null }),
    ];
    assert.deepEqual(linesOf(rows), ['slow', '+ user', 'fast', '+ user']);
    assert.deepEqual(linesOf(rows, { isOpen: () => false }), ['slow', 'fast']);
    const ratios = readResults(rows).all.map(({ ranked }) => ranked?.ratio);
    assert.deepEqual(ratios, [2, 1]);
});

test('rows are sorted within groups, and those without a value are last', () => {
    const rows = [
        row(1, 'a::x', { value: 3 }),
        row(2, 'a::y', { value: null, state: 1, stddev: null }),
        row(3, 'a::z', { value: 9 }),
        row(4, 'b::x', { value: 5 }),
    ];
    const byValue = { sort: 'value', desc: true };
    assert.deepEqual(linesOf(rows, byValue), ['# a:: 3', 'z', 'x', 'y', '# b:: 1', 'x']);
    assert.deepEqual(linesOf(rows, { ...byValue, isGrouped: false }), [
        'a::z',
        'b::x',
        'a::x',
        'a::y',
    ]);
    assert.deepEqual(linesOf(rows, { sort: 'value', desc: false, isGrouped: false }), [
        'a::x',
        'b::x',
        'a::z',
        'a::y',
    ]);
});

test('parameters are sorted as numbers', () => {
    const rows = [10, 9, 100].map((n, i) =>
        row(i + 1, `t[${n}]`, { benchmark: 't', parameters: JSON.stringify({ n }) }),
    );
    assert.deepEqual(linesOf(rows, { sort: 'p:n' }), ['t n=9', '" n=10', '" n=100']);
});

test('failed, skipped and unstable rows are counted and found', () => {
    const rows = [
        row(1, 'calm'),
        row(2, 'wild', { stddev: 0.5 }),
        row(3, 'wilder', { stddev: 1 }),
        row(4, 'broken', { value: null, state: 1, stddev: null }),
        row(5, 'exit 1', { failed: 1, stddev: 4 }),
        row(6, 'left out', { value: null, state: 2, stddev: null }),
    ];
    const results = readResults(rows);
    assert.deepEqual(countShown(results), { all: 6, unstable: 2, failed: 2, skipped: 1 });
    const { slowest, leastStable } = findExtremes(results);
    assert.equal(slowest?.name, 'wilder');
    assert.equal(leastStable?.name, 'wilder');
    assert.deepEqual(linesOf(rows, { shown: 'failed' }), ['broken', 'exit 1']);
    assert.deepEqual(linesOf(rows, { shown: 'unstable', search: matcher('wilder', false) }), [
        'wilder',
    ]);
});

test('a benchmark over a parameter, with the other parameters of the chosen row', () => {
    const rows = [10, 100, 1000].flatMap((n, i) =>
        ['a', 'b'].map((kind, k) =>
            row(2 * i + k + 1, `t[${n}-${kind}]`, {
                benchmark: 't',
                parameters: JSON.stringify({ n, kind }),
                value: n * n * (k + 1),
            }),
        ),
    );
    const results = readResults(rows);
    const curves = parameterCurves(results, results.all[1]);
    assert.equal(curves.length, 1);
    assert.equal(curves[0].parameter, 'n');
    assert.equal(curves[0].exponent?.toFixed(3), '2.000');
    assert.deepEqual(
        curves[0].points.map(({ row: { id } }) => id),
        [2, 4, 6],
    );
    const two = readResults(rows.slice(0, 4));
    assert.deepEqual(parameterCurves(two, two.all[0]), []);
});

test('runs say how many benchmarks or tests they have', () => {
    assert.equal(countedResults({ measurements: 12, benchmarks: 6 })?.words, '6 benchmarks');
    assert.equal(countedResults({ measurements: 1, tests: 1 })?.words, '1 test');
    assert.equal(countedResults({ measurements: 12 }), null);
});
