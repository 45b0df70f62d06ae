/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import test from 'node:test';
import {
    activeThreads,
    brushedRange,
    nextThread,
    readThreads,
    selectedAmong,
    shortThreadName,
    stripPath,
    threadsOf,
    threadsText,
    toggleThread,
} from '../src/model/stack_threads';

const ANSWER = {
    from_ns: 0,
    to_ns: 100,
    bins: 2,
    ids: [1, 2, 3],
    weight: [50, 100, 0],
    waiting: [25, 10, 0],
    idle: [0, 0, 1],
    activity: [255, 0, 255, 204, 0, 0],
};
const threads = threadsOf(ANSWER, (id) => `thread ${id}`);

test('stack threads: the most active first, without samples last', () => {
    assert.deepEqual(
        threads.map(({ id, active, isIdle }) => [id, active, isIdle]),
        [
            [2, 0.9, false],
            [1, 0.5, false],
            [3, 0, true],
        ],
    );
    assert.deepEqual(threads[0].strip, [255, 204]);
});

test('stack threads: the parameter names a part of them, all need none', () => {
    assert.equal(readThreads(undefined), null);
    assert.deepEqual([...(readThreads('3,1,x') ?? [])], [3, 1]);
    assert.equal(toggleThread(null, [1, 2, 3], 2), '1,3');
    assert.equal(toggleThread(new Set([1, 3]), [1, 2, 3], 2), null);
    assert.equal(toggleThread(new Set([1]), [1, 2, 3], 1), null);
    assert.equal(threadsText(new Set([3, 9]), [1, 2, 3]), '3');
    assert.equal(nextThread(null, [2, 1, 3]), 2);
    assert.equal(nextThread(new Set([3]), [2, 1, 3]), 2);
    assert.equal(nextThread(new Set([2]), [2, 1, 3]), 1);
});

test('stack threads: the strip counts the selected threads that are active', () => {
    assert.deepEqual(activeThreads(threads, null, 2), [2, 0.8]);
    assert.deepEqual(activeThreads(threads, new Set([2]), 2), [1, 0.8]);
    assert.equal(stripPath([0, 0], 0, 10, 10), '');
    assert.equal(stripPath([0, 5], 10, 10, 10), 'M5.00 10V5.0h5.00V10z');
});

test('stack threads: a drag in either direction is a range in the run', () => {
    const span = { from_ns: 100, to_ns: 300 };
    assert.deepEqual(brushedRange(span, 0.5, 0.25), { from_ns: 150, to_ns: 200 });
    assert.deepEqual(brushedRange(span, -1, 2), span);
    assert.equal(brushedRange(span, 0.5, 0.5), null);
});

test('stack threads: a short name is the one that the program gave', () => {
    assert.equal(shortThreadName('all threads · task=load'), 'task=load');
    assert.equal(shortThreadName('all threads'), 'all threads');
    assert.equal(shortThreadName('Thread 0x16DF7B000 "Thread-1 (run)"'), 'Thread-1 (run)');
    assert.equal(shortThreadName('thread (0x7F02): other'), 'other');
    assert.equal(shortThreadName('MainThread'), 'MainThread');
});

test('stack threads: the tracks of another sample type stand for the same threads', () => {
    const track = (id: number, tid: string) => ({ id, process: 1, tid, name: `thread ${tid}` });
    const tracks = [track(1, 'a'), track(2, 'b'), track(3, 'a'), track(4, 'b')];
    assert.equal(selectedAmong(null, [3, 4], tracks), null);
    assert.deepEqual(selectedAmong(new Set([1]), [3, 4], tracks), new Set([3]));
    assert.deepEqual(selectedAmong(new Set([4, 9]), [3, 4], tracks), new Set([4]));
});

test('stack threads: without times they are in the order of their weights', () => {
    const names = threadsOf(ANSWER, String, false);
    assert.deepEqual(
        names.map(({ id, active, isIdle }) => [id, active.toFixed(3), isIdle]),
        [
            [2, '0.667', false],
            [1, '0.333', false],
            [3, '0.000', true],
        ],
    );
});
