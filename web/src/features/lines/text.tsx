/* SPDX-License-Identifier: MIT
 *
 * Texts of a line-level report: function headings, notes, and the values of its header.
 */
import type { ComponentChildren } from 'preact';
import type {
    LineProfilerSummary,
    MemoryProfilerSummary,
    MprofSummary,
    Run,
    ScaleneSummary,
} from '../../base/answers';
import { kindHas } from '../../base/kinds';
import type { LineFunctionRow } from '../../base/rows';
import { LABELS } from '../../base/terms';
import {
    DASH,
    THIN_SPACE,
    type FormattedValue,
    formatSeconds,
    formatValueIn,
    formatFixed,
    int,
    pct,
    plural,
    signed,
} from '../../base/units';
import type { Fact } from '../../components/run_head';
import { FormattedValueText } from '../../components/text';
import { slopeText } from '../../model/memory_curve';
import type { LineMetrics } from './source';

export const NESTED_REMARK =
    'profiled functions that call each other count the same time twice: do not add their times';
const ROUNDED_REMARK = 'read from a printed report: values are rounded';

function shareText(part: number, whole: number): string {
    return whole > 0 ? pct((100 * part) / whole) : '';
}

function neverRanText(): ComponentChildren {
    return (
        <span class="never-ran" title="registered with the profiler, but never called">
            never ran
        </span>
    );
}

function timeBand(metrics: LineMetrics, index: number): ComponentChildren {
    const { ticks, executed } = metrics.functions[index];
    if (!executed) return neverRanText();
    const unit_s = metrics.unit_s ?? 0;
    const part = shareText(ticks ?? 0, metrics.whole);
    return `${formatFixed((ticks ?? 0) * unit_s * 1e3, 3)}${THIN_SPACE}ms${part && ` · ${part}${THIN_SPACE}% of file`}`;
}

function memoryBand(metrics: LineMetrics, index: number, calls: number): ComponentChildren {
    if (!metrics.functions[index].executed) return neverRanText();
    let growth = 0;
    metrics.fn.forEach((fn, row) => {
        if (fn === index) growth += metrics.value[row] ?? 0;
    });
    const suffix = calls > 1 ? ` · ${int(calls)} calls` : '';
    return `${signed(growth, 3)}${THIN_SPACE}MiB${suffix}`;
}

function cpuBand(row: LineFunctionRow | undefined): ComponentChildren {
    if (!row) return null;
    const cpu = (row.cpu_python_pct ?? 0) + (row.cpu_native_pct ?? 0) + (row.cpu_system_pct ?? 0);
    const peak = row.peak_mib
        ? ` · highest line peak ${formatFixed(row.peak_mib, 1)}${THIN_SPACE}MiB`
        : '';
    return `${pct(cpu)}${THIN_SPACE}% of all samples${peak}`;
}

/** Heading above the lines of a function. */
export function FunctionBand(props: {
    metrics: LineMetrics;
    index: number;
    isContinued: boolean;
    rows: LineFunctionRow[];
    calls: Map<number, number>;
}) {
    const { metrics, index, isContinued, rows, calls } = props;
    const { name, first_line, id } = metrics.functions[index];
    const label =
        metrics.measure === 'cpu'
            ? cpuBand(rows.find((row) => row.id === id))
            : metrics.measure === 'memory'
              ? memoryBand(metrics, index, calls.get(id) ?? 1)
              : timeBand(metrics, index);
    return (
        <span class="source-band-words">
            <b class="mono">{name ?? `function at line ${first_line ?? '?'}`}</b>{' '}
            {isContinued ? 'continued' : label}
        </span>
    );
}

/** Function and call of an additional row of the same line; null for none. */
export function ownerText(metrics: LineMetrics, row: number): string | null {
    const fn = metrics.fn[row];
    const name = fn >= 0 ? metrics.functions[fn].name : null;
    const block = metrics.block[row];
    const call = block > 1 ? `call ${int(block)}` : null;
    return [name && `in ${name}`, call].filter(Boolean).join(', ') || null;
}

/** Remark for the status line on how to read the values; null if none is needed. */
export function valuesRemark(run: Run): string | null {
    if (kindHas(run.kind, 'line_memory')) {
        return 'memory of the whole process; a line that calls a profiled function includes its growth';
    }
    if (kindHas(run.kind, 'line_cpu')) return 'percentages are of all samples of the program';
    if (!kindHas(run.kind, 'line_times')) return null;
    const { nested, rounded } = run.summary as unknown as LineProfilerSummary;
    return (
        [nested ? NESTED_REMARK : null, rounded ? ROUNDED_REMARK : null]
            .filter(Boolean)
            .join(' · ') || null
    );
}

const NARROW_PX = 1000;

/* Ticks are round numbers, so trailing zeros are removed: 1 ns, 100 ns, 1 µs. */
function formatTick(unit_s: number): FormattedValue {
    const { value, unit } = formatSeconds(unit_s);
    return { value: value.replace(/\.0+$/, ''), unit };
}

