/* SPDX-License-Identifier: MIT
 *
 * How much of the work of devices has a known operator. No DOM access.
 */
import type { TraceSummary } from '../base/trace_types';
import { pct, THIN_SPACE } from '../base/units';
import { deviceWord } from './device';

type Sums = Pick<
    TraceSummary,
    | 'work_ns'
    | 'work_with_operator_ns'
    | 'replayed_ns'
    | 'replayed_by_order_ns'
    | 'replayed_by_node_ns'
>;

/** "operator known for 99.8 % of GPU time · 98.7 % replayed from graphs, its operators found by the
 * order of kernels"; null without work. */
export function attributionText(sums: Sums): string | null {
    const { work_ns: work = 0, replayed_ns: replayed = 0 } = sums;
    const { replayed_by_order_ns: byOrder = 0, replayed_by_node_ns: byNode = 0 } = sums;
    if (work <= 0) return null;
    const share = (ns: number): string => `${pct((100 * ns) / work)}${THIN_SPACE}%`;
    const parts = [
        `operator known for ${share(sums.work_with_operator_ns ?? 0)} of ${deviceWord()} time`,
    ];
    if (replayed > 0) {
        const ways = [
            byNode > 0 ? `${share(byNode)} found by node` : '',
            byOrder > 0 ? `${share(byOrder)} found by order` : '',
            byNode + byOrder < replayed
                ? `${share(replayed - byNode - byOrder)} not captured in this trace`
                : '',
        ];
        parts.push(`${share(replayed)} replayed from graphs: ${ways.filter(Boolean).join(', ')}`);
    }
    return parts.join(' · ');
}
