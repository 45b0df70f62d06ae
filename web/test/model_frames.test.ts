/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { CallTree } from '../src/base/answers';
import { hitColumns, hitFrames, spanToRead, steppedHit } from '../src/model/frame_hits';
import { coveredPath, frameAt, frameChildren, framePath, stepFrame } from '../src/model/frames';
import {
    BOUNDED,
    EXACT,
    layoutTree,
    matchedTotal,
    OMITTED_CALLS,
    type Tree,
    UNKNOWN,
} from '../src/model/tree';
import { treeOf as treeOfAnswer } from '../src/model/tree_answers';
import type { Imports } from '../src/features/imports/data';
import { ImportRows, computeDepths } from '../src/features/imports/import_table';
import {
    clampSpan,
    easeSpan,
    enclosingFrame,
    parseSpan,
    sameSpan,
    spanText,
    zoomSpan,
} from '../src/model/span';

/** rows: [name, parent, self, origin] in preorder; totals follow */
function importTree(rows: [string, number, number, number?][]): Imports {
    const total = rows.map((r) => Math.max(0, r[2]));
    for (let i = rows.length - 1; i >= 0; i--) if (rows[i][1] >= 0) total[rows[i][1]] += total[i];
    return treeOfAnswer({
        n: rows.length,
        cut: 0,
        unit: 'us',
        sum: rows.reduce((sum, r, i) => (r[1] < 0 ? sum + total[i] : sum), 0),
        frames: {
            name: rows.map((r) => r[0]),
            id: rows.map((_, i) => i + 1),
            origin: rows.map((r) => r[3] ?? 1),
        },
        parent: rows.map((r) => r[1]),
        total,
        self: rows.map((r) => r[2]),
        cumulative: total.slice(),
        package: rows.map(() => 0),
        startup: rows.map(() => 0),
        packages: ['p'],
    });
}

const TREE = importTree([
    ['site', -1, 10, 2],
    ['a', -1, 5, 0],
    ['a.small', 1, 10],
    ['a.big', 1, 40],
    ['a.big.deep', 3, 35],
    ['z', -1, 0, 2],
]);
const ALL = { widestFirst: true };

function placed(layout: ReturnType<typeof layoutTree>): string[] {
    return [...layout.node].map((n, f) => {
        const name = n < 0 ? '*' : TREE.frames.name[n];
        return `${layout.row[f]} ${name} ${layout.x0[f]}-${layout.x1[f]}`;
    });
}

test('left-heavy puts the widest sibling first, own time is the gap on the right', () => {
    assert.deepEqual(placed(layoutTree(TREE, ALL)), [
        '0 * 0-100',
        '1 a 0-90',
        '1 site 90-100',
        '1 z 100-100',
        '2 a.big 0-75',
        '2 a.small 75-85',
        '3 a.big.deep 0-35',
    ]);
});

test('import order keeps the order of the file', () => {
    const layout = layoutTree(TREE);
    assert.deepEqual(placed(layout).slice(1, 6), [
        '1 site 0-10',
        '1 a 10-100',
        '1 z 100-100',
        '2 a.small 10-20',
        '2 a.big 20-95',
    ]);
});

test('hidden nodes lift their children; widths and the total stay true', () => {
    const layout = layoutTree(TREE, { ...ALL, hidden: Uint8Array.from([0, 1, 0, 0, 0, 0]) });
    assert.deepEqual(placed(layout), [
        '0 * 0-100',
        '1 a.big 0-75',
        '1 site 75-85',
        '1 a.small 85-95',
        '1 z 95-95',
        '2 a.big.deep 0-35',
    ]);
});

test('frames below the threshold are quiet and end their branch', () => {
    const layout = layoutTree(TREE, { ...ALL, minWidth: 76 });
    const quiet = [...layout.isDotted]
        .map((q, f) => (q ? TREE.frames.name[layout.node[f]] : ''))
        .filter(Boolean);
    assert.deepEqual(quiet, ['site', 'z', 'a.big', 'a.small']);
    assert.equal(layout.rows, 3);
});

test('an empty log is one root without width', () => {
    const empty = importTree([]);
    const layout = layoutTree(empty, ALL);
    assert.equal(layout.count, 1);
    assert.equal(layout.total, 0);
});

