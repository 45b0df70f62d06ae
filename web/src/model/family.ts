/* SPDX-License-Identifier: MIT */
/* Families of operators and kernels; a family has the same colour on host and device. The index is
 * the number in the API; the colour is the token `--family-<key>`. */

export interface Family {
    key: string;
    /** label in a legend */
    label: string;
}

export const FAMILIES: readonly Family[] = [
    { key: 'none', label: 'other' },
    { key: 'matmul', label: 'conv and matmul' },
    { key: 'norm', label: 'norm' },
    { key: 'elementwise', label: 'elementwise' },
    { key: 'memory', label: 'memory and copy' },
    { key: 'data', label: 'data loading' },
    { key: 'communication', label: 'communication' },
    { key: 'runtime', label: 'runtime' },
    { key: 'annotation', label: 'annotation' },
    { key: 'python', label: 'Python' },
    { key: 'attention', label: 'attention' },
];

/** The family with this number in the API; an unknown number counts as `none`. */
export function familyOf(family: number | null | undefined): Family {
    return FAMILIES[family ?? 0] ?? FAMILIES[0];
}

/** Names of the kinds of slices, by the number in the API. */
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

export function kindLabel(kind: number): string {
    return KINDS[kind] ?? KINDS[0];
}
