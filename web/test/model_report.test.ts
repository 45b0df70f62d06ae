/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { GraphEdge, GraphNode } from '../src/base/answers';
import { THIN_SPACE } from '../src/base/units';
import {
    escapeRegex,
    originParam,
    readFilters,
    readSort,
    toggledOff,
} from '../src/model/filter_query';
import { edgeText, nodeSize, nodeText } from '../src/model/graph_text';
import { libraryPath } from '../src/model/labels';
import { centreOn, fitPlane, parsePlane, planeText, zoomPlane } from '../src/model/plane';
import { REST_TILE, layoutTreemap, squarify, tileAt } from '../src/features/imports/treemap';

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
    assert.deepEqual(readSort({ sort: 'name', desc: '0' }, 'self_us', true), {
        key: 'name',
        desc: false,
    });
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
    id: 1,
    name: '<built-in method builtins.exec>',
    file: '~',
    line: 0,
    origin: 'builtin',
    self: 0.1,
    total: 2,
    self_pct: 5,
    total_pct: 100.4,
    ncalls: 1200,
    primitive_calls: 1,
    cycle: 0,
};

test('a node says its share, never above the whole; without times it says a dash', () => {
    const chars = (text: string): number => text.length * 7;
    const text = nodeText(node, chars);
    assert.equal(text.name, 'builtins.exec');
    assert.equal(text.place, 'built-in');
    assert.equal(text.numbers, `100.0${THIN_SPACE}% (5.0${THIN_SPACE}%) · 1,200×`);
    assert.ok(nodeSize(text, chars, chars).width >= text.numbers.length * 7);
    assert.match(nodeText({ ...node, total_pct: null }, chars).numbers, /^– /);
});

test('an edge without a share says its calls', () => {
    const edge: GraphEdge = { from: 1, to: 1, ncalls: 3, total: null, pct: null, recursive: true };
    assert.deepEqual(edgeText(edge), ['3×']);
    assert.deepEqual(edgeText({ ...edge, pct: 12.34 }), [`12.3${THIN_SPACE}%`, '3×']);
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

test('a treemap fills its room, largest first, and keeps areas true', () => {
    const room = { x: 0, y: 0, w: 60, h: 40 };
    const values = [6, 6, 4, 3, 2, 2, 1];
    const rects = squarify(values, room);
    rects.forEach((r, i) => assert.ok(Math.abs(r.w * r.h - values[i] * 100) < 1e-6));
    assert.ok(rects.every((r) => r.x >= 0 && r.x + r.w <= 60 + 1e-9 && r.y + r.h <= 40 + 1e-9));
    assert.equal(squarify([], room).length, 0);
    assert.deepEqual(squarify([0], room), [{ x: 0, y: 0, w: 0, h: 0 }]);
});

test('modules too small for a tile are one rest, negative times have no area', () => {
    const self = [1000, 500, 1, 1, -20];
    const tree = {
        n: 5,
        cut: 0,
        unit: 'us',
        sum: 1502,
        frames: { name: ['a', 'b', 'b.c', 'b.d', 'a.e'] },
        parent: [-1, -1, -1, -1, -1],
        frame: [0, 1, 2, 3, 4],
        total: self,
        self,
        cumulative: self,
        package: [0, 1, 1, 1, 0],
        startup: [0, 0, 0, 0, 0],
        packages: ['a', 'b'],
    };
    const map = layoutTreemap(tree, null, -1, 0, { x: 0, y: 0, w: 50, h: 30 });
    assert.deepEqual(
        map.packages.map((p) => [p.package, p.us]),
        [
            [0, 1000],
            [1, 502],
        ],
    );
    assert.deepEqual(
        map.tiles.map((t) => [t.node, t.us]),
        [
            [0, 1000],
            [1, 500],
            [REST_TILE, 2],
        ],
    );
    assert.equal(tileAt(map, 1, 1), 0);
    assert.equal(tileAt(map, 99, 1), -1);
});
