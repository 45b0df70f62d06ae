/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { Parts, WorkerRow } from '../src/base/answers';
import type { ModuleRow } from '../src/base/rows';
import { DEFINITIONS, partText, readDefinition, segmentsOf, sumOf } from '../src/model/breakdown';
import { attributionText } from '../src/model/attribution';
import { acceleratorName, deviceName, propertiesOf, showDevice } from '../src/model/device';
import { FAMILIES, familyOf, kindLabel } from '../src/model/family';
import { axisText } from '../src/base/axis';
import { THIN_SPACE } from '../src/base/units';
import { flameColours } from '../src/canvas/tree_paint';
import { FAMILY_FILL, PACKAGE_FILL, PLAIN_FILL } from '../src/canvas/theme';
import { packageColour, packagesOf } from '../src/model/frame_colours';
import { flamePaint } from '../src/features/stacks/flame_paint';
import { linesOf } from '../src/features/stacks/flame_tree';
import { layoutTree, matchedTotal, nameOf } from '../src/model/tree';
import { type Flame, treeOf } from '../src/model/tree_answers';
import { byteAxis, steppedValueAt } from '../src/model/step_curve';
import { heights, positionOnAxis } from '../src/model/histogram';
import { ModuleTree } from '../src/features/operators/module_tree';
import { median, excessByWorker } from '../src/features/ranks/stragglers';
import { rangeParams, rangeQuery, rangeText, readRange } from '../src/model/trace_range';

const MS = 1e6;

test('a range of the URL is two whole moments in order, or none', () => {
    assert.deepEqual(readRange({ from_ns: '246000000', to_ns: '291000000' }), {
        from_ns: 246 * MS,
        to_ns: 291 * MS,
    });
    for (const [from_ns, to_ns] of [
        ['5', '5'],
        ['9', '5'],
        ['-1', '5'],
        ['1.5', '5'],
        ['', '5'],
        ['1', '1e9'],
    ]) {
        assert.equal(readRange({ from_ns, to_ns }), null, `${from_ns} to ${to_ns}`);
    }
    assert.equal(readRange({ from_ns: '0', to_ns: '99999999999999999' }), null);
    assert.deepEqual(rangeParams(null), {});
    assert.deepEqual(rangeQuery({ from_ns: 1.4, to_ns: 2.6 }), { from_ns: '1', to_ns: '3' });
    assert.equal(rangeText({ from_ns: 246 * MS, to_ns: 291 * MS }), '246.000–291.000\u202fms');
});

test('parts of a step keep their order and their sum', () => {
    const parts: Parts = [
        ['kernel', 35],
        ['memcpy', 10],
        ['memset', 0],
        ['runtime', 13],
        ['dataloader', 8],
        ['cpu', 25],
        ['other', 9],
    ];
    const segments = segmentsOf(parts);
    assert.equal(sumOf(parts), 100);
    assert.deepEqual(
        segments.map(({ label }) => label),
        ['GPU kernel', 'copy', 'runtime', 'DataLoader', 'CPU', 'other'],
    );
    assert.equal(segments[0].share, 0.35);
    assert.deepEqual(
        [segments[0].colour, segments[0].amount],
        ['family-matmul', `35.00${THIN_SPACE}ns`],
    );
    assert.deepEqual(segmentsOf([['idle', 0]]), []);
    assert.deepEqual(segmentsOf(undefined), []);
    assert.equal(partText('exposed communication').family, 'communication');
    assert.equal(partText('exposed memcpy').family, 'memory');
    assert.equal(partText('something new').label, 'something new');
});

test('each definition says what its parts sum to', () => {
    assert.equal(readDefinition('hta').title, 'HTA');
    assert.equal(readDefinition('nonsense').id, 'tensorboard');
    for (const { description } of DEFINITIONS)
        assert.match(description, /add up to the wall time of the step/);
});

test('families and kinds that are not known yet have words', () => {
    assert.equal(FAMILIES.length, 11);
    assert.equal(familyOf(1).key, 'matmul');
    assert.equal(familyOf(77).key, 'none');
    assert.equal(familyOf(null).key, 'none');
    assert.equal(kindLabel(6), 'kernel');
    assert.equal(kindLabel(12), 'NVTX range');
    assert.equal(kindLabel(99), 'slice');
});

/* main 100 = a 60 (with c 25) + b 30 + 10 of its own; another root of 20. */
const FLAME: Flame = {
    n: 5,
    unit: 'ns',
    sum: 120,
    cut: 0,
    parent: [-1, 0, 1, 0, -1],
    frame: [0, 1, 2, 3, 1],
    frames: { name: ['main', 'a', 'c', 'b'] },
    self: [10, 35, 25, 30, 20],
    total: [100, 60, 25, 30, 20],
    count: [1, 2, 2, 1, 1],
    family: [8, 1, 1, 3, 1],
    kind: [2, 1, 6, 1, 1],
};

const TREE = treeOf(FLAME);

