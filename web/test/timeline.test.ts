/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { TimelineAnswer, WindowAnswer } from '../src/base/answers';
import {
    coversView,
    firstSliceAfter,
    trackWindow,
    WindowCache,
    windowFor,
} from '../src/model/timeline_cache';
import { parseArrangement } from '../src/features/timeline/arrangement';
import { curveSet, firstPointAtOrAfter, valueAt } from '../src/features/timeline/curves';
import { windowRequestOf } from '../src/features/timeline/data';
import { hitAt } from '../src/features/timeline/hit';
import {
    byteScale,
    depthAt,
    laneAt,
    laneIndexAt,
    layoutLanes,
    sliceTop,
} from '../src/features/timeline/lanes';
import { cutText, NameTable, shortName } from '../src/model/timeline_names';
import { rowOf, sliceId, type TraceTrack, trackOf } from '../src/model/timeline_types';
import {
    axisOf,
    clampView,
    fitView,
    panView,
    parseView,
    readableView,
    revealView,
    roundRange,
    spanText,
    viewText,
    zoomView,
} from '../src/model/timeline_view';

const WHOLE = { from: 0, to: 1_000_000 };
const NONE: ReadonlyMap<number, string> = new Map();

test('a view stays inside of the run and keeps the moment under the pointer', () => {
    assert.deepEqual(clampView({ from: -50, to: 50 }, WHOLE), { from: 0, to: 100 });
    assert.deepEqual(clampView({ from: 999_990, to: 1_000_090 }, WHOLE), {
        from: 999_900,
        to: 1_000_000,
    });
    const zoomed = zoomView({ from: 0, to: 1000 }, WHOLE, 0.5, 250);
    assert.deepEqual(zoomed, { from: 125, to: 625 });
    assert.deepEqual(panView({ from: 100, to: 200 }, WHOLE, -500), { from: 0, to: 100 });
});

test('zooming stops at what a clock can tell apart, also in a run shorter than that', () => {
    const deep = zoomView({ from: 500, to: 700 }, WHOLE, 1e-9, 600);
    assert.equal(deep.to - deep.from, 100);
    const tiny = { from: 0, to: 3 };
    assert.deepEqual(zoomView(tiny, tiny, 0.1, 1), tiny);
});

test('a view in the URL is whole ns, and nonsense is no view', () => {
    assert.equal(viewText({ from: 12.7, to: 99.2 }), '12~100');
    assert.deepEqual(parseView('1000~2000', WHOLE), { from: 1000, to: 2000 });
    for (const text of [undefined, '', 'a~b', '5', '9~5', '5~5', '2000000~3000000', '-9~-5']) {
        assert.equal(parseView(text, WHOLE), null, String(text));
    }
    assert.deepEqual(parseView('-9~-5', { from: -100, to: 900 }), { from: -9, to: 91 });
});

test('a slice is brought into sight with as little movement as that takes', () => {
    const view = { from: 1000, to: 2000 };
    assert.equal(revealView({ from: 1200, to: 1300 }, view, WHOLE), view);
    assert.deepEqual(revealView({ from: 5000, to: 5100 }, view, WHOLE), { from: 4550, to: 5550 });
    const wide = revealView({ from: 5000, to: 9000 }, view, WHOLE);
    assert.ok(wide.from < 5000 && wide.to > 9000);
    assert.deepEqual(fitView({ from: 0, to: 1_000_000 }, WHOLE), WHOLE);
});

test('a range is whole, ordered and never empty', () => {
    assert.deepEqual(roundRange(20.6, 10.4, WHOLE), { from: 10, to: 21 });
    assert.deepEqual(roundRange(10, 10, WHOLE), { from: 10, to: 11 });
    assert.deepEqual(roundRange(-5, 2e6, WHOLE), { from: 0, to: 1_000_001 });
});

