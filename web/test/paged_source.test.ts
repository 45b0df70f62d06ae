/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { pagedSource } from '../src/features/shared/paged_source';

interface Row {
    id: number;
    name: string;
}

const realFetch = globalThis.fetch;
afterEach(() => {
    globalThis.fetch = realFetch;
});

/* A table of `total` rows; answers wait until they are let go. */
function server(total: number) {
    const asked: string[] = [];
    const waiting: (() => void)[] = [];
    globalThis.fetch = ((path: string, init: RequestInit) => {
        asked.push(path);
        const search = new URLSearchParams(path.split('?')[1]);
        const offset = Number(search.get('offset'));
        const prefix = search.get('q') ?? 'row';
        const count = Math.min(200, total - offset);
        const rows = Array.from({ length: count }, (_, i) => [
            offset + i,
            `${prefix}${offset + i}`,
        ]);
        const page = { total, of: total, columns: ['id', 'name'], rows, sums: { n: total } };
        return new Promise((resolve, reject) => {
            init.signal?.addEventListener('abort', () =>
                reject(new DOMException('aborted', 'AbortError')),
            );
            waiting.push(() => resolve(new Response(JSON.stringify(page))));
        });
    }) as typeof fetch;
    const settle = async () => {
        while (waiting.length) waiting.shift()?.();
        await new Promise((resolve) => setTimeout(resolve, 5));
    };
    return { asked, settle };
}

test('pages come as they are looked at, each once', async () => {
    const { asked, settle } = server(1000);
    const source = pagedSource<Row>('/rows', {});
    assert.equal(source.ready.value, false);
    await settle();
    assert.equal(source.total, 1000);
    assert.deepEqual(source.rowAt(0), { id: 0, name: 'row0' });
    assert.equal(source.rowAt(400), undefined);
    source.ensure(390, 410);
    source.ensure(390, 410);
    await settle();
    assert.deepEqual(source.rowAt(400), { id: 400, name: 'row400' });
    assert.equal(asked.length, 3);
    assert.deepEqual(source.sums, { n: 1000 });
});

test('old rows stay until the new ones are here', async () => {
    const { settle } = server(10);
    const source = pagedSource<Row>('/rows', {});
    await settle();
    source.setParams({ q: 'new' });
    assert.equal(source.rowAt(3)?.name, 'row3');
    await settle();
    assert.equal(source.rowAt(3)?.name, 'new3');
});

test('an answer to an older question is never shown', async () => {
    const { asked, settle } = server(10);
    const source = pagedSource<Row>('/rows', { q: 'a' });
    source.setParams({ q: 'b' });
    source.setParams({ q: 'b' });
    await settle();
    assert.equal(source.rowAt(0)?.name, 'b0');
    assert.equal(asked.length, 2);
    assert.equal(source.error.value, null);
});

test('an error is kept and the rows stay', async () => {
    const { settle } = server(10);
    const source = pagedSource<Row>('/rows', {});
    await settle();
    globalThis.fetch = (async () =>
        new Response('{"error":{"code":"bad_request","text":"wrong regex","at":3,"hint":null}}', {
            status: 400,
        })) as typeof fetch;
    source.setParams({ q: '(' });
    await settle();
    assert.equal(source.error.value?.at, 3);
    assert.equal(source.rowAt(0)?.name, 'row0');
});
