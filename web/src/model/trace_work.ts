/* SPDX-License-Identifier: MIT */
import type { TraceSummary } from '../base/trace_types';

/** Number of kernels, copies and sets of a trace. */
export function countDeviceWork({ kernels, copies }: Partial<TraceSummary>): number {
    return (kernels ?? 0) + (copies ?? 0);
}
