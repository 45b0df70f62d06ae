/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { RUN_EXAMPLES, examplesWithRows } from '../src/features/sql/examples';
import {
    axesOf,
    cellText,
    pointsOf,
    sortRows,
    type SqlResult,
    widthOf,
} from '../src/features/sql/result';
import { quoteIdentifier, sqlPieces, tokenRangeAtByte } from '../src/features/sql/syntax';
import { viewsOf } from '../src/features/sql/views';

const SCHEMA = readFileSync(
    new URL('../../schema/run.sql', `file://${process.cwd()}/test/`),
    'utf8',
);

test('views are read from the schema with their columns and comments', () => {
    const views = viewsOf(`-- Traces. Times are ns.
CREATE VIEW v AS -- one row a thing
SELECT t.id, nullif(t.a, 0) AS parent_id,   -- NULL: a root
       CASE t.k WHEN 0 THEN 'x, y' ELSE (SELECT max(b) FROM u) END AS word,
       g AS "group"    -- what it is of
FROM t;
CREATE VIEW w AS SELECT a.x, y AS z FROM a;
`);
    assert.deepEqual(views, [
        {
            name: 'v',
            comment: 'Traces. Times are ns. one row a thing',
            lines: [
                { columns: ['id', 'parent_id'], comment: 'NULL: a root' },
                { columns: ['word'], comment: '' },
                { columns: ['group'], comment: 'what it is of' },
            ],
        },
        { name: 'w', comment: '', lines: [{ columns: ['x', 'z'], comment: '' }] },
    ]);
});

test('every public view has its columns', () => {
    const views = new Map(
        viewsOf(SCHEMA).map((view) => [view.name, view.lines.flatMap(({ columns }) => columns)]),
    );
    assert.equal(views.size, [...SCHEMA.matchAll(/^CREATE VIEW/gm)].length);
    assert.deepEqual(views.get('run'), [
        'kind',
        'tool',
        'tool_version',
        'name',
        'created_at',
        'headline_value',
        'headline_unit',
    ]);
    assert.deepEqual(views.get('flows'), [
        'id',
        'kind',
        'from_slice',
        'to_slice',
        'from_ns',
        'to_ns',
    ]);
    assert.deepEqual(views.get('notes'), ['id', 'severity', 'byte_offset', 'line', 'what']);
    assert.deepEqual(views.get('nodes')?.slice(-3), ['certainty', 'total_min', 'total_max']);
    for (const { sql, requiredViews } of RUN_EXAMPLES)
        for (const view of requiredViews) assert.ok(views.has(view) && sql.includes(view), sql);
});

test('examples are those whose views hold rows', () => {
    const titles = (...filled: string[]) =>
        examplesWithRows(RUN_EXAMPLES, new Set(filled)).map(({ title }) => title);
    assert.deepEqual(titles(), []);
    assert.deepEqual(titles('functions'), ['Functions with most self time']);
    assert.equal(titles('functions', 'callers').length, 2);
});

test('SQL in colours keeps every sign', () => {
    const sql = "SELECT 'it''s', \"a b\", 1.5e3 -- why\nFROM t /* open";
    const pieces = sqlPieces(sql);
    assert.equal(pieces.map(({ text }) => text).join(''), sql);
    assert.deepEqual(
        pieces.filter(({ kind }) => kind).map(({ text, kind }) => `${kind} ${text}`),
        [
            'keyword SELECT',
            "string 'it''s'",
            'number 1.5e3',
            'comment -- why',
            'keyword FROM',
            'comment /* open',
        ],
    );
});

test('a byte of the statement is a word of it', () => {
    assert.deepEqual(tokenRangeAtByte('SELECT modul FROM t', 7), [7, 12]);
    assert.deepEqual(tokenRangeAtByte("SELECT 'ä', modul", 13), [12, 17]);
    assert.deepEqual(tokenRangeAtByte('SELECT (', 8), [7, 8]);
    assert.deepEqual(tokenRangeAtByte('', 0), [0, 0]);
    assert.equal(quoteIdentifier('group'), '"group"');
    assert.equal(quoteIdentifier('self_us'), 'self_us');
});

const RESULT: SqlResult = {
    columns: [
        { name: 'name', type: 'text' },
        { name: 'n', type: 'integer' },
        { name: 's', type: 'real' },
    ],
    rows: [
        ['b', 2, 0.5],
        ['a', null, 1234.5678],
        ['c', 10, null],
    ],
    cut: null,
    elapsed_s: 0.1,
};

test('cells, widths and order of a result', () => {
    assert.equal(cellText(1234567, RESULT.columns[1]), '1,234,567');
    assert.equal(cellText(0.00000012, RESULT.columns[2]), '1.200000e-7');
    assert.equal(cellText(1234.5678, RESULT.columns[2]), '1,234.568');
    assert.equal(cellText(null, RESULT.columns[2]), '');
    assert.ok(widthOf(RESULT, 2) > widthOf(RESULT, 1));
    assert.deepEqual(
        sortRows(RESULT.rows, 1, false).map(([name]) => name),
        ['a', 'b', 'c'],
    );
    assert.deepEqual(
        sortRows(RESULT.rows, 0, true).map(([name]) => name),
        ['c', 'b', 'a'],
    );
});

test('a chart takes the first figure over the first column', () => {
    assert.deepEqual(axesOf(RESULT, '', ''), { x: 0, y: 1 });
    assert.deepEqual(axesOf(RESULT, 'n', 's'), { x: 1, y: 2 });
    assert.deepEqual(axesOf(RESULT, '', 'name'), { x: 0, y: 1 });
    assert.deepEqual(axesOf({ ...RESULT, columns: RESULT.columns.slice(1, 2) }, '', ''), {
        x: -1,
        y: 0,
    });
    assert.deepEqual(pointsOf(RESULT, 0, 1), { x: [0, 1], y: [2, 10], names: ['b', 'c'] });
    assert.deepEqual(pointsOf(RESULT, 1, 2), { x: [2], y: [0.5], names: null });
    assert.deepEqual(pointsOf(RESULT, -1, 1), { x: [0, 2], y: [2, 10], names: null });
});
