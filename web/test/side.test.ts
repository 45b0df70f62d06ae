/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import test from 'node:test';
import { type FrameLayout, FrameBuilder } from '../src/model/frames';
import { findPath, lineKey, lineName } from '../src/model/line_names';
import { nodeAtPath, pathText } from '../src/model/frame_path';
import {
    unmatchedKeys,
    mergeQuery,
    perRunChanges,
    panelQuery,
    selectGroupRun,
    swapSides,
    tableOfKey,
} from '../src/model/side';

const URL_QUERY = {
    base: 'a,b',
    new: 'c',
    'base.run': 'b',
    sort: 'tottime',
    'base.fn': '3',
    'new.fn': '7',
};

test('a panel sees what is shared and what is its own', () => {
    assert.deepEqual(panelQuery(URL_QUERY, 'base', 'pstats'), { sort: 'tottime', fn: '3' });
    assert.deepEqual(panelQuery(URL_QUERY, 'new', 'pstats'), { sort: 'tottime', fn: '7' });
});

test('ids of one run never reach the other as they are', () => {
    assert.deepEqual(panelQuery({ base: 'a', new: 'c', fn: '3' }, 'new', 'pstats'), {});
});

test('what a panel asks for is merged: own keys on its side, shared ones for both', () => {
    const asked = { sort: 'ncalls', q: 'json', fn: '5' };
    assert.deepEqual(mergeQuery(URL_QUERY, 'base', asked, 'pstats'), {
        base: 'a,b',
        new: 'c',
        'base.run': 'b',
        sort: 'ncalls',
        q: 'json',
        'base.fn': '5',
        'new.fn': '7',
    });
});

test('two panels of one run keep the tracks of their own rank', () => {
    const sides = { base: 'a', new: 'a', 'base.tracks': 'rank:0', 'new.tracks': 'rank:1' };
    const merged = mergeQuery(sides, 'base', { tracks: 'rank:0', slice: '9' }, 'torch-trace');
    assert.deepEqual(merged, { ...sides, 'base.slice': '9' });
    assert.equal(panelQuery(merged, 'new', 'torch-trace').tracks, 'rank:1');
});

test('a shared key that a panel drops is gone for both', () => {
    const merged = mergeQuery(URL_QUERY, 'new', { fn: '7' }, 'pstats');
    assert.equal(merged.sort, undefined);
    assert.equal(merged['base.fn'], '3');
});

test('operators are told by their number in printed tables alone', () => {
    const merged = mergeQuery({ base: 'a', new: 'c' }, 'base', { op: 'aten::mm' }, 'torch-trace');
    assert.equal(merged.op, 'aten::mm');
    const printed = mergeQuery({ base: 'a', new: 'c' }, 'base', { op: '4' }, 'key-averages');
    assert.equal(printed['base.op'], '4');
});

test('changes of own keys, also those that went', () => {
    const changes = perRunChanges({ fn: '3', zoom: '2', q: 'x' }, { fn: '4', q: 'y' }, 'pstats');
    assert.deepEqual(changes.sort(), [
        ['fn', '4'],
        ['zoom', ''],
    ]);
});

test('swapped sides take their keys along, and twice is nothing', () => {
    const swapped = swapSides(URL_QUERY);
    assert.equal(swapped.base, 'c');
    assert.equal(swapped['new.run'], 'b');
    assert.equal(swapped['base.fn'], '7');
    assert.deepEqual(swapSides(swapped), URL_QUERY);
});

test('which table of a comparison knows an id', () => {
    assert.equal(tableOfKey('pstats', 'functions', 'fn'), 'functions');
    assert.equal(tableOfKey('importtime', 'imports', 'sel'), 'imports');
    assert.equal(tableOfKey('pstats', 'calltree', 'frame'), null);
    assert.equal(tableOfKey('line_profiler', 'lines', 'fn'), null);
});

