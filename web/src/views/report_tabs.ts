/* SPDX-License-Identifier: MIT
 *
 * Which tabs a report has, by kind. Their code comes as one chunk a kind, fetched when it is
 * first shown; the shelf fetches it while nothing else is to be done.
 */
import { LABELS } from '../base/terms';
import type { ComponentType } from 'preact';
import type { Run } from '../base/types';
import { LedgerTab } from './ledger_tab';
import { stackTabs } from './stack_tabs';
import { traceTabs } from './trace_tabs';

export type TabView = ComponentType<{ run: Run }>;

export interface TabSpec {
    id: string;
    title: string;
    count?: (run: Run) => number | null;
    warn?: boolean;
    load: () => Promise<TabView>;
}

const LEDGER: TabSpec = {
    id: 'ledger',
    title: 'Ledger',
    count: ({ ledger }) => ledger.repaired + ledger.rejected || null,
    warn: true,
    load: () => Promise.resolve(LedgerTab),
};

/** Not beside another run: it asks over several itself. */
export const SQL: TabSpec = {
    id: 'sql',
    title: 'SQL',
    load: async () => (await import('./sql_tab')).SqlTab,
};

const TABS: Record<string, TabSpec[]> = {
    importtime: [
        {
            id: 'imports',
            title: 'Imports',
            load: async () => (await import('./tabs_importtime')).ImportsTab,
        },
        {
            id: 'packages',
            title: LABELS.packages,
            load: async () => (await import('./packages_tab')).PackagesTab,
        },
        {
            id: 'who-imports',
            title: 'Who imports',
            load: async () => (await import('./tabs_importtime')).WhoImportsTab,
        },
        {
            id: 'lazy',
            title: 'Make lazy',
            load: async () => (await import('./tabs_importtime')).LazyTab,
        },
    ],
    pstats: [
        {
            id: 'functions',
            title: LABELS.functions,
            load: async () => (await import('./tabs_pstats')).FunctionsTab,
        },
        {
            id: 'calltree',
            title: LABELS.callTree,
            load: async () => (await import('./tabs_pstats')).CallTreeTab,
        },
        {
            id: 'callgraph',
            title: LABELS.callGraph,
            load: async () => (await import('./tabs_pstats')).CallGraphTab,
        },
        {
            id: 'files',
            title: LABELS.files,
            count: ({ summary }) => (typeof summary.files === 'number' ? summary.files : null),
            load: async () => (await import('./tabs_pstats')).FilesTab,
        },
    ],
};

const LINES: TabSpec[] = [
    {
        id: 'lines',
        title: LABELS.lines,
        load: async () => (await import('./tabs_lines')).LinesTab,
    },
    {
        id: 'functions',
        title: LABELS.functions,
        count: ({ summary }) => (typeof summary.functions === 'number' ? summary.functions : null),
        load: async () => (await import('./tabs_lines')).LineFunctionsTab,
    },
    {
        id: 'files',
        title: LABELS.files,
        count: ({ summary }) => (typeof summary.files === 'number' ? summary.files : null),
        load: async () => (await import('./tabs_lines')).LineFilesTab,
    },
];

const ACROSS: TabSpec = {
    id: 'across',
    title: 'Across runs',
    load: async () => (await import('./tabs_lines')).LinesAcrossTab,
};

const MEMORY: TabSpec = {
    id: 'memory',
    title: LABELS.memory,
    load: async () => (await import('./memory_tab')).MemoryTab,
};

const TIMELINE: TabSpec = {
    id: 'timeline',
    title: 'Timeline',
    load: async () => (await import('./timeline_tab')).TimelineTab,
};

const PRINTED: TabSpec[] = [
    {
        id: 'functions',
        title: LABELS.functions,
        load: async () => (await import('./tabs_pstats')).PrintedFunctionsTab,
    },
    {
        id: 'files',
        title: LABELS.files,
        load: async () => (await import('./tabs_pstats')).PrintedFilesTab,
    },
];

