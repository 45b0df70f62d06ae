/* SPDX-License-Identifier: MIT */
/* Colours of the categories of memory: those of operator families, which are easy to distinguish. */
const CATEGORY_FAMILIES: Record<string, string> = {
    parameter: 'matmul',
    'optimizer state': 'norm',
    input: 'data',
    temporary: 'elementwise',
    activation: 'memory',
    gradient: 'communication',
    'autograd detail': 'annotation',
    unknown: 'none',
};

/** Name of the colour of a category: `family-memory`. */
export function categoryColour(name: string): string {
    return `family-${CATEGORY_FAMILIES[name] ?? 'none'}`;
}
