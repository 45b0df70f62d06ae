/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import test from 'node:test';
import {
    areaQuery,
    countersOf,
    moveArea,
    rangeOfArea,
    readArea,
    toggleLane,
} from '../src/model/timeline_area';

const TRACKS = { from: 10, to: 20, lanes: new Set(['t7', 't20', 'c2', 'm1:0']) };

void test('an area is the same after the URL', () => {
    assert.deepEqual(areaQuery(TRACKS), { area: '10-20@7,20,c2,m1:0', from_ns: null, to_ns: null });
    assert.deepEqual(readArea({ area: '10-20@7,20,c2,m1:0' }), TRACKS);
    // An area of all lanes is the range of all tabs.
    assert.deepEqual(areaQuery({ from: 10, to: 20 }), { area: null, from_ns: '10', to_ns: '20' });
    assert.deepEqual(readArea({ from_ns: '10', to_ns: '20' }), { from: 10, to: 20, lanes: null });
    assert.deepEqual(readArea({ area: '10-20' }), { from: 10, to: 20, lanes: null });
    assert.deepEqual(areaQuery(null), { area: null, from_ns: null, to_ns: null });
});

void test('an invalid area is none', () => {
    for (const area of [
        '20-10@1',
        '10-10@1',
        '1-2@x',
        '1-2@1,,2',
        '1-2@<b>',
        '-1-2',
        '1-2@c',
        '1-2@m1',
    ])
        assert.equal(readArea({ area }), null, area);
});

void test('tables get the tracks, ascending, and counters are chosen by id', () => {
    assert.deepEqual(rangeOfArea(TRACKS), { from_ns: 10, to_ns: 20, tracks: '7,20' });
    assert.deepEqual(rangeOfArea({ from: 10, to: 20 }), { from_ns: 10, to_ns: 20 });
    assert.deepEqual(countersOf(TRACKS, [1, 2, 3]), [2]);
    assert.deepEqual(countersOf({ from: 1, to: 2 }, [1, 2]), [1, 2]);
});

void test('labels add and remove lanes, but the last track clears the area', () => {
    const one = { from: 10, to: 20, lanes: new Set(['t1']) };
    assert.deepEqual([...(toggleLane(one, 't2', [])?.lanes ?? [])], ['t1', 't2']);
    assert.equal(toggleLane(one, 't1', []), null);
    assert.equal(toggleLane({ ...one, lanes: new Set(['t1', 'c1']) }, 't1', []), null);
    assert.deepEqual(
        [...(toggleLane({ from: 1, to: 2 }, 't1', ['t1', 't2'])?.lanes ?? [])],
        ['t2'],
    );
});

void test('arrows move an area up to the ends of the run', () => {
    const whole = { from: 0, to: 100 };
    assert.deepEqual(moveArea({ from: 10, to: 20 }, 5.4, whole), { from: 15, to: 25 });
    assert.deepEqual(moveArea({ from: 10, to: 20 }, -50, whole), { from: 0, to: 10 });
    assert.deepEqual(moveArea({ from: 10, to: 20 }, 500, whole), { from: 91, to: 101 });
});
