/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ComparisonTree, Run } from '../src/base/answers';
import {
    formatDelta,
    deltaText,
    formatValueOf,
    groupName,
    repeatGroups,
    scaleOf,
    verdictOf,
    verdictText,
} from '../src/model/compare';
import { layoutDrawn } from '../src/features/compare/diff_tree';
import { fitColumns } from '../src/features/compare/fit_columns';
import { countOutside, niceTicks, stripScale } from '../src/features/compare/strip';
import { type DiffTree, treeOfComparison } from '../src/model/tree_answers';
import { deltaRange, levelOf, nodeChangeOf, removedNodes, widthsOf } from '../src/model/tree_diff';
import { waterfall } from '../src/features/compare/waterfall';

const run = (name: string, minute: number, tags: Record<string, string> = {}): Run =>
    ({
        id: name,
        name,
        tags,
        series: 's',
        created_at: `2026-11-20T10:${String(minute).padStart(2, '0')}:00Z`,
    }) as unknown as Run;

test('verdicts are a sign and a word of the unit', () => {
    assert.deepEqual(verdictOf({ verdict: 'up', delta: 2 }, 's'), {
        glyph: '▲',
        label: 'slower',
        tone: 'slower',
    });
    assert.deepEqual(verdictOf({ verdict: 'down', delta: -2 }, 'B'), {
        glyph: '▼',
        label: 'less',
        tone: 'faster',
    });
    assert.equal(verdictOf({ verdict: 'same', delta: 2 }, 's').label, 'within noise');
    const throughput = { verdict: 'up' as const, delta: 2, better: 1 };
    assert.deepEqual(verdictOf(throughput, 'MB/s'), {
        glyph: '▲',
        label: 'higher',
        tone: 'faster',
    });
    assert.equal(verdictOf({ ...throughput, delta: -2, verdict: 'down' }, 'MB/s').tone, 'slower');
    assert.equal(verdictOf({ ...throughput, better: 0 }, '').tone, 'faint');
    assert.equal(verdictOf({ ...throughput, better: -1 }, 's').label, 'slower');
    assert.equal(verdictOf({ ...throughput, better: -1 }, 'B').label, 'more');
    assert.deepEqual(verdictOf({ verdict: 'few', delta: 2, noise: 1 }, 's'), {
        glyph: '▲',
        label: 'too few runs',
        tone: 'slower',
    });
    assert.equal(verdictOf({ verdict: 'few', delta: 2, noise: 3 }, 's').tone, 'faint');
    assert.deepEqual(verdictOf({ verdict: null, delta: -1 }, 's'), {
        glyph: '▼',
        label: '',
        tone: 'faster',
    });
    assert.equal(verdictOf({ verdict: null, delta: 0 }, 's').tone, 'faint');
    assert.deepEqual(verdictOf({ verdict: 'up', delta: 1, change: 'added' }, 's'), {
        glyph: '+',
        label: 'new',
        tone: 'slower',
    });
    assert.equal(
        verdictOf({ verdict: 'same', delta: 1, change: 'added' }, 's').label,
        'new, within noise',
    );
});

test('the headline names its test, and says when there is none', () => {
    const judged = {
        delta: -1,
        delta_pct: -1,
        noise: 0.5,
        low: -2,
        high: -0.5,
        p: 0.0079,
        verdict: 'down' as const,
    };
    const [word, rest] = verdictText(judged, 's', 5, 5);
    assert.equal(word, 'faster');
    assert.match(
        rest,
        /^, above the noise of ±.500\.0.ms; Mann–Whitney p = 0\.008, n = 5 \+ 5; 95.% interval/,
    );
    assert.equal(verdictText({ ...judged, verdict: 'same' }, 's', 5, 5)[0], 'within noise');
    assert.match(
        verdictText({ ...judged, verdict: 'few' }, 's', 2, 3).join(''),
        /too few runs for a significance test \(n = 2 \+ 3\)/,
    );
    assert.match(verdictText({ ...judged, verdict: null }, 's', 1, 1).join(''), /one run each/);
});

test('values keep the unit of their column', () => {
    assert.deepEqual(scaleOf('us', 5e6, true), { factor: 1e-3, unit: 'ms', decimals: 3 });
    assert.equal(scaleOf('s', 20, false).unit, 's');
    assert.equal(scaleOf('s', 0.001, false).unit, 'µs');
    assert.deepEqual(scaleOf('', 7, true), { factor: 1, unit: '', decimals: 0 });
    assert.equal(deltaText(-1500, scaleOf('us', 2000, true)), '−1.500');
    assert.equal(deltaText(0.0000001, scaleOf('s', 20, false)), '0.000');
    assert.deepEqual(formatDelta(-2, 's'), { value: '−2.000', unit: 's' });
    assert.deepEqual(formatValueOf(-2, 'MiB'), { value: '−2.00', unit: 'MiB' });
    assert.deepEqual(formatValueOf(1_500, 'us'), { value: '1.500', unit: 'ms' });
});

