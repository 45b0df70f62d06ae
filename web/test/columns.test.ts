/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
    dropRanked,
    growWidths,
    isColumnShown,
    isDefaultLayout,
    mayHide,
    moveKey,
    orderColumns,
    parseLayout,
    phoneColumns,
} from '../src/model/columns';

const COLUMNS = [
    { key: 'name', title: 'Name' },
    { key: 'calls', title: 'Calls' },
    { key: 'self', title: 'Self', hideBelow: 600 },
    { key: 'pick', title: '' },
];
const keysOf = (order: string[]) => orderColumns(COLUMNS, order).map(({ key }) => key);

test('columns keep the order of the user, and new columns follow their neighbour', () => {
    assert.deepEqual(keysOf([]), ['name', 'calls', 'self', 'pick']);
    assert.deepEqual(keysOf(['self', 'name', 'pick', 'calls']), ['self', 'name', 'pick', 'calls']);
    assert.deepEqual(keysOf(['self', 'gone', 'name']), ['self', 'pick', 'name', 'calls']);
});

test('a column is moved in front of another one or to the end', () => {
    assert.deepEqual(moveKey(['a', 'b', 'c'], 'c', 'a'), ['c', 'a', 'b']);
    assert.deepEqual(moveKey(['a', 'b', 'c'], 'a', 'c'), ['b', 'a', 'c']);
    assert.deepEqual(moveKey(['a', 'b', 'c'], 'a', null), ['b', 'c', 'a']);
    assert.deepEqual(moveKey(['a', 'b', 'c'], 'b', 'b'), ['a', 'b', 'c']);
});

test('narrow windows hide columns, unless the user decided', () => {
    const self = COLUMNS[2];
    assert.equal(isColumnShown(self, {}, 500), false);
    assert.equal(isColumnShown(self, {}, 600), true);
    assert.equal(isColumnShown(self, { self: true }, 500), true);
    assert.equal(isColumnShown(self, { self: false }, 900), false);
    assert.deepEqual(
        COLUMNS.map((column) => mayHide(COLUMNS, column)),
        [false, true, true, false],
    );
});

test('a stored layout is read as far as it is valid', () => {
    const stored = '{"order":["a",1],"shown":{"a":false,"b":"x"},"widths":{"a":3,"b":90,"c":"9"}}';
    assert.deepEqual(parseLayout(stored), {
        order: ['a'],
        shown: { a: false },
        widths: { a: 48, b: 90 },
    });
    for (const text of [null, '', '[]', 'null', '{"order":{}}'])
        assert.equal(isDefaultLayout(parseLayout(text)), true, String(text));
});

test('columns of the highest rank go first, until half of the width is left', () => {
    const columns = [
        { key: 'cpu', width: 100 },
        { key: 'peak', width: 100, rank: 1 },
        { key: 'curve', width: 100, rank: 3 },
        { key: 'copy', width: 100, rank: 2 },
    ];
    const keysAt = (width: number) => dropRanked(columns, width).map(({ key }) => key);
    assert.deepEqual(keysAt(800), ['cpu', 'peak', 'curve', 'copy']);
    assert.deepEqual(keysAt(799), ['cpu', 'peak', 'copy']);
    assert.deepEqual(keysAt(400), ['cpu', 'peak']);
    assert.deepEqual(keysAt(100), ['cpu']);
});

test('a phone shows the name of a row, the number that sorts and the first other number', () => {
    const table = [
        { key: 'calls', title: 'Calls', align: 'right', sortKey: 'calls' },
        { key: 'self', title: 'Self', align: 'right', sortKey: 'self_ns', hideBelow: 800 },
        { key: 'total', title: 'Total', align: 'right', sortKey: 'total_ns' },
        { key: 'function', title: 'Function', width: 240 },
        { key: 'place', title: 'Place', width: 'rest' },
        { key: 'pick', title: '' },
    ] as const;
    const shown = (sortKey?: string, chosen = {}) =>
        phoneColumns(table, chosen, sortKey).map(({ key }) => key);
    assert.deepEqual(shown(), ['calls', 'total', 'function', 'pick']);
    assert.deepEqual(shown('self_ns'), ['calls', 'self', 'function', 'pick']);
    assert.deepEqual(shown('total_ns', { place: true, calls: false }), [
        'total',
        'function',
        'place',
        'pick',
    ]);
    assert.equal(
        phoneColumns<{ key: string; title: string; width?: number | 'rest' }>(
            table,
            {},
            undefined,
        )[2].width,
        'rest',
    );
    const runs = [
        { key: 'pick', title: '' },
        { key: 'kind', title: 'Kind', width: 60, hideBelow: 600 },
        { key: 'name', title: 'Name', width: 'rest' },
        { key: 'headline', title: 'Headline', width: 104, numeric: true },
        { key: 'label', title: '', width: 80, hideBelow: 600 },
        { key: 'added', title: 'Added', width: 64, align: 'right' },
    ] as const;
    assert.deepEqual(
        phoneColumns(runs, {}, undefined).map(({ key }) => key),
        ['pick', 'name', 'headline', 'added'],
    );
    const notes = [
        { key: 'severity', title: 'Severity', width: 90 },
        { key: 'kind', title: 'Kind', width: 90 },
        { key: 'note', title: 'Note', width: 'rest' },
    ] as const;
    assert.deepEqual(
        phoneColumns(notes, {}, undefined).map(({ key }) => key),
        ['severity', 'note'],
    );
});

const needing = (width: number) => new Map([['value', width]]);

test('a column grows until its content fits', () => {
    const growths = new Map<string, number>();
    const grown = growWidths(new Map([['name', 200]]), needing(120), growths);
    assert.deepEqual(
        [...(grown ?? [])],
        [
            ['name', 200],
            ['value', 120],
        ],
    );
    assert.equal(growWidths(grown ?? new Map(), new Map(), growths), null);
});

test('a column whose content overflows at each width stops growing', () => {
    const growths = new Map<string, number>();
    let grown: Map<string, number> | null = new Map([['value', 100]]);
    let width = 100;
    while (grown && width < 10_000) {
        width = grown.get('value') ?? 0;
        grown = growWidths(grown, needing(width + 12), growths);
    }
    assert.equal(width, 100 + 8 * 12);
    assert.equal(growWidths(needing(width), new Map(), growths), null);
    const later = growWidths(needing(width), needing(300), growths);
    assert.equal(later?.get('value'), 300, 'it grows again after it fitted');
});
