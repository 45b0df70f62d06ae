/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { TimelineNote } from '../src/base/answers';
import { noteParts, placeFlags } from '../src/model/timeline_notes';

const note = (t_ns: number): TimelineNote => ({
    id: String(t_ns),
    t_ns,
    area: '',
    text: '',
    who: '',
    at: '',
});

void test('two notes that collide stack, more become a group', () => {
    const places = (times: number[]): [number, number, number][] =>
        placeFlags(times.map(note), (t) => t, 1000).map(({ x, row, notes }) => [
            x,
            row,
            notes.length,
        ]);
    assert.deepEqual(places([10, 50]), [
        [10, 0, 1],
        [50, 0, 1],
    ]);
    assert.deepEqual(places([10, 15]), [
        [10, 0, 1],
        [15, 1, 1],
    ]);
    assert.deepEqual(places([10, 20, 30]), [[20, 0, 3]]);
    assert.deepEqual(places([10, 22]), [
        [10, 0, 1],
        [22, 0, 1],
    ]);
    assert.deepEqual(places([-5, 10, 1001]), [[10, 0, 1]]);
});

void test('the first line is the title', () => {
    assert.deepEqual(noteParts('one'), { title: 'one', rest: '' });
    assert.deepEqual(noteParts('one\ntwo\n\nthree\n'), { title: 'one', rest: 'two\n\nthree' });
});
