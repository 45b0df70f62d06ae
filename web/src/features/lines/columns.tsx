/* SPDX-License-Identifier: MIT
 *
 * Columns of the source grid, depending on the profile. Each tool has its own group of columns, in
 * the order and with the digits of the tool.
 */
import { LABELS } from '../../base/terms';
import { formatFixed, formatSeconds, int, text } from '../../base/units';
import { CpuBar, HeatBar, Increment, greyIfZero, ValueWithBar } from './cells';
import type { Base } from './data';
import { heatLevel } from '../../model/heat';
import { type LineMetrics, fileShare, functionShare, heatOf } from './source';
import type { SourceColumn } from './source_row';
import { SparklineCell } from './sparkline_cell';
import {
    decimalsOf,
    hitsText,
    perHitText,
    percentText,
    type TimeScale,
    timeText,
    UNIT_TEXT,
} from './units';

const NARROW_PX = 1000;

function valueAt(column: (number | null)[] | null, row: number): number | null {
    return row < 0 ? null : (column?.[row] ?? null);
}

function largestValue(column: (number | null)[] | null): number {
    return (column ?? []).reduce<number>((most, value) => Math.max(most, value ?? 0), 0);
}

function shareOfRow(
    metrics: LineMetrics,
    row: number,
    base: Base,
): { text: string; share: number } {
    const ticks = metrics.value[row] ?? 0;
    const fn = metrics.fn[row];
    const total = base === 'file' || fn < 0 ? metrics.whole : metrics.byFunction[fn];
    const part = base === 'file' ? fileShare(metrics, row) : functionShare(metrics, row);
    return { text: percentText(ticks, total), share: part };
}

/* Text reports have one decimal of time; values computed from it may differ in the last digit. */
const DERIVED_TIP = 'computed from printed times: the last digit may differ';

function derivedTitle(title: string, { rounded }: TimeScale) {
    if (!rounded) return title;
    return (
        <span class="is-estimate" title={DERIVED_TIP}>
            {title}
        </span>
    );
}

function shareTip(base: Base, { rounded }: TimeScale): string | undefined {
    if (rounded) return undefined;
    return base === 'file'
        ? 'of the time of all profiled functions of this file'
        : 'of the time of its function, as line_profiler prints it';
}

/** Columns of line_profiler: hits, time, time per hit, percent. */
export function timeColumns(metrics: LineMetrics, scale: TimeScale, base: Base): SourceColumn[] {
    const [hits, ticks] = [metrics.column('hits'), metrics.column('ticks')];
    if (!ticks) return [];
    const unit = UNIT_TEXT[scale.unit];
    const exact = (row: number) =>
        `${int(valueAt(hits, row) ?? 0)} hits, ${text(formatSeconds((ticks[row] ?? 0) * scale.unit_s))}`;
    return [
        {
            key: 'hits',
            title: 'Hits',
            width: 84,
            render: ({ at: row }) => {
                const value = valueAt(hits, row);
                return value === null ? null : hitsText(value);
            },
        },
        {
            key: 'time',
            title: 'Time',
            unit,
            width: 104,
            determinesHeat: true,
            render: ({ at: row }) => {
                const value = valueAt(ticks, row);
                if (value === null) return null;
                return <span title={exact(row)}>{timeText(value, scale)}</span>;
            },
        },
        {
            key: 'per_hit',
            title: derivedTitle('Per hit', scale),
            unit,
            width: 92,
            hideBelow: 900,
            cellClass: 'soft',
            render: ({ at: row }) => {
                const value = valueAt(ticks, row);
                return value === null ? null : perHitText(value, valueAt(hits, row) ?? 0, scale);
            },
        },
        {
            key: 'pct',
            title: derivedTitle(base === 'file' ? '% of file' : '% of function', scale),
            width: 116,
            tip: shareTip(base, scale),
            render: ({ at: row }) => {
                if (valueAt(ticks, row) === null) return null;
                const { text, share: part } = shareOfRow(metrics, row, base);
                return <HeatBar share={part} level={heatLevel(part)} text={text} />;
            },
        },
    ];
}

const BASELINE_TIP =
    'memory of the process when the function started: memory_profiler prints it as the first increment, but it is not growth';