test('a flame graph is as wide as its roots, children stand from the left', () => {
    const layout = layoutTree(TREE);
    assert.equal(layout.total, 120);
    assert.equal(layout.rows, 4);
    const box = (node: number) => {
        const frame = layout.frameOf[node];
        return [layout.x0[frame], layout.x1[frame], layout.row[frame]];
    };
    assert.deepEqual(box(0), [0, 100, 1]);
    assert.deepEqual(box(1), [0, 60, 2]);
    assert.deepEqual(box(2), [0, 25, 3]);
    assert.deepEqual(box(3), [60, 90, 2]);
    assert.deepEqual(box(4), [100, 120, 1]);
});

test('self time has a box beside the frames below it, leaves say so in their label', () => {
    const layout = layoutTree(TREE);
    const paint = flamePaint(TREE, layout, flameColours(TREE, 'origin'), 'all');
    const boxOf = (node: number) => paint.selfBox(layout.frameOf[node]);
    const chars = (text: string) => text.length;
    assert.deepEqual(boxOf(0), { x0: 90, x1: 100, value: axisText(10) });
    assert.deepEqual(boxOf(1), { x0: 25, x1: 60, value: axisText(35) });
    assert.equal(boxOf(2), null, 'a leaf');
    assert.equal(paint.label(layout.frameOf[2], 99, chars).value, `${axisText(25)} self`);
    assert.equal(paint.label(layout.frameOf[1], 99, chars).value, axisText(60));
});

test('frames have the fill of their package, or all the same', () => {
    const layout = layoutTree(TREE);
    const fillsOf = (colours: 'package' | 'plain') => {
        const paint = flamePaint(TREE, layout, flameColours(TREE, colours), 'all');
        return [0, 1, 2, 3].map((node) => paint.fill(layout.frameOf[node]));
    };
    assert.deepEqual(fillsOf('plain'), [PLAIN_FILL, PLAIN_FILL, PLAIN_FILL, PLAIN_FILL]);
    const packages = packagesOf(TREE.frames);
    assert.deepEqual(
        fillsOf('package'),
        [0, 1, 2, 3].map((node) => {
            const name = packages[FLAME.frame[node]];
            return name ? PACKAGE_FILL + packageColour(name) : 3;
        }),
    );
});

test('frames of stacks have the fill of their origin, if any origin is known', () => {
    const layout = layoutTree(TREE);
    const fills = (origin: number[]) => {
        const tree = { ...FLAME, frames: { ...FLAME.frames, origin } };
        const paint = flamePaint(tree, layout, flameColours(tree, 'origin'), 'all');
        return [0, 1, 2, 3].map((node) => paint.fill(layout.frameOf[node]));
    };
    assert.deepEqual(fills([0, 1, 3, 4]), [0, 1, 3, 4]);
    const { family } = FLAME;
    assert.deepEqual(
        fills([4, 4, 3, 4]),
        [0, 1, 2, 3].map((i) => FAMILY_FILL + family[i]),
    );
});

test('the lines of a node are found', () => {
    const lines = { node: [1, 1, 3], line: [35, 37, 9], total: [40, 20, 30] };
    const all = (node: number) => linesOf({ ...FLAME, lines }, node).map(({ line }) => line);
    assert.deepEqual([0, 1, 2, 3, 4].map(all), [[], [35, 37], [], [9], []]);
    assert.deepEqual(linesOf(FLAME, 1), []);
});

test('hits below hits are not counted twice', () => {
    const hit = (...names: string[]) =>
        Uint8Array.from(FLAME.frame, (_, node) => Number(names.includes(nameOf(FLAME, node))));
    assert.equal(matchedTotal(TREE, hit('a')), 80);
    assert.equal(matchedTotal(TREE, hit('a', 'c')), 80);
    assert.equal(matchedTotal(TREE, hit('c')), 25);
    assert.equal(matchedTotal(TREE, hit()), 0);
});

test('an empty flame graph has no width', () => {
    const none = { ...FLAME, n: 0, sum: 0, parent: [], frame: [], self: [], total: [] };
    assert.equal(layoutTree(none).total, 0);
});

test('a value holds until the next point', () => {
    const [x, y] = [
        [10, 20, 20, 30],
        [1, 2, 3, 4],
    ];
    assert.equal(steppedValueAt(x, y, 9), null);
    assert.equal(steppedValueAt(x, y, 10), 1);
    assert.equal(steppedValueAt(x, y, 19.9), 1);
    assert.equal(steppedValueAt(x, y, 20), 3);
    assert.equal(steppedValueAt(x, y, 1e9), 4);
    assert.equal(steppedValueAt([], [], 5), null);
});

test('ticks of bytes are round in powers of 1024', () => {
    const gib = 1024 ** 3;
    assert.equal(byteAxis(2.6 * gib).step, gib);
    assert.equal(byteAxis(31 * gib).step, 10 * gib);
    assert.equal(byteAxis(444 * 1024).step, 100 * 1024);
    assert.equal(byteAxis(3).step, 1);
    assert.equal(byteAxis(3e6 * gib).step, 1000 * 1024 * gib);
});

