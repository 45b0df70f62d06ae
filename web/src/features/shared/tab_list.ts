/* SPDX-License-Identifier: MIT
 *
 * The tabs of reports. importers/kinds.c lists the tabs of each kind in order. This file has their
 * titles and decides which runs have data for them. tabs.ts has their code.
 */
import type { Run } from '../../base/answers';
import { kindHas, kindOf } from '../../base/kinds';
import { LABELS } from '../../base/terms';
import type { TraceSummary } from '../../base/trace_types';
import { countDeviceWork } from '../../model/trace_work';

/** The fields of a run that determine its tabs. */
export type TabRun = Pick<Run, 'kind' | 'summary'>;

export interface TabInfo {
    /** Name in the URL. Tabs of different kinds can have the same id. */
    id: string;
    title: string;
    count?: (run: TabRun) => number | null;
    /** Whether a run has data for the tab; default: every run has. */
    shown?: (run: TabRun) => boolean;
    /** The tab needs its height for pictures: as a first tab, it opens without the causes. */
    isTall?: boolean;
}

/** Whether the run recorded callers; only then there is a call tree and a call graph. */
const hasCallers = ({ summary }: TabRun): boolean => !summary.flat;

/** Whether the run has functions. Of Lightning's profilers, only the advanced one records them. */
const hasFunctions = ({ kind, summary }: TabRun): boolean =>
    !kindHas(kind, 'actions') || Boolean(summary.reports);

/** Returns a function that reads the tab's count from this field of the summary. */
const countField =
    (key: string) =>
    ({ summary }: TabRun) => {
        const value = summary[key];
        return typeof value === 'number' ? value : null;
    };

const traceOf = ({ summary }: TabRun) => summary as unknown as Partial<TraceSummary>;

const isTorch = ({ kind }: TabRun): boolean => kindHas(kind, 'torch');

/* A PyTorch trace always has the tabs for devices and memory: without data they explain how to
 * record it. */
const hasDevices = (run: TabRun): boolean => isTorch(run) || Boolean(traceOf(run).devices);

const hasMemory = (run: TabRun): boolean => isTorch(run) || Boolean(traceOf(run).memory);

/** Whether a run has stacks beside its other data. */
const hasAllocations = ({ summary }: TabRun): boolean => Boolean(summary.byte_stacks);

function hasSums(run: TabRun): boolean {
    const trace = traceOf(run);
    return (isTorch(run) ? countDeviceWork(trace) : (trace.slices ?? 0)) > 0;
}

const defineTabs = <Key extends string>(tabs: Record<Key, TabInfo>): Record<Key, TabInfo> => tabs;

