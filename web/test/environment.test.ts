/* SPDX-License-Identifier: MIT */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import HEADER from '../../importers/records/environment.h';
import type { EnvironmentDifference, EnvironmentFact } from '../src/base/answers';
import {
    environmentGroups,
    environmentValue,
    listedTags,
    mainFacts,
    shortDifferences,
    sideText,
} from '../src/model/environment';

const fact = (key: string, value: string) => ({ key, value }) as EnvironmentFact;

test('lists of tags leave out what the table of facts says', () => {
    const rows = [...HEADER.matchAll(/FACT\("(\w+)", "[^"]*", "\w+", \w+, (true|false)\)/g)];
    assert.ok(rows.length > 20);
    const tags = Object.fromEntries(rows.map(([, name]) => [name, 'x']));
    assert.deepEqual(
        listedTags({ ...tags, 'packages.numpy': '2', colour: 'red' }).map(([name]) => name),
        [...rows.filter(([, , listed]) => listed === 'true').map(([, name]) => name), 'colour'],
    );
});

test('the head of a run has what matters most', () => {
    const facts = [fact('cpu', 'CPU 1'), fact('cores', '8'), fact('load', '0.5')];
    assert.equal(mainFacts([...facts, fact('python', '3.13.1')]), 'CPU 1, 8 cores, Python 3.13.1');
    assert.equal(mainFacts([fact('cores', '1')]), '1 core');
    assert.equal(mainFacts([fact('commit', 'a')]), '');
    assert.equal(environmentValue('memory', '16706707456').replace(/\s/g, ' '), '15.6 GiB');
    assert.equal(environmentValue('memory', '16 GB'), '16 GB');
});

test('values of a group', () => {
    const one = { values: [{ value: '3.13', runs: 1 }], unknown: 0 };
    assert.equal(sideText('python', one), '3.13');
    assert.equal(
        sideText('python', { values: [...one.values, { value: '3.15', runs: 2 }], unknown: 1 }),
        '3.13 (1 of 4 runs), 3.15 (2 of 4 runs), unknown (1 of 4 runs)',
    );
    assert.equal(sideText('python', { values: [], unknown: 2 }), 'unknown');
});

test('a line has short differences whole', () => {
    const difference = (key: string, text: string) =>
        ({ key, label: 'CPU', text }) as EnvironmentDifference;
    const short = difference('python', 'Python 3.13 against 3.15');
    const long = difference('cpu', `CPU ${'x'.repeat(60)} against y`);
    const packages = ['a', 'b', 'c'].map((name) => difference('packages', `${name} 1 → 2`));
    assert.deepEqual(shortDifferences([long, short]), ['CPU', 'Python 3.13 against 3.15']);
    assert.deepEqual(shortDifferences(packages.slice(1)), ['b 1 → 2', 'c 1 → 2']);
    assert.deepEqual(shortDifferences([...packages, short]), [short.text, '3 packages']);
    assert.deepEqual(
        environmentGroups([{ group: 'source' }, { group: 'machine' }]).map(({ title }) => title),
        ['Machine', 'Source'],
    );
});