test('hit test, path, children and steps agree', () => {
    const layout = layoutTree(TREE, ALL);
    const deep = frameAt(layout, 3, 20);
    assert.deepEqual(
        framePath(layout, deep).map((f) => layout.node[f]),
        [-1, 1, 3, 4],
    );
    assert.equal(frameAt(layout, 3, 50), -1);
    assert.equal(frameAt(layout, 3, 35.5, 1), deep);
    assert.deepEqual(
        frameChildren(layout, frameAt(layout, 1, 1)).map((f) => layout.node[f]),
        [3, 2],
    );
    assert.equal(layout.node[stepFrame(layout, deep, 'up')], 3);
    assert.equal(layout.node[stepFrame(layout, frameAt(layout, 0, 1), 'down')], 1);
    assert.equal(stepFrame(layout, deep, 'down'), deep);
});

test('Esc leads to the next wider frame, then to the whole', () => {
    const layout = layoutTree(TREE, ALL);
    assert.equal(layout.node[enclosingFrame(layout, { x0: 0, x1: 35 })], 3);
    assert.equal(layout.node[enclosingFrame(layout, { x0: 0, x1: 75 })], 1);
    assert.equal(layout.node[enclosingFrame(layout, { x0: 0, x1: 90 })], -1);
    assert.equal(enclosingFrame(layout, { x0: 0, x1: 100 }), -1);
    assert.deepEqual(
        coveredPath(layout, 0, 35).map((f) => layout.node[f]),
        [-1, 1, 3, 4],
    );
});

test('the window zooms around the pointer, stays inside, and survives the URL', () => {
    const at = zoomSpan({ x0: 0, x1: 100 }, 100, 0.5, 80);
    assert.deepEqual(at, { x0: 40, x1: 90 });
    assert.deepEqual(clampSpan({ x0: -5, x1: 20 }, 100), { x0: 0, x1: 25 });
    assert.ok(sameSpan(parseSpan(spanText(at, 100), 100)!, at));
    assert.equal(parseSpan('nonsense', 100), null);
    assert.equal(parseSpan('0.5~0.2', 100), null);
    assert.deepEqual(easeSpan({ x0: 0, x1: 100 }, at, 1), at);
});

test('matched time counts each microsecond once', () => {
    assert.equal(matchedTotal(TREE, Uint8Array.from([0, 0, 0, 1, 1, 0])), 75);
    assert.equal(matchedTotal(TREE, Uint8Array.from([1, 0, 1, 0, 1, 0])), 55);
});

test('tree rows unfold, sort and keep the path of a hit', () => {
    const all = { hidden: null, keepMask: null };
    const rows = new ImportRows(TREE, all, 'cumulative_us', true);
    const names = (open: number[]): string[] =>
        rows.flatten(new Set(open)).map((r) => `${'.'.repeat(r.level)}${TREE.frames.name[r.node]}`);
    assert.deepEqual(names([]), ['a', 'site', 'z']);
    assert.deepEqual(names([1, 3]), ['a', '.a.big', '..a.big.deep', '.a.small', 'site', 'z']);
    const hit = new ImportRows(
        TREE,
        { hidden: null, keepMask: Uint8Array.from([0, 0, 0, 0, 1, 0]) },
        'ord',
        false,
    );
    assert.equal(hit.flatten(new Set([1, 3])).length, 3);
    assert.deepEqual([...rows.heaviestPath()], [1, 3, 4]);
    assert.deepEqual([...computeDepths(TREE.parent, TREE.n)], [0, 0, 1, 1, 2, 0]);
});

test('modules of the same name stay in the order of the log', () => {
    const same = importTree(['b', 'a', 'a', 'a'].map((name) => [name, -1, 1]));
    const order = (desc: boolean) => [
        ...new ImportRows(same, { hidden: null, keepMask: null }, 'module', desc).childrenOf(-1),
    ];
    assert.deepEqual(order(false), [1, 2, 3, 0]);
    assert.deepEqual(order(true), [0, 1, 2, 3]);
});

test('100,000 frames are placed', () => {
    const rows: [string, number, number][] = [['root', -1, 1]];
    for (let i = 1; i < 100_000; i++) rows.push([`m${i}`, (i - 1) >> 3, i % 97]);
    const tree = importTree(rows);
    const layout = layoutTree(tree, ALL);
    assert.equal(layout.count, 100_001);
});

