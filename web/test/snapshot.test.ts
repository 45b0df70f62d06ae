/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type {
    Lifetime,
    LiveFlame,
    SegmentBlock,
    SegmentMap,
    SnapshotDevice,
    SnapshotTimeline,
} from '../src/base/answers';
import {
    axisText,
    clampAxis,
    columnsOfPixels,
    eventAtX,
    eventsToAsk,
    parseAxis,
    placeColumns,
    placeFlags,
    placeLabel,
    revealOnAxis,
    tickStep,
    xOfEvent,
    zoomAxis,
} from '../src/model/snapshot_axis';
import { layoutBands, liveBytes, runAt } from '../src/model/snapshot_bands';
import type { FrameLayout } from '../src/model/frames';
import { matcher } from '../src/model/search';
import {
    foldedFrames,
    layoutTree,
    marksOfFolds,
    nodeOfStack,
    nodesOfStacks,
    openFold,
    roleOf,
    searchTree,
    shownName,
    stacksBelow,
} from '../src/model/tree';
import { PLACES, treeOf } from '../src/model/tree_answers';
import { frameLabelForms, frameText, frameTitle } from '../src/model/snapshot_names';
import { isPicked, pickOfRow, pickOfStack } from '../src/model/snapshot_pick';
import { HOLE, layoutSegments, pieceAt } from '../src/model/snapshot_segments';

const device = (more: Partial<SnapshotDevice> = {}): SnapshotDevice => ({
    number: 0,
    events: 1000,
    has_times: false,
    first_us: null,
    last_us: null,
    live_before: 0,
    reserved_before: 0,
    before_count: 0,
    peak_live: 100,
    peak_event: 500,
    reserved_at_peak: 200,
    live_end: 10,
    reserved_end: 200,
    peak_reserved: 200,
    segments: 1,
    fragmentation: null,
    largest_free: null,
    ooms: 0,
    cursor: 500,
    ...more,
});

const timeline = (live: number[], more: Partial<SnapshotTimeline> = {}): SnapshotTimeline => ({
    from: 0,
    to: live.length,
    columns: live.length,
    x: 'event',
    names: [],
    event: live.map((_, i) => i),
    device: 0,
    by: 'stack',
    from_us: null,
    to_us: null,
    t_us: live.map(() => null),
    reserved: live,
    live,
    parts: [live],
    ...more,
});

test('a view stays on the axis, and zooming keeps the point below the pointer', () => {
    assert.deepEqual(clampAxis({ from: -50, to: 150 }, device(), 'event'), { from: 0, to: 200 });
    assert.deepEqual(clampAxis({ from: 990, to: 1090 }, device(), 'event'), {
        from: 900,
        to: 1000,
    });
    const view = zoomAxis({ from: 200, to: 600 }, 0.5, 300, device(), 'event');
    assert.deepEqual(view, { from: 250, to: 450 });
    const least = zoomAxis({ from: 200, to: 600 }, 1e-9, 300, device(), 'event');
    assert.equal(Math.round(least.to - least.from), 8);
    assert.deepEqual(clampAxis({ from: 0, to: 9 }, device({ events: 1 }), 'event'), {
        from: 0,
        to: 1,
    });
});

test('a view is revealed without a change of width, and only if the event is not visible', () => {
    const view = { from: 100, to: 200 };
    assert.equal(revealOnAxis(view, 150, device(), 'event'), view);
    assert.deepEqual(revealOnAxis(view, 500, device(), 'event'), { from: 450, to: 550 });
    assert.deepEqual(revealOnAxis(view, 999, device(), 'event'), { from: 900, to: 1000 });
});

test('a zoom in the URL is read again as it was written', () => {
    const view = { from: 100.4, to: 250.2 };
    assert.equal(axisText(view), '100,251');
    assert.deepEqual(parseAxis('100,251', device(), 'event'), { from: 100, to: 251 });
    for (const text of ['', '5', '9,3', '1,2,3', '-1,5', '1.5,8', undefined])
        assert.equal(parseAxis(text, device(), 'event'), null, String(text));
});