const ACTIONS: TabSpec = {
    id: 'actions',
    title: LABELS.actions,
    count: ({ summary }) => (typeof summary.actions === 'number' ? summary.actions : null),
    load: async () => (await import('./tabs_pstats')).ActionsTab,
};

/** Functions are what the advanced profiler of Lightning adds. */
function lightningTabs({ summary }: Run): TabSpec[] {
    return summary.reports ? [ACTIONS, ...PRINTED] : [ACTIONS];
}

TABS['memory-timeline'] = [
    {
        id: 'memory',
        title: LABELS.memory,
        load: async () => (await import('./memory_timeline_tab')).MemoryTimelineTab,
    },
];
TABS['pstats-text'] = PRINTED;
TABS['key-averages'] = [
    {
        id: 'operators',
        title: LABELS.operators,
        count: ({ summary }) => (typeof summary.operators === 'number' ? summary.operators : null),
        load: async () => (await import('./tabs_trace')).PrintedOperatorsTab,
    },
];

const MEASUREMENTS: TabSpec = {
    id: 'measurements',
    title: LABELS.measurements,
    count: ({ summary }) =>
        typeof summary.measurements === 'number' ? summary.measurements : null,
    load: async () => (await import('./tabs_measure')).MeasurementsTab,
};

const BOUND: TabSpec = {
    id: 'bound',
    title: 'Bound',
    load: async () => (await import('./tabs_measure')).BoundTab,
};

const PROCESSES: TabSpec = {
    id: 'processes',
    title: LABELS.processes,
    count: ({ summary }) => (typeof summary.processes === 'number' ? summary.processes : null),
    load: async () => (await import('./tabs_measure')).ProcessesTab,
};

TABS.top = [PROCESSES, MEASUREMENTS];
TABS.time = [BOUND, MEASUREMENTS];
TABS.timeit = [MEASUREMENTS];
TABS.hyperfine = [MEASUREMENTS];
TABS['pytest-benchmark'] = [MEASUREMENTS];
TABS['torch-trace'] = [TIMELINE];
TABS.trace = [TIMELINE];
TABS.nsys = [TIMELINE];
TABS.folded = stackTabs('File order', TIMELINE);
TABS['flamegraph-svg'] = stackTabs('As drawn', TIMELINE);
TABS.gecko = stackTabs('Time order', TIMELINE);
TABS.speedscope = stackTabs('Time order', TIMELINE);
TABS.line_profiler = [...LINES, ACROSS];
TABS.memory_profiler = [...LINES, ACROSS];
TABS.scalene = [...LINES, MEMORY, ACROSS];
TABS.mprof = [MEMORY];
TABS.pstats.push({ ...ACROSS, title: LABELS.lines });

/** Sums without callers have no tree and no graph. */
function withCallers(run: Run, specs: TabSpec[]): TabSpec[] {
    if (!run.summary.flat) return specs;
    return specs.filter(({ id }) => id !== 'calltree' && id !== 'callgraph');
}

export function tabsOf(run: Run): TabSpec[] {
    const kind = run.kind === 'lightning' ? lightningTabs(run) : (TABS[run.kind] ?? []);
    const own = withCallers(run, kind);
    return [...own, ...traceTabs(run), LEDGER, SQL];
}

const loaded = new Map<TabSpec, TabView>();

/** The view if it is here already. */
export function viewNow(spec: TabSpec): TabView | null {
    return loaded.get(spec) ?? null;
}

export async function loadView(spec: TabSpec): Promise<TabView> {
    const view = await spec.load();
    loaded.set(spec, view);
    return view;
}

/** Fetches the first tab of each kind ahead of the click. */
export function prefetchViews(): void {
    for (const specs of Object.values(TABS)) {
        // A failure shows itself when the tab is opened.
        if (specs[0]) loadView(specs[0]).catch(() => undefined);
    }
}