test('groups are named by what their runs share', () => {
    assert.equal(groupName([run('a', 1)]), 'a');
    assert.equal(
        groupName([run('import torch, run 10', 1), run('import torch, run 11', 2)]),
        'import torch',
    );
    assert.equal(groupName([run('x', 1), run('y', 2)]), 's');
});

test('repeats fall into two groups, the older first', () => {
    const tagged = [run('d', 4, { v: '2' }), run('a', 1, { v: '1' }), run('b', 2, { v: '1' })];
    assert.deepEqual(
        repeatGroups(tagged)?.map((group) => group.map(({ id }) => id)),
        [['a', 'b'], ['d']],
    );
    const named = [run('new 2', 4), run('old 1', 1), run('new 1', 3), run('old 2', 2)];
    assert.deepEqual(
        repeatGroups(named)?.map((group) => group.map(({ id }) => id)),
        [
            ['old 1', 'old 2'],
            ['new 1', 'new 2'],
        ],
    );
    const paused = [run('r 1', 1), run('r 2', 2), run('r 3', 30), run('r 4', 31), run('r 5', 32)];
    assert.deepEqual(
        repeatGroups(paused)?.map((group) => group.length),
        [2, 3],
    );
    assert.equal(repeatGroups([run('a', 1)]), null);
});

test('a strip counts what lies beyond its scale', () => {
    const base = { values: [10, 10.5, 9.5, 100], median: 10.25, mad: 0.5 };
    const scale = stripScale([base]);
    assert.ok(scale.to < 20);
    assert.deepEqual(countOutside(base.values, scale), [0, 1]);
    const one = stripScale([{ values: [0], median: 0, mad: 0 }]);
    assert.ok(one.to > one.from);
    assert.deepEqual(niceTicks(0, 10, 5), [0, 2, 4, 6, 8, 10]);
    assert.deepEqual(niceTicks(1, 1, 5), []);
});

test('the steps lead from base to new', () => {
    const rows = [
        { id: 1, name: 'a', delta: -4, noise: 1, verdict: 'down' },
        { id: 2, name: 'b', delta: 1, noise: 2, verdict: 'same' },
    ];
    const fall = waterfall(100, 98, rows);
    assert.deepEqual(
        fall.steps.map(({ name, from, to }) => [name, from, to]),
        [
            ['base', 0, 100],
            ['a', 100, 96],
            ['b', 96, 97],
            ['all others', 97, 98],
            ['new', 0, 98],
        ],
    );
    assert.deepEqual(
        fall.steps.map(({ isFaint }) => isFaint),
        [true, false, true, true, true],
    );
    assert.ok(fall.axisFrom > 80 && fall.axisFrom < 96);
    assert.equal(
        waterfall(10, 2, [{ id: 1, name: 'a', delta: -8, noise: null, verdict: null }]).axisFrom,
        0,
    );
    assert.equal(
        waterfall(10, 2, [{ id: 1, name: 'a', delta: -8, noise: null, verdict: null }]).steps
            .length,
        3,
    );
});

/* name, parent, base, new, verdict */
function tree(rows: [string, number, number, number, number][]): ComparisonTree {
    const column = (at: 1 | 2 | 3 | 4) => rows.map((row) => row[at]);
    const sum = (at: 2 | 3) => rows.reduce((all, row) => all + (row[1] < 0 ? row[at] : 0), 0);
    return {
        n: rows.length,
        unit: 'us',
        per: 'run',
        base: { sum: sum(2), total: column(2), self: [] },
        new: { sum: sum(3), total: column(3), self: [] },
        cut: 0,
        parent: column(1),
        frames: { name: rows.map(([name]) => name) },
        frame: rows.map((_, i) => i),
        verdict: column(4),
    };
}

const diffOf = (rows: Parameters<typeof tree>[0]) => treeOfComparison(tree(rows));
const layoutOf = (diff: DiffTree, side: 'base' | 'new') =>
    layoutDrawn(diff, widthsOf(diff[side]), diff[side].sum);

