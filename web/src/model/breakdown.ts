/* SPDX-License-Identifier: MIT */
/* Breakdown of a step's time by three definitions. They differ, but each sums to the wall time of
 * the step. This module has their labels, colours and descriptions. */
import type { Definition, Parts } from '../base/trace_types';

export interface DefinitionWords {
    id: Definition;
    title: string;
    /** the definition in a few sentences */
    says: string;
}

export const DEFINITIONS: readonly DefinitionWords[] = [
    {
        id: 'tensorboard',
        title: 'TensorBoard',
        says: 'Each µs counts once, for the first active category: kernel, copy, memset, communication, runtime, DataLoader, CPU, other. They add up to the wall time of the step.',
    },
    {
        id: 'hta',
        title: 'HTA',
        says: 'Compute, copies and communication that do not overlap compute, and idle time. They add up to the wall time of the step.',
    },
    {
        id: 'tracelens',
        title: 'TraceLens',
        says: 'Computation, exposed communication, exposed copies and idle time. They add up to the wall time of the step.',
    },
];

export function readDefinition(text: string | undefined): DefinitionWords {
    return DEFINITIONS.find(({ id }) => id === text) ?? DEFINITIONS[0];
}

export interface PartWords {
    word: string;
    /** key of the family whose colour is used */
    family: string;
}

const WORDS: Record<string, PartWords> = {
    kernel: { word: 'GPU kernel', family: 'matmul' },
    memcpy: { word: 'copy', family: 'memory' },
    memset: { word: 'memset', family: 'memory' },
    communication: { word: 'communication', family: 'communication' },
    runtime: { word: 'runtime', family: 'runtime' },
    dataloader: { word: 'DataLoader', family: 'data' },
    cpu: { word: 'CPU', family: 'norm' },
    cpu_exec: { word: 'CPU', family: 'norm' },
    other: { word: 'other', family: 'annotation' },
    compute: { word: 'compute', family: 'matmul' },
    computation: { word: 'computation', family: 'matmul' },
    non_compute: { word: 'non-compute', family: 'memory' },
    exposed_comm: { word: 'exposed communication', family: 'communication' },
    exposed_communication: { word: 'exposed communication', family: 'communication' },
    exposed_memcpy: { word: 'exposed copies', family: 'memory' },
    exposed_copy: { word: 'exposed copies', family: 'memory' },
    exposed_copies: { word: 'exposed copies', family: 'memory' },
    idle: { word: 'idle', family: 'annotation' },
};

export function partWords(name: string): PartWords {
    const key = name
        .trim()
        .toLowerCase()
        .replace(/[\s-]+/g, '_');
    return WORDS[key] ?? { word: name, family: 'runtime' };
}

export interface Segment extends PartWords {
    ns: number;
    /** share of the sum, 0 to 1 */
    share: number;
}

/** Returns the parts with a time above 0, in the order of the definition. */
export function segmentsOf(parts: Parts | undefined): Segment[] {
    const sum = sumOf(parts);
    if (!parts || sum <= 0) return [];
    return parts
        .filter(([, ns]) => ns > 0)
        .map(([name, ns]) => ({ ...partWords(name), ns, share: ns / sum }));
}

export function sumOf(parts: Parts | undefined): number {
    return (parts ?? []).reduce((sum, [, ns]) => sum + ns, 0);
}
