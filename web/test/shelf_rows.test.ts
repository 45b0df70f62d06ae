/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Run } from '../src/base/answers';
import {
    baseAndNew,
    formatTags,
    headlineDelta,
    parseTags,
    secondsLeft,
    shelfRows,
    type RunningImport,
} from '../src/model/shelf_rows';

const now = new Date('2026-11-20T15:00:00Z');

function run(id: string, at: string, value = 1, changes: Partial<Run> = {}): Run {
    return {
        id,
        kind: 'pstats',
        name: id,
        series: '',
        tags: {},
        who: '',
        note: '',
        tool: null,
        tool_version: null,
        created_at: at,
        headline: { value, unit: 's', label: 'tottime' },
        bytes: 1,
        db_bytes: 1,
        sha256: '',
        rows: 1,
        ledger: { unit: 'entries', read: 1, stored: 1, repaired: 0, rejected: 0, other: 0 },
        summary: {},
        baseline: false,
        trend: [],
        delta_pct: null,
        no_delta: null,
        ...changes,
    };
}

const arriving: RunningImport = {
    key: 'j1',
    name: 'a.prof',
    kind: null,
    state: 'running',
    done: 25,
    total: 100,
    records: 0,
    since: 0,
    jobId: 'j1',
};

function words(rows: ReturnType<typeof shelfRows>): string[] {
    return rows.map((row) => {
        if (row.type === 'band') return `[${row.title} ${row.count}]`;
        return row.type === 'run' ? row.run.id : row.incoming.name;
    });
}

test('runs stand under their days, and a file on its way under today', () => {
    const runs = [
        run('a', '2026-11-20T10:00:00Z'),
        run('b', '2026-11-20T09:00:00Z'),
        run('c', '2026-11-18T09:00:00Z'),
    ];
    assert.deepEqual(words(shelfRows(runs, [], 'day', true, now)), [
        '[Today 2]',
        'a',
        'b',
        '[Wednesday 1]',
        'c',
    ]);
    assert.deepEqual(words(shelfRows(runs.slice(2), [arriving], 'day', true, now)), [
        '[Today 0]',
        'a.prof',
        '[Wednesday 1]',
        'c',
    ]);
    assert.deepEqual(words(shelfRows(runs, [arriving], 'none', true, now)), [
        'a.prof',
        'a',
        'b',
        'c',
    ]);
});

test('the last heading has no count while more may follow', () => {
    const rows = shelfRows([run('a', '2026-11-20T10:00:00Z')], [], 'day', false, now);
    assert.deepEqual(words(rows), ['[Today null]', 'a']);
});

test('series are headings too, and runs without one say so', () => {
    const at = '2026-11-20T10:00:00Z';
    const runs = [run('a', at, 1, { series: 's' }), run('b', at, 1, { series: 's' }), run('c', at)];
    assert.deepEqual(words(shelfRows(runs, [], 'series', true, now)), [
        '[s 2]',
        'a',
        'b',
        '[No series 1]',
        'c',
    ]);
});

test('base is the older run, and only like is compared with like', () => {
    const old = run('old', '2026-11-18T09:00:00Z', 2);
    const fresh = run('fresh', '2026-11-20T09:00:00Z', 3);
    assert.deepEqual(
        baseAndNew(fresh, old).map((r) => r.id),
        ['old', 'fresh'],
    );
    assert.deepEqual(headlineDelta(old, fresh), { by: 1, unit: 's', pct: 50 });
    assert.equal(headlineDelta(run('z', '', 0), fresh)?.pct, null);
    assert.equal(headlineDelta(old, { ...fresh, kind: 'importtime' }), null);
});

test('tags are words with or without values', () => {
    const tags = parseTags(' branch=main, cold ,, q=a=b, =x');
    assert.deepEqual(tags, { branch: 'main', cold: '', q: 'a=b' });
    assert.deepEqual(parseTags(formatTags(tags)), tags);
});

test('the time left follows from the pace so far', () => {
    assert.equal(secondsLeft(arriving, 2000), 6);
    assert.equal(secondsLeft({ ...arriving, done: 0 }, 2000), null);
    assert.equal(secondsLeft(arriving, 100), null);
});
