/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { completionsAt } from '../src/features/sql/complete';
import { RUN_EXAMPLES, examplesWithRows } from '../src/features/sql/examples';
import { linkOf, roleOf, rowLink } from '../src/features/sql/links';
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
        { name: 'name', type: 'text', table: null, column: null },
        { name: 'n', type: 'integer', table: null, column: null },
        { name: 's', type: 'real', table: null, column: null },
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

const VIEWS = viewsOf(SCHEMA);
const names = (sql: string, isAsked = false) =>
    completionsAt(sql.replace('|', ''), sql.indexOf('|'), VIEWS, isAsked)?.items.map(
        ({ name }) => name,
    ) ?? [];

test('views are completed after FROM and JOIN, columns of the views of the statement elsewhere', () => {
    assert.deepEqual(names('SELECT 1 FROM oper|'), ['operators', 'operators_by_shape']);
    assert.deepEqual(names('SELECT 1 FROM slices s JOIN ste|'), ['steps', 'step_parts']);
    assert.deepEqual(names('SELECT tot| FROM functions'), ['tottime_s']);
    assert.deepEqual(names('SELECT f.c| FROM functions f, callers c'), ['cumtime_s', 'cycle']);
    assert.deepEqual(names('SELECT c.c| FROM functions f, callers c'), [
        'callee_id',
        'caller_id',
        'cumtime_s',
    ]);
    assert.deepEqual(names('SELECT lines.inc| FROM lines'), ['increment_mib']);
    assert.equal(names('SELECT | FROM kernels', true)[0], 'name');
});

test('nothing is completed in texts and comments, after numbers, without a letter, and if it stands there', () => {
    for (const sql of [
        "SELECT 'tot|' FROM functions",
        'SELECT 1 -- tot|',
        'SELECT 1 /* tot| */ FROM functions',
        'SELECT 2| FROM functions',
        'SELECT | FROM functions',
        'SELECT x.t| FROM functions f',
        'SELECT tottime_s| FROM functions',
    ])
        assert.deepEqual(names(sql), [], sql);
});

const column = (name: string, table: string | null = null, of: string | null = null) =>
    ({ name, type: 'any', table, column: of }) as const;
const TRACE = { id: 'a', kind: 'torch-trace', span_ns: 1e6 };
const DUMP = { id: 'b', kind: 'pstats', span_ns: 0 };

test('what a column holds is told by its origin, then by its name', () => {
    assert.equal(roleOf(column('x', 'ps_slices', 'id')), 'slice');
    assert.equal(roleOf(column('launch_id')), 'slice');
    assert.equal(roleOf(column('id')), null);
    assert.equal(roleOf(column('r', 'imports', 'run')), 'run');
    assert.equal(roleOf(column('name', 'text', 'text')), 'trace-name');
    assert.equal(roleOf(column('category', 'text', 'text')), null);
});

test('cells lead to the view of what they hold, if the run has it', () => {
    const result: SqlResult = {
        columns: [
            column('id', 'ps_slices', 'id'),
            column('name', 'text', 'text'),
            column('start_ns'),
            column('duration_ns'),
        ],
        rows: [[4294967297, 'aten::mm (a|b)', 500_000, 100_000]],
        cut: null,
        elapsed_s: 0,
    };
    const [row] = result.rows;
    const slice = { tab: 'timeline', query: { slice: '4294967297', at: '494000~606000' } };
    assert.deepEqual(linkOf(result, row, 0, TRACE), slice);
    assert.deepEqual(linkOf(result, row, 2, TRACE), slice);
    assert.deepEqual(rowLink(result, row, TRACE), slice);
    assert.deepEqual(linkOf(result, row, 1, TRACE), {
        tab: 'timeline',
        query: { find: '^aten::mm \\(a\\|b\\)$', fre: '1' },
    });
    assert.equal(linkOf(result, row, 3, TRACE), null);
    assert.equal(rowLink(result, row, DUMP), null);
    const functions: SqlResult = {
        ...result,
        columns: [column('n', 'function', 'name'), column('id', 'function', 'id')],
        rows: [['<x>', 3]],
    };
    assert.deepEqual(rowLink(functions, functions.rows[0], DUMP), {
        tab: 'functions',
        query: { fn: '3' },
    });
    assert.deepEqual(linkOf(functions, functions.rows[0], 0, DUMP)?.query, { q: '<x>', fn: '3' });
    assert.equal(linkOf(functions, [null, null], 0, DUMP), null);
});
