/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatHash, navigate, parseHash, route, setQuery } from '../src/base/router';

test('a hash and its route are two forms of one thing', () => {
    const query = { q: 'a b&c=d', hide: '^\\.|#' };
    const hash = formatHash(['run', 'ab/c', 'functions'], query);
    assert.deepEqual(parseHash(hash), { path: ['run', 'ab/c', 'functions'], query });
    assert.deepEqual(parseHash(''), { path: [], query: {} });
    assert.deepEqual(parseHash('#/'), { path: [], query: {} });
});

test('a hash typed by hand is taken as it stands', () => {
    assert.deepEqual(parseHash('#run/100%/x').path, ['run', '100%', 'x']);
});

test('setQuery changes keys and keeps the rest', () => {
    navigate(['run', 'a'], { sort: 'self', q: 'x' });
    setQuery({ q: null, desc: '1' });
    assert.deepEqual(route.value, { path: ['run', 'a'], query: { sort: 'self', desc: '1' } });
    setQuery({ desc: '' });
    assert.deepEqual(route.value.query, { sort: 'self' });
});
