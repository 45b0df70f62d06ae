/* SPDX-License-Identifier: MIT
 *
 * Terms of the page that need an explanation, one name for each concept. The key of a term is its
 * anchor in the glossary of the documentation.
 */

export interface TermText {
    /** The term, as a label. */
    label: string;
    /** One sentence of at most 25 words. */
    help: string;
}

export const TERMS = {
    shelf: { label: 'Shelf', help: 'The data store that holds your runs.' },
    run: { label: 'Run', help: 'One imported profile.' },
    series: {
        label: 'Series',
        help: 'Runs of the same program or benchmark, in the order they were recorded.',
    },
    baseline: {
        label: 'Baseline',
        help: 'The run of a series that newer runs are compared with. You pin it.',
    },
    ledger: {
        label: 'Ledger',
        help: 'The records of the file: read = stored + repaired + rejected + other.',
    },
    headline: {
        label: 'Headline',
        help: 'The one number that stands for a run, such as total time or peak memory.',
    },
    'self-time': {
        label: 'Self time',
        help: 'Time spent in the code itself, without the functions or modules that it calls.',
    },
    'total-time': {
        label: 'Total time',
        help: 'Time from entering a function to leaving it, including all functions that it calls.',
    },
    'cumulative-time': {
        label: 'Cumulative time',
        help: 'Time of an import including all modules that it imports first.',
    },
    amdahl: {
        label: 'Amdahl',
        help: 'Amdahl’s law: the largest speed-up of the program if one part took no time.',
    },
    'primitive-calls': {
        label: 'Primitive calls',
        help: 'Calls that were not made by recursion. pstats prints calls/primitive calls where they differ.',
    },
    'bounded-value': {
        label: 'Bounded',
        help: 'The profile has sums per caller, not call paths, so only a lower and an upper bound are known.',
    },
    step: {
        label: 'Step',
        help: 'One iteration of a training loop, marked by the profiler.',
    },
    'gpu-busy': {
        label: 'GPU busy',
        help: 'Share of the time in which at least one kernel was running on the GPU.',
    },
    'exposed-communication': {
        label: 'Exposed',
        help: 'Communication time that no computation overlaps, so the GPU waits for it.',
    },
    occupancy: {
        label: 'Occupancy',
        help: 'Warps that run on a streaming multiprocessor, in percent of the warps it can hold.',
    },
    'tensor-core': {
        label: 'Tensor Cores',
        help: 'Units of an NVIDIA GPU that multiply matrices, mostly of low precision.',
    },
    dataloader: {
        label: 'DataLoader',
        help: 'The part of PyTorch that loads batches. Time in it is time the training loop waits for data.',
    },
    'resident-set': {
        label: 'Peak RSS',
        help: 'Largest resident set size: memory of the process that was in RAM.',
    },
    percentile: {
        label: 'p95',
        help: '95th percentile: 95 % of the values are at or below it.',
    },
    'median-absolute-deviation': {
        label: 'MAD',
        help: 'Median absolute deviation: the median distance of the values from their median.',
    },
    noise: {
        label: 'Noise',
        help: 'The change that repeats of the same program show. A smaller difference means nothing.',
    },
    verdict: {
        label: 'Verdict',
        help: 'Slower, faster or within noise, from a significance test over the repeats.',
    },
    'change-point': {
        label: 'Change point',
        help: 'The run at which the level of a series changed for good.',
    },
} as const satisfies Record<string, TermText>;

export type TermId = keyof typeof TERMS;

/** Link to a term of the glossary, which the server of this page delivers. */
export function glossaryHref(term: TermId): string {
    return `/docs/glossary#${term}`;
}

/** Labels and titles that are used in several places. */
export const LABELS = {
    actions: 'Actions',
    callGraph: 'Call graph',
    callTree: 'Call tree',
    collectives: 'Collectives',
    copyLink: 'Copy link',
    copyName: 'Copy name',
    duration: 'Duration',
    files: 'Files',
    firstImporter: 'First importer',
    functionCalls: 'Function calls',
    functions: 'Functions',
    kernels: 'Kernels',
    lines: 'Lines',
    measurements: 'Measurements',
    memory: 'Memory',
    modules: 'Modules',
    operators: 'Operators',
    packages: 'Packages',
    peakMemory: 'Peak memory',
    processes: 'Processes',
    ranks: 'Ranks',
    requests: 'Requests',
    searchModules: 'Search modules',
    baselineError: 'The baseline was not changed',
    curveError: 'The curve could not be read',
    noSharedTable: 'These runs share no table',
    viewError: 'This view could not be loaded',
    totalTottime: 'Total tottime',
} as const;
