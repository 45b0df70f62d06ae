/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { CallGraph } from '../src/base/answers';
import { amdahl, amdahlCurve, speedUp } from '../src/features/functions/amdahl';
import { showMarks } from '../src/base/direction_marks';
import { graphToDot, quote } from '../src/model/dot';
import { readLayout } from '../src/model/graph_layout';
import {
    fitEllipsis,
    fitForms,
    moduleForms,
    functionName,
    placeText,
    shortPlace,
    splitTail,
} from '../src/model/labels';
import { frameForms, locationStart } from '../src/model/frame_names';
import { hiddenSet, matchSet, matcher } from '../src/model/search';
import { temperature } from '../src/model/temperature';
import { contrast, textColourOn, mix, tintOf, tintOfFile } from '../src/model/tint';

const chars = (text: string): number => text.length;

test('module names shorten from the left', () => {
    const fit = (name: string, above: string | null, width: number) =>
        fitForms(moduleForms(name, above), width, chars);
    assert.equal(fit('a.bb.ccc', null, 8), 'a.bb.ccc');
    assert.equal(fit('a.bb.ccc', null, 7), '.bb.ccc');
    assert.equal(fit('a.bb.ccc', null, 4), '.ccc');
    assert.equal(fit('alpha.beta.gamma', null, 5), '.gam…');
    assert.equal(fit('alpha.beta.gamma', null, 2), '');
    assert.equal(fit('a.bb.ccc', 'a.bb', 99), '.ccc');
    assert.equal(fit('a.bbq', 'a.bb', 99), 'a.bbq');
    assert.equal(fit('numpy', 'numpy', 99), 'numpy');
});

test('frames lose their folders first, then their place', () => {
    const frame = 'run (/lib/click/core.py:12)';
    assert.deepEqual(frameForms(frame), [frame, 'run (core.py:12)', 'run']);
    assert.deepEqual(frameForms('<module> (app.py:1)'), ['<module> (app.py:1)', '<module>']);
    assert.deepEqual(frameForms('torch/nn/conv.py(438):_forward'), [
        'torch/nn/conv.py(438):_forward',
        'conv.py(438):_forward',
        '_forward',
    ]);
    assert.deepEqual(frameForms('main'), ['main']);
    const installed = (folder: string) => frameForms(`run (${folder}hydra/core/utils.py:3)`)[0];
    for (const folder of [
        '/home/a/.venv/lib/python3.12/site-packages/',
        '/usr/lib/python3/dist-packages/',
        'C:\\Python311\\Lib\\site-packages\\',
        'C:\\Python311\\Lib\\',
        '/Library/Frameworks/Python.framework/Versions/3.11/lib/python3.11/',
        '',
    ])
        assert.equal(installed(folder), 'run (hydra/core/utils.py:3)', folder);
    assert.equal(installed('/srv/app/'), 'run (/srv/app/hydra/core/utils.py:3)');
    assert.equal(
        frameForms('/usr/lib/python3.13/threading.py:Thread.run:3')[0],
        'threading.py:Thread.run:3',
    );
    assert.equal(fitForms(frameForms(frame), 16, chars), 'run (core.py:12)');
    assert.equal(fitForms(frameForms(frame), 15, chars), 'run');
    assert.equal(fitForms(frameForms(frame), 2, chars), '');
    assert.equal(locationStart(frame), 4);
    assert.equal(locationStart('torch/nn/conv.py(438):_forward'), 0);
    assert.equal(locationStart('ns::f(int, char)'), 'ns::f(int, char)'.length);
    assert.equal(locationStart('_GLOBAL__sub_I_* (C++ static initialisers)'), 42);
});

test('an ellipsis never splits a surrogate pair and never stands alone', () => {
    assert.equal(fitEllipsis('abcdef', 4, chars), 'abc…');
    assert.equal(fitEllipsis('abcdef', 1, chars), '');
    assert.equal(fitEllipsis('ab😀def', 4, chars), 'ab…');
});

