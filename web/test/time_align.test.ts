/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { TimelineAnswer } from '../src/base/answers';
import {
    sortTracks,
    keysOfNames,
    laneNames,
    namesOfKeys,
    parseTop,
    formatTop,
} from '../src/features/timeline/lane_names';
import { mergeQuery, swapSides } from '../src/model/side';
import {
    type Align,
    formatAlign,
    anchorsOf,
    moveOrigin,
    withAxisPosition,
    axisPositions,
    parseAlign,
    stepBy,
    matchingStep,
    stepsOf,
    withoutAxisPosition,
} from '../src/model/time_align';
import { parseArrangement } from '../src/features/timeline/arrangement';
import { layoutLanes } from '../src/features/timeline/lanes';
import type { TraceTrack } from '../src/model/timeline_types';
import { axisOf, parseView } from '../src/model/timeline_view';

const MS = 1e6;
const NO_EVENTS = { base: null, new: null };

function timeline(first: number, starts: number[], length: number): TimelineAnswer {
    return {
        start_ns: 0,
        end_ns: length,
        origin_us: '0',
        processes: [],
        tracks: [],
        counters: [],
        memory: [],
        overview: { px: 1, tracks: [] },
        steps: starts.map((start_ns, i) => ({
            id: i + 1,
            name: `ProfilerStep#${first + i}`,
            start_ns,
            end_ns: start_ns + MS,
            worker: 0,
        })),
    };
}

const BASE = timeline(5, [10 * MS, 20 * MS, 30 * MS], 40 * MS);
const NEW = timeline(4, [4 * MS, 12 * MS, 25 * MS], 50 * MS);

test('what the URL says of the alignment is read back, and nonsense is the start', () => {
    for (const words of ['step:3:4', 'event:4294967296:8', 'ns:-1200']) {
        assert.equal(formatAlign(parseAlign(words)), words);
    }
    assert.equal(formatAlign(parseAlign('step:3')), 'step:3:3');
    for (const words of [undefined, '', 'step:0', 'step:x', 'event:7', 'ns:1.5', 'start', 'ns:']) {
        assert.deepEqual(parseAlign(words), { by: 'start' }, String(words));
    }
});

test('a step stands above its namesake, and one walks as far as both have steps', () => {
    const [a, b] = [stepsOf(BASE), stepsOf(NEW)];
    assert.equal(matchingStep(a, b, 1), 2);
    assert.equal(matchingStep(a, b, 3), 3, 'no namesake: the same number');
    const walk = (align: Align, by: number) => stepBy(align, by, a, b);
    assert.deepEqual(walk({ by: 'start' }, 0), { by: 'step', base: 1, new: 2 });
    assert.deepEqual(walk({ by: 'step', base: 1, new: 2 }, 1), { by: 'step', base: 2, new: 3 });
    assert.equal(walk({ by: 'step', base: 2, new: 3 }, 1), null);
    assert.equal(walk({ by: 'step', base: 1, new: 2 }, -1), null);
});

test('steps of a job are those of its first worker, in order of time', () => {
    const steps = [
        { id: 1, name: 'b', start_ns: 9, end_ns: 10, worker: 1 },
        { id: 2, name: 'b', start_ns: 5, end_ns: 6, worker: 0 },
        { id: 3, name: 'a', start_ns: 1, end_ns: 2, worker: 0 },
    ];
    assert.deepEqual(
        stepsOf({ ...BASE, steps }).map(({ id }) => id),
        [3, 2],
    );
});

test('anchors are what is aligned, with how long it lasts; what is not known is the start', () => {
    const by = (words: string, events: Parameters<typeof anchorsOf>[3] = NO_EVENTS) => {
        const { base, new: fresh } = anchorsOf(parseAlign(words), BASE, NEW, events);
        return [base.ns, fresh.ns, base.duration_ns];
    };
    assert.deepEqual(by('step:1:2'), [10 * MS, 12 * MS, MS]);
    assert.deepEqual(by('step:9:9'), [0, 0, null]);
    assert.deepEqual(by('ns:-500'), [0, -500, null]);
    const slice = (id: number, start_ns: number) => ({ id, name: 'mm', start_ns, duration_ns: 7 });
    assert.deepEqual(by('event:3:4', { base: slice(3, 100), new: slice(4, 900) }), [100, 900, 7]);
    assert.deepEqual(by('event:3:4', { base: slice(2, 100), new: slice(4, 900) }), [0, 0, null]);
});

test('both look at all of both, each in its own time', () => {
    const anchors = anchorsOf(parseAlign('step:1:1'), BASE, NEW, NO_EVENTS);
    const span = ({ start_ns, end_ns }: TimelineAnswer) => ({ from: start_ns, to: end_ns });
    const { base, new: fresh } = axisPositions(anchors, span(BASE), span(NEW));
    assert.deepEqual(base, { origin: 10 * MS, range: { from: 0, to: 56 * MS }, shift: 0 });
    assert.deepEqual(fresh, {
        origin: 4 * MS,
        range: { from: -6 * MS, to: 50 * MS },
        shift: -6 * MS,
    });
});