test('a pixel shows the column with the most live bytes, so a short peak is not lost', () => {
    const live = Array.from({ length: 1000 }, (_, i) => (i === 617 ? 99 : 1));
    const placed = placeColumns(timeline(live), device());
    const { answer, column } = columnsOfPixels([placed], { from: 0, to: 1000 }, 10);
    assert.deepEqual([...answer], Array(10).fill(0));
    assert.deepEqual(
        [...column].filter((c) => live[c] === 99),
        [617],
    );
    const zoomed = columnsOfPixels([placed], { from: 600, to: 604 }, 8);
    assert.deepEqual([...zoomed.column], [600, 600, 601, 601, 602, 602, 603, 603]);
});

test('where the detailed answer has no columns, the overview is drawn', () => {
    const overview = placeColumns(timeline([5, 6, 7, 8], { to: 1000 }), device());
    const detail = placeColumns(
        timeline([1, 2], { from: 400, to: 500, event: [410, 460] }),
        device(),
    );
    const { answer } = columnsOfPixels([detail, overview], { from: 350, to: 550 }, 4);
    assert.deepEqual([...answer], [1, 0, 0, 1]);
    const outside = columnsOfPixels([detail], { from: 0, to: 100 }, 4);
    assert.deepEqual([...outside.answer], [-1, -1, -1, -1]);
});

test('by time, events and times are translated in both directions', () => {
    const timed = device({ has_times: true, first_us: 1000, last_us: 3000, events: 100 });
    const placed = placeColumns(
        timeline([1, 2, 3, 4], {
            to: 100,
            x: 'time',
            from_us: 1000,
            to_us: 2999,
            event: [0, 10, 20, 99],
            t_us: [1000, 1600, 2000, 3000],
        }),
        timed,
    );
    assert.equal(placed.step, 500);
    assert.equal(xOfEvent([placed], 10, 'time'), 600);
    assert.equal(xOfEvent([placed], 15, 'time'), 800);
    assert.equal(eventAtX([placed], 800, timed, 'time'), 15);
    assert.equal(eventAtX([placed], 5000, timed, 'time'), 99);
    const asked = eventsToAsk([placed], { from: 600, to: 1000 }, timed, 'time');
    assert.ok(asked.from <= 10 && asked.to > 20, JSON.stringify(asked));
});

test('a clock that is set back does not move columns to the left', () => {
    const timed = device({ has_times: true, first_us: 0, last_us: 100, events: 3 });
    const placed = placeColumns(
        timeline([1, 1, 1], { x: 'time', from_us: 0, to_us: 99, t_us: [0, 80, 40] }),
        timed,
    );
    assert.deepEqual([...placed.at], [0, 80, 80]);
});

test('a request covers the view and its width on both sides, within the events', () => {
    const asked = (from: number, to: number) => eventsToAsk([], { from, to }, device(), 'event');
    assert.deepEqual(asked(400, 500), { from: 300, to: 600 });
    assert.deepEqual(asked(0, 300), { from: 0, to: 600 });
    assert.deepEqual(asked(900, 1000), { from: 800, to: 1000 });
});

test('ticks are 1, 2 or 5 times a power of ten', () => {
    assert.deepEqual([0.9, 1, 1.1, 3, 6, 4321].map(tickStep), [1, 1, 2, 5, 10, 5000]);
});

test('flags do not touch: a later one goes left of its line, or is hidden', () => {
    const flag = (x: number) => ({ x, width: 100 });
    assert.deepEqual(placeFlags([flag(200), flag(150), flag(250)], 0, 1000), [
        'right',
        'left',
        'hidden',
    ]);
    assert.deepEqual(placeFlags([flag(950)], 0, 1000), ['left']);
});