test('what the profiler calls built-in is said as Python says it', () => {
    assert.equal(functionName('<built-in method builtins.exec>'), 'builtins.exec');
    assert.equal(functionName("<method 'append' of 'list' objects>"), 'list.append');
    assert.equal(functionName('<lambda>'), '<lambda>');
    assert.equal(placeText('~', 0), 'built-in');
    assert.equal(placeText('/x/y.py', 12), '/x/y.py:12');
    assert.equal(shortPlace('/x/y.py', 12), 'y.py:12');
    assert.equal(shortPlace('C:\\x\\y.py', 1), 'y.py:1');
    assert.equal(shortPlace('<frozen importlib._bootstrap>', 5), '<frozen importlib._bootstrap>:5');
});

test('a package keeps its tint below the second name part', () => {
    assert.equal(tintOf('torch.nn.modules'), tintOf('torch.nn'));
    assert.equal(
        tintOfFile('/x/site-packages/sympy/core/a.py'),
        tintOfFile('/y/site-packages/sympy/core/b.py'),
    );
    const tints = new Set(['numpy', 'scipy', 'torch', 'git', 'pandas', 're', 'json'].map(tintOf));
    assert.equal(tints.size, 2);
});

test('colours mix and ink is readable at every temperature', () => {
    assert.equal(mix('#000000', '#ffffff', 0.5), '#808080');
    assert.equal(temperature(0), '#0d0d73');
    assert.equal(temperature(1), '#ff0000');
    for (let t = 0; t <= 1; t += 0.02) {
        const fill = temperature(t);
        assert.ok(contrast(fill, textColourOn(fill)) >= 4.5, `${t} ${fill}`);
    }
});

test('Amdahl: twice as fast, and at no cost', () => {
    const a = amdahl(0.544, 2.352);
    assert.equal(a.speedupAtTwice.toFixed(2), '1.37');
    assert.equal(a.timeAtTwice.toFixed(3), '1.712');
    assert.equal(a.maxSpeedup.toFixed(2), '2.19');
    assert.equal(a.timeAtLimit.toFixed(3), '1.073');
    assert.equal(amdahl(1.004, 1).maxSpeedup, Infinity);
    assert.equal(speedUp(0, 10), 1);
    assert.deepEqual(
        amdahlCurve(0.5, 3, 3).map(([, y]) => y.toFixed(3)),
        ['1.000', '1.333', '1.500'],
    );
});

test('search: words of the file and the line', () => {
    const has = (query: string, name: string, file?: string, line?: number) =>
        matcher(query, false).test(name, file, line);
    assert.ok(has('file:app', 'load', '/srv/App.py'));
    assert.ok(!has('file:load', 'load', '/srv/app.py'), 'the name is not the file');
    assert.ok(has('file:app load', 'load (app.py:20)'), 'the place in a name');
    assert.ok(!has('file:load', 'load (app.py:20)'));
    assert.ok(!has('-file:app', 'load (app.py:20)'), 'excluded');
    assert.ok(has('line:20', 'load', 'app.py', 20));
    assert.ok(!has('line:20', 'load', 'app.py', 200));
    assert.ok(has('line:20', 'load (app.py:20)') && has('line:438', 'nn/conv.py(438): _forward'));
    assert.ok(!has('line:20', 'load (app.py:200)') && !has('line:20', 'f20 (app.py:3)'));
    assert.deepEqual(matcher('file:app lo', false).hits('lo app'), [
        [0, 2],
        [3, 6],
    ]);
});

