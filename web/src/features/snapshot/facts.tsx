/* SPDX-License-Identifier: MIT
 *
 * Main values in the header of a memory snapshot, of the GPU that the views show first.
 */
import type { Run } from '../../base/answers';
import { formatBytes, int, pct, THIN_SPACE } from '../../base/units';
import type { Fact } from '../../components/run_head';
import { FormattedValueText } from '../../components/text';

const NARROW_PX = 1000;

function bytesFact(label: string, bytes: number, tip: string): Fact {
    return { label, value: <FormattedValueText value={formatBytes(bytes)} />, tip };
}

/** Null: not a memory snapshot, or one that an older version has read. */
export function snapshotFacts(run: Run): Fact[] | null {
    const summary = run.summary as Record<string, number | undefined>;
    const {
        peak_live_bytes: peak,
        reserved_at_peak_bytes: reserved,
        live_end_bytes: end,
    } = summary;
    if (peak === undefined) return null;
    const facts = [bytesFact('Peak allocated', peak, 'most bytes that the program held at once')];
    if (reserved) {
        facts.push(
            bytesFact('Reserved at peak', reserved, 'bytes that PyTorch had from the driver'),
        );
        facts.push({
            label: 'Unused at peak',
            value: `${pct((100 * Math.max(reserved - peak, 0)) / reserved)}${THIN_SPACE}%`,
            note: 'of reserved',
            tip: 'reserved bytes that no allocation had requested',
            hideBelow: NARROW_PX,
        });
    }
    if (end !== undefined)
        facts.push(bytesFact('At the end', end, 'bytes that the program held at the end'));
    if (summary.ooms) facts.push({ label: 'Failed allocations', value: int(summary.ooms) });
    facts.push({ label: 'Events', value: int(summary.trace_events ?? 0), hideBelow: NARROW_PX });
    return facts;
}
