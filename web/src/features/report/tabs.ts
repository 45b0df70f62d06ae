/* SPDX-License-Identifier: MIT
 *
 * The code of the tabs of reports. Each kind has one chunk, which is fetched when a tab of that
 * kind is first shown. The shelf prefetches chunks while the browser is idle.
 */
import type { ComponentType } from 'preact';
import type { Run } from '../../base/answers';
import { API, startRead } from '../../base/client';
import { kindRows } from '../../base/kinds';
import { timelinePath } from '../trace/data';
import { LedgerTab } from './ledger_tab';
import { type TabKey, tabKeys, TABS } from '../shared/tab_list';

export type TabView = ComponentType<{ run: Run }>;

export interface TabSpec {
    id: string;
    title: string;
    count?: (run: Run) => number | null;
    warn?: boolean;
    isTall?: boolean;
    load: () => Promise<TabView>;
}

const LEDGER_TAB: TabSpec = {
    id: 'ledger',
    title: 'Ledger',
    count: ({ ledger }) => ledger.repaired + ledger.rejected || null,
    warn: true,
    load: () => Promise.resolve(LedgerTab),
};

/** Not available side by side: a statement can read several runs itself. */
export const SQL_TAB: TabSpec = {
    id: 'sql',
    title: 'SQL',
    load: async () => (await import('../sql/tab')).SqlTab,
};

const loadTimeline: TabSpec['load'] = async () => (await import('../timeline/tab')).TimelineTab;

const LOADERS: Record<TabKey, TabSpec['load']> = {
    imports: async () => (await import('./tabs_importtime')).ImportsTab,
    packages: async () => (await import('../imports/packages_tab')).PackagesTab,
    'who-imports': async () => (await import('./tabs_importtime')).WhoImportsTab,
    lazy: async () => (await import('./tabs_importtime')).LazyTab,
    functions: async () => (await import('./tabs_pstats')).FunctionsTab,
    calltree: async () => (await import('./tabs_pstats')).CallTreeTab,
    callgraph: async () => (await import('./tabs_pstats')).CallGraphTab,
    files: async () => (await import('./tabs_pstats')).FilesTab,
    'function-lines': async () => (await import('./tabs_lines')).MultiRunTab,
    'printed-functions': async () => (await import('./tabs_pstats')).PrintedFunctionsTab,
    'printed-files': async () => (await import('./tabs_pstats')).PrintedFilesTab,
    actions: async () => (await import('./tabs_pstats')).ActionsTab,
    'printed-operators': async () => (await import('./tabs_trace')).PrintedOperatorsTab,
    lines: async () => (await import('./tabs_lines')).LinesTab,
    'line-functions': async () => (await import('./tabs_lines')).LineFunctionsTab,
    'line-files': async () => (await import('./tabs_lines')).LineFilesTab,
    across: async () => (await import('./tabs_lines')).MultiRunTab,
    memory: async () => (await import('../memory/tab')).MemoryTab,
    categories: async () => (await import('../memory/categories_tab')).MemoryTimelineTab,
    measurements: async () => (await import('./tabs_measure')).MeasurementsTab,
    bound: async () => (await import('./tabs_measure')).BoundTab,
    processes: async () => (await import('./tabs_measure')).ProcessesTab,
    timeline: loadTimeline,
    overview: async () => (await import('../overview/tab')).TraceOverviewTab,
    operators: async () => (await import('./tabs_trace')).OperatorsTab,
    slices: async () => (await import('./tabs_trace')).OperatorsTab,
    'xla-steps': async () => (await import('./tabs_trace')).XlaStepsTab,
    'xla-operators': async () => (await import('./tabs_trace')).XlaOperatorsTab,
    kernels: async () => (await import('./tabs_trace')).KernelsTab,
    summaries: async () => (await import('./tabs_trace')).SummariesTab,
    snapshot: async () => (await import('../snapshot/tab')).SnapshotTab,
    leaks: async () => (await import('../snapshot/leaks_tab')).LeaksTab,
    'device-memory': async () => (await import('../memory/device_tab')).DeviceMemoryTab,
    modules: async () => (await import('./tabs_trace')).ModulesTab,
    flame: async () => (await import('./tabs_trace')).FlameTab,
    roofline: async () => (await import('./tabs_trace')).RooflineTab,
    inference: async () => (await import('./tabs_trace')).InferenceTab,
    'critical-path': async () => (await import('./tabs_trace')).CriticalPathTab,
    requests: async () => (await import('../requests/tab')).RequestsTab,
    ranks: async () => (await import('./tabs_trace')).RanksTab,
    'stack-flame': async () => (await import('./tabs_trace')).FlameTab,
    'stack-functions': async () => (await import('../stacks/functions_tab')).StackFunctionsTab,
    sandwich: async () => (await import('../stacks/sandwich_tab')).SandwichTab,
    labels: async () => (await import('../stacks/labels_tab')).LabelsTab,
    'allocation-flame': async () => (await import('./tabs_trace')).FlameTab,
    'allocating-functions': async () => (await import('../stacks/functions_tab')).StackFunctionsTab,
    'allocation-sandwich': async () => (await import('../stacks/sandwich_tab')).SandwichTab,
    'file-order': loadTimeline,
    'drawn-order': loadTimeline,
    'time-order': loadTimeline,
};

export function runPath(id: string): string {
    return `${API}/runs/${encodeURIComponent(id)}`;
}

/* One object per tab, so that the object can be the key of the cache `viewBySpec`. */
const SPECS = Object.fromEntries(
    (Object.keys(LOADERS) as TabKey[]).map((key) => [key, { ...TABS[key], load: LOADERS[key] }]),
) as Record<TabKey, TabSpec>;

export function tabsOf(run: Run): TabSpec[] {
    return [...tabKeys(run).map((key) => SPECS[key]), LEDGER_TAB, SQL_TAB];
}

/* Names in the URL of former tabs, and of the tabs that have their content now. */
const FORMER: Partial<Record<string, string>> = { findings: 'overview' };

/** The name of the tab that a link with this name shows. */
export function currentName(name: string | undefined): string | undefined {
    return FORMER[name ?? ''] ?? name;
}

const viewBySpec = new Map<TabSpec, TabView>();

/** The view of a tab; null if its code is not loaded. */
export function loadedView(spec: TabSpec): TabView | null {
    return viewBySpec.get(spec) ?? null;
}

export async function loadView(spec: TabSpec): Promise<TabView> {
    const view = await spec.load();
    viewBySpec.set(spec, view);
    return view;
}

/* What tabs read first, by their names in the URL. */
const FIRST_READS: Partial<Record<string, (run: Pick<Run, 'id'>) => string>> = {
    timeline: timelinePath,
};

/** Starts to fetch what a report needs before its first render: the run, the code of its tab, and what
 * the tab reads. If tabs with different code have this name, the kind of the run must be known first. */
export function startReport(id: string, name: string | undefined): void {
    startRead(runPath(id));
    const named = Object.values(SPECS).filter((spec) => spec.id === currentName(name));
    const [load, ...others] = new Set(named.map((spec) => spec.load));
    if (!load || others.length) return;
    load().catch(() => undefined); // TabBody shows the error
    const readPath = FIRST_READS[named[0].id];
    if (readPath) startRead(readPath({ id }));
}

/** Fetches the code of the first tab of each kind before the user clicks. */
export function prefetchViews(): void {
    for (const key of new Set(kindRows.map(({ tabs }) => tabs[0] as TabKey))) {
        // The error is shown when the tab is opened.
        loadView(SPECS[key]).catch(() => undefined);
    }
}
