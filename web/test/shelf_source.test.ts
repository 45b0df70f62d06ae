/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { shelfSource } from '../src/features/shelf/source';

const realFetch = globalThis.fetch;
afterEach(() => {
    globalThis.fetch = realFetch;
});

/* The runs `other dump` (pstats) and `other` (importtime); answers wait until they are let go. */
function server() {
    const runs = [
        { id: '2', name: 'other dump', kind: 'pstats', created_at: '2026-01-02T00:00:00Z' },
        { id: '1', name: 'other', kind: 'importtime', created_at: '2026-01-01T00:00:00Z' },
    ];
    const waiting: (() => void)[] = [];
    globalThis.fetch = ((path: string, init: RequestInit) => {
        const kind = new URLSearchParams(path.split('?')[1]).get('kind');
        const rows = runs.filter((run) => !kind || run.kind === kind);
        const answer = new Response(JSON.stringify({ total: rows.length, rows }));
        return new Promise((resolve, reject) => {
            init.signal?.addEventListener('abort', () =>
                reject(new DOMException('aborted', 'AbortError')),
            );
            waiting.push(() => resolve(answer));
        });
    }) as typeof fetch;
    const settle = async () => {
        while (waiting.length) waiting.shift()?.();
        await new Promise((resolve) => setTimeout(resolve, 5));
    };
    return { settle };
}

test('a reload that overtakes another filter keeps no run of the old one', async () => {
    const { settle } = server();
    let change: Parameters<NonNullable<Parameters<typeof shelfSource>[0]>>[0] = () => undefined;
    const source = shelfSource((listener) => {
        change = listener;
        return () => true;
    });
    source.show({ q: 'other' }, 'none');
    await settle();
    assert.deepEqual(
        source.runs.map((run) => run.name),
        ['other dump', 'other'],
    );
    change({ type: 'all' }); // reloads after a pause
    source.show({ q: 'other', kind: 'pstats' }, 'none');
    await new Promise((resolve) => setTimeout(resolve, 200)); // its answer is not there yet
    await settle();
    assert.deepEqual(
        source.runs.map((run) => run.name),
        ['other dump'],
    );
    assert.equal(source.totalRuns, 1);
    source.dispose();
});