test('the difference of trees: what is new, what vanished, how much', () => {
    const diff = diffOf([
        ['a', -1, 1000, 1010, 0],
        ['b', 0, 600, 700, 0],
        ['c', 1, 600, 0, 0],
        ['d', 2, 500, 0, 0],
        ['e', 1, 0, 650, 0],
    ]);
    assert.deepEqual(
        [0, 1, 2, 3, 4].map((node) => nodeChangeOf(diff, node)),
        ['kept', 'kept', 'gone', 'gone', 'new'],
    );
    assert.deepEqual(
        [0, 1, 2, 4].map((node) => levelOf(diff, node)),
        [2, 3, -3, 3],
    );
    assert.deepEqual(removedNodes(diff), [2]);
    const shown = layoutOf(diff, 'new');
    assert.equal(shown.frameOf[2], -1);
    assert.equal(shown.x1[shown.frameOf[1]] - shown.x0[shown.frameOf[1]], 700);
    assert.ok(layoutOf(diff, 'base').frameOf[2] > 0);
});

test('a path that a side leaves open is neither new nor gone', () => {
    const diff = treeOfComparison({
        ...tree([
            ['main', -1, 1000, 1000, 0],
            ['small now', 0, 300, 0, 0],
            ['small before', 0, 0, 40, 0],
            ['as small', 0, 8, 0, 0],
        ]),
        base: { sum: 1000, total: [1000, 300, null, 8], floor: 10 },
        new: { sum: 1000, total: [1000, null, 40, null], floor: 10 },
    });
    const nodes = [1, 2, 3];
    assert.deepEqual(
        nodes.map((node) => nodeChangeOf(diff, node)),
        ['below', 'below', 'below'],
    );
    assert.deepEqual(removedNodes(diff), []);
    assert.deepEqual(
        nodes.map((node) => deltaRange(diff, node)),
        [
            [-300, -290],
            [30, 40],
            [-8, 2],
        ],
    );
    assert.deepEqual(
        nodes.map((node) => levelOf(diff, node)),
        [-3, 3, 0],
    );
    assert.equal(layoutOf(diff, 'new').frameOf[1], -1);
});

test('what is within noise is grey, new or not; with too few runs the size decides', () => {
    const judged = diffOf([
        ['same', -1, 100, 150, 2],
        ['few', -1, 100, 269, 1],
        ['up', -1, 100, 150, 3],
        ['down', -1, 150, 100, 4],
        ['new', -1, 0, 150, 2],
        ['equal', -1, 5, 5, 0],
    ]);
    assert.deepEqual(
        [0, 1, 2, 3, 4, 5].map((node) => levelOf(judged, node)),
        [0, 3, 3, -3, 0, 0],
    );
});

test('columns are left out until the name has its width', () => {
    const column = (key: string, width: number | 'rest') => ({
        key,
        title: key,
        width,
        render: () => null,
    });
    const columns = [
        column('name', 'rest'),
        ...['base', 'new', 'delta'].map((key) => column(key, 96)),
        column('bar', 148),
        column('delta_pct', 84),
        column('noise', 104),
        column('verdict', 148),
    ];
    const keys = (width: number) => fitColumns(columns, width).map(({ key }) => key);
    assert.deepEqual(keys(972), [
        ...['name', 'base', 'new', 'delta', 'bar', 'delta_pct', 'noise', 'verdict'],
    ]);
    assert.deepEqual(keys(971), ['name', 'base', 'new', 'delta', 'bar', 'delta_pct', 'verdict']);
    assert.deepEqual(keys(720), ['name', 'base', 'new', 'delta', 'delta_pct', 'verdict']);
    assert.deepEqual(keys(640), ['name', 'base', 'new', 'delta', 'verdict']);
    assert.deepEqual(keys(590), ['name', 'new', 'delta', 'verdict']);
    assert.deepEqual(keys(390), ['name', 'new', 'delta']);
});

test('bounds tell a difference only where they leave no room for the other', () => {
    const both = tree([
        ['main', -1, 100, 120, 0],
        ['surely more', 0, 50, 80, 0],
        ['open', 0, 50, 60, 0],
        ['recursive', 0, 20, 60, 0],
    ]);
    const diff = treeOfComparison({
        ...both,
        base: { ...both.base, low: [100, 40, 30, 0] },
        new: { ...both.new, low: [120, 60, 40, 0] },
        certainty: [0, 1, 1, 2],
    });
    assert.deepEqual(deltaRange(diff, 1), [10, 40]);
    assert.deepEqual(deltaRange(diff, 2), [-10, 30]);
    assert.deepEqual(
        [0, 1, 2, 3].map((node) => levelOf(diff, node)),
        [3, 3, 0, 0],
    );
    // 80 + 60 + 60 do not fit into 120: drawn narrower, in proportion.
    const shown = layoutOf(diff, 'new');
    const wide = (node: number) => shown.x1[shown.frameOf[node]] - shown.x0[shown.frameOf[node]];
    assert.deepEqual([0, 1, 2, 3].map(wide), [120, 48, 36, 36]);
});