test('the ticks of an axis of bytes are in one unit', () => {
    const gib = 1024 ** 3;
    const { step, tickText } = byteAxis(2.2 * gib);
    const ticks = [0, 1, 2, 3, 4].map((index) => tickText(index * step));
    assert.deepEqual(ticks, ['0', '0.5 GiB', '1.0 GiB', '1.5 GiB', '2.0 GiB']);
    assert.equal(byteAxis(31 * gib).tickText(20 * gib), '20 GiB');
    assert.equal(byteAxis(444 * 1024).tickText(200 * 1024), '200 KiB');
    assert.equal(byteAxis(3).tickText(2), '2 B');
});

test('a histogram shows whatever was counted and where a value stands', () => {
    const histogram = { from_ns: 100, to_ns: 300, log: false, count: [1000, 0, 1] };
    assert.deepEqual(heights(histogram, 0.03), [1, 0, 0.03]);
    assert.equal(positionOnAxis(histogram, 200), 0.5);
    assert.equal(positionOnAxis(histogram, 1e9), 1);
    assert.equal(positionOnAxis({ ...histogram, from_ns: 0, to_ns: 10000, log: true }, 100), 0.5);
    assert.equal(positionOnAxis({ ...histogram, to_ns: 100 }, 100), 0.5);
});

test('what a file says of a device, as far as it does', () => {
    const known = propertiesOf(
        '{"id":0,"name":"V100","totalGlobalMem":34084028416,"computeMajor":7,"computeMinor":0,"numSms":80,"warpSize":32}',
    );
    assert.equal(known.memory_bytes, 34084028416);
    assert.equal(known.sms, 80);
    assert.equal(known.capability, '7.0');
    assert.deepEqual(known.rest, [['warpSize', '32']]);
    for (const nothing of [null, '', 'no JSON', '5', '[]']) {
        assert.equal(propertiesOf(nothing).memory_bytes, null);
    }
    assert.equal(deviceName(1, 0), 'GPU 0');
    assert.equal(deviceName(0, -1), 'CPU');
    assert.equal(deviceName(42, 3), 'device type 42 3');
});

function module(id: number, parent: number | null, name: string, host: number): ModuleRow {
    return {
        id,
        parent_id: parent,
        ord: id,
        depth: 0,
        name,
        calls: 1,
        operators: 0,
        host_self_us: 1,
        host_total_us: host,
        device_self_us: 0,
        device_total_us: 0,
        first_slice: 0,
        worker: 0,
    };
}

const MODULES = new ModuleTree([
    module(1, null, 'Net_0', 100),
    module(2, 1, 'Conv_0', 20),
    module(3, 1, 'Block_0', 70),
    module(4, 3, 'Conv_1', 60),
    module(5, 3, 'ReLU_0', 5),
    module(6, 99, 'Lost_0', 1),
]);

test('modules open along the dearest way and sort among siblings', () => {
    const open = MODULES.initiallyExpanded('host_total_us');
    assert.deepEqual([...open], [1, 3, 4]);
    const lines = MODULES.flatten(open, null, 'host_total_us', true);
    assert.deepEqual(
        lines.map(({ name, level, open: is }) => [name, level, is]),
        [
            ['Net_0', 0, true],
            ['Block_0', 1, true],
            ['Conv_1', 2, null],
            ['ReLU_0', 2, null],
            ['Conv_0', 1, null],
            ['Lost_0', 0, null],
        ],
    );
    const closed = MODULES.flatten(new Set(), null, 'name', false);
    assert.deepEqual(
        closed.map(({ name }) => name),
        ['Lost_0', 'Net_0'],
    );
    assert.deepEqual([...MODULES.expandableIds()].sort(), [1, 3]);
});

test('a search keeps the way down to its hits', () => {
    const kept = MODULES.keptIds((name) => name.startsWith('Conv'));
    const lines = MODULES.flatten(new Set(), kept, 'host_total_us', false);
    assert.deepEqual(
        lines.map(({ name }) => name),
        ['Net_0', 'Conv_0', 'Block_0', 'Conv_1'],
    );
    assert.equal(MODULES.keptIds(null), null);
});

test('stragglers are more than a little over the median', () => {
    const row = (worker: number, step_ns: number | null) => ({ worker, step_ns }) as WorkerRow;
    const late = excessByWorker([row(0, 100), row(1, 104), row(2, 121), row(3, 100), row(4, null)]);
    assert.deepEqual([...late.keys()], [2]);
    assert.ok(Math.abs((late.get(2) ?? 0) - 121 / 102 + 1) < 1e-12);
    assert.equal(excessByWorker([row(0, 500)]).size, 0);
    assert.equal(median([]), null);
    assert.equal(median([3, 1, 2]), 2);
});

test('what a run calls its devices is in the words of the page', () => {
    assert.equal(acceleratorName(0), 'GPU 0', 'a run that does not tell');
    showDevice('MTIA');
    assert.deepEqual([acceleratorName(1), acceleratorName(-1)], ['MTIA 1', 'device']);
    assert.equal(partText('kernel').label, 'MTIA kernel');
    assert.match(attributionText({ work_ns: 2, work_with_operator_ns: 1 }) ?? '', /of MTIA time$/);
    showDevice(undefined);
    assert.equal(partText('kernel').label, 'GPU kernel');
});
