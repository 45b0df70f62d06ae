/* SPDX-License-Identifier: MIT */
/* Tables that the dock of the timeline can show for a range. */
import type { ComponentType } from 'preact';
import type { Run, TimelineAnswer } from '../../base/answers';
import { kindHas } from '../../base/kinds';
import { LABELS } from '../../base/terms';
import { lazy } from '../../components/lazy';
import type { TraceRange } from '../../model/trace_range';
import { countDeviceWork } from '../../model/trace_work';
import { DeviceMemoryPane, MemorySwitch } from '../memory/device_pane';
import { KernelsTable } from '../operators/kernels_table';
import { OperatorsTable } from '../operators/table';
import { FlamePane } from '../stacks/flame_pane';
import { StackFunctions } from '../stacks/functions_tab';
import { isAttributed, isStacks, traceOf } from '../trace/data';
import { SlicesTable } from './area_slices';

export interface PaneProps {
    run: Run;
    range: TraceRange | null;
}

export interface DockPane {
    id: string;
    title: string;
    shown: (run: Run, timeline: TimelineAnswer) => boolean;
    view: ComponentType<PaneProps>;
    /** the view of the API for the CSV download */
    csv?: string;
    /** switches in the head of the dock */
    tools?: ComponentType<{ run: Run }>;
}

/* The library of charts is loaded when an area shows curves. */
const AreaCurves = lazy(() => import('./area_curves').then((module) => module.AreaCurves));

const torch = (run: Run): boolean => kindHas(run.kind, 'torch');

function OperatorsPane({ run, range }: PaneProps) {
    return <OperatorsTable run={run} range={range} narrow />;
}

function StackFunctionsPane({ run, range }: PaneProps) {
    return <StackFunctions run={run} range={range} prefix="fn_" />;
}

function KernelsPane({ run, range }: PaneProps) {
    return <KernelsTable run={run} range={range} narrow />;
}

function MemoryPane({ run, range }: PaneProps) {
    const table = <DeviceMemoryPane run={run} range={range} prefix="memory_" />;
    if (!range) return table;
    return (
        <div class="area-memory">
            <AreaCurves run={run} />
            {table}
        </div>
    );
}

function CountersPane({ run }: PaneProps) {
    return <AreaCurves run={run} />;
}

const hasMemory = (run: Run): boolean => isAttributed(run) && Boolean(traceOf(run).memory);

function FlamePart({ run, range }: PaneProps) {
    return <FlamePane run={run} range={range} />;
}

export const DOCK_PANES: DockPane[] = [
    {
        id: 'operators',
        title: LABELS.operators,
        shown: torch,
        view: OperatorsPane,
        csv: 'operators',
    },
    {
        id: 'operators',
        title: 'Slices',
        shown: (run) => !torch(run) && !isStacks(run),
        view: OperatorsPane,
        csv: 'operators',
    },
    {
        id: 'functions',
        title: LABELS.functions,
        shown: isStacks,
        view: StackFunctionsPane,
        csv: 'stack_functions',
    },
    {
        id: 'kernels',
        title: LABELS.kernels,
        shown: (run) => isAttributed(run) && countDeviceWork(traceOf(run)) > 0,
        view: KernelsPane,
        csv: 'kernels',
    },
    { id: 'slices', title: 'Slices', shown: torch, view: SlicesTable, csv: 'slices' },
    { id: 'flame', title: 'Flame', shown: () => true, view: FlamePart },
    {
        id: 'memory',
        title: LABELS.memory,
        shown: hasMemory,
        view: MemoryPane,
        tools: MemorySwitch,
    },
    {
        id: 'memory',
        title: 'Counters',
        shown: (run, { memory, counters }) =>
            !hasMemory(run) && memory.length + counters.length > 0,
        view: CountersPane,
    },
];
