/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { CriticalEdges, CriticalPath, WindowAnswer, WindowTrack } from '../src/base/answers';
import {
    edgeAt,
    gainText,
    onTrack,
    outcomes,
    packSlices,
    partRuns,
    partsInOrder,
    pathLegs,
    pathSays,
} from '../src/model/critical_path';

const PARTS = ['data_loading', 'forward', 'communication'];
const [LOADING, FORWARD] = [0, 1];
const [MAIN, STREAM] = [1, 7];

/* Edges as [track, part, ns] from 1000 ns on. */
function edgesOf(edges: [number, number, number][]): CriticalEdges {
    let at = 1000;
    const from_ns = edges.map(([, , ns]) => {
        at += ns;
        return at - ns;
    });
    const all = (value: number): number[] => edges.map(() => value);
    return {
        kinds: ['operator'],
        bounds: ['cpu_bound'],
        parts: PARTS,
        from_ns,
        ns: edges.map(([, , ns]) => ns),
        track: edges.map(([track]) => track),
        part: edges.map(([, part]) => part),
        slice: all(0),
        kind: all(0),
        edges: all(1),
    };
}

function answerOf(edges: [number, number, number][], more: Partial<CriticalPath> = {}) {
    const path = edgesOf(edges);
    const sum = (wanted: (i: number) => boolean): number =>
        path.ns.reduce((total, ns, i) => total + (wanted(i) ? ns : 0), 0);
    const length_ns = sum(() => true);
    const track = (id: number, thread: boolean) => ({
        id,
        name: `track ${id}`,
        tid: String(id),
        thread,
        main: thread,
        device: thread ? -1 : 0,
        busy_ns: 100,
        on_path_ns: sum((i) => path.track[i] === id),
    });
    const parts = PARTS.map((part, p) => {
        const ns = sum((i) => path.part[i] === p);
        return {
            part,
            ns,
            removed_ns: length_ns - ns,
            faster4_ns: length_ns - (ns * 3) / 4,
            faster2_ns: length_ns - ns / 2,
            then: null,
        };
    });
    return {
        length_ns,
        parts,
        path,
        tracks: [track(MAIN, true), track(STREAM, false)],
        host_ns: 800,
        device_busy_ns: 600,
        communication_ns: 0,
        exposed_communication_ns: 0,
        ...more,
    } as CriticalPath;
}

const plain = (text: string): string => text.replaceAll('\u202f', ' ').replaceAll('\u2212', '-');

test('neighbours of one part are one run, and a moment has one edge', () => {
    const path = edgesOf([
        [MAIN, LOADING, 100],
        [MAIN, LOADING, 50],
        [STREAM, FORWARD, 30],
    ]);
    assert.deepEqual(partRuns(path), [
        { part: LOADING, from: 1000, to: 1150 },
        { part: FORWARD, from: 1150, to: 1180 },
    ]);
    assert.deepEqual(
        [999, 1000, 1099, 1100, 1179, 1180].map((ns) => edgeAt(path, ns)),
        [-1, 0, 0, 1, 2, -1],
    );
    assert.deepEqual(onTrack(path, MAIN, 1), [[1000, 1150]]);
});

test('short stretches of the line are drawn on the track that has most of their time', () => {
    const turns = Array.from({ length: 40 }, (_, i): [number, number, number] =>
        i % 2 ? [STREAM, FORWARD, 2] : [MAIN, FORWARD, 8],
    );
    const path = edgesOf([[STREAM, FORWARD, 500], ...turns, [STREAM, FORWARD, 300]]);
    assert.deepEqual(pathLegs(path, 50), [
        { track: STREAM, from: 1000, to: 1500 },
        { track: MAIN, from: 1500, to: 1700 },
        { track: STREAM, from: 1700, to: 2000 },
    ]);
    assert.equal(pathLegs(path, 1).length, 41);
    assert.deepEqual(pathLegs(edgesOf([]), 10), []);
});

test('parts stand in the order of the path, those off the path last', () => {
    const answer = answerOf([
        [MAIN, FORWARD, 10],
        [MAIN, LOADING, 90],
    ]);
    assert.deepEqual(
        partsInOrder(answer).map(({ part }) => part),
        ['forward', 'data_loading', 'communication'],
    );
});

test('the sentence names the side, the largest part and the best gain', () => {
    const cpu = pathSays(
        answerOf([
            [MAIN, LOADING, 3e6],
            [MAIN, FORWARD, 1e6],
        ]),
    ).map(plain);
    assert.equal(
        cpu[0],
        'The CPU sets the pace of the whole step, 75.0 % of it loads data: faster kernels would change nothing.',
    );
    assert.equal(cpu[1], 'Data loading twice as fast makes the step 1.500 ms shorter (-37.5 %).');
    const [gpu] = pathSays(answerOf([[STREAM, FORWARD, 1e6]])).map(plain);
    assert.equal(
        gpu,
        'The GPU sets the pace for 100.0 % of the step; 100.0 % of it is the forward pass.',
    );
    const [, exposed] = pathSays(
        answerOf([[STREAM, FORWARD, 1e6]], { communication_ns: 4, exposed_communication_ns: 1 }),
    ).map(plain);
    assert.ok(exposed.endsWith('25.0 % of the communication is exposed.'), exposed);
});

test('the least that a part can reach is the busy time of the other side', () => {
    const answer = answerOf([
        [MAIN, LOADING, 700],
        [STREAM, FORWARD, 300],
    ]);
    const labels = (part: number) =>
        outcomes(answer, answer.parts[part]).map(({ label, ns }) => [label, ns]);
    assert.deepEqual(labels(LOADING).at(-1), ['GPU busy', 600]);
    assert.deepEqual(labels(FORWARD).at(-1), ['CPU busy', 800]);
    assert.deepEqual(labels(LOADING)[1], ['2× faster', 650]);
    assert.equal(plain(gainText(2e6, 1.5e6)), '-0.500');
    assert.equal(gainText(2e6, 2e6), '0.000');
});

test('slices without Python frames are packed on the first free rows', () => {
    const track = {
        id: MAIN,
        counted: 0,
        slices: {
            depth: [0, 5, 9, 9],
            row: [0, 1, 2, 3],
            start: [0, 10, 20, 60],
            duration: [100, 30, 10, 30],
            name: [1, 2, 3, 4],
            family: [9, 1, 2, 3],
            kind: [3, 1, 1, 1],
            flags: [0, 0, 0, 0],
        },
        density: {
            depth: [9],
            px: [95],
            len: [5],
            fill: [255],
            count: [3],
            name: [1],
            family: [4],
        },
    } satisfies WindowTrack;
    const answer = { from_ns: 500, to_ns: 600, px: 100, tracks: [track], drawn: 4, counted: 3 };
    const drawn = packSlices(answer satisfies WindowAnswer, track, 5);
    assert.deepEqual(
        drawn.map(({ from, to, family, row }) => [from, to, family, row]),
        [
            [510, 540, 1, 0],
            [520, 530, 2, 1],
            [560, 590, 3, 0],
            [595, 600, 4, 0],
        ],
    );
    assert.equal(packSlices(answer, track, 1).length, 3);
});
