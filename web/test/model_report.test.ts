/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import test from 'node:test';
import { THIN } from '../src/base/units';
import type { GraphEdge, GraphNode } from '../src/model/dot';
import { escapeRegex, originParam, readFilters, readSort, toggledOff } from '../src/model/filter_query';
import { edgeText, nodeSize, nodeText } from '../src/model/graph_text';
import { libraryPath } from '../src/model/labels';
import { centreOn, fitPlane, parsePlane, planeText, zoomPlane } from '../src/model/plane';

test('filters stand in the URL and come back the same', () => {
    const filters = readFilters({ q: 'a b', off: 'stdlib,nonsense,builtin', min: '1.5' });
    assert.deepEqual([...filters.off], ['stdlib', 'builtin']);
    assert.equal(filters.min, 1.5);
    assert.equal(filters.broken, false);
    assert.equal(originParam(filters.off), 'own,third-party,unknown');
    assert.equal(originParam(new Set()), undefined);
    assert.equal(toggledOff(filters.off, 'stdlib'), 'builtin');
    assert.equal(toggledOff(new Set(['own'] as const), 'own'), null);
    assert.equal(readFilters({ min: '-1' }).min, null);
    assert.equal(readFilters({ min: 'x' }).min, null);
    assert.deepEqual(readSort({}, 'self_us', true), { key: 'self_us', desc: true });
    assert.deepEqual(readSort({ sort: 'name', desc: '0' }, 'self_us', true), { key: 'name', desc: false });
});

test('a half-typed regular expression asks for nothing', () => {
    assert.ok(readFilters({ q: '(', regex: '1' }).broken);
    assert.ok(readFilters({ hide: '[' }).broken);
    assert.ok(!readFilters({ q: '(' }).broken);
});

test('an escaped text matches itself only', () => {
    const text = '/a b/c+d.(py)[1]{2}^$|\\';
    const pattern = new RegExp(`^${escapeRegex(text)}$`, 'u');
    assert.ok(pattern.test(text));
    assert.ok(!pattern.test(text.replace('.', 'x')));
});

test('paths of libraries lose what all of them share', () => {
    assert.equal(libraryPath('/usr/lib/python3/dist-packages/sympy/core/a.py'), 'sympy/core/a.py');
    assert.equal(libraryPath('C:\\x\\site-packages\\np\\a.py'), 'np\\a.py');
    assert.equal(libraryPath('/usr/lib/python3.11/json/encoder.py'), 'json/encoder.py');
    assert.equal(libraryPath('/home/me/app.py'), '/home/me/app.py');
});

const node: GraphNode = {
    id: 1, name: '<built-in method builtins.exec>', file: '~', line: 0, origin: 'builtin',
    self: 0.1, total: 2, self_pct: 5, total_pct: 100.4, ncalls: 1200, primitive_calls: 1, cycle: 0,
};

test('a node says its share, never above the whole; without times it says a dash', () => {
    const chars = (text: string): number => text.length * 7;
    const text = nodeText(node, chars);
    assert.equal(text.name, 'builtins.exec');
    assert.equal(text.place, 'built-in');
    assert.equal(text.numbers, `100.0${THIN}% (5.0${THIN}%) · 1,200×`);
    assert.ok(nodeSize(text, chars, chars).width >= text.numbers.length * 7);
    assert.match(nodeText({ ...node, total_pct: null }, chars).numbers, /^– /);
});

test('an edge without a share says its calls', () => {
    const edge: GraphEdge = { from: 1, to: 1, ncalls: 3, total: null, pct: null, recursive: 1 };
    assert.deepEqual(edgeText(edge), ['3×']);
    assert.deepEqual(edgeText({ ...edge, pct: 12.34 }), [`12.3${THIN}%`, '3×']);
});

test('the plane zooms around the pointer and survives the URL', () => {
    const at = zoomPlane({ k: 1, x: 0, y: 0 }, 2, 100, 50);
    assert.deepEqual(at, { k: 2, x: -100, y: -50 });
    assert.deepEqual(parsePlane(planeText(at)), at);
    assert.equal(parsePlane('1~2~99'), null);
    assert.equal(parsePlane(undefined), null);
    assert.deepEqual(fitPlane(200, 100, { width: 100, height: 100 }), { k: 0.5, x: 0, y: 25 });
    assert.deepEqual(centreOn(10, 10, 2, { width: 100, height: 60 }), { k: 2, x: 30, y: 10 });
});