/* Frames of names under a root: [name, parent]. Rows from the parents' depths. */
function pictureOf(nodes: [string, number][]): {
    layout: FrameLayout;
    nameOf: (n: number) => string;
} {
    const out = new FrameBuilder(nodes.length);
    out.beginRow();
    out.add(-1, -1, 0, 100, -1);
    let above = new Map([[-1, 0]]);
    while (above.size) {
        out.beginRow();
        const row = new Map<number, number>();
        nodes.forEach(([, parent], node) => {
            const frame = above.get(parent);
            if (frame !== undefined) row.set(node, out.add(node, node, node, node + 1, frame));
        });
        above = row;
    }
    return { layout: out.finish(100), nameOf: (node) => nodes[node][0] };
}

test('a frame is found in another picture by the names on the way to it', () => {
    const one = pictureOf([
        ['main', -1],
        ['load', 0],
        ['run', 0],
        ['read', 2],
    ]);
    const other = pictureOf([
        ['start', -1],
        ['main', -1],
        ['run', 1],
        ['run', 0],
        ['read', 3],
        ['read', 2],
    ]);
    const path = pathText(one.layout, 3, one.nameOf);
    assert.equal(path, 'main\nrun\nread');
    assert.equal(nodeAtPath(other.layout, path ?? '', other.nameOf), 5);
    const lost = pathText(one.layout, 1, one.nameOf) ?? '';
    assert.equal(nodeAtPath(other.layout, lost, other.nameOf), null);
    assert.equal(
        nodeAtPath(one.layout, pathText(one.layout, -1, one.nameOf) ?? 'x', one.nameOf),
        -1,
    );
});

test('a frame whose line moved is met by its name, the very one first', () => {
    const one = pictureOf([['run (/a/app.py:12)', -1]]);
    const moved = pictureOf([
        ['run (/b/app.py:15)', -1],
        ['runner (/a/app.py:12)', -1],
    ]);
    const path = pathText(one.layout, 0, one.nameOf) ?? '';
    assert.equal(nodeAtPath(moved.layout, path, moved.nameOf), 0);
    const both = pictureOf([
        ['run (/a/app.py:15)', -1],
        ['run (/a/app.py:12)', -1],
    ]);
    assert.equal(nodeAtPath(both.layout, path, both.nameOf), 1);
});

test('a file is met by its path, or by the end of it that it has alone', () => {
    const paths = ['/b/site-packages/click/core.py', '/b/app/core.py', '/b/app/main.py'];
    assert.equal(findPath(paths, '/b/app/main.py'), 2);
    assert.equal(findPath(paths, '/a/venv/site-packages/click/core.py'), 0);
    assert.equal(findPath(paths, 'C:\\work\\main.py'), 2);
    assert.equal(findPath(paths, '/c/core.py'), -1);
});

test('a line is met by its text among its like, the last one where there are fewer', () => {
    const line = (key: string, functionName: string, text: string) => ({ key, functionName, text });
    const before = [line('1', 'f', 'x = 1'), line('2', 'f', 'step()'), line('3', 'f', ' step()')];
    const after = [line('5', 'g', 'step()'), line('7', 'f', 'step()'), line('9', 'f', 'y = 1')];
    assert.equal(lineName(before, '3'), 'f\n1\nstep()');
    assert.equal(lineKey(after, lineName(before, '2') ?? ''), '7');
    assert.equal(lineKey(after, lineName(before, '3') ?? ''), '7');
    assert.equal(lineKey(after, lineName(before, '1') ?? ''), null);
    assert.equal(lineName(before, '4'), null);
});

test('another run of a group is picked without what was chosen in the last', () => {
    const picked = selectGroupRun(URL_QUERY, 'base', 'a');
    assert.deepEqual(picked, {
        base: 'a,b',
        new: 'c',
        sort: 'tottime',
        'new.fn': '7',
        'base.run': 'a',
    });
    assert.deepEqual(unmatchedKeys(picked, 'new'), [['fn', '7']]);
    assert.deepEqual(unmatchedKeys(picked, 'base'), []);
});