test('a label goes beside lines that cross its place', () => {
    assert.equal(placeLabel(200, 100, [], 0, 1000), 200);
    assert.equal(placeLabel(950, 100, [], 0, 1000), 900, 'inside the chart');
    assert.equal(placeLabel(200, 100, [210], 0, 1000), 215);
    assert.equal(placeLabel(200, 100, [290], 0, 1000), 185);
    assert.equal(
        placeLabel(200, 100, [210, 250, 320], 0, 1000),
        105,
        'not between lines that are too near',
    );
    assert.equal(placeLabel(10, 100, [40, 60], 0, 120), 10, 'no place is free');
});

const life = (
    id: number,
    start: number,
    end: number | null,
    bytes: number,
    group = 1,
): Lifetime => ({
    id,
    start,
    end,
    bytes,
    group,
    stack: id,
    address: '0x0',
    stream: 0,
});

const runsOf = (allocations: Lifetime[], live: number[], least = 0) => {
    const events = live.map((_, i) => i);
    const runs = layoutBands(allocations, events, live, { least, tolerance: 0 });
    return Array.from({ length: runs.count }, (_, i) => [
        allocations[runs.index[i]].id,
        runs.x0[i],
        runs.x1[i],
        runs.base[i],
        runs.bytes[i],
    ]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
};

test('bands lie on each other in order of birth and move down when a lower one ends', () => {
    const allocations = [life(1, -1, 2, 10), life(2, 1, null, 5), life(3, 0, null, 7)];
    assert.deepEqual(runsOf(allocations, [17, 22, 12, 12]), [
        [1, 0, 2, 0, 10],
        [2, 1, 2, 17, 5],
        [2, 2, 4, 7, 5],
        [3, 0, 2, 10, 7],
        [3, 2, 4, 0, 7],
    ]);
});

test('bytes that are not among the bands lie below them, so the height is the live sum', () => {
    assert.deepEqual(runsOf([life(1, 0, null, 10)], [25, 30]), [
        [1, 0, 1, 15, 10],
        [1, 1, 2, 20, 10],
    ]);
});

test('thin neighbours of a group are one band, and keep their bytes', () => {
    const thin = [
        life(1, -1, null, 1),
        life(2, -1, null, 2),
        life(3, -1, null, 1, 2),
        life(4, -1, null, 50),
    ];
    assert.deepEqual(runsOf(thin, [54], 5), [
        [1, 0, 1, 0, 3],
        [3, 0, 1, 3, 1],
        [4, 0, 1, 4, 50],
    ]);
});

test('a band that moves less than can be seen keeps its place', () => {
    const events = [0, 1, 2];
    const one = [life(1, 0, null, 10)];
    const still = layoutBands(one, events, [12, 13, 20], { least: 0, tolerance: 1 });
    const bases = Array.from({ length: still.count }, (_, i) => [still.x0[i], still.base[i]]);
    assert.deepEqual(
        bases.sort((a, b) => a[0] - b[0]),
        [
            [0, 2],
            [2, 10],
        ],
    );
});

test('an allocation that ends between two columns is in neither', () => {
    const runs = layoutBands([life(1, 12, 15, 9)], [10, 20], [0, 0]);
    assert.equal(runs.count, 0);
    assert.deepEqual([...liveBytes([life(1, 12, 15, 9), life(2, 5, 20, 4)], [10, 20])], [4, 0]);
});

test('the band below the pointer is found by column and height', () => {
    const runs = layoutBands([life(1, -1, null, 10), life(2, 1, null, 5)], [0, 1], [10, 15]);
    const idAt = (x: number, bytes: number) => {
        const run = runAt(runs, x, bytes);
        return run < 0 ? null : runs.index[run] + 1;
    };
    assert.deepEqual(
        [idAt(0.5, 5), idAt(0.5, 12), idAt(1.5, 12), idAt(1.5, 16)],
        [1, null, 2, null],
    );
});

/* 100 bytes: 70 below a chain of 5 frames that ends in two stacks, 30 without a Python stack. */
const FLAME: LiveFlame = {
    device: 0,
    at: 0,
    allocations: 9,
    n: 9,
    cut: 0,
    unit: 'B',
    sum: 100,
    frames: {
        name: Array.from({ length: 7 }, (_, i) => `f${i}`),
        file: Array(7).fill('a.py'),
        line: [0, 1, 2, 3, 4, 5, 6],
    },
    parent: [-1, -1, 0, 2, 3, 4, 5, 5, 5],
    frame: [0, -2, 1, 2, 3, 4, 5, 6, -1],
    total: [70, 30, 70, 70, 70, 70, 40, 29, 1],
    count: [6, 3, 6, 6, 6, 6, 3, 2, 1],
    group: [0, 0, 0, 0, 0, 0, 1, 7, 0],
    stack: [null, null, null, null, null, null, 11, 12, null],
};
const LIVE = treeOf(FLAME, PLACES);
const FOLDED = layoutTree(LIVE, { open: new Set() });

test('a chain of frames with one child each is one row, which opens', () => {
    const framesOf = (layout: FrameLayout) =>
        [...layout.node.keys()].map((frame) => foldedFrames(LIVE, layout, frame));
    assert.deepEqual(framesOf(FOLDED), [1, 4, 1, 1, 1, 1, 1]);
    assert.deepEqual(
        [...FOLDED.node].slice(1).map((node) => roleOf(LIVE, node)),
        ['frame', 'none', 'frame', 'frame', 'frame', 'rest'],
    );
    assert.equal(shownName(LIVE, FOLDED, 0), '4 frames with one child each');
    assert.equal(FOLDED.rows, 4);
    assert.deepEqual([...FOLDED.x1.slice(1, 3)], [70, 100]);
    const opened = layoutTree(LIVE, { open: openFold(LIVE, FOLDED, new Set(), 1) });
    assert.equal(opened.rows, 7);
    assert.ok(framesOf(opened).every((frames) => frames === 1));
});

test('a hit in a folded chain marks its first frame', () => {
    const found = searchTree(LIVE, matcher('f3', false));
    assert.deepEqual([...(marksOfFolds(LIVE, FOLDED, found?.set) ?? [])].indexOf(1), 0);
    assert.equal(marksOfFolds(LIVE, FOLDED, undefined), null);
});

test('widths are bytes: children fill their parent from the left', () => {
    const at = (node: number) => {
        const frame = FOLDED.frameOf[node];
        return [FOLDED.x0[frame], FOLDED.x1[frame]];
    };
    assert.deepEqual(
        [at(6), at(7), at(8)],
        [
            [0, 40],
            [40, 69],
            [69, 70],
        ],
    );
});

test('a stack is found in the flame graph, and the stacks below a frame', () => {
    assert.equal(nodeOfStack(LIVE, 12), 7);
    assert.equal(nodeOfStack(LIVE, null), 1);
    assert.equal(nodeOfStack(LIVE, 99), -1);
    assert.deepEqual([...nodesOfStacks(LIVE, new Set([11, null]))], [0, 1, 0, 0, 0, 0, 1, 0, 0]);
    assert.deepEqual([...stacksBelow(LIVE, 5)], [11, 12]);
    assert.deepEqual([...stacksBelow(LIVE, 1)], [null]);
    assert.deepEqual([...stacksBelow(LIVE, 6)], [11]);
});

test('a flame graph without live memory has no frames', () => {
    const none = {
        n: 0,
        sum: 0,
        parent: [],
        frame: [],
        total: [],
        count: [],
        group: [],
        stack: [],
    };
    const empty = treeOf({ ...FLAME, ...none });
    assert.deepEqual([...layoutTree(empty, { open: new Set() }).node], [-1]);
});

test('a function that says nothing gives way to its file and line', () => {
    const frame = (name: string) => ({ name, file: '/a/b/model.py', line: 12 });
    assert.deepEqual(frameTitle(frame('forward')), { name: 'model.py:12', place: 'forward' });
    assert.deepEqual(frameTitle(frame('silu')), { name: 'silu', place: 'model.py:12' });
    assert.equal(frameText(frame('<module>')), 'model.py:12 <module>');
    assert.deepEqual(frameLabelForms(frame('silu')), ['silu model.py:12', 'silu', ':12']);
    assert.equal(frameText({ name: '', file: null, line: null }), 'no Python stack');
});

const MAP: SegmentMap = {
    at: 0,
    reserved: 300,
    live: 100,
    unused: 200,
    largest_hole: 100,
    exact: true,
    note: null,
    device: 0,
    count: 2,
    omitted: { segments: 0, bytes: 0 },
    segments: [
        {
            address: '0x1000',
            bytes: 200,
            pool: null,
            stream: 0,
            large: true,
            expandable: false,
            blocks: [
                [0, 60, 50, 1, 5, 'live', 8],
                [100, 40, 40, 7, 6, 'live', null],
            ],
        },
        {
            address: '0x9000',
            bytes: 100,
            pool: null,
            stream: 0,
            large: true,
            expandable: false,
            blocks: [],
        },
    ],
};

test('segments lie in address order in two rows of equal length; what no block covers is a hole', () => {
    const rows = layoutSegments(MAP, 150);
    assert.deepEqual(rows.labels, ['low', 'high']);
    assert.deepEqual(
        rows.pieces.map(({ row, x0, x1, group }) => [row, x0, x1, group]),
        [
            [0, 0, 60, 1],
            [0, 60, 100, HOLE],
            [0, 100, 140, 7],
            [0, 140, 150, HOLE],
            [1, 0, 50, HOLE],
            [1, 50, 150, HOLE],
        ],
    );
    assert.equal(pieceAt(rows, 0, 70)?.bytes, 40);
    assert.equal(pieceAt(rows, 1, 70)?.segment, 1);
    assert.equal(pieceAt(rows, 2, 70), null);
});

test('private pools have rows of their own', () => {
    const segments = [MAP.segments[0], { ...MAP.segments[1], pool: '0,7' }];
    const { labels, byPool, pieces } = layoutSegments({ ...MAP, segments }, 200);
    assert.deepEqual([labels, byPool], [['default pool', 'graph pool 0,7'], true]);
    assert.deepEqual(pieces.at(-1) && [pieces.at(-1)?.row, pieces.at(-1)?.x1], [1, 100]);
});

test('pieces that are too narrow to see are joined and counted', () => {
    const blocks = Array.from({ length: 100 }, (_, i): SegmentBlock => [
        2 * i,
        2,
        2,
        i === 50 ? 3 : 1,
        i,
        'live',
        null,
    ]);
    const map = { ...MAP, segments: [{ ...MAP.segments[0], blocks }] };
    const { pieces } = layoutSegments(map, 10);
    assert.ok(pieces.length <= 20, String(pieces.length));
    assert.equal(
        pieces.reduce((sum, { count }) => sum + count, 0),
        100,
    );
    assert.ok(pieces.every(({ x0, x1 }) => x1 > x0));
});

test('a row by size selects allocations by their bytes, other rows by their stacks', () => {
    const row = {
        stack: null,
        name: '4096 B',
        file: null,
        line: null,
        caller: null,
        bytes: 8192,
        count: 2,
        lifetime: null,
        group: 7,
    };
    const size = pickOfRow(row);
    assert.equal(isPicked(size, 5, 4096), true);
    assert.equal(isPicked(size, 5, 8192), false);
    const file = pickOfRow({ ...row, name: 'model.py', stacks: [3, null] });
    assert.deepEqual(
        [3, null, 4].map((stack) => isPicked(file, stack, 4096)),
        [true, true, false],
    );
    assert.deepEqual(
        [9, null].map((stack) => isPicked(pickOfStack(9), stack, 1)),
        [true, false],
    );
    assert.equal(isPicked(null, 3, 4096), false);
});
