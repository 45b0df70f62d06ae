/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { TimelineAnswer } from '../src/base/answers';
import {
    applyMoves,
    foldAllChanges,
    foldChanges,
    heightChanges,
    moveChanges,
    parseArrangement,
    pinChanges,
} from '../src/features/timeline/arrangement';
import { firstLaneOf, isInBand, laneAtCanvas, placeBands } from '../src/features/timeline/bands';
import { laneNames } from '../src/features/timeline/lane_names';
import { areaKey, layoutLanes } from '../src/features/timeline/lanes';
import type { TimelineScene } from '../src/features/timeline/scene';
import {
    differenceText,
    neighbourStep,
    partBand,
    stepAt,
    stepName,
    stepsOfFirstWorker,
} from '../src/features/timeline/steps_row';
import { withLayers } from '../src/model/timeline_layers';
import type { TraceTrack } from '../src/model/timeline_types';

const NO_ROLES: ReadonlyMap<number, string> = new Map();

const track = (id: number, more: Partial<TraceTrack> = {}): TraceTrack => ({
    id,
    process: 1,
    kind: 0,
    name: '',
    tid: String(id),
    device: -1,
    stream: -1,
    slices: 10,
    depth: 2,
    start_ns: 0,
    end_ns: 1000,
    ...more,
});

const stream = (id: number, device = 0): TraceTrack =>
    track(id, { process: 2, kind: 1, stream: id, device, depth: 1 });

const timeline = (tracks: TraceTrack[]): TimelineAnswer => ({
    start_ns: 0,
    end_ns: 1000,
    origin_us: '0',
    processes: [
        { id: 1, pid: '77', name: 'python', labels: 'CPU', device: null, worker: 0 },
        { id: 2, pid: '0', name: 'python', labels: 'GPU 0', device: 0, worker: 0 },
    ],
    tracks,
    counters: [{ id: 4, process: 1, name: 'queue', unit: '', least: 0, greatest: 12 }],
    memory: [],
    steps: [],
    overview: { px: 10, tracks: [] },
});

const keys = (tracks: TraceTrack[], query: Record<string, string>): string[] =>
    layoutLanes(timeline(tracks), parseArrangement(query), NO_ROLES).lanes.map(({ key }) => key);

test('up to four GPU streams are pinned at first; the URL pins others or none', () => {
    const few = [track(1), stream(2), stream(3)];
    assert.deepEqual(keys(few, {}), ['t2', 'b2', 't3', 'b3', 't1', 'c4']);
    const many = [track(1), ...[2, 3, 4, 5, 6].map((id) => stream(id))];
    assert.equal(keys(many, {})[0], 't1');
    assert.equal(keys(few, { pin: 'none' })[0], 't1');
    assert.deepEqual(keys(few, { pin: 'c4' }), ['c4', 't1', 't2', 'b2', 't3', 'b3']);
    const lanes = layoutLanes(timeline(few), parseArrangement({}), NO_ROLES);
    assert.deepEqual(lanes.pinned, ['t2', 't3']);
    assert.equal(lanes.pinnedHeight, lanes.byTrack.get(1)?.top);
    assert.deepEqual(pinChanges(['t2', 't3'], 't3'), { pin: 't2' });
    assert.deepEqual(pinChanges(['t2'], 't2'), { pin: 'none' });
    assert.deepEqual(pinChanges(['t2'], 't1'), { pin: 't2,t1' });
});

test('lanes are folded one by one, several together, and all', () => {
    assert.deepEqual(foldChanges({}, ['t1', 't2']), { fold: 't1,t2' });
    assert.deepEqual(foldChanges({ fold: 't1' }, ['t1', 't2']), { fold: 't1,t2' });
    assert.deepEqual(foldChanges({ fold: 't1,t2,t3' }, ['t1', 't2']), { fold: 't3' });
    assert.deepEqual(foldAllChanges({ fold: 't1' }), { fold: '*' });
    assert.deepEqual(foldAllChanges({ fold: '*' }), { fold: null });
    assert.deepEqual(foldChanges({ fold: '*' }, ['t1']), { fold: '*,t1' });
    assert.deepEqual(foldChanges({ fold: '*,t1' }, ['t1']), { fold: '*' });
    const { isFolded } = parseArrangement({ fold: '*,t1' });
    assert.deepEqual([isFolded('t1'), isFolded('t9')], [false, true]);
});

