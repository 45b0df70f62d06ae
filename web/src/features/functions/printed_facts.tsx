/* SPDX-License-Identifier: MIT
 *
 * Header values of runs that were imported from printed tables.
 */
import type { KeyAveragesSummary, LightningSummary, PrintedSummary, Run } from '../../base/answers';
import { kindHas } from '../../base/kinds';
import { LABELS } from '../../base/terms';
import { formatBytes, formatSeconds, int } from '../../base/units';
import type { Fact } from '../../components/run_head';
import { FormattedValueText } from '../../components/text';
import { capital } from '../../model/labels';

export function printedOf(run: Run): PrintedSummary {
    return run.summary as unknown as PrintedSummary;
}

function functionFacts(run: Run): Fact[] {
    const summary = printedOf(run);
    const { total_calls, primitive_calls, reports } = summary;
    const facts: Fact[] = [
        {
            label: LABELS.totalTottime,
            value: <FormattedValueText value={formatSeconds(summary.total_tt_s)} />,
            tip: 'as printed above the table, rounded to milliseconds',
        },
    ];
    if (total_calls !== null) {
        facts.push({
            label: LABELS.functionCalls,
            value: int(total_calls),
            note:
                primitive_calls !== null && primitive_calls !== total_calls
                    ? `${int(primitive_calls)} primitive`
                    : undefined,
        });
    }
    facts.push(
        reports > 1
            ? { label: 'Reports', value: int(reports), tip: 'tables in this log' }
            : {
                  label: LABELS.functions,
                  value: int(summary.functions),
                  note: summary.of_functions ? `of ${int(summary.of_functions)}` : undefined,
              },
    );
    return facts;
}

function operatorFacts(run: Run): Fact[] {
    const summary = run.summary as unknown as KeyAveragesSummary;
    const facts: Fact[] = [];
    const total = (label: string, seconds: number | null) => {
        if (seconds === null) return;
        const value = <FormattedValueText value={formatSeconds(seconds)} />;
        facts.push({ label, value, tip: 'as printed below the table' });
    };
    total('Self CPU time', summary.self_cpu_s);
    total(`Self ${summary.device?.[0] ?? 'device'} time`, summary.self_device_s);
    facts.push({ label: LABELS.operators, value: int(summary.operators) });
    if (summary.reports > 1) {
        facts.push({ label: 'Tables', value: int(summary.reports), tip: 'in this log' });
    }
    return facts;
}

function operatorWarnings(run: Run): string[] {
    const { cut_names, operators } = run.summary as unknown as KeyAveragesSummary;
    const limit = operators === 100 ? ' (default 100)' : '';
    const warnings = [
        `Read from a printed table: values are rounded, and rows beyond its row_limit${limit} are missing.`,
    ];
    if (cut_names > 0) {
        const names = cut_names === 1 ? 'One name was' : `${int(cut_names)} names were`;
        warnings.push(`${names} cut when the table was printed: they end in three dots.`);
    }
    return warnings;
}

function actionFacts(run: Run): Fact[] {
    const { sections, actions } = run.summary as unknown as LightningSummary;
    const facts: Fact[] = [];
    if (run.headline) {
        const { label, value } = run.headline;
        facts.push({
            label: capital(label),
            value: <FormattedValueText value={formatSeconds(value)} />,
            tip: label === 'total' ? 'of the report that took longest' : undefined,
        });
    }
    if (sections > 1) facts.push({ label: 'Reports', value: int(sections), tip: 'in this file' });
    facts.push({ label: LABELS.actions, value: int(actions) });
    return facts;
}

function timelineFacts(run: Run): Fact[] {
    const { peak_mib, duration_s } = run.summary as { peak_mib?: number; duration_s?: number };
    return [
        {
            label: LABELS.peakMemory,
            value: <FormattedValueText value={formatBytes((peak_mib ?? 0) * 1048576)} />,
            tip: 'the most that all categories held at once',
        },
        {
            label: LABELS.duration,
            value: <FormattedValueText value={formatSeconds(duration_s ?? 0)} />,
        },
    ];
}

export function printedFacts(run: Run): Fact[] | null {
    if (kindHas(run.kind, 'categories')) return timelineFacts(run);
    if (kindHas(run.kind, 'actions')) return actionFacts(run);
    if (kindHas(run.kind, 'printed_operators')) return operatorFacts(run);
    return kindHas(run.kind, 'printed') ? functionFacts(run) : null;
}

export function printedWarnings(run: Run): string[] {
    if (kindHas(run.kind, 'printed_operators')) return operatorWarnings(run);
    const functions = kindHas(run.kind, 'printed');
    if (!functions || printedOf(run).reports === 0) return [];
    return [
        'Read from a printed report: times are rounded to milliseconds, and callers are unknown.',
    ];
}