function lineProfilerFacts(summary: LineProfilerSummary): Fact[] {
    const { functions, functions_run, hottest, unit_s } = summary;
    const facts: Fact[] = [
        {
            label: 'Profiled time',
            value: <FormattedValueText value={formatSeconds(summary.time_s)} />,
            note: `in ${plural(functions_run, 'function')}`,
            tip: summary.nested ? NESTED_REMARK : 'sum over the functions',
        },
    ];
    if (hottest?.length) {
        facts.push({
            label: 'Hottest function',
            value: <span class="fact-name">{hottest[2]}</span>,
            tip: `${hottest[2]}, ${hottest[0]}:${hottest[1]}`,
        });
    }
    if (functions > functions_run) {
        const idle = functions - functions_run;
        const note = idle === 1 ? 'function' : 'functions';
        facts.push({ label: 'Never ran', value: int(idle), note });
    }
    facts.push({
        label: 'Timer unit',
        value: <FormattedValueText value={formatTick(unit_s)} />,
        hideBelow: NARROW_PX,
        tip: summary.rounded ? ROUNDED_REMARK : 'times are multiples of this unit',
    });
    return facts;
}

function mibText(value: number | null): ComponentChildren {
    return value === null ? (
        <>{DASH}</>
    ) : (
        <FormattedValueText value={formatValueIn(value, 'MiB')} />
    );
}

function memoryFacts(summary: MemoryProfilerSummary): Fact[] {
    return [
        { label: LABELS.peakMemory, value: mibText(summary.peak_mib), tip: 'of the whole process' },
        {
            label: 'Growth',
            value: mibText(summary.increment_mib),
            tip: 'what the calls added, without the memory at their start',
        },
        { label: LABELS.functions, value: int(summary.functions) },
        { label: 'Calls reported', value: int(summary.blocks), hideBelow: NARROW_PX },
    ];
}

function scaleneFacts(summary: ScaleneSummary): Fact[] {
    const facts: Fact[] = [
        {
            label: 'Elapsed',
            value: <FormattedValueText value={formatSeconds(summary.elapsed_s)} />,
        },
        { label: LABELS.files, value: int(summary.files) },
    ];
    if ((summary.peak_mib ?? 0) > 0) {
        facts.push({
            label: LABELS.peakMemory,
            value: mibText(summary.peak_mib),
            tip: 'largest footprint that Scalene saw in the whole run; lines and samples have their own, lower peaks',
        });
        facts.push({
            label: 'Growth rate',
            value: <>{pct(summary.growth_rate ?? NaN)}</>,
            note: '%',
            tip: 'growth rate in percent, computed by Scalene',
            hideBelow: NARROW_PX,
        });
    }
    if (summary.leaks) {
        facts.push({
            label: 'Leaks',
            value: int(summary.leaks),
            note: summary.leaks === 1 ? 'line' : 'lines',
            tip: 'lines of which Scalene says that they probably never free what they allocate',
        });
    }
    return facts;
}

function mprofFacts(summary: MprofSummary): Fact[] {
    const facts: Fact[] = [
        {
            label: LABELS.peakMemory,
            value: mibText(summary.peak_mib),
            note: `at ${formatFixed(summary.peak_t_s, 2)} s`,
        },
        {
            label: LABELS.duration,
            value: <FormattedValueText value={formatSeconds(summary.duration_s)} />,
        },
        { label: LABELS.processes, value: int(summary.processes) },
    ];
    if (summary.slope_mib_s !== null) {
        const window = { from: 0, to: summary.duration_s };
        facts.push({
            label: 'Slope',
            value: <>{signed(summary.slope_mib_s, 2)}</>,
            note: 'MiB/s',
            tip: slopeText(summary.slope_mib_s, window, null) ?? undefined,
            hideBelow: NARROW_PX,
        });
    }
    return facts;
}

/** Header values of a line-level report; null for other kinds. */
export function lineFacts(run: Run): Fact[] | null {
    if (kindHas(run.kind, 'line_times')) {
        return lineProfilerFacts(run.summary as unknown as LineProfilerSummary);
    }
    if (kindHas(run.kind, 'line_memory')) {
        return memoryFacts(run.summary as unknown as MemoryProfilerSummary);
    }
    if (kindHas(run.kind, 'line_cpu'))
        return scaleneFacts(run.summary as unknown as ScaleneSummary);
    if (kindHas(run.kind, 'spans')) return mprofFacts(run.summary as unknown as MprofSummary);
    return null;
}

/** Message for a report without rows, with the likely reason. */
export function emptyText(run: Run): string {
    if (kindHas(run.kind, 'line_times')) {
        return 'No profiled function ran. Mark functions with @profile, or name modules with kernprof -p.';
    }
    return 'This profile has no lines.';
}
