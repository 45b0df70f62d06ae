/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LineValues } from '../src/base/answers';
import type { SourceFunctionRow as SourceFunction } from '../src/base/rows';
import {
    fileName,
    multiRunRows,
    runMetrics,
    runOrder,
    sameFileText,
} from '../src/features/lines/multi_run';
import { countCalls, collapseRows } from '../src/features/lines/collapse_rows';
import { heatLevel, railMarkers } from '../src/model/heat';
import { rowAt, rowOffsets } from '../src/features/lines/row_offsets';
import {
    computeLineMetrics,
    fileShare,
    functionShare,
    hottestRows,
    pathForFile,
    sourceRows,
    type SourceRow,
} from '../src/features/lines/source';

function fn(id: number, first_line: number, last_line: number | null): SourceFunction {
    return { id, name: `f${id}`, first_line, last_line, executed: 1, ticks: null, hits: null };
}

function timed(rows: [line: number, fn: number, hits: number, ticks: number][]) {
    return {
        unit_s: 1e-9,
        n: rows.length,
        line: rows.map((row) => row[0]),
        fn: rows.map((row) => row[1]),
        block: rows.map(() => 1),
        columns: ['hits', 'ticks'],
        hits: rows.map((row) => row[2]),
        ticks: rows.map((row) => row[3]),
        functions: [] as SourceFunction[],
    } satisfies LineValues & Record<string, unknown>;
}

function shape(rows: SourceRow[]): string {
    return rows
        .map((row) =>
            row.kind === 'band'
                ? `[${row.fn}${row.isContinued ? '+' : ''}]`
                : `${row.line}${row.isAdditional ? '’' : ''}${row.at < 0 ? '-' : ''}`,
        )
        .join(' ');
}

test('functions have a heading before their first line, other lines none', () => {
    const answer = {
        ...timed([
            [3, 1, 1, 10],
            [4, 1, 1, 30],
        ]),
        functions: [fn(1, 2, 4)],
    };
    const rows = sourceRows(['a', 'b', 'c', 'd', 'e'], computeLineMetrics(answer), false);
    assert.equal(shape(rows), '1- [0] 2- 3 4 5-');
});

test('without a source the lines of functions stand, and those that never ran by name', () => {
    const answer = {
        ...timed([[3, 1, 1, 10]]),
        functions: [fn(1, 1, 3), fn(2, 9, null)],
    };
    assert.equal(shape(sourceRows([], computeLineMetrics(answer), false)), '[0] 1- 2- 3 [1] 9-');
    assert.equal(shape(sourceRows([], computeLineMetrics(answer), true)), '[0] 3 [1]');
});

test('what overlaps stands one under the other; an outer function goes on after an inner one', () => {
    const answer = {
        ...timed([
            [1, 1, 1, 1],
            [3, 2, 1, 1],
            [4, 1, 1, 1],
        ]),
        functions: [fn(1, 1, 4), fn(2, 2, 3)],
    };
    assert.equal(shape(sourceRows([], computeLineMetrics(answer), false)), '[0] 1 [1] 2- 3 [0+] 4');
    const twice = {
        ...timed([
            [5, 1, 1, 1],
            [5, 2, 1, 1],
        ]),
        functions: [fn(1, 5, 5), fn(2, 5, 5)],
    };
    assert.equal(shape(sourceRows([], computeLineMetrics(twice), false)), '[0] [1] 5 5’');
});

test('shares of the function and of the file; the hottest first', () => {
    const metrics = computeLineMetrics({
        ...timed([
            [1, 1, 1, 25],
            [2, 1, 1, 75],
            [5, 2, 1, 300],
            [6, 2, 1, 0],
        ]),
        functions: [fn(1, 1, 2), fn(2, 5, 6)],
    });
    assert.deepEqual(
        [0, 1, 2, 3].map((row) => functionShare(metrics, row)),
        [25, 75, 100, 0],
    );
    assert.deepEqual(
        [0, 1, 2, 3].map((row) => fileShare(metrics, row)),
        [6.25, 18.75, 75, 0],
    );
    assert.deepEqual(hottestRows(metrics), [2, 1, 0]);
});

const MEMORY = {
    unit_s: null,
    n: 6,
    line: [8, 8, 9, 9, 10, 10],
    fn: [1, 1, 1, 1, 1, 1],
    block: [1, 2, 1, 2, 1, 2],
    columns: ['mem_mib', 'increment_mib', 'occurrences'],
    mem_mib: [40, 60, 50, 61, 45, 61],
    increment_mib: [40, 60, 10, 1, -5, 0],
    occurrences: [1, 1, 1, 1, 1, 1],
    functions: [fn(1, 8, 10)],
};

