/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { Tree } from '../src/model/tree';
import { packageColour, packageOfFrame, PACKAGE_COLOURS, selfBy } from '../src/model/frame_colours';
import { chipsOf, mergeOfOrigin } from '../src/model/stack_transforms';

test('packages of frames: installed packages, modules, files of own code, namespaces', () => {
    const cases: [string, number | undefined, string][] = [
        ['run (/v/lib/python3.12/site-packages/click/core.py:12)', 1, 'click'],
        ['get (werkzeug/test.py:1137)', 1, 'werkzeug'],
        ['decode (/usr/lib/python3.12/json/decoder.py)', 2, 'json'],
        ['wait (/usr/lib/python3.12/threading.py:331)', 2, 'threading'],
        ['books (/home/me/shop/bookshop.py:33)', 0, 'bookshop.py'],
        ['work (app.py:9)', 4, 'app.py'],
        ['/v/site-packages/torch/nn/conv.py(438): _forward', undefined, 'torch'],
        ['memcpy (libc.so.6)', 3, 'libc.so.6'],
        ['void at::native::copy(int)', undefined, 'at'],
        ['aten::mm', undefined, 'aten'],
        ['sqlite3.Connection.execute', 3, 'sqlite3'],
        ['read (<built-in>)', 3, ''],
        ['cudaLaunchKernel', undefined, ''],
    ];
    for (const [name, origin, want] of cases)
        assert.equal(packageOfFrame(name, origin), want, name);
});

test('a package has the same colour everywhere, and packages use most colours', () => {
    assert.equal(packageColour('werkzeug'), packageColour('werkzeug'));
    const names = Array.from({ length: 400 }, (_, i) => `package_${i}`);
    const used = new Set(names.map(packageColour));
    assert.ok([...used].every((colour) => colour >= 0 && colour < PACKAGE_COLOURS));
    assert.equal(used.size, PACKAGE_COLOURS);
});

test('self time by key is sorted and leaves out what has none', () => {
    const tree = { n: 4, self: [1, 5, 0, 3], frame: [0, 1, 2, 0] } as unknown as Tree;
    assert.deepEqual(
        selfBy(tree, (node) => tree.frame[node]),
        [
            { key: 1, self: 5 },
            { key: 0, self: 4 },
        ],
    );
});

test('the chip of an origin says its label', () => {
    const text = mergeOfOrigin('builtin');
    const [chip] = chipsOf([text], [{ text, name: 'builtin', removed: 0 }]);
    assert.deepEqual([chip.title, chip.name], ['Merge', 'native']);
});