test('the ruler has round steps and no more digits than they need', () => {
    const ms = axisOf({ from: 176_302_000, to: 350_294_000 }, 975);
    assert.deepEqual([ms.step, ms.first, ms.unit, ms.decimals], [2e7, 1.8e8, 'ms', 0]);
    const us = axisOf({ from: 268_000_000, to: 268_004_000 }, 975);
    assert.deepEqual([us.step, us.unit, us.decimals], [500, 'ms', 4]);
    assert.equal(axisOf({ from: 0, to: 3e11 }, 1000).unit, 's');
    assert.equal(spanText({ from: 176_302_000, to: 350_294_000 }, 975), '176.302 – 350.294 ms');
    assert.equal(spanText({ from: 0, to: 900 }, 900), '0 – 900 ns');
});

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
    end_ns: 1_000_000,
    ...more,
});

const GPU = { process: 2, kind: 1, stream: 7, device: 0, depth: 1 };

const timeline = (tracks: TraceTrack[]): TimelineAnswer => ({
    start_ns: 0,
    end_ns: 1_000_000,
    origin_us: '0',
    processes: [
        { id: 1, pid: '77', name: 'python', labels: 'CPU', device: null, worker: 0 },
        { id: 2, pid: '0', name: 'python', labels: 'GPU 0', device: 0, worker: 0 },
    ],
    tracks,
    counters: [{ id: 4, process: 1, name: 'queue', unit: '', least: 0, greatest: 12 }],
    memory: [
        {
            device_type: 1,
            device: 0,
            worker: 0,
            label: 'GPU 0',
            peak_bytes: 2.6 * 2 ** 30,
            reserved_peak_bytes: 0,
        },
    ],
    steps: [],
    overview: { px: 10, tracks: [] },
});

test('lanes follow one another; a stream has its busy share below it', () => {
    const tracks = [track(1, { name: 'thread 77 (python)' }), track(2), track(3, GPU)];
    const lanes = layoutLanes(
        timeline(tracks),
        parseArrangement({ pin: 'none' }),
        new Map([[1, 'main, forward']]),
    );
    assert.deepEqual(
        lanes.lanes.map(({ key }) => key),
        ['t1', 't2', 't3', 'b3', 'm1:0', 'c4'],
    );
    let top = 0;
    for (const lane of lanes.lanes) {
        assert.equal(lane.top, top);
        top += lane.height;
    }
    assert.equal(lanes.height, top);
    const [first, second, stream] = lanes.lanes;
    assert.deepEqual([first.first, second.first, stream.first], [true, false, true]);
    assert.equal(first.label.process, 'CPU');
    assert.equal(first.label.name, 'thread 77');
    assert.equal(first.label.role, 'main, forward');
    assert.deepEqual([stream.label.process, stream.label.name], ['GPU 0', 'stream 7']);
    assert.equal(lanes.byTrack.get(3), stream);
});

test('a folded track shows its outermost rows in one line, and its busy share goes with it', () => {
    const lanes = layoutLanes(
        timeline([track(3, { ...GPU, depth: 9 })]),
        parseArrangement({ fold: 't3' }),
        NONE,
    );
    assert.deepEqual(
        lanes.lanes.map(({ key }) => key),
        ['t3', 'm1:0', 'c4'],
    );
    const [lane] = lanes.lanes;
    assert.equal(lane.height, 30);
    assert.equal(lane.label.role, '9 rows');
    assert.equal(depthAt(lane, 5), 0);
    assert.equal(depthAt(lane, 26), 3, 'four rows of 6 px');
    assert.equal(depthAt(lane, 28), -1);
});

test('the lane at a height is found among many, and only those in sight are asked for', () => {
    const tracks = Array.from({ length: 500 }, (_, i) => track(i + 1));
    const lanes = layoutLanes(timeline(tracks), parseArrangement({ tracks: '*' }), NONE);
    for (const i of [0, 1, 250, 499]) {
        const lane = lanes.lanes[i];
        assert.equal(laneIndexAt(lanes, lane.top), i);
        assert.equal(laneAt(lanes, lane.top + lane.height - 1), lane);
    }
    assert.equal(laneAt(lanes, -1), null);
    assert.equal(laneAt(lanes, lanes.height + 1), null);
    const range = { top: lanes.lanes[250].top, height: 300, isPinned: false };
    const need = windowRequestOf(lanes, WHOLE, 1000, [range], false);
    assert.ok(need.tracks.length < 20 && need.tracks.includes(251));
});

