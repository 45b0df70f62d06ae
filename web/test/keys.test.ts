/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bindKeys, dispatchKey, scopes } from '../src/base/keys';

function press(key: string, mods: Partial<Record<'ctrlKey' | 'shiftKey', boolean>> = {}) {
    let prevented = false;
    const event = {
        key,
        ctrlKey: false,
        metaKey: false,
        altKey: false,
        shiftKey: false,
        ...mods,
        preventDefault: () => {
            prevented = true;
        },
    };
    return { event, taken: () => prevented };
}

test('the scope bound last is asked first, and gives the key back', () => {
    const ran: string[] = [];
    const outer = bindKeys('window', [{ key: '/', label: 'search', run: () => ran.push('outer') }]);
    const inner = bindKeys('tab', [{ key: '/', label: 'filter', run: () => ran.push('inner') }]);
    const { event, taken } = press('/');
    assert.ok(dispatchKey(event, false));
    assert.ok(taken());
    inner();
    dispatchKey(event, false);
    assert.deepEqual(ran, ['inner', 'outer']);
    outer();
    assert.equal(scopes.value.length, 0);
    assert.equal(dispatchKey(event, false), false);
});

test('fields keep their keys unless a binding says otherwise', () => {
    const ran: string[] = [];
    const unbind = bindKeys('window', [
        { key: 'a', label: '', run: () => ran.push('a') },
        { key: 'Escape', label: '', run: () => ran.push('escape'), inFields: true },
    ]);
    assert.equal(dispatchKey(press('a').event, true), false);
    assert.equal(dispatchKey(press('Escape').event, true), true);
    assert.deepEqual(ran, ['escape']);
    unbind();
});

test('modifiers are part of the name, but shift is part of a sign', () => {
    const ran: string[] = [];
    const run = (name: string) => () => ran.push(name);
    const unbind = bindKeys('window', [
        { key: '?', label: '', run: run('?') },
        { key: 'ctrl+c', label: '', run: run('ctrl+c') },
        { key: 'shift+w', label: '', run: run('shift+w') },
        { key: 'w', label: '', run: run('w') },
    ]);
    dispatchKey(press('?', { shiftKey: true }).event, false);
    dispatchKey(press('c', { ctrlKey: true }).event, false);
    dispatchKey(press('W', { shiftKey: true }).event, false);
    dispatchKey(press('w').event, false);
    assert.equal(dispatchKey(press('c').event, false), false);
    assert.deepEqual(ran, ['?', 'ctrl+c', 'shift+w', 'w']);
    unbind();
});
