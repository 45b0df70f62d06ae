/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
    formatHash,
    navigate,
    parseHash,
    persistAddress,
    pushQuery,
    route,
    setQuery,
} from '../src/base/router';

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

test('a quick run of changes of one parameter is one history entry', () => {
    const entries = ['#/run/a'];
    persistAddress((hash, replace) => {
        if (replace) entries.pop();
        entries.push(hash);
        route.value = parseHash(hash);
    });
    navigate(['run', 'a'], {}, { replace: true });
    pushQuery({ zoom: '1' }, 5000);
    pushQuery({ zoom: '2' }, 5900);
    pushQuery({ zoom: '3' }, 6800);
    assert.deepEqual(entries, ['#/run/a', '#/run/a?zoom=3'], 'a run');
    pushQuery({ zoom: '4' }, 7800);
    pushQuery({ frame: '9' }, 7900);
    assert.deepEqual(
        entries.slice(2),
        ['#/run/a?zoom=4', '#/run/a?zoom=4&frame=9'],
        'later, other',
    );
    route.value = parseHash('#/run/a?zoom=4'); // Back
    pushQuery({ frame: '5' }, 8000);
    assert.equal(entries.length, 5, 'a change after Back starts a new entry');
});