test('memory is drawn to a round number of bytes above its peak', () => {
    assert.deepEqual(byteScale(2.6 * 2 ** 30), { top: 3 * 2 ** 30, label: '3 GiB' });
    assert.deepEqual(byteScale(700 * 2 ** 20), { top: 800 * 2 ** 20, label: '800 MiB' });
    assert.deepEqual(byteScale(0), { top: 1, label: '1 B' });
});

const answer = (): WindowAnswer => ({
    from_ns: 1000,
    to_ns: 2000,
    px: 100,
    drawn: 4,
    counted: 30,
    tracks: [
        {
            id: 1,
            counted: 30,
            slices: {
                depth: [0, 0, 1, 1],
                row: [0, 5, 1, 6],
                start: [-200, 500, -100, 500],
                duration: [600, 400, 300, 100],
                name: [1, 2, 3, 4],
                family: [8, 1, 1, 2],
                kind: [2, 1, 1, 1],
                flags: [0, 0, 0, 0],
            },
            density: {
                depth: [1, 1],
                px: [30, 65],
                len: [5, 1],
                fill: [200, 20],
                count: [28, 2],
                name: [9, 9],
                family: [4, 4],
            },
        },
    ],
});

test('a hit that is too narrow to read gets 90 px in the middle of the view', () => {
    const view = { from: 0, to: 100_000 };
    const near = readableView({ from: 50_000, to: 50_900 }, view, WHOLE, 1000);
    assert.equal(Math.round(near.to - near.from), 10_000);
    assert.equal((near.from + near.to) / 2, 50_450);
    assert.equal(readableView({ from: 50_000, to: 59_000 }, view, WHOLE, 1000), view);
    assert.equal(readableView({ from: 5, to: 6 }, view, WHOLE, Infinity), view);
});

test('a window becomes columns by depth', () => {
    const window = trackWindow(answer(), answer().tracks[0]);
    assert.equal(window.depth, 2);
    assert.deepEqual([...window.slices.lane], [0, 2, 4]);
    assert.deepEqual([...window.density.lane], [0, 0, 2]);
    assert.deepEqual([...window.slices.start], [800, 1500, 900, 1500]);
    assert.equal(window.nsPerPx, 10);
    assert.equal(firstSliceAfter(window.slices, 0, 2, 1399), 0);
    assert.equal(firstSliceAfter(window.slices, 0, 2, 1400), 1);
});

test('what is under the pointer: a slice, slices that are counted, or nothing', () => {
    const cache = new WindowCache(WHOLE);
    cache.put(answer());
    const lanes = layoutLanes(timeline([track(1)]), parseArrangement({}), NONE);
    const lane = lanes.lanes[0];
    const view = { from: 1000, to: 2000 };
    const at = (t: number, depth: number) =>
        hitAt(cache, lane, view, 100, (t - 1000) / 10, sliceTop(lane, depth) + 4);
    assert.equal(at(1100, 0)?.id, sliceId(1, 0));
    assert.equal(at(1550, 1)?.id, sliceId(1, 6));
    assert.equal(at(1450, 0), null);
    const counted = at(1320, 1);
    assert.equal(counted?.id, -1);
    assert.deepEqual([counted?.count, counted?.start, counted?.end], [28, 1300, 1350]);
    assert.equal(at(1100, 5), null);
});

test('a slice id holds track and row beyond 32 bits', () => {
    const id = sliceId(1_000_000, 4_294_967_295);
    assert.ok(Number.isSafeInteger(id));
    assert.deepEqual([trackOf(id), rowOf(id)], [1_000_000, 4_294_967_295]);
});

test('a window serves a view near it and asks again before the edge or at another scale', () => {
    const view = { from: 400_000, to: 500_000 };
    const asked = windowFor(view, 1000, WHOLE);
    assert.deepEqual(asked, { from: 350_000, to: 550_000, px: 2000 });
    const window = { ...asked, nsPerPx: 100 };
    assert.ok(coversView(window, view, 1000, WHOLE, false));
    assert.ok(coversView(window, panView(view, WHOLE, 39_000), 1000, WHOLE, false));
    assert.ok(!coversView(window, panView(view, WHOLE, 45_000), 1000, WHOLE, false));
    const nearer = zoomView(view, WHOLE, 0.8, 450_000);
    assert.ok(coversView(window, nearer, 1000, WHOLE, true));
    assert.ok(!coversView(window, nearer, 1000, WHOLE, false));
    assert.deepEqual(windowFor(WHOLE, 1000, WHOLE), { from: 0, to: 1_000_000, px: 1000 });
});

