/* SPDX-License-Identifier: MIT
 *
 * Which tabs a trace has beside its timeline: of a PyTorch trace all, of another one those that need
 * no torch in it.
 */
import { LABELS } from '../base/terms';
import type { Run } from '../base/types';
import type { TabSpec } from './report_tabs';
import { traceOf } from './trace_data';

const OVERVIEW: TabSpec = {
    id: 'overview',
    title: 'Overview',
    load: async () => (await import('./trace_overview')).TraceOverviewTab,
};

const OPERATORS: TabSpec = {
    id: 'operators',
    title: LABELS.operators,
    count: (run) => traceOf(run).operators ?? null,
    load: async () => (await import('./tabs_trace')).OperatorsTab,
};

const KERNELS: TabSpec = {
    id: 'kernels',
    title: LABELS.kernels,
    count: (run) => traceOf(run).kernel_names || null,
    load: async () => (await import('./tabs_trace')).KernelsTab,
};

const MEMORY: TabSpec = {
    id: 'memory',
    title: LABELS.memory,
    load: async () => (await import('./device_memory_tab')).DeviceMemoryTab,
};

const MODULES: TabSpec = {
    id: 'modules',
    title: LABELS.modules,
    load: async () => (await import('./tabs_trace')).ModulesTab,
};

const FLAME: TabSpec = {
    id: 'flame',
    title: 'Flame',
    load: async () => (await import('./tabs_trace')).FlameTab,
};

const RANKS: TabSpec = {
    id: 'ranks',
    title: LABELS.ranks,
    count: (run) => traceOf(run).workers,
    load: async () => (await import('./tabs_trace')).WorkersTab,
};

const FINDINGS: TabSpec = {
    id: 'findings',
    title: 'Findings',
    load: async () => (await import('./tabs_trace')).FindingsTab,
};

const SUMMARIES: TabSpec = {
    id: 'summaries',
    title: 'Summaries',
    load: async () => (await import('./tabs_trace')).SummariesTab,
};

const SLICES: TabSpec = { ...OPERATORS, id: 'operators', title: 'Slices by name' };

/** What there is of a device, and of its memory, depends on what was recorded. */
function nsysTabs(run: Run): TabSpec[] {
    const { devices, memory, slices } = traceOf(run);
    const device = devices ? [OVERVIEW, KERNELS] : [];
    const sums = slices > 0 ? [SUMMARIES] : [];
    const named = { ...SLICES, count: undefined };
    return [...device, ...sums, named, ...(memory ? [MEMORY] : []), FLAME, FINDINGS];
}

export function traceTabs(run: Run): TabSpec[] {
    if (run.kind === 'trace') return [SLICES, FLAME];
    if (run.kind === 'nsys') return nsysTabs(run);
    if (run.kind !== 'torch-trace') return [];
    const ranks = traceOf(run).workers > 1 ? [RANKS] : [];
    const sums = traceOf(run).kernels > 0 ? [SUMMARIES] : [];
    return [OVERVIEW, OPERATORS, KERNELS, ...sums, MEMORY, MODULES, FLAME, ...ranks, FINDINGS];
}