test('search: words, exclusions, regular expressions', () => {
    const m = matcher('Torch -test', false);
    assert.ok(m.test('torch.nn', 'a.py'));
    assert.ok(m.test('nn', 'torch/a.py'));
    assert.ok(!m.test('torch.testing'));
    assert.deepEqual(m.hits('Torch.torch'), [
        [0, 5],
        [6, 11],
    ]);
    assert.ok(matcher('^nn$', true).test('NN'));
    assert.ok(matcher('(', true).error);
    assert.equal(matcher('(', true).test('('), false);
    assert.ok(matcher('  ', false).empty);
    const names = ['a.x', 'b.x', 'b.y'];
    const found = matchSet(matcher('b', false), 3, (i) => names[i]);
    assert.deepEqual(found && [[...found.set], found.count], [[0, 1, 1], 2]);
    const hidden = hiddenSet(3, [0, 1, 2], new Set([2]), '^a', (i) => names[i]);
    assert.deepEqual([...hidden!], [1, 0, 1]);
    assert.equal(
        hiddenSet(3, [0, 1, 2], new Set(), '', (i) => names[i]),
        null,
    );
});

test('DOT: nothing in a name is read as DOT', () => {
    assert.equal(quote('a"b\\c\nd'), '"a\\"b\\\\c\\nd"');
    const graph: CallGraph = {
        total: 2,
        base: 'of Σ tottime',
        nodes: [
            {
                id: 1,
                name: '"];evil',
                file: 'a.py',
                line: 1,
                origin: 'own',
                self: 1,
                total: 2,
                self_pct: 50,
                total_pct: 100,
                ncalls: 1,
                primitive_calls: 1,
                cycle: null,
            },
            {
                id: 2,
                name: 'g',
                file: 'a.py',
                line: 2,
                origin: 'own',
                self: 1,
                total: 1,
                self_pct: 50,
                total_pct: 50,
                ncalls: 3,
                primitive_calls: 3,
                cycle: null,
            },
        ],
        edges: [{ from: 1, to: 2, ncalls: 3, total: 1, pct: 50, recursive: false }],
        cut: { nodes: 0, edges: 0 },
    };
    const dot = graphToDot(
        graph,
        (n) => [n.name, '100 %'],
        () => ['50 %'],
        () => ({ width: 72, height: 36 }),
    );
    assert.match(dot, /n1 \[label="\\"\];evil\\n100 %"/);
    assert.match(dot, /width=1\.000, height=0\.500/);
    assert.match(dot, /n1 -> n2 \[label="50 %"/);
});

test("Graphviz' answer becomes boxes and paths with y downwards", () => {
    const json = JSON.stringify({
        bb: '0,0,100,200',
        objects: [
            { name: 'n1', pos: '50,180', width: '1', height: '0.5' },
            { name: 'n2', pos: '50,20', width: '1', height: '0.5' },
        ],
        edges: [{ tail: 0, head: 1, pos: 'e,50,38 50,162 50,120 50,80 50,48', lp: '60,100' }],
    });
    const picture = readLayout(json, [{ from: 1, to: 2 }]);
    assert.deepEqual(picture.nodes[0], { id: 1, x: 50, y: 20, width: 72, height: 36 });
    assert.equal(picture.edges[0].path, 'M50.0,38.0C50.0,80.0 50.0,120.0 50.0,152.0');
    assert.deepEqual(picture.edges[0].label, { x: 50, y: 98.75 });
    assert.deepEqual(picture.edges[0].arrow?.slice(0, 2), [50, 162]);
});

test('long names keep their end, short ones are whole, no character is split', () => {
    assert.deepEqual(splitTail('short'), ['short', '']);
    const long = `${'x'.repeat(40)}\u{1f40d}12345678901`;
    assert.deepEqual(splitTail(long), ['x'.repeat(40), '\u{1f40d}12345678901']);
});

test('marks that change the direction of text are visible', () => {
    assert.equal(showMarks('run_\u202egnp.exe'), 'run_\\u202egnp.exe');
    assert.equal(showMarks('\u061c\u2066a\u2069'), '\\u061c\\u2066a\\u2069');
    assert.equal(
        showMarks('12\u202f% \u05d0\u05d1 \u{1f468}\u200d\u{1f469}'),
        '12\u202f% \u05d0\u05d1 \u{1f468}\u200d\u{1f469}',
    );
});