test('the whole run stays at hand when a nearer window comes', () => {
    const cache = new WindowCache(WHOLE);
    cache.put({ ...answer(), from_ns: 0, to_ns: 1_000_000 });
    cache.put(answer());
    assert.equal(cache.near(1)?.from, 1000);
    assert.equal(cache.wholeOf(1)?.to, 1_000_000);
    assert.deepEqual(cache.missing({ from: 1400, to: 1500 }, 10, [1, 2], false), [2]);
});

test('windows of the whole run are bounded in number too', () => {
    const cache = new WindowCache(WHOLE);
    const [track] = answer().tracks;
    const ids = Array.from({ length: 500 }, (_, id) => id);
    cache.putWhole({ ...answer(), tracks: ids.map((id) => ({ ...track, id })) });
    assert.equal(ids.filter((id) => cache.wholeOf(id)).length, 400);
});

test('names shorten to their last component, then to an ellipsis', () => {
    assert.equal(shortName('aten::conv2d'), 'conv2d');
    assert.equal(
        shortName('void at::native::vectorized_elementwise_kernel<4, f>(int)'),
        'vectorized_elementwise_kernel',
    );
    assert.equal(shortName('train.py(12): step'), 'step');
    assert.equal(shortName('/a/b/train.py(12): step'), 'step');
    assert.equal(shortName('<module>'), '<module>');
    assert.equal(shortName('/a/b/train.py(12):step'), 'step');
    assert.equal(shortName('/a/b/train.py:step:12'), 'step');
    assert.equal(shortName('/a/b/train.py:12'), '/a/b/train.py:12');
    assert.equal(shortName('ns::A<B<int>, (C)1>::run(D<E>) const'), 'run');
    assert.equal(shortName('std::vector<A<B>>::operator()(int) const'), 'operator()');
    assert.equal(shortName('ns::operator<< <char>(std::ostream&)'), 'operator<<');
    assert.equal(shortName('aten::conv2d (forward)'), 'conv2d');
    const measure = (text: string): number => text.length * 6;
    assert.equal(cutText('convolution', 66, 66, measure), 'convolution');
    assert.equal(cutText('convolution', 66, 40, measure), 'convo…');
    assert.equal(cutText('convolution', 66, 12, measure), '');
});

test('names are asked for once, and labels follow the room there is', () => {
    const measure = (text: string): number => text.length * 6;
    const names = new NameTable();
    assert.equal(names.labelFor(3, 100, measure), '');
    names.markName(3);
    assert.deepEqual(names.takeMarked(10), [3]);
    names.markName(3);
    assert.deepEqual(names.takeMarked(10), []);
    names.put(3, 'aten::conv2d');
    assert.equal(names.labelFor(3, 100, measure), 'aten::conv2d');
    assert.equal(names.labelFor(3, 40, measure), 'conv2d');
    assert.equal(names.labelFor(3, 30, measure), 'conv…');
});

test('curves hold their value until the next point', () => {
    const set = curveSet(
        {
            counters: [{ id: 2, t_ns: [10, 20], value: [1, 5] }],
            memory: [
                {
                    device_type: 1,
                    device: 0,
                    worker: 0,
                    t_ns: [5],
                    allocated: [100],
                    reserved: [null],
                },
            ],
            busy: [{ track: 3, share: [0, 255] }],
        },
        { from: 0, to: 100, px: 50 },
        ['c2', 'm1:0', 'b3'],
    );
    const curve = set.counters.get(2);
    assert.ok(curve);
    assert.ok(Number.isNaN(valueAt(curve, 9)));
    assert.deepEqual([valueAt(curve, 10), valueAt(curve, 19), valueAt(curve, 99)], [1, 1, 5]);
    assert.equal(firstPointAtOrAfter(curve.t, 15), 1);
    assert.equal(set.memory.get('m1:0')?.reserved, null);
    assert.equal(set.nsPerPx, 2);
});