/** Tabs by the keys that importers/kinds.c lists. */
export const TABS = defineTabs({
    imports: {
        id: 'imports',
        title: 'Imports',
    },
    packages: {
        id: 'packages',
        title: LABELS.packages,
    },
    'who-imports': {
        id: 'who-imports',
        title: 'Who imports',
    },
    lazy: {
        id: 'lazy',
        title: 'Make lazy',
    },
    functions: {
        id: 'functions',
        title: LABELS.functions,
    },
    calltree: {
        id: 'calltree',
        title: LABELS.callTree,
        shown: hasCallers,
    },
    callgraph: {
        id: 'callgraph',
        title: LABELS.callGraph,
        shown: hasCallers,
    },
    files: {
        id: 'files',
        title: LABELS.files,
        count: countField('files'),
    },
    'function-lines': {
        id: 'across',
        title: LABELS.lines,
    },
    'printed-functions': {
        id: 'functions',
        title: LABELS.functions,
        shown: hasFunctions,
    },
    'printed-files': {
        id: 'files',
        title: LABELS.files,
        shown: hasFunctions,
    },
    actions: {
        id: 'actions',
        title: LABELS.actions,
        count: countField('actions'),
    },
    'printed-operators': {
        id: 'operators',
        title: LABELS.operators,
        count: countField('operators'),
    },
    lines: {
        id: 'lines',
        title: LABELS.lines,
    },
    'line-functions': {
        id: 'functions',
        title: LABELS.functions,
        count: countField('functions'),
    },
    'line-files': {
        id: 'files',
        title: LABELS.files,
        count: countField('files'),
    },
    across: {
        id: 'across',
        title: 'Across runs',
    },
    snapshot: {
        id: 'snapshot',
        title: 'Snapshot',
        isTall: true,
    },
    leaks: {
        id: 'leaks',
        title: 'Leaks',
    },
    memory: {
        id: 'memory',
        title: LABELS.memory,
    },
    categories: {
        id: 'memory',
        title: LABELS.memory,
    },
    measurements: {
        id: 'measurements',
        title: LABELS.measurements,
        count: countField('measurements'),
    },
    bound: {
        id: 'bound',
        title: 'Bound',
    },
    processes: {
        id: 'processes',
        title: LABELS.processes,
        count: countField('processes'),
    },
    timeline: {
        id: 'timeline',
        title: 'Timeline',
    },
    overview: {
        id: 'overview',
        title: 'Overview',
        shown: hasDevices,
    },
    operators: {
        id: 'operators',
        title: LABELS.operators,
        count: (run) => traceOf(run).operators ?? null,
    },
    slices: {
        id: 'operators',
        title: 'Slices by name',
        count: (run) => (kindHas(run.kind, 'nvtx') ? null : (traceOf(run).operators ?? null)),
    },
    'xla-steps': {
        id: 'xla-steps',
        title: 'Steps',
        count: (run) => traceOf(run).steps || null,
        shown: (run) => (traceOf(run).steps ?? 0) > 0,
    },
    'xla-operators': {
        id: 'xla-operators',
        title: LABELS.operators,
    },
    kernels: {
        id: 'kernels',
        title: LABELS.kernels,
        count: (run) => traceOf(run).kernel_names || null,
        shown: (run) =>
            kindHas(run.kind, 'xla') ? countDeviceWork(traceOf(run)) > 0 : hasDevices(run),
    },
    summaries: {
        id: 'summaries',
        title: 'Summaries',
        shown: hasSums,
    },
    'device-memory': {
        id: 'memory',
        title: LABELS.memory,
        shown: hasMemory,
    },
    modules: {
        id: 'modules',
        title: LABELS.modules,
    },
    flame: {
        id: 'flame',
        title: 'Flame',
    },
    'critical-path': {
        id: 'path',
        title: 'Critical path',
        shown: (run) => (traceOf(run).operators ?? 0) + countDeviceWork(traceOf(run)) > 0,
    },
    roofline: {
        id: 'roofline',
        title: 'Roofline',
        shown: (run) =>
            kindHas(run.kind, 'xla')
                ? Boolean(traceOf(run).flops)
                : Boolean(traceOf(run).shapes) && (traceOf(run).kernels ?? 0) > 0,
    },
    inference: {
        id: 'inference',
        title: 'Inference',
        count: (run) => traceOf(run).serving_steps ?? null,
        shown: (run) => (traceOf(run).serving_steps ?? 0) > 0,
    },
    requests: {
        id: 'requests',
        title: LABELS.requests,
        count: countField('requests'),
        isTall: true,
    },
    ranks: {
        id: 'ranks',
        title: LABELS.ranks,
        count: (run) => traceOf(run).workers ?? null,
        shown: (run) => (traceOf(run).workers ?? 0) > 1,
    },
    'stack-flame': {
        id: 'flame',
        title: 'Left heavy',
    },
    'stack-functions': {
        id: 'functions',
        title: LABELS.functions,
    },
    sandwich: {
        id: 'sandwich',
        title: 'Sandwich',
    },
    labels: {
        id: 'labels',
        title: 'Labels',
    },
    'allocation-flame': {
        id: 'flame',
        title: 'Allocations',
        shown: hasAllocations,
    },
    'allocating-functions': {
        id: 'allocating',
        title: 'Allocating functions',
        shown: hasAllocations,
    },
    'allocation-sandwich': {
        id: 'sandwich',
        title: 'Sandwich',
        shown: hasAllocations,
    },
    'file-order': {
        id: 'timeline',
        title: 'File order',
    },
    'drawn-order': {
        id: 'timeline',
        title: 'As drawn',
    },
    'time-order': {
        id: 'timeline',
        title: 'Time order',
    },
});

export type TabKey = keyof typeof TABS;

/** Keys of the tabs of a run, without the tabs that every kind has. */
export function tabKeys(run: TabRun): TabKey[] {
    const keys = kindOf(run.kind).tabs as TabKey[];
    return keys.filter((key) => TABS[key].shown?.(run) ?? true);
}

/** The name in the URL of the tab with the functions of the stacks of a run. */
export function stackFunctionsId({ kind }: Pick<TabRun, 'kind'>): string {
    const { tabs } = kindOf(kind);
    return TABS[tabs.includes('allocating-functions') ? 'allocating-functions' : 'stack-functions']
        .id;
}

/** The name in the URL of the tab with this key. */
export function tabId(key: string): string {
    return (TABS as Partial<Record<string, TabInfo>>)[key]?.id ?? key;
}
