/* SPDX-License-Identifier: MIT
 *
 * Main values in the header of a report, by kind of profile, and warnings that concern the complete
 * report.
 */
import type { ImportSummary, PstatsSummary, Run } from '../../base/answers';
import { kindHas } from '../../base/kinds';
import { LABELS } from '../../base/terms';
import { formatSeconds, formatValueIn, int, pct, THIN_SPACE } from '../../base/units';
import { Notice } from '../../components/notice';
import type { Fact } from '../../components/run_head';
import { FormattedValueText } from '../../components/text';
import { printedFacts, printedWarnings } from '../functions/printed_facts';
import { lineFacts } from '../lines/text';
import { measureFacts } from '../measurements/facts';
import { snapshotFacts } from '../snapshot/facts';
import { traceFacts } from '../trace/facts';

const NARROW_PX = 1000;

function importFacts(summary: ImportSummary): Fact[] {
    const { total_us, startup_us, program_us } = summary;
    const share = (us: number) =>
        total_us > 0 ? `· ${pct((us / total_us) * 100)}${THIN_SPACE}%` : '';
    return [
        {
            label: 'Total',
            value: <FormattedValueText value={formatSeconds(total_us / 1e6)} />,
            tip: 'sum of the cumulative times of the top-level imports',
        },
        {
            label: 'Start-up',
            value: <FormattedValueText value={formatSeconds(startup_us / 1e6)} />,
            note: share(startup_us),
            tip: `${int(summary.startup_modules)} modules the interpreter imports before the program; percent of total`,
        },
        {
            label: 'Program',
            value: <FormattedValueText value={formatSeconds(program_us / 1e6)} />,
            note: share(program_us),
            tip: 'imports after start-up; percent of total',
        },
        { label: LABELS.modules, value: int(summary.modules) },
        {
            label: 'Deepest',
            value: int(summary.max_depth),
            note: 'levels',
            tip: summary.deepest?.join(' → '),
            hideBelow: NARROW_PX,
        },
    ];
}

function pstatsFacts(summary: PstatsSummary): Fact[] {
    const recursive = summary.total_calls !== summary.primitive_calls;
    return [
        {
            label: LABELS.totalTottime,
            value: <FormattedValueText value={formatSeconds(summary.total_tt_s)} />,
            tip: 'sum of tottime, as pstats prints it',
        },
        {
            label: summary.sampled ? 'Samples' : LABELS.functionCalls,
            value: int(summary.sampled ? summary.primitive_calls : summary.total_calls),
            note:
                recursive && !summary.sampled
                    ? `${int(summary.primitive_calls)} primitive`
                    : undefined,
        },
        { label: LABELS.functions, value: int(summary.functions) },
        { label: 'Call pairs', value: int(summary.calls_pairs ?? NaN), hideBelow: NARROW_PX },
        {
            label: 'Roots',
            value: int(summary.roots ?? NaN),
            tip: 'functions without a caller',
            hideBelow: NARROW_PX,
        },
    ];
}

export function factsOf(run: Run): Fact[] {
    if (kindHas(run.kind, 'imports')) return importFacts(run.summary as unknown as ImportSummary);
    if (kindHas(run.kind, 'calls')) return pstatsFacts(run.summary as unknown as PstatsSummary);
    const others =
        lineFacts(run) ??
        snapshotFacts(run) ??
        traceFacts(run) ??
        printedFacts(run) ??
        measureFacts(run);
    if (others) return others;
    if (!run.headline) return [];
    const value = (
        <FormattedValueText value={formatValueIn(run.headline.value, run.headline.unit)} />
    );
    return [{ label: run.headline.label, value }];
}

function importWarnings({ negative_self, interpreters }: ImportSummary): string[] {
    const warnings: string[] = [];
    if (negative_self > 0) {
        const times = negative_self === 1 ? 'self time is' : 'self times are';
        warnings.push(
            `Several threads imported at once: ${int(negative_self)} ${times} negative, and nearby parents may be wrong.`,
        );
    }
    if (interpreters > 1) {
        warnings.push(
            `The log holds ${int(interpreters)} interpreters. Totals are sums over all of them.`,
        );
    }
    return warnings;
}

function pstatsWarnings({ int_callers, sampled }: PstatsSummary): string[] {
    const warnings: string[] = [];
    if (sampled) {
        warnings.push('Written by a sampling profiler: counts are samples, times are estimates.');
    } else if (int_callers) {
        warnings.push(
            'Written by the pure-Python profile module: callers have counts but no times of their own.',
        );
    }
    return warnings;
}

function warningsOf(run: Run): string[] {
    if (kindHas(run.kind, 'imports'))
        return importWarnings(run.summary as unknown as ImportSummary);
    if (kindHas(run.kind, 'calls')) return pstatsWarnings(run.summary as unknown as PstatsSummary);
    return printedWarnings(run);
}

export function RunWarnings({ run }: { run: Run }) {
    return (
        <>
            {warningsOf(run).map((text) => (
                <Notice kind="warning" key={text}>
                    {text}
                </Notice>
            ))}
        </>
    );
}
