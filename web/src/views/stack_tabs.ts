/* SPDX-License-Identifier: MIT */
/* Which tabs a profile of stacks has: merged, around a function, in its own order. */
import { LABELS } from '../base/terms';
import type { TabSpec } from './report_tabs';

export function stackTabs(order: string, timeline: TabSpec): TabSpec[] {
    return [
        {
            id: 'flame',
            title: 'Left heavy',
            load: async () => (await import('./tabs_trace')).FlameTab,
        },
        {
            id: 'functions',
            title: LABELS.functions,
            count: ({ summary }) => (typeof summary.frames === 'number' ? summary.frames : null),
            load: async () => (await import('./stack_functions')).StackFunctionsTab,
        },
        {
            id: 'sandwich',
            title: 'Sandwich',
            load: async () => (await import('./stack_sandwich')).SandwichTab,
        },
        { ...timeline, title: order },
    ];
}
