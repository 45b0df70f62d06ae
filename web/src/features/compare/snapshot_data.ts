/* SPDX-License-Identifier: MIT
 *
 * Comparison of two memory snapshots: where they are compared, what the URL says of it (base.at, new.at:
 * events; base.d, new.d: GPUs; frames=all; s: the selected stack; q), and the request.
 */
import type { Comparison, SnapshotComparison } from '../../base/answers';
import { pushQuery, type Query, route } from '../../base/router';
import { type Answer, useJson } from '../shared/use_json';
import type { Side } from './diff_tree';
import { CHANGES_TAB, comparePath } from './state';

export type Moment = 'peak' | 'end' | 'events';

export const MOMENT_TABS: readonly { tab: string; moment: Moment; title: string }[] = [
    { tab: 'snapshot', moment: 'peak', title: 'At the peaks' },
    { tab: 'snapshot-end', moment: 'end', title: 'At the end' },
    { tab: 'snapshot-events', moment: 'events', title: 'At chosen events' },
];

export function isSnapshots({ pictures }: Comparison): boolean {
    return pictures.includes('snapshot');
}

/** The moment that a tab compares; null: the tab is another one. */
export function momentOf(tab: string | undefined): Moment | null {
    if (tab === undefined || tab === CHANGES_TAB) return 'peak';
    return MOMENT_TABS.find((one) => one.tab === tab)?.moment ?? null;
}

/** Maximum number of rows that the server answers. */
const MAX_ROWS = 10_000;

const EVENT = /^(-1|\d+)$/;

function eventOf(query: Query, side: Side): string | undefined {
    const text = query[`${side}.at`];
    return text !== undefined && EVENT.test(text) ? text : undefined;
}

function pathOf(query: Query, moment: Moment): string {
    const events = moment === 'events';
    return comparePath(query, '/snapshot', {
        of: moment === 'end' ? 'end' : 'peak',
        frames: query.frames === 'all' ? 'all' : 'own',
        limit: MAX_ROWS,
        ...(query['base.d'] && { base_device: query['base.d'] }),
        ...(query['new.d'] && { new_device: query['new.d'] }),
        ...(events && { base_at: eventOf(query, 'base') ?? 'peak' }),
        ...(events && { new_at: eventOf(query, 'new') ?? 'peak' }),
    });
}

export function useSnapshotDiff(
    comparison: Comparison,
    moment: Moment | null,
): Answer<SnapshotComparison> {
    const { query } = route.value;
    const wanted = moment !== null && isSnapshots(comparison);
    return useJson<SnapshotComparison>(wanted ? pathOf(query, moment) : null);
}

export function selectStackKey(key: string | null): void {
    pushQuery({ s: key });
}