/** Columns of memory_profiler: memory after the line, its change, number of executions. */
export function memoryColumns(metrics: LineMetrics, base: Base): SourceColumn[] {
    const mem = metrics.column('mem_mib');
    const increment = metrics.column('increment_mib');
    const occurrences = metrics.column('occurrences');
    if (!mem || !increment) return [];
    const decimals = Math.max(decimalsOf(mem), decimalsOf(increment));
    const peak = largestValue(mem);
    const columns: SourceColumn[] = [
        {
            key: 'mem',
            title: LABELS.memory,
            unit: 'MiB',
            width: 92,
            startsGroup: true,
            tip: 'largest memory of the process after this line; the bar is the share of the peak',
            render: ({ at: row }) => {
                const value = valueAt(mem, row);
                if (value === null) return null;
                return <ValueWithBar share={value / peak} text={formatFixed(value, decimals)} />;
            },
        },
        {
            key: 'increment',
            title: 'Increment',
            unit: 'MiB',
            width: 116,
            determinesHeat: metrics.measure === 'memory',
            tip: 'change over all executions of the line; the bar is its share of the growth of the function',
            render: ({ at: row }) => {
                const value = valueAt(increment, row);
                if (value === null) return null;
                if (metrics.baseline.has(row)) {
                    return (
                        <span class="is-estimate zero" title={BASELINE_TIP}>
                            {formatFixed(value, decimals)}
                        </span>
                    );
                }
                const level = metrics.measure === 'memory' ? heatOf(metrics, row, base) : 0;
                const part =
                    base === 'file' ? fileShare(metrics, row) : functionShare(metrics, row);
                return (
                    <>
                        {level > 0 && (
                            <span
                                class={`heat-fill is-heat-${level}`}
                                style={{ width: `${part}%` }}
                            />
                        )}
                        <span class="heat-text">
                            <Increment value={value} decimals={decimals} />
                        </span>
                    </>
                );
            },
        },
    ];
    if (occurrences) {
        columns.push({
            key: 'occurrences',
            title: 'Occurrences',
            width: 96,
            hideBelow: NARROW_PX,
            cellClass: 'soft',
            render: ({ at: row }) => {
                const value = valueAt(occurrences, row);
                return value === null ? null : int(value);
            },
        });
    }
    return columns;
}

interface NumberColumnSpec {
    key: string;
    title: string;
    unit: string;
    width: number;
    tip: string;
    decimals: number;
    hideBelow?: number;
    startsGroup?: boolean;
    rank: number;
}

const CPU_PART_COLUMNS: NumberColumnSpec[] = [
    { key: 'cpu_python_pct', title: 'Python', width: 74, where: 'in the interpreter' },
    { key: 'cpu_native_pct', title: 'native', width: 74, where: 'in compiled code' },
    {
        key: 'cpu_system_pct',
        title: 'not running',
        width: 108,
        where: 'waiting, or in the operating system; Scalene calls it system',
    },
].map(({ key, title, width, where }) => ({
    key,
    title,
    unit: '%',
    width,
    tip: `percent of all samples of the program: ${where}`,
    decimals: 1,
    hideBelow: 1180,
    // The bar of the CPU column shows these parts.
    rank: 5,
}));

const MEMORY_COLUMNS: NumberColumnSpec[] = [
    {
        key: 'peak_mib',
        title: 'Peak',
        unit: 'MiB',
        width: 76,
        tip: 'largest memory held',
        decimals: 1,
        rank: 1,
    },
    {
        key: 'avg_mib',
        title: 'Mean',
        unit: 'MiB',
        width: 72,
        tip: 'average memory',
        decimals: 1,
        rank: 6,
    },
    {
        key: 'malloc_mib',
        title: 'Alloc',
        unit: 'MiB',
        width: 80,
        tip: 'allocated over the whole run',
        decimals: 1,
        rank: 2,
    },
    {
        key: 'leak_pct',
        title: 'Leak',
        unit: '%',
        width: 72,
        tip: 'likelihood that what the line allocates is never freed, as Scalene computes it',
        decimals: 1,
        rank: 1,
    },
    {
        key: 'leak_most_mib_s',
        title: 'Leak rate',
        unit: 'MiB/s',
        width: 116,
        tip: 'allocated a second over the whole run: the leak grows by this at most',
        decimals: 1,
        rank: 2,
    },
    {
        key: 'copy_mib_s',
        title: 'Copy',
        unit: 'MiB/s',
        width: 88,
        tip: 'memory copied a second',
        decimals: 1,
        rank: 4,
    },
    {
        key: 'gpu_pct',
        title: 'GPU',
        unit: '%',
        width: 66,
        tip: 'use of the GPU while here',
        decimals: 1,
        rank: 3,
    },
    {
        key: 'gpu_peak_mib',
        title: 'GPU peak',
        unit: 'MiB',
        width: 104,
        tip: 'memory on the GPU',
        decimals: 1,
        rank: 4,
    },
];