test('the first increment of a call is no growth', () => {
    const metrics = computeLineMetrics(MEMORY);
    assert.deepEqual([...metrics.baseline], [0, 1]);
    assert.equal(metrics.whole, 11);
    assert.deepEqual(hottestRows(metrics), [2, 3]);
});

test('calls that were reported apart are summed on demand', () => {
    assert.equal(countCalls(MEMORY).get(1), 2);
    const { answer, growthOnly } = collapseRows(MEMORY, (row) => String(MEMORY.line[row]));
    const metrics = computeLineMetrics(answer, growthOnly);
    assert.deepEqual(metrics.column('mem_mib'), [60, 61, 61]);
    assert.deepEqual(metrics.column('increment_mib'), [null, 11, -5]);
    assert.deepEqual(metrics.column('occurrences'), [2, 2, 2]);
    assert.equal(metrics.whole, 11);
});

const SAME = { path: '/srv/x.py', same: 'path', shared: '/srv/x.py' } as const;

test('a run says why it is combined with a file', () => {
    assert.equal(sameFileText(SAME), 'same path');
    const below = { path: '/srv/a/b/x.py', shared: 'a/b/x.py' };
    assert.equal(sameFileText({ ...below, same: 'root' }), 'same in project: a/b/x.py');
    assert.equal(sameFileText({ ...below, same: 'package' }), 'same in packages: a/b/x.py');
    assert.equal(sameFileText({ ...below, same: 'name' }), '/srv/a/b/x.py');
});

test('runs beside each other share their lines', () => {
    const run = {
        ...SAME,
        ...timed([
            [2, 1, 4, 10],
            [2, 2, 6, 30],
            [3, 2, 1, 5],
        ]),
        run: 'a',
        name: 'a',
        kind: 'line_profiler',
        created_ms: 0,
        sha256: null,
        same_source: true,
        functions: [fn(1, 2, 2), fn(2, 2, 3)],
    };
    const profile = {
        ...SAME,
        ...timed([]),
        n: 1,
        line: [5],
        fn: [7],
        columns: ['ncalls', 'tottime_s'],
        ncalls: [3],
        tottime_s: [0.5],
        run: 'b',
        name: 'b',
        kind: 'pstats',
        created_ms: 0,
        sha256: null,
        same_source: null,
    };
    const runs = runOrder('a', [profile, run]).map(runMetrics);
    assert.deepEqual(
        runs.map((one) => one.run.run),
        ['a', 'b'],
    );
    assert.deepEqual(runs[0].metrics.column('hits'), [10, 1]);
    const rows = multiRunRows({ path: 'x.py', text: [], sha256: null, runs: [] }, runs);
    assert.equal(rows.filter((row) => row.kind === 'line').length, 3);
});

test('a dropped file finds its path by name', () => {
    const files = [
        { path: '/srv/a/util.py', missing: true },
        { path: 'C:\\app\\main.py', missing: false },
        { path: '/srv/b/util.py', missing: false },
    ];
    assert.equal(pathForFile('main.py', files), 'C:\\app\\main.py');
    assert.equal(pathForFile('util.py', files), '/srv/a/util.py');
    assert.equal(pathForFile('other.py', files), null);
    assert.equal(
        pathForFile(
            'util.py',
            files.map((file) => ({ ...file, missing: true })),
        ),
        null,
    );
    assert.equal(fileName('D:\\x\\a\\util.py'), 'util.py');
    assert.equal(fileName('util.py'), 'util.py');
});

test('one scale of heat', () => {
    assert.deepEqual([0, 0.49, 0.5, 3, 10, 25, 50, 100].map(heatLevel), [0, 0, 1, 2, 3, 4, 5, 5]);
});

test('rows of two heights are found by where they stand', () => {
    const offsets = rowOffsets(4, (row) => (row === 1 ? 26 : 21));
    assert.deepEqual([...offsets], [0, 21, 47, 68, 89]);
    assert.deepEqual(
        [-5, 0, 20, 21, 46, 47, 88, 500].map((y) => rowAt(offsets, y)),
        [0, 0, 0, 1, 1, 2, 3, 3],
    );
    assert.equal(
        rowAt(
            rowOffsets(0, () => 1),
            3,
        ),
        -1,
    );
});

test('the rail keeps the hottest of each slot, and leaves room below a short file', () => {
    const offsets = rowOffsets(100, () => 10);
    const marks = railMarkers(offsets, (row) => (row === 13 ? 5 : row === 12 ? 2 : 0), 10, 0);
    assert.deepEqual(marks, [{ top: 0.1, level: 5 }]);
    const short = railMarkers(
        rowOffsets(2, () => 10),
        () => 1,
        10,
        100,
    );
    assert.deepEqual(
        short.map(({ top }) => top),
        [0, 0.1],
    );
});
