/* SPDX-License-Identifier: MIT */
/*
 * Families of operators and kernels, which have one colour on host and device alike. The order is
 * the number that the API gives; the colour is the token `--family-<key>`.
 */

export interface Family {
    key: string;
    /** what a legend says */
    word: string;
}

export const FAMILIES: readonly Family[] = [
    { key: 'none', word: 'other' },
    { key: 'matmul', word: 'conv and matmul' },
    { key: 'norm', word: 'norm' },
    { key: 'elementwise', word: 'elementwise' },
    { key: 'memory', word: 'memory and copy' },
    { key: 'data', word: 'data loading' },
    { key: 'communication', word: 'communication' },
    { key: 'runtime', word: 'runtime' },
    { key: 'annotation', word: 'annotation' },
    { key: 'python', word: 'Python' },
];

/** A number that this page does not know yet counts as none. */
export function familyOf(family: number | null | undefined): Family {
    return FAMILIES[family ?? 0] ?? FAMILIES[0];
}

/** The same numbers in stacks: native code is drawn apart from Python and what is not known. */
export function stackWord(family: number): string {
    return family === 7 ? ', native code' : '';
}

/** What a slice is, by the number of the API. */
const KINDS = [
    'slice',
    'operator',
    'annotation',
    'Python function',
    'runtime call',
    'profiler overhead',
    'kernel',
    'copy',
    'memset',
    'synchronisation',
    'device annotation',
    'span',
    'NVTX range',
    'system call',
] as const;

export function kindWord(kind: number): string {
    return KINDS[kind] ?? KINDS[0];
}
