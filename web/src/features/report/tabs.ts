/* SPDX-License-Identifier: MIT
 *
 * The code of the tabs of reports. Each kind has one chunk, which is fetched when a tab of that
 * kind is first shown. The shelf prefetches chunks while the browser is idle.
 */
import type { ComponentType } from 'preact';
import { kindRows } from '../../base/kinds';
import type { Run } from '../../base/types';
import { LedgerTab } from './ledger_tab';
import { type TabKey, tabKeys, TABS } from './tab_list';

export type TabView = ComponentType<{ run: Run }>;

export interface TabSpec {
    id: string;
    title: string;
    count?: (run: Run) => number | null;
    warn?: boolean;
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
    timeline: async () => (await import('../timeline/tab')).TimelineTab,
    overview: async () => (await import('../overview/tab')).TraceOverviewTab,
    operators: async () => (await import('./tabs_trace')).OperatorsTab,
    slices: async () => (await import('./tabs_trace')).OperatorsTab,
    kernels: async () => (await import('./tabs_trace')).KernelsTab,
    summaries: async () => (await import('./tabs_trace')).SummariesTab,
    'device-memory': async () => (await import('../memory/device_tab')).DeviceMemoryTab,
    modules: async () => (await import('./tabs_trace')).ModulesTab,
    flame: async () => (await import('./tabs_trace')).FlameTab,
    ranks: async () => (await import('./tabs_trace')).WorkersTab,
    'stack-flame': async () => (await import('./tabs_trace')).FlameTab,
    'stack-functions': async () => (await import('../stacks/functions_tab')).StackFunctionsTab,
    sandwich: async () => (await import('../stacks/sandwich_tab')).SandwichTab,
    'file-order': async () => (await import('../timeline/tab')).TimelineTab,
    'drawn-order': async () => (await import('../timeline/tab')).TimelineTab,
    'time-order': async () => (await import('../timeline/tab')).TimelineTab,
};

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

/** Fetches the code of the first tab of each kind before the user clicks. */
export function prefetchViews(): void {
    for (const key of new Set(kindRows.map(({ tabs }) => tabs[0] as TabKey))) {
        // The error is shown when the tab is opened.
        loadView(SPECS[key]).catch(() => undefined);
    }
}
