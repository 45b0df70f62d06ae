/* SPDX-License-Identifier: MIT
 *
 * Main values in the header of a trace.
 */
import type { Run } from '../../base/answers';
import { formatAxisValue } from '../../base/axis';
import { kindHas } from '../../base/kinds';
import type { TraceSummary } from '../../base/trace_types';
import { formatBytes, formatCount, formatSeconds, formatValueIn, int, pct } from '../../base/units';
import type { Fact } from '../../components/run_head';
import { FormattedValueText } from '../../components/text';
import { capital } from '../../model/labels';
import { axisOfRun, estimateText, isStacks, isTrace, traceOf } from './data';
import { deviceWord } from '../../model/device';

const NARROW_PX = 1000;

function percentText(value: number): string {
    return `${pct(value)}`;
}

function lengthFact({ step_ns, steps, span_ns, serving_steps }: TraceSummary): Fact {
    // A mean of prefill and decode steps says nothing.
    if (serving_steps)
        return { label: 'Steps', value: int(serving_steps), tip: 'steps of the serving engine' };
    if (step_ns === null) {
        return {
            label: 'Span',
            value: <FormattedValueText value={formatSeconds(span_ns / 1e9)} />,
            tip: 'from the start of the first event to the end of the last',
        };
    }
    return {
        label: 'Mean step',
        term: 'step',
        value: <FormattedValueText value={formatSeconds(step_ns / 1e9)} />,
        tip: `Mean of the counted steps of ${int(steps)}. A step ends when its last kernel ends.`,
    };
}

function deviceFacts({ gpu_busy, dataloader_pct, step_ns }: TraceSummary): Fact[] {
    const facts: Fact[] = [];
    const base = `% of ${step_ns === null ? 'trace' : 'step'}`;
    const baseTip =
        step_ns === null
            ? 'Base: the time from the first to the last operator or call. The span also includes the start and the end of the profiler.'
            : 'Base: the mean step.';
    if (gpu_busy !== null) {
        facts.push({
            label: `${deviceWord()} busy`,
            term: 'gpu-busy',
            value: percentText(100 * gpu_busy),
            note: base,
            tip: baseTip,
        });
    }
    if (dataloader_pct !== null && (gpu_busy !== null || dataloader_pct > 0)) {
        facts.push({
            label: 'DataLoader',
            term: 'dataloader',
            value: percentText(dataloader_pct),
            note: base,
            tip: `Share of the time only the data loader was working. ${baseTip}`,
        });
    }
    return facts;
}

function stackFacts(run: Run): Fact[] {
    const { samples, frames, tracks, weight } = run.summary as Record<string, number>;
    const { unit } = axisOfRun(run);
    const label = run.headline?.label ?? 'weight';
    // The page may show another sample type than that of the headline.
    if (kindHas(run.kind, 'sample_types')) return sampledFacts(run);
    const facts: Fact[] = [
        {
            label: capital(label),
            value: (
                <FormattedValueText
                    value={
                        unit === 'samples'
                            ? { value: formatAxisValue(weight).value, unit: '' }
                            : formatAxisValue(weight)
                    }
                />
            ),
            note: estimateText(run, weight),
            tip: estimateText(run, weight)
                ? 'sum over all stacks; seconds are estimated with the sample period'
                : 'the sum over all stacks',
        },
        { label: 'Stacks', value: int(samples), tip: 'stacks in the file' },
        { label: 'Frames', value: int(frames), tip: 'distinct lines of functions' },
    ];
    if (tracks > 1) facts.push({ label: 'Threads', value: int(tracks), hideBelow: NARROW_PX });
    return facts;
}

/* Of a run with sample types: its default type, and its samples. */
function sampledFacts({ headline, summary }: Run): Fact[] {
    const { samples, frames } = summary as Record<string, number>;
    const facts: Fact[] = [
        { label: 'Samples', value: int(samples), tip: 'samples in the file' },
        { label: 'Frames', value: int(frames), tip: 'distinct lines of functions' },
    ];
    if (!headline) return facts;
    const { label, unit, value } = headline;
    const shown =
        unit === label || value === null ? formatCount(value ?? 0, '') : formatValueIn(value, unit);
    const total = {
        label,
        value: <FormattedValueText value={shown} />,
        tip: 'the sum over all samples, of the default sample type',
    };
    return [total, ...facts];
}

export function traceFacts(run: Run): Fact[] | null {
    if (isStacks(run)) return stackFacts(run);
    if (!isTrace(run)) return null;
    const summary = traceOf(run);
    const { peak_bytes, peak_device } = summary;
    const facts = [lengthFact(summary), ...deviceFacts(summary)];
    // Old versions of torch wrote no totals, so there is no peak.
    if (peak_bytes) {
        facts.push({
            label: peak_device ? `Peak ${deviceWord()} memory` : 'Peak memory',
            value: <FormattedValueText value={formatBytes(peak_bytes)} />,
            tip: 'largest memory allocated at one time',
            hideBelow: NARROW_PX,
        });
    }
    if (!summary.torch) {
        facts.push({ label: 'Tracks', value: int(summary.tracks), hideBelow: NARROW_PX });
    }
    facts.push({ label: 'Events', value: int(summary.events) });
    return facts;
}