function numberColumn(metrics: LineMetrics, spec: NumberColumnSpec): SourceColumn | null {
    const column = metrics.column(spec.key);
    const { key, title, unit, width, tip, hideBelow, startsGroup, decimals, rank } = spec;
    // A column of zeros and of values that are printed as zero says nothing.
    if (!column || largestValue(column) < 0.5 / 10 ** decimals) return null;
    return {
        key,
        title,
        unit,
        width,
        tip,
        hideBelow,
        startsGroup,
        rank,
        cellClass: 'soft',
        render: ({ at: row }) => {
            const value = valueAt(column, row);
            return value === null || value === 0 ? null : greyIfZero(formatFixed(value, decimals));
        },
    };
}

/** Columns of Scalene: stacked CPU bar and its parts, memory, copies, GPU, memory curve of the
 * line. */
export function scaleneColumns(metrics: LineMetrics): SourceColumn[] {
    if (metrics.measure !== 'cpu') return [];
    const parts = CPU_PART_COLUMNS.map(({ key }) => metrics.column(key));
    const cpu: SourceColumn = {
        key: 'cpu',
        title: 'CPU',
        unit: '% of all',
        width: 124,
        determinesHeat: true,
        tip: 'percent of all samples of the program; the bar is Python, native, not running from the left',
        render: ({ at: row }) => (
            <CpuBar
                python={valueAt(parts[0], row) ?? 0}
                native={valueAt(parts[1], row) ?? 0}
                system={valueAt(parts[2], row) ?? 0}
            />
        ),
    };
    const memory = MEMORY_COLUMNS.map((spec, i) =>
        numberColumn(metrics, { ...spec, hideBelow: i === 0 ? undefined : NARROW_PX }),
    ).filter((column) => column !== null);
    const curves = curveColumn(metrics);
    if (curves) memory.push(curves);
    const [first, ...rest] = memory;
    return [
        cpu,
        ...CPU_PART_COLUMNS.map((spec) => numberColumn(metrics, spec)).filter(
            (column) => column !== null,
        ),
        ...(first ? [{ ...first, startsGroup: true }, ...rest] : []),
    ];
}

function curveColumn({ samples }: LineMetrics): SourceColumn | null {
    const all = Object.values(samples);
    if (!all.some((points) => points.length > 1)) return null;
    let [from, to, top] = [Infinity, 0, 0];
    for (const points of all) {
        for (const [t, mib] of points) {
            from = Math.min(from, t);
            to = Math.max(to, t);
            top = Math.max(top, mib);
        }
    }
    return {
        key: 'curve',
        title: 'Over time',
        width: 88,
        hideBelow: NARROW_PX,
        rank: 3,
        tip: `memory while this line ran, up to ${formatFixed(top, 1)} MiB, from ${formatFixed(from, 1)} to ${formatFixed(to, 1)} s`,
        render: ({ at: row }) =>
            row >= 0 && samples[row] ? (
                <SparklineCell points={samples[row]} from={from} to={to} top={top} />
            ) : null,
    };
}

/** All measured columns, tool by tool. */
export function columnsOf(metrics: LineMetrics, scale: TimeScale, base: Base): SourceColumn[] {
    const columns = [
        ...timeColumns(metrics, scale, base),
        ...memoryColumns(metrics, base),
        ...scaleneColumns(metrics),
    ];
    // The strong line separates tools from each other, not the first tool from the line numbers.
    return columns.map((column, i) => (i === 0 ? { ...column, startsGroup: false } : column));
}
