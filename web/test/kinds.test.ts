/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kindHas, kindOf, kindRows, kindsWith } from '../src/base/kinds';
import { type TabKey, type TabRun, tabKeys, TABS } from '../src/features/shared/tab_list';

const idsOf = (kind: string, summary: TabRun['summary'] = {}) =>
    tabKeys({ kind, summary })
        .map((key) => TABS[key].id)
        .join(' ');

test('the table of importers/kinds.c is in the page', () => {
    assert.ok(kindRows.length >= 22);
    assert.equal(kindOf('flamegraph-svg').mark, 'flame');
    assert.ok(kindHas('nsys', 'torch', 'devices'));
    assert.ok(!kindHas('trace', 'torch', 'devices'));
    assert.deepEqual(kindsWith('calls'), ['pstats']);
});

test('a kind that is not in the table has a mark and no tabs of its own', () => {
    assert.equal(kindOf('tomorrow').mark, 'tomorr');
    assert.ok(!kindHas('tomorrow', 'calls'));
    assert.equal(idsOf('tomorrow'), '');
});

test('each tab of the table is known, and each known tab has a kind', () => {
    const listed = new Set(kindRows.flatMap(({ tabs }) => tabs));
    assert.deepEqual([...listed].sort(), Object.keys(TABS).sort());
});

test('tabs of a kind have different ids', () => {
    for (const { name, tabs } of kindRows) {
        assert.equal(new Set(tabs.map((key) => TABS[key as TabKey].id)).size, tabs.length, name);
    }
});

test('the order of tabs is that of the table', () => {
    assert.equal(idsOf('importtime'), 'imports packages who-imports lazy');
    assert.equal(idsOf('scalene'), 'lines functions files memory across');
    assert.equal(
        idsOf('scalene', { byte_stacks: 1 }),
        'lines functions files flame allocating sandwich memory across',
    );
    assert.equal(idsOf('gecko'), 'flame functions sandwich timeline');
    assert.equal(idsOf('top'), 'processes measurements');
    const titles = ['folded', 'gecko', 'flamegraph-svg'].map(
        (kind) => TABS[tabKeys({ kind, summary: {} })[3]].title,
    );
    assert.deepEqual(titles, ['File order', 'Time order', 'As drawn']);
});

test('a tab is left out where the run has no data for it', () => {
    assert.equal(idsOf('pstats'), 'functions calltree callgraph files across');
    assert.equal(idsOf('pstats', { flat: true }), 'functions files across');
    assert.equal(idsOf('lightning', { reports: 0 }), 'actions');
    assert.equal(idsOf('lightning', { reports: 1 }), 'actions functions files');
    assert.equal(idsOf('pstats-text', { reports: 0 }), 'functions files');
    assert.equal(idsOf('trace'), 'timeline operators flame');
    assert.equal(idsOf('nsys', { slices: 0 }), 'timeline operators flame');
    assert.equal(
        idsOf('nsys', { slices: 1, devices: 1, memory: 1 }),
        'timeline overview kernels summaries operators memory flame',
    );
    assert.equal(
        idsOf('torch-trace', { kernels: 0, workers: 1 }),
        'timeline overview operators kernels memory modules flame',
    );
    assert.equal(
        idsOf('torch-trace', { kernels: 1, workers: 2 }),
        'timeline overview path operators kernels summaries memory modules flame ranks',
    );
});
