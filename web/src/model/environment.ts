/* SPDX-License-Identifier: MIT
 *
 * The machine and the software of runs, and in what those of a comparison differ.
 */
import type { EnvironmentDifference, EnvironmentFact, EnvironmentValues } from '../base/answers';
import { formatValueIn, plural, text } from '../base/units';

/* Facts of importers/records/environment.h that lists of tags leave out, as is_listed says there. */
const HIDDEN_TAGS = new Set([
    'cpu',
    'cores',
    'governor',
    'memory',
    'gpu',
    'driver',
    'machine',
    'system',
    'container',
    'load',
    'python_build',
    'compiler',
    'build_type',
    'runtime',
    'gpu_runtime',
    'tool',
    'tool_version',
    'packages',
    'commit_time',
]);

/** The tags that lists show: the environment of the run has the others. */
export function listedTags(tags: Record<string, string>): [name: string, value: string][] {
    return Object.entries(tags).filter(
        ([name]) => !HIDDEN_TAGS.has(name) && !name.startsWith('packages.'),
    );
}

/** A value as people read it; amounts of memory are in bytes. */
export function environmentValue(key: string, value: string): string {
    return key === 'memory' && /^\d+$/.test(value)
        ? text(formatValueIn(Number(value), 'B'))
        : value;
}

/** What matters most of an environment, for the head of a run: "CPU 1, 8 cores, Python 3.13.1". */
export function mainFacts(facts: readonly EnvironmentFact[]): string {
    const valueOf = (key: string) => facts.find((fact) => fact.key === key)?.value;
    const [cpu, cores, gpu, python] = ['cpu', 'cores', 'gpu', 'python'].map(valueOf);
    return [
        cpu,
        cores && (cores === '1' ? '1 core' : `${cores} cores`),
        gpu,
        python && `Python ${python}`,
    ]
        .filter(Boolean)
        .join(', ');
}

const GROUPS: Record<string, string> = {
    machine: 'Machine',
    software: 'Software',
    packages: 'Packages',
    source: 'Source',
};

/** Rows under the headings of their groups, which are in order. */
export function environmentGroups<T extends { group: string }>(
    rows: readonly T[],
): { title: string; rows: T[] }[] {
    return Object.entries(GROUPS)
        .map(([group, title]) => ({ title, rows: rows.filter((row) => row.group === group) }))
        .filter((one) => one.rows.length > 0);
}

const SHORT = 48;
const PACKAGES_MAX = 2;

/** Differences in a line: only the labels of those whose values are long; many packages are counted. */
export function shortDifferences(differences: readonly EnvironmentDifference[]): string[] {
    const packages = differences.filter(({ key }) => key === 'packages');
    const counted = packages.length > PACKAGES_MAX ? packages : [];
    const words = differences
        .filter((one) => !counted.includes(one))
        .map(({ label, text: whole }) => (whole.length <= SHORT ? whole : label));
    return counted.length > 0 ? [...words, plural(counted.length, 'package')] : words;
}

/** The values of a group: "3.13.1 (2 of 3 runs), 3.15.0 (1 of 3 runs)". */
export function sideText(key: string, { values, unknown }: EnvironmentValues): string {
    const total = values.reduce((sum, { runs }) => sum + runs, unknown);
    const parts = values.map(({ value, runs }) => {
        const share = runs < total ? ` (${runs} of ${plural(total, 'run')})` : '';
        return environmentValue(key, value) + share;
    });
    if (unknown > 0 && values.length > 0)
        parts.push(`unknown (${unknown} of ${plural(total, 'run')})`);
    return parts.length > 0 ? parts.join(', ') : 'unknown';
}