test('moves are applied in order, and a second move of a lane replaces the first', () => {
    const items = ['a', 'b', 'c'].map((key) => ({ key }));
    const moved = (...moves: [string, string][]): string =>
        applyMoves(
            items,
            moves.map(([key, before]) => ({ key, before })),
        )
            .map(({ key }) => key)
            .join('');
    assert.equal(moved(['c', 'a']), 'cab');
    assert.equal(moved(['a', '']), 'bca');
    assert.equal(moved(['c', 'a'], ['b', 'c']), 'bca');
    assert.equal(moved(['x', 'a'], ['a', 'x']), 'abc', 'unknown lanes');
    assert.deepEqual(moveChanges({ order: 'c.a,b.c' }, 'c', 'b'), { order: 'b.c,c.b' });
    assert.deepEqual(keys([track(1), track(2)], { order: 'c4.t2' }), ['t1', 'c4', 't2']);
});

test('the height of a lane cuts its rows, and the label says so', () => {
    const deep = [track(1, { depth: 9 })];
    const lane = (query: Record<string, string>) =>
        layoutLanes(timeline(deep), parseArrangement(query), NO_ROLES).lanes[0];
    assert.equal(lane({}).rows, 9);
    assert.equal(lane({ high: 't1.60' }).rows, 3);
    assert.equal(lane({ high: 't1.60' }).label.role, '3 of 9 rows');
    assert.equal(lane({ high: 't1.900' }).height, lane({}).height, 'no higher than its rows');
    assert.equal(lane({ high: 't1.1' }).rows, 1);
    assert.deepEqual(heightChanges({ high: 't1.60' }, 't1', null), { high: null });
    assert.deepEqual(heightChanges({}, 'c4', 99.6), { high: 'c4.100' });
});

test('the filter compares words and fields, hides words with -, and keeps what is pinned', () => {
    const tracks = [
        track(1, { name: 'thread 77 (python)' }),
        track(2, { name: 'pt_autograd_0' }),
        stream(7),
        stream(20, 1),
        track(30, { kind: 2, process: 2, stream: 7, device: 0 }),
    ];
    const shown = (filter: string): string[] =>
        keys(tracks, { tracks: filter, pin: 'none' }).filter((key) => !key.startsWith('b'));
    assert.deepEqual(shown('autograd'), ['t2']);
    assert.deepEqual(shown('GPU 0'), ['t7', 't20', 't30']);
    assert.deepEqual(shown('kind:stream'), ['t7', 't20']);
    assert.deepEqual(shown('device:0'), ['t7', 't30']);
    assert.deepEqual(shown('device:0 -kind:annotations'), ['t7']);
    assert.deepEqual(shown('stream:2'), [], 'a number is compared as a whole');
    assert.deepEqual(shown('-gpu'), ['t1', 't2', 'c4']);
    assert.deepEqual(shown('kind:counter'), ['c4']);
    assert.deepEqual(keys(tracks, { tracks: 'autograd', pin: 't1' }), ['t1', 't2']);
    const none = layoutLanes(
        timeline(tracks),
        parseArrangement({ tracks: 'zzz', pin: 'none' }),
        NO_ROLES,
    );
    assert.deepEqual([none.shown, none.total], [0, 6]);
});

test('the layers of a thread are tracks below each other, and an area has all of them', () => {
    const layers = [
        { id: 2, layer: 'nvtx', slices: 7, depth: 8 },
        { id: 4_194_306, layer: 'api', slices: 3, depth: 1 },
    ];
    const tracks = [track(1), track(2, { name: 'thread 70 (python)', depth: 9, layers })];
    const split = withLayers(timeline(tracks));
    const lanesOf = (query: Record<string, string>) =>
        layoutLanes(split, parseArrangement(query), NO_ROLES);
    const { lanes, byTrack } = lanesOf({});
    assert.deepEqual(
        lanes.map(({ key, rows, label }) => [key, rows, label.name, label.role]),
        [
            ['t1', 2, 'thread 1', ''],
            ['t2', 8, 'thread 70', 'python, NVTX'],
            ['t4194306', 1, 'CUDA API', ''],
            ['c4', 0, 'queue', '0 – 12'],
        ],
    );
    assert.equal(byTrack.get(4_194_306), lanes[2]);
    assert.deepEqual(lanes.map(areaKey), ['t1', 't2', 't2', 'c4']);
    const folded = lanesOf({ fold: 't2', pin: 't4194306', tracks: 'cuda' }).lanes;
    assert.deepEqual(
        folded.map(({ key, isPinned }) => [key, isPinned]),
        [['t4194306', true]],
    );
    const { nameOf, keyOf } = laneNames(split);
    const names = lanes.map(({ key }) => nameOf.get(key) ?? '');
    assert.deepEqual(
        names.map((name) => keyOf.get(name)),
        lanes.map(({ key }) => key),
    );
    assert.equal(nameOf.get('t2'), laneNames(timeline(tracks)).nameOf.get('t2'));
});

