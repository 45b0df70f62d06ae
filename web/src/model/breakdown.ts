/* SPDX-License-Identifier: MIT */
/* Breakdown of the time of a step by three definitions. Their parts differ, but the parts of each
 * sum to the wall time of the step. This module has their labels, colours and descriptions. */
import type { Parts } from '../base/answers';
import type { Definition } from '../base/trace_types';
import { formatSeconds, text } from '../base/units';
import { deviceWord } from './device';

export interface DefinitionText {
    id: Definition;
    title: string;
    /** the definition in a few sentences */
    description: string;
}

export const DEFINITIONS: readonly DefinitionText[] = [
    {
        id: 'tensorboard',
        title: 'TensorBoard',
        description:
            'Each µs counts once, for the first active category: kernel, copy, memset, communication, runtime, DataLoader, CPU, other. They add up to the wall time of the step.',
    },
    {
        id: 'hta',
        title: 'HTA',
        description:
            'Compute, copies and communication that do not overlap compute, and idle time. They add up to the wall time of the step.',
    },
    {
        id: 'tracelens',
        title: 'TraceLens',
        description:
            'Computation, exposed communication, exposed copies and idle time. They add up to the wall time of the step.',
    },
];

export function readDefinition(text: string | undefined): DefinitionText {
    return DEFINITIONS.find(({ id }) => id === text) ?? DEFINITIONS[0];
}

export interface PartText {
    label: string;
    /** key of the family whose colour is used */
    family: string;
}

const PART_TEXTS: Record<string, PartText> = {
    memcpy: { label: 'copy', family: 'memory' },
    memset: { label: 'memset', family: 'memory' },
    communication: { label: 'communication', family: 'communication' },
    runtime: { label: 'runtime', family: 'runtime' },
    dataloader: { label: 'DataLoader', family: 'data' },
    cpu: { label: 'CPU', family: 'norm' },
    cpu_exec: { label: 'CPU', family: 'norm' },
    other: { label: 'other', family: 'annotation' },
    compute: { label: 'compute', family: 'matmul' },
    computation: { label: 'computation', family: 'matmul' },
    non_compute: { label: 'non-compute', family: 'memory' },
    exposed_comm: { label: 'exposed communication', family: 'communication' },
    exposed_communication: { label: 'exposed communication', family: 'communication' },
    exposed_memcpy: { label: 'exposed copies', family: 'memory' },
    exposed_copy: { label: 'exposed copies', family: 'memory' },
    exposed_copies: { label: 'exposed copies', family: 'memory' },
    idle: { label: 'idle', family: 'annotation' },
};

export function partText(name: string): PartText {
    const key = name
        .trim()
        .toLowerCase()
        .replace(/[\s-]+/g, '_');
    if (key === 'kernel') return { label: `${deviceWord()} kernel`, family: 'matmul' };
    return PART_TEXTS[key] ?? { label: name, family: 'runtime' };
}

/** A part of a stacked bar. */
export interface BarPart {
    label: string;
    /** name of a colour of the page: `family-matmul` */
    colour: string;
    /** with its unit */
    amount: string;
    /** share of the sum, 0 to 1 */
    share: number;
    /** address of what shows the part */
    href?: string;
}

export interface Segment extends PartText, BarPart {
    ns: number;
}

/** Returns the parts with a time above 0, in the order of the definition. */
export function segmentsOf(parts: Parts | undefined): Segment[] {
    const sum = sumOf(parts);
    if (!parts || sum <= 0) return [];
    return parts
        .filter(([, ns]) => ns > 0)
        .map(([name, ns]) => {
            const part = partText(name);
            return {
                ...part,
                colour: `family-${part.family}`,
                ns,
                amount: text(formatSeconds(ns / 1e9)),
                share: ns / sum,
            };
        });
}

export function sumOf(parts: Parts | undefined): number {
    return (parts ?? []).reduce((sum, [, ns]) => sum + ns, 0);
}