function callTree(rows: [number, number, number, number, (number | null)?][]): CallTree {
    return {
        n: rows.length,
        unit: 's',
        sum: rows.reduce((sum, r) => (r[0] < 0 ? sum + r[2] : sum), 0),
        total_s: rows[0][2],
        cut: 0,
        frames: { name: ['f'], file: ['f.py'], line: [1], id: [1], origin: [0] },
        parent: rows.map((r) => r[0]),
        frame: rows.map(() => 0),
        low: rows.map((r) => r[1]),
        total: rows.map((r) => r[2]),
        certainty: rows.map((r) => r[3]),
        self: rows.map((r) => r[4] ?? null),
        count: rows.map(() => null),
    };
}

test('bounded siblings are as wide as their upper bounds, shrunk only when these do not fit', () => {
    const calls = callTree([
        [-1, 10, 10, EXACT, 2],
        [0, 4, 4, EXACT, 4],
        [0, 0, 6, BOUNDED],
        [0, 0, 2, BOUNDED],
        [2, 0, 3, UNKNOWN],
    ]);
    const frames = layoutTree(treeOfAnswer(calls), { below: -1 });
    const width = (node: number): number => {
        const f = frames.frameOf[node];
        return f < 0 ? -1 : frames.x1[f] - frames.x0[f];
    };
    assert.equal(frames.total, 10);
    assert.equal(width(1), 4);
    assert.equal(width(2), 3);
    assert.equal(width(3), 1);
    assert.equal(width(4), 1.5);
});

test('what an exact frame called and was not sent is a quiet rest, not silence', () => {
    const calls = callTree([
        [-1, 10, 10, EXACT, 2],
        [0, 5, 5, EXACT, 5],
    ]);
    calls.cut = 7;
    const frames = layoutTree(treeOfAnswer(calls), { below: -1 });
    assert.deepEqual([...frames.node], [0, 1, OMITTED_CALLS]);
    assert.deepEqual([frames.x0[2], frames.x1[2], frames.isDotted[2]], [5, 8, 1]);
});

test('all roots stand under one row', () => {
    const calls = callTree([
        [-1, 3, 3, EXACT, 3],
        [-1, 1, 1, EXACT, 1],
    ]);
    const frames = layoutTree(treeOfAnswer(calls));
    assert.deepEqual([...frames.node], [-1, 0, 1]);
    assert.equal(frames.total, 4);
});

function treeOf(parent: number[], total: number[]): Tree {
    return {
        n: parent.length,
        unit: 'ns',
        sum: total[0],
        cut: 0,
        parent,
        frame: parent.map((_, i) => i),
        frames: { name: parent.map((_, i) => `f${i}`) },
        total,
    };
}

test('hits are ordered from the left, and a step wraps around', () => {
    const layout = layoutTree(treeOf([-1, 0, 0, 2, 0], [100, 60, 30, 1, 10]));
    const hits = hitFrames(layout, Uint8Array.from([0, 1, 0, 1, 1]));
    assert.deepEqual(
        Array.from(hits ?? [], (f) => layout.node[f]),
        [1, 3, 4],
    );
    assert.equal(hitFrames(layout, null), null);
    const columns = hitColumns(layout, hits ?? new Int32Array(0), 10);
    assert.deepEqual([...columns], [0, 0, 0, 1, 0, 0, 1, 0, 0, 1]);
    assert.deepEqual(
        [
            steppedHit(null, 1, 3),
            steppedHit(null, -1, 3),
            steppedHit(3, 1, 3),
            steppedHit(1, -1, 3),
        ],
        [1, 3, 1, 3],
    );
});

test('the view moves only if the name of a frame cannot be read', () => {
    const layout = layoutTree(treeOf([-1, 0, 0, 2, 0], [100, 60, 30, 1, 10]));
    const whole = { x0: 0, x1: 100 };
    const frameOf = (node: number) => layout.frameOf[node];
    assert.equal(spanToRead(layout, frameOf(1), whole, 1000), null, '600 px are readable');
    const near = spanToRead(layout, frameOf(3), whole, 1000);
    assert.ok(near && near.x0 <= 60 && near.x1 >= 61, 'the frame is in view');
    assert.equal(Math.round((1 / (near.x1 - near.x0)) * 1000), 160, 'with room for its name');
    const zoomed = { x0: 0, x1: 20 };
    const moved = spanToRead(layout, frameOf(4), zoomed, 1000);
    assert.deepEqual(moved && [moved.x0 < 90, moved.x1], [true, 100], 'a hit outside of the view');
});