test('of very many tracks the busiest are shown until a filter is typed', () => {
    const tracks = Array.from({ length: 2000 }, (_, id) => track(id + 1, { slices: id }));
    const lanes = (query: Record<string, string>) =>
        layoutLanes(timeline(tracks), parseArrangement(query), NO_ROLES);
    const some = lanes({});
    assert.deepEqual([some.shown, some.total, some.unlisted], [50, 2001, 1951]);
    assert.ok(some.byTrack.has(2000) && !some.byTrack.has(1));
    assert.deepEqual([lanes({ tracks: '*' }).shown, lanes({ tracks: '*' }).unlisted], [2001, 0]);
    assert.equal(lanes({ tracks: 'thread:19' }).unlisted, 0);
});

function sceneOf(query: Record<string, string>, tracks: TraceTrack[]): TimelineScene {
    return {
        lanes: layoutLanes(timeline(tracks), parseArrangement(query), NO_ROLES),
        head: 82,
        pinnedTop: 0,
        top: 0,
        bands: [
            { top: 0, bottom: 0, offset: 0 },
            { top: 0, bottom: 0, offset: 0 },
        ],
    } as unknown as TimelineScene;
}

test('pinned lanes take at most 40 % of the height and scroll by themselves', () => {
    const scene = sceneOf({}, [
        ...[1, 2, 3].map((id) => stream(id)),
        ...[4, 5, 6, 7, 8, 9].map((id) => track(id)),
    ]);
    placeBands(scene, 282);
    const [pinned, rest] = scene.bands;
    assert.deepEqual([pinned.top, pinned.bottom, rest.top, rest.bottom], [82, 162, 165, 282]);
    assert.ok(scene.lanes.pinnedHeight > 80);
    assert.equal(laneAtCanvas(scene, 83)?.lane.key, 't1');
    assert.equal(laneAtCanvas(scene, 166)?.lane.key, 't4');
    assert.equal(laneAtCanvas(scene, 163), null, 'the double line');
    scene.pinnedTop = 1e6;
    scene.top = 1e6;
    placeBands(scene, 282);
    assert.equal(scene.pinnedTop, scene.lanes.pinnedHeight - 80, 'clamped to the end');
    assert.equal(laneAtCanvas(scene, 161)?.lane.key, 'b3');
    assert.equal(laneAtCanvas(scene, 281)?.lane.key, 'c4');
    const first = scene.lanes.lanes[firstLaneOf(scene.lanes, rest)];
    assert.ok(isInBand(scene, rest, first) && !isInBand(scene, pinned, first));
});

const step = (id: number, start_ns: number, end_ns: number, worker = 0) => ({
    id,
    name: `ProfilerStep#${id}`,
    start_ns,
    end_ns,
    worker,
});

test('steps are found by time, and walked', () => {
    const all = [step(1, 0, 100), step(2, 100, 250), step(3, 300, 400), step(1, 50, 90, 1)];
    const steps = stepsOfFirstWorker(all);
    assert.equal(steps.length, 3);
    assert.equal(stepAt(steps, 249)?.id, 2);
    assert.equal(stepAt(steps, 260), null, 'between two steps');
    assert.equal(stepAt(steps, -1), null);
    assert.equal(neighbourStep(steps, 100, true)?.id, 3);
    assert.equal(neighbourStep(steps, 100, false)?.id, 1);
    assert.equal(neighbourStep(steps, 300, true), null);
    assert.equal(stepName('ProfilerStep#12'), 'Step 12');
    assert.equal(stepName('epoch 3'), 'epoch 3');
    assert.equal(
        differenceText(9_115_000, 8_751_000).replaceAll('\u202f', ' '),
        '+0.364 ms to mean',
    );
    assert.ok(differenceText(1, 2).startsWith('−'));
    assert.deepEqual(stepsOfFirstWorker([]), []);
});

test('parts become runs of fills', () => {
    const band = partBand({
        from_ns: 100,
        to_ns: 1100,
        px: 10,
        names: ['kernel', 'dataloader', 'other'],
        part: [1, 0],
        len: [4, 6],
    });
    assert.deepEqual([...band.starts], [0, 4]);
    assert.deepEqual([...band.fills], [5, 1], 'the fills of data loading and of matmul');
    assert.equal(band.nsPerPx, 100);
});