test('a range goes to each panel in its own time and comes back in that of the base', () => {
    const place = { origin: 400, range: { from: -600, to: 5000 }, shift: -600 };
    const query = { q: 'mm', from_ns: '1000', to_ns: '1500' };
    const given = withAxisPosition(query, place);
    assert.deepEqual(given, {
        q: 'mm',
        from_ns: '400',
        to_ns: '900',
        origin: '400',
        reach: '-600~5000',
    });
    assert.deepEqual(withoutAxisPosition(given, place), query);
    assert.deepEqual(withAxisPosition({ from_ns: '100', to_ns: '700' }, place).from_ns, '0');
    assert.equal(withAxisPosition({ from_ns: '100', to_ns: '500' }, place).from_ns, undefined);
    assert.deepEqual(withAxisPosition(query, null), query);
});

test('a window is kept where the ruler counts from another moment', () => {
    assert.equal(moveOrigin('1000~2000', 500, 3000), '-1500~-500');
    assert.equal(moveOrigin(undefined, 500, 3000), null);
    assert.deepEqual(parseView('-1500~-500', { from: -2000, to: 10 }), { from: -1500, to: -500 });
});

test('a ruler counts backwards from its zero, which has no sign', () => {
    const axis = axisOf({ from: -0.4 * MS, to: 9 * MS }, 1000);
    assert.ok(Object.is(axis.first, 0));
    assert.equal(axisOf({ from: -30 * MS, to: 20 }, 1000).unit, 'ms');
});

test('swapped runs are aligned by the same moments, and the alignment outlives a change of view', () => {
    assert.equal(swapSides({ base: 'a', new: 'b', align: 'step:3:4' }).align, 'step:4:3');
    assert.equal(swapSides({ base: 'a', new: 'b', align: 'ns:5' }).align, 'ns:-5');
    assert.equal(swapSides({ base: 'a', new: 'b' }).align, undefined);
    const kept = mergeQuery({ base: 'a', new: 'b', align: 'ns:5' }, 'base', {}, 'torch-trace');
    assert.equal(kept.align, 'ns:5');
});

function track(id: number, process: number, name: string, tid: string, stream = -1): TraceTrack {
    const kind = stream >= 0 ? 1 : 0;
    return {
        ...{ id, process, kind, name, tid, device: 0, stream, slices: 1, depth: 3 },
        ...{ start_ns: 0, end_ns: 9 },
    };
}

const machine = (id: number, pid: string, labels: string) => ({
    ...{ id, pid, name: 'python3', labels, device: null, worker: 0 },
});

const ONE: TimelineAnswer = {
    ...BASE,
    processes: [machine(1, '4711', 'CPU'), machine(2, '0', 'GPU 0')],
    tracks: [
        track(1, 1, 'thread 4711 (python3)', '4711'),
        track(2, 1, 'thread 4790 (pt_autograd_0)', '4790'),
        track(3, 2, 'stream 7', '7', 7),
    ],
};
const TWO: TimelineAnswer = {
    ...NEW,
    processes: [machine(1, '0', 'GPU 0'), machine(2, '99', 'CPU')],
    tracks: [
        track(1, 1, 'stream 7', '7', 7),
        track(2, 1, 'stream 20', '20', 20),
        track(3, 2, 'thread 108 (pt_autograd_0)', '108'),
        track(4, 2, 'thread 99 (python3)', '99'),
        track(5, 2, 'thread 120 (extra)', '120'),
    ],
};

test('tracks of another run stand in the same order, whatever its processes and threads are called', () => {
    const ordered = sortTracks(TWO, laneNames(ONE).order);
    assert.deepEqual(
        ordered.tracks.map(({ id }) => id),
        [4, 3, 5, 1, 2],
    );
    assert.deepEqual(
        sortTracks(TWO, []).tracks.map(({ process }) => process),
        [1, 1, 2, 2, 2],
    );
});

test('the lane at the upper edge is found in the other run, and what it lacks is left alone', () => {
    const [one, two] = [laneNames(ONE), laneNames(TWO)];
    const lanes = (of: TimelineAnswer) =>
        layoutLanes(of, parseArrangement({ pin: 'none' }), new Map());
    const [a, b] = [lanes(ONE), lanes(sortTracks(TWO, one.order))];
    const stream = a.lanes.find(({ key }) => key === 't3');
    const words = formatTop(a, one, (stream?.top ?? 0) + 5);
    const there = b.lanes.find(({ key }) => key === 't1');
    assert.equal(parseTop(b, two, words), (there?.top ?? 0) + 5);
    const extra = b.lanes.find(({ key }) => key === 't5');
    assert.equal(parseTop(a, one, formatTop(b, two, extra?.top ?? 0)), null);
    assert.equal(formatTop(a, one, 1e9), '');
});

test('folded lanes are told by names', () => {
    const [one, two] = [laneNames(ONE), laneNames(TWO)];
    const translate = (value: string): string => keysOfNames(namesOfKeys(value, one), two);
    assert.equal(translate('t2,t3,t9'), 't3,t1');
    assert.equal(translate('*,t2'), '*,t3');
    assert.equal(translate('none'), 'none');
    assert.equal(translate('t2.t3,t3.'), 't3.t1,t1.', 'moves');
    assert.equal(translate('t2.120'), 't3.120', 'heights');
});
